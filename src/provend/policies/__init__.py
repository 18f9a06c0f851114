"""The policies of the paper, one short class each, and the forms they take."""

from provend.policies._base import DecidingPolicy, Policy, check_decides, counts_of
from provend.policies._counting import Counting, Separable
from provend.policies._mixture import Mixture, NoData
from provend.policies._order import ERM, KNN, OrderStatistic, nearest
from provend.policies._weighted import SHAPES, Exponential, Kernel, WeightedERM, WeightedQuantile
from provend.policies.forms import (
    PATIENT,
    QUICK,
    Effort,
    Form,
    Level,
    Ranks,
    Resolution,
    Thresholds,
    WholeCount,
    how_many,
    with_effort,
    with_ends,
)

__all__ = [
    "ERM",
    "KNN",
    "PATIENT",
    "QUICK",
    "SHAPES",
    "Counting",
    "DecidingPolicy",
    "Effort",
    "Exponential",
    "Form",
    "Kernel",
    "Level",
    "Mixture",
    "NoData",
    "OrderStatistic",
    "Policy",
    "Ranks",
    "Resolution",
    "Separable",
    "Thresholds",
    "WeightedERM",
    "WeightedQuantile",
    "WholeCount",
    "check_decides",
    "counts_of",
    "how_many",
    "nearest",
    "with_effort",
    "with_ends",
]
