"""The form that looks at no data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from provend._kernels.maximise.side import ConstantTerm
from provend.policies.forms.form import Chance, Floats, Resolution, Sides, WholeCount
from provend.policies.forms.single import Single


@dataclass(frozen=True)
class Top(Single):
    """No data: order the top with probability ``share``, in expectation lo + share (hi - lo)."""

    share: Fraction

    def errs(self, d: Floats) -> Sides:
        """With constant probabilities, whatever the data say."""
        return (
            [ConstantTerm(float(self.probability * self.share))],
            [ConstantTerm(float(self.probability * (1 - self.share)))],
        )

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        """The no-data order, for every history."""
        return np.full((len(y), 1), self._order(support))

    def fixed(self, support: tuple[float, float]) -> tuple[tuple[Fraction, float]]:
        """The no-data order."""
        return ((self.probability, self._order(support)),)

    def chance(self, resolution: Resolution) -> Chance:
        """Nothing beyond the fixed order."""
        return lambda h: 0.0

    def count(self, n: int) -> WholeCount:
        """A count of nothing: a share of it needs more than there is, and the rest needs nothing."""
        ends = self.probability * self.share, self.probability * (1 - self.share)
        return WholeCount(np.zeros(n, np.int64), (1, 0), ends)

    def _order(self, support: tuple[float, float]) -> float:
        bottom, top = map(Fraction, support)
        return float(bottom + self.share * (top - bottom))
