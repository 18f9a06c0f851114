"""Days that had something left: how many of them speak against stocking what is above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

HALVINGS = 6  # of these days, far ones left out


@dataclass(frozen=True, eq=False)
class Witness:
    """Nothing is stocked above what so many of these days are known not to have needed."""

    rows: Rows
    needed: int

    def limit(self, sales: Floats, stock: Floats) -> float:
        """The least level that ``needed`` of the days stayed within; a day that sold out may have wanted any amount."""
        within = np.where(sales < stock, sales, inf)[self.rows]
        return float(np.partition(within, self.needed - 1)[self.needed - 1])


def most_stocked(stock: Floats, d: Floats, size: int) -> Rows:
    """So many days, those with most stock, which sell out least; the nearest first."""
    most = np.lexsort((d, -stock))[:size]
    return most[np.argsort(d[most], kind="stable")]


def easiest(d: Floats, missed: Callable[[int, int], Fraction], most: Fraction) -> tuple[int, int] | None:
    """Of how many days, the first of those at ``d``, which ascends, how many are needed: what speaks most easily.

    ``missed`` of both is what it would cost at worst, which must not exceed ``most``; ``None`` if it may never speak.
    """
    sizes = {d.size >> halvings for halvings in range(HALVINGS)} - {0} if d[0] < d[-1] else {d.size}
    tried = [(size, _least(size, missed, most)) for size in sorted(sizes)]
    return min(((m, r) for m, r in tried if r <= m), key=lambda one: one[1] / one[0], default=None)


def _least(size: int, missed: Callable[[int, int], Fraction], most: Fraction) -> int:
    """The fewest that may be needed of so many days; more than there are if none may."""
    low, high = 0, size + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if missed(size, middle) <= most else (middle, high)
    return high
