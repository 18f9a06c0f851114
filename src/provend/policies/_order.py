"""Order statistics: policies that order one of the past demands by its rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._rational import ceil_product
from provend._validation import as_count, as_entries
from provend.policies._base import POSITIONS, RANKS, DecidingPolicy
from provend.policies.forms import Form, Ranks


def nearest(d: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """Positions of the k smallest dissimilarities; ties go to the earlier entry."""
    if k > d.size:
        raise InputError(f"k = {k} exceeds the {d.size} past contexts; choose k between 1 and {d.size}")
    return np.argsort(d, kind="stable")[:k]


@dataclass(frozen=True)
class ERM(DecidingPolicy):
    """Empirical risk minimisation: the ceil(q n)-th smallest of all past demands."""

    sees = RANKS

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """One rank among all samples (Appendix B, closed form of ERM)."""
        return (Ranks(None, (ceil_product(q, d.size),)),)


@dataclass(frozen=True)
class KNN(DecidingPolicy):
    """ERM on the k nearest contexts; ties in ``d`` go to the earlier entry."""

    k: int

    sees = RANKS

    def __post_init__(self) -> None:
        as_count(self.k, "k")

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """One rank among the k nearest."""
        return (Ranks(nearest(d, self.k), (ceil_product(q, self.k),)),)

    def on_first(self, n: int) -> KNN:
        """All n contexts as long as there are fewer than k."""
        return KNN(min(self.k, n))


@dataclass(frozen=True)
class OrderStatistic(DecidingPolicy):
    """The ``rank``-th smallest demand among all, the ``k`` nearest, or a ``subset`` of positions in ``d``.

    Rank 0 is the bottom of the support, a rank above the number of samples its top (the paper's Definition B-1).
    """

    rank: int
    k: int | None = None
    subset: Iterable[int] | None = None

    def __post_init__(self) -> None:
        as_count(self.rank, "rank", least=0)
        if self.k is not None:
            as_count(self.k, "k")
        if self.subset is not None:
            if self.k is not None:
                raise InputError(f"k = {self.k!r} and subset are both given; give one of them")
            subset = tuple(as_count(i, "subset entry", least=0) for i in as_entries(self.subset, "subset"))
            if len(set(subset)) < len(subset):
                raise InputError(f"subset = {subset!r} repeats a position; name each past context once")
            object.__setattr__(self, "subset", subset)

    @property
    def sees(self) -> frozenset[str]:
        """Ranks, unless a subset names positions."""
        return RANKS if self.subset is None else POSITIONS

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """One rank among the chosen samples."""
        index = None
        if self.k is not None:
            index = nearest(d, self.k)
        elif self.subset is not None:
            index = np.array(self.subset, np.intp)
            if index.size and index.max() >= d.size:
                raise InputError(f"subset holds {index.max()} but positions go from 0 to {d.size - 1}")
        return (Ranks(index, (self.rank,)),)

    def on_first(self, n: int) -> OrderStatistic:
        """The same rank among the first n contexts: the k nearest of them, or those in the subset."""
        k = None if self.k is None else min(self.k, n)
        return OrderStatistic(self.rank, k, None if self.subset is None else [i for i in self.subset if i < n])
