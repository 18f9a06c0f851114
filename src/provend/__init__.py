"""provend: newsvendor decisions from past demand in other contexts, with exact worst-case guarantees."""

from provend.certificate import Guarantee, WorstCase
from provend.designs import constant, drift
from provend.newsvendor import Newsvendor
from provend.policies import (
    ERM,
    KNN,
    Counting,
    Exponential,
    Kernel,
    Mixture,
    NoData,
    OrderStatistic,
    Policy,
    Separable,
    WeightedERM,
    WeightedQuantile,
)
from provend.regret import regret_profile, worst_case_regret

__all__ = [
    "ERM",
    "KNN",
    "Counting",
    "Exponential",
    "Guarantee",
    "Kernel",
    "Mixture",
    "Newsvendor",
    "NoData",
    "OrderStatistic",
    "Policy",
    "Separable",
    "WeightedERM",
    "WeightedQuantile",
    "WorstCase",
    "constant",
    "drift",
    "regret_profile",
    "worst_case_regret",
]
