"""The policies of the paper, one short class each."""

from provend.policies._base import DecidingPolicy, Policy
from provend.policies._counting import Counting, Separable
from provend.policies._forms import PATIENT, Form, Ranks, Thresholds
from provend.policies._mixture import Mixture, NoData
from provend.policies._order import ERM, KNN, OrderStatistic, nearest
from provend.policies._weighted import SHAPES, Exponential, Kernel, WeightedERM, WeightedQuantile

__all__ = [
    "ERM",
    "KNN",
    "PATIENT",
    "SHAPES",
    "Counting",
    "DecidingPolicy",
    "Exponential",
    "Form",
    "Kernel",
    "Mixture",
    "NoData",
    "OrderStatistic",
    "Policy",
    "Ranks",
    "Separable",
    "Thresholds",
    "WeightedERM",
    "WeightedQuantile",
    "nearest",
]
