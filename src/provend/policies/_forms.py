"""Threshold forms: what a policy is, once dissimilarities and critical ratio are known.

Each form says how the policy decides on real demands (``orders``) and how it errs on Bernoulli demands (``errs``):
E[a(Y)] on the low side and 1 - E[a(Y)] on the high side, a(y) being the probability of ordering the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._kernels.maximise.side import BlackBoxTerm, ConstantTerm, TableTerm
from provend.policies._ranks import Floats, Ranks, Sides
from provend.policies._thresholds import PATIENT, QUICK, Effort, Level, Thresholds

__all__ = [
    "PATIENT",
    "QUICK",
    "Distribution",
    "Effort",
    "Form",
    "Level",
    "Ranks",
    "Table",
    "Thresholds",
    "Top",
    "with_effort",
]


@dataclass(frozen=True)
class Table:
    """A monotone counting function by its table, the first sample being the highest bit of the index."""

    kappa: NDArray[np.bool_]
    probability: Fraction = Fraction(1)

    note = ""

    def errs(self, d: Floats) -> Sides:
        """High: kappa of the zeros. Low: one minus kappa of the zeros, as a function of the ones."""
        table = float(self.probability) * self.kappa.astype(np.float64)
        return [TableTerm(d, float(self.probability) - table[::-1])], [TableTerm(d, table)]

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """The smallest a among the demands and the ends of the support with kappa(1{y <= a}) = 1."""
        bottom, top = support
        if self.kappa[0]:
            return [(self.probability, bottom)]
        bits = 1 << np.arange(y.size - 1, -1, -1)
        for a in np.unique(y):
            if self.kappa[int(bits[y <= a].sum())]:
                return [(self.probability, float(a))]
        return [(self.probability, top)]


@dataclass(frozen=True)
class Distribution:
    """A separable policy by its P: the probability of ordering at most a, given the past cdfs at a."""

    cdf: Callable[[Floats], float]
    probability: Fraction = Fraction(1)

    note = "conditional on the given P being non-decreasing and exact"

    def errs(self, d: Floats) -> Sides:
        """High: P of the zeros' probabilities. Low: one minus that."""

        def high(t: float) -> float:
            return float(self.cdf(np.minimum(t + d, 1.0)))

        def low(t: float) -> float:
            return 1.0 - float(self.cdf(np.maximum(1.0 - t - d, 0.0)))

        return [BlackBoxTerm(low, float(self.probability))], [BlackBoxTerm(high, float(self.probability))]


@dataclass(frozen=True)
class Top:
    """No data: order the top with probability ``share``, in expectation lo + share (hi - lo)."""

    share: Fraction
    probability: Fraction = Fraction(1)

    note = ""

    def errs(self, d: Floats) -> Sides:
        """Whatever the data say."""
        return (
            [ConstantTerm(float(self.probability * self.share))],
            [ConstantTerm(float(self.probability * (1 - self.share)))],
        )

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """The no-data order."""
        bottom, top = map(Fraction, support)
        return [(self.probability, float(bottom + self.share * (top - bottom)))]


Form = Ranks | Thresholds | Table | Distribution | Top


def with_effort(forms: Iterable[Form], effort: Effort) -> tuple[Form, ...]:
    """The same forms; those with weights share the effort."""
    forms = tuple(forms)
    weighted = sum(isinstance(form, Thresholds) and not form.unweighted for form in forms)
    part = effort.shared(weighted)
    return tuple(replace(form, effort=part) if isinstance(form, Thresholds) else form for form in forms)
