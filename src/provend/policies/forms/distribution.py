"""Separable policies by their distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from provend._kernels.maximise.side import BlackBoxTerm
from provend.policies.forms.form import Floats, Form, Sides


@dataclass(frozen=True)
class Distribution(Form):
    """A separable policy by its P: the probability of ordering at most a, given the past cdfs at a."""

    cdf: Callable[[Floats], float]
    probability: Fraction = Fraction(1)

    @property
    def probabilities(self) -> tuple[Fraction]:
        """A single one: P is not split into orders."""
        return (self.probability,)

    @property
    def note(self) -> str:
        """The guarantee takes P as given."""
        return "conditional on the given P being non-decreasing and exact"

    def times(self, share: Fraction) -> Distribution:
        """The same P, less likely."""
        return replace(self, probability=share * self.probability)

    def errs(self, d: Floats) -> Sides:
        """High: P at the zeros' probabilities. Low: one minus P at them."""

        def high(t: float) -> float:
            return float(self.cdf(np.minimum(t + d, 1.0)))

        def low(t: float) -> float:
            return 1.0 - float(self.cdf(np.maximum(1.0 - t - d, 0.0)))

        return [BlackBoxTerm(low, float(self.probability))], [BlackBoxTerm(high, float(self.probability))]

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        """P says how likely an order is, not which."""
        raise TypeError("a Separable policy cannot be simulated: its P does not say how to decide")
