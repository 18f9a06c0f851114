"""Days that had something left: how many of them it takes to speak against stocking more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

HALVINGS = 6  # of the set of days, leaving out the farthest


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
    """The ``size`` days with the most stock, which sell out least; the nearest first."""
    most = np.lexsort((d, -stock))[:size]
    return most[np.argsort(d[most], kind="stable")]


def easiest(d: Floats, missed: Callable[[int, int], Fraction], most: Fraction) -> tuple[int, int] | None:
    """Out of how many days, the first of those at the ascending ``d``, how many are needed: what speaks most easily.

    ``missed`` of both numbers is the cost at worst, which must not exceed ``most``; ``None`` if it may never speak.
    """
    sizes = {d.size >> halvings for halvings in range(HALVINGS)} - {0} if d[0] < d[-1] else {d.size}
    tried = [(size, _least(size, missed, most)) for size in sorted(sizes)]
    return min(((m, r) for m, r in tried if r <= m), key=lambda one: one[1] / one[0], default=None)


def _least(size: int, missed: Callable[[int, int], Fraction], most: Fraction) -> int:
    """The smallest number that may be needed out of ``size`` days; ``size + 1`` if there is none."""
    low, high = 0, size + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if missed(size, middle) <= most else (middle, high)
    return high
