"""Days that had something left: how many of them it takes to speak against stocking more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

HALVINGS = 6  # of the set of days, leaving out the farthest
GRID = 64
AT_MOST = 500  # days to choose a witness from: more would hardly speak more easily


@dataclass(frozen=True, eq=False)
class Witness:
    """Nothing is stocked above a level that ``needed`` of these days are known not to have exceeded."""

    rows: Rows
    needed: int

    def limit(self, sales: Floats, stock: Floats) -> float:
        """The least level that ``needed`` of the days stayed within; a day that sold out may have wanted any amount."""
        within = np.where(sales < stock, sales, inf)[self.rows]
        return float(np.partition(within, self.needed - 1)[self.needed - 1])


def most_stocked(stock: Floats, d: Floats, size: int) -> Rows:
    """The ``size`` days with the most stock, or ``AT_MOST``: they sell out least. The nearest first."""
    most = np.lexsort((d, -stock))[: min(size, AT_MOST)]
    return most[np.argsort(d[most], kind="stable")]


class Search(NamedTuple):
    """What a witness may cost, seen from above and, roughly, from below.

    At a level of F_0 = t, a layer costs ``alone`` without the witness, as on the ``grid``, and at most ``gap`` times
    the chance that the witness speaks besides.
    """

    most: Fraction  # what may be missed at worst
    missed: Callable[[int, int], Fraction]  # at most, when so many of the first days are needed
    alone: Floats
    gap: Floats


def grid(q: Fraction) -> Floats:
    """Levels of F_0 at which costs are looked at before they are certified."""
    return np.linspace(0, float(q), GRID, endpoint=False)


def easiest(d: Floats, q: Fraction, search: Search) -> tuple[int, int] | None:
    """Out of how many days, the first of those at the ascending ``d``, how many are needed: what speaks most easily.

    ``None`` if none may ever speak. Numbers that cost too much on the grid are not tried; the first of the others that
    is certified has the least share of days.
    """
    sizes = {d.size >> halvings for halvings in range(HALVINGS)} - {0} if d[0] < d[-1] else {d.size}
    tails = _tails(d, q, sorted(sizes))
    waiting = []
    for size, tail in tails.items():
        affordable = (search.alone[:, None] + search.gap[:, None] * tail).max(axis=0) <= float(search.most)
        waiting.append(_Candidate.of(size, 1 + int(np.argmax(np.append(affordable, True)))))
    heapify(waiting)
    while waiting:
        _, size, needed = heappop(waiting)
        if needed > size:
            continue
        if search.missed(size, needed) <= search.most:
            return size, needed
        heappush(waiting, _Candidate.of(size, needed + 1))
    return None


class _Candidate(NamedTuple):
    share: float
    size: int
    needed: int

    @classmethod
    def of(cls, size: int, needed: int) -> _Candidate:
        return cls(needed / size, size, needed)


def _tails(d: Floats, q: Fraction, sizes: list[int]) -> dict[int, Floats]:
    """For each number of days: row t, entry r - 1 is the chance of r successes at probabilities min(1, t + d_i)."""
    from provend._kernels.tails.occupation import prefix_occupation

    found = {size: np.empty((GRID, size)) for size in sizes}
    for at, t in enumerate(grid(q).tolist()):
        laws = prefix_occupation(d, np.array([t]), np.ones(1))
        for size, tails in found.items():
            tails[at] = np.cumsum(laws[size, size:0:-1])[::-1]
    return found
