"""Order statistics, the simplest threshold form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._kernels.maximise.banded import LARGE, BandedTerm
from provend._kernels.maximise.side import Term, count_terms

Floats = NDArray[np.float64]
Sides = tuple[list[Term], list[Term]]


@dataclass(frozen=True)
class Ranks:
    """The rank-th smallest of the demands at ``index`` (all, if None), with a probability each."""

    index: NDArray[np.intp] | None
    ranks: tuple[int, ...]
    probabilities: tuple[Fraction, ...] = (Fraction(1),)

    note = ""

    def errs(self, d: Floats) -> Sides:
        """Low: at least n - rank + 1 ones. High: at least rank zeros."""
        chosen = np.sort(d if self.index is None else d[self.index])
        n, probabilities = chosen.size, [float(p) for p in self.probabilities]
        low, high = [n - rank + 1 for rank in self.ranks], list(self.ranks)
        if len(high) > 1 and chosen[0] < chosen[-1] and n * min(max(low), max(high)) >= LARGE:
            ones = np.ones(n, np.int64)
            return [BandedTerm(chosen, ones, low, probabilities)], [BandedTerm(chosen, ones, high, probabilities)]
        return count_terms(chosen, low, probabilities), count_terms(chosen, high, probabilities)

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """Rank 0 is the bottom of the support, a rank beyond the last sample its top."""
        bottom, top = support
        ordered = np.sort(y if self.index is None else y[self.index])
        padded = [bottom, *ordered.tolist(), top]
        return [(p, padded[min(r, ordered.size + 1)]) for r, p in zip(self.ranks, self.probabilities, strict=True)]
