"""Order statistics, the simplest form."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import special

from provend._kernels.maximise.banded import LARGE, BandedTerm
from provend._kernels.maximise.side import count_terms
from provend.policies.forms.form import Chance, Floats, Form, Resolution, Sides, WholeCount
from provend.policies.forms.quantile import with_ends


@dataclass(frozen=True)
class Ranks(Form):
    """The rank-th smallest of the demands at ``index`` (all, if None), with a probability each."""

    index: NDArray[np.intp] | None
    ranks: tuple[int, ...]
    probabilities: tuple[Fraction, ...] = (Fraction(1),)

    def times(self, share: Fraction) -> Ranks:
        """The same ranks, each less likely."""
        return replace(self, probabilities=tuple(share * p for p in self.probabilities))

    def errs(self, d: Floats) -> Sides:
        """Low: at least n - rank + 1 ones. High: at least rank zeros."""
        chosen = np.sort(self._chosen(d))
        n, probabilities = chosen.size, [float(p) for p in self.probabilities]
        low, high = [n - rank + 1 for rank in self.ranks], list(self.ranks)
        if len(high) > 1 and chosen[0] < chosen[-1] and n * min(max(low), max(high)) >= LARGE:
            ones = np.ones(n, np.int64)
            return [BandedTerm(chosen, ones, low, probabilities)], [BandedTerm(chosen, ones, high, probabilities)]
        return count_terms(chosen, low, probabilities), count_terms(chosen, high, probabilities)

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        """Rank 0 is the bottom of the support, a rank beyond the last sample its top."""
        ascending = np.sort(self._chosen(y), axis=-1)
        return with_ends(ascending, support)[:, [min(rank, ascending.shape[-1] + 1) for rank in self.ranks]]

    def chance(self, resolution: Resolution) -> Chance:
        """Tails of a count, straight from the cdfs."""
        pairs = [(float(p), rank) for p, rank in zip(self.probabilities, self.ranks, strict=True)]
        return lambda h: sum(p * _at_least(self._chosen(h), rank) for p, rank in pairs)

    def count(self, n: int) -> WholeCount:
        """Weight one for each sample chosen."""
        weights = np.zeros(n, np.int64)
        weights[slice(None) if self.index is None else self.index] = 1
        return WholeCount.of(weights, self.ranks, self.probabilities)

    @property
    def kin(self) -> Hashable:
        """Ranks among the same samples."""
        return Ranks, None if self.index is None else np.sort(self.index).tobytes()

    def joined(self, others: Sequence[Ranks]) -> Ranks:
        """Each rank once, with all its probability."""
        pooled: dict[int, Fraction] = {}
        for form in (self, *others):
            for rank, p in zip(form.ranks, form.probabilities, strict=True):
                pooled[rank] = pooled.get(rank, Fraction(0)) + p
        return Ranks(self.index, tuple(pooled), tuple(pooled.values()))

    def _chosen(self, of_all: Floats) -> Floats:
        return of_all if self.index is None else of_all[..., self.index]


def _at_least(h: Floats, rank: int) -> float:
    """The probability that at least ``rank`` demands are at most y, each with its probability in ``h``."""
    if not 1 <= rank <= h.size:
        return float(rank == 0)
    if h.min() == h.max():
        return float(special.betainc(rank, h.size - rank + 1, h[0]))
    from provend._kernels.tails.counts import count_tail

    return float(count_tail(h, rank)[0])
