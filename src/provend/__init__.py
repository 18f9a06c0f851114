"""provend: newsvendor decisions from past demand in other contexts, with exact worst-case guarantees."""

from importlib import import_module
from types import ModuleType

from provend.bounds import limiting_lower_bound, lower_bound
from provend.certificate import Guarantee, WorstCase
from provend.concentration import concentration_bound
from provend.curves import LearningCurve, SamplesNeeded, learning_curve, samples_needed
from provend.designs import constant, drift
from provend.minimax import Minimax, Optimal, PriorPoint, ValueOfData, minimax, value_of_data
from provend.mixtures import BestMixture, EffectiveSampleSize, best_mixture, effective_sample_size
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
from provend.tuning import Sensitivity, Tuned, sensitivity, tune
from provend.wasserstein import WassersteinBound, wasserstein_bound

__all__ = [
    "ERM",
    "KNN",
    "BestMixture",
    "Counting",
    "EffectiveSampleSize",
    "Exponential",
    "Guarantee",
    "Kernel",
    "LearningCurve",
    "Minimax",
    "Mixture",
    "Newsvendor",
    "NoData",
    "Optimal",
    "OrderStatistic",
    "Policy",
    "PriorPoint",
    "SamplesNeeded",
    "Sensitivity",
    "Separable",
    "Tuned",
    "ValueOfData",
    "WassersteinBound",
    "WeightedERM",
    "WeightedQuantile",
    "WorstCase",
    "best_mixture",
    "concentration_bound",
    "constant",
    "drift",
    "effective_sample_size",
    "learning_curve",
    "limiting_lower_bound",
    "lower_bound",
    "minimax",
    "regret_profile",
    "samples_needed",
    "sensitivity",
    "tune",
    "value_of_data",
    "wasserstein_bound",
    "worst_case_regret",
]


def __getattr__(name: str) -> ModuleType:
    """Import ``pv.plots`` and ``pv.datasets`` when they are first used: pictures should not slow down an order."""
    if name in ("datasets", "plots"):
        return import_module(f"provend.{name}")
    raise AttributeError(f"module 'provend' has no attribute {name!r}")
