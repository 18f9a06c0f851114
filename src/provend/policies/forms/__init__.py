"""Forms: what a policy is, once dissimilarities and critical ratio are known. Callers never ask which one."""

from provend.policies.forms.distribution import Distribution
from provend.policies.forms.form import PATIENT, QUICK, Chance, Effort, Form, Resolution, Sides, WholeCount, with_effort
from provend.policies.forms.level import Level
from provend.policies.forms.quantile import how_many, with_ends
from provend.policies.forms.ranks import Ranks
from provend.policies.forms.table import Table
from provend.policies.forms.thresholds import Thresholds
from provend.policies.forms.top import Top
from provend.policies.forms.weights import Weights

__all__ = [
    "PATIENT",
    "QUICK",
    "Chance",
    "Distribution",
    "Effort",
    "Form",
    "Level",
    "Ranks",
    "Resolution",
    "Sides",
    "Table",
    "Thresholds",
    "Top",
    "Weights",
    "WholeCount",
    "how_many",
    "with_effort",
    "with_ends",
]
