"""Counting functions by their table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._kernels.maximise.side import TableTerm
from provend.policies.forms.form import Chance, Floats, Resolution, Sides
from provend.policies.forms.single import Single


@dataclass(frozen=True)
class Table(Single):
    """A monotone counting function by its table, the first sample being the highest bit of the index."""

    kappa: NDArray[np.bool_]

    def errs(self, d: Floats) -> Sides:
        """High: kappa of the zeros. Low: one minus kappa of the zeros, as a function of the ones."""
        table = float(self.probability) * self.kappa.astype(np.float64)
        return [TableTerm(d, float(self.probability) - table[::-1])], [TableTerm(d, table)]

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        """The smallest a among the demands and the ends of the support with kappa(1{y <= a}) = 1."""
        return np.array([[self._order(history, support)] for history in y])

    def chance(self, resolution: Resolution) -> Chance:
        """The expectation of kappa."""
        return expectation(float(self.probability) * self.kappa.astype(np.float64))

    def _order(self, y: Floats, support: tuple[float, float]) -> float:
        bottom, top = support
        if self.kappa[0]:
            return bottom
        bits = 1 << np.arange(y.size - 1, -1, -1)
        return next((float(a) for a in np.unique(y) if self.kappa[int(bits[y <= a].sum())]), top)


def expectation(table: Floats) -> Callable[[Floats], float]:
    """E[table(B)], B_i ~ Bernoulli(h_i), the first sample being the highest bit of the index."""

    def fold(h: Floats) -> float:
        F = table
        for x in h:
            F = F[: F.size // 2] * (1 - x) + F[F.size // 2 :] * x
        return float(F[0])

    return fold
