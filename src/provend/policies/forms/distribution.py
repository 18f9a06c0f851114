"""Separable policies by their distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from provend._kernels.maximise.side import BlackBoxTerm
from provend.policies.forms.form import Floats, Sides
from provend.policies.forms.single import Single


@dataclass(frozen=True)
class Distribution(Single):
    """A separable policy by its P: the probability of ordering at most a, given the past cdfs at a."""

    cdf: Callable[[Floats], float]

    @property
    def note(self) -> str:
        """The guarantee takes P as given."""
        return "conditional on the given P being non-decreasing and exact"

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
