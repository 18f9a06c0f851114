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

WORTH = Fraction(1, 1000)  # of a segment's part, by which the guarantee may rise for a witness
AT_LEAST = 8  # days to choose a witness from


@dataclass(frozen=True, eq=False)
class Witness:
    """Nothing is stocked above what so many of these days are known not to have needed."""

    rows: Rows
    needed: int

    def limit(self, sales: Floats, stock: Floats) -> float:
        """The least level that ``needed`` of the days stayed within; a day that sold out may have wanted any amount."""
        within = np.where(sales < stock, sales, inf)[self.rows]
        return float(np.partition(within, self.needed - 1)[self.needed - 1])


def most_stocked(stock: Floats, d: Floats, share: int) -> Rows:
    """One day in ``share``, those with most stock, which sell out least; the nearest first."""
    most = np.lexsort((d, -stock))[: max(stock.size // share, AT_LEAST)]
    return most[np.argsort(d[most], kind="stable")]


def easiest(nearest: Rows, missed: Callable[[Witness], Fraction], most: Fraction) -> Witness | None:
    """The witness that speaks most easily on the first of these rows, on half of them, and so on.

    ``missed`` is what it would cost at worst, which must not exceed ``most``; ``None`` if none may ever speak.
    """
    sizes = {nearest.size >> halvings for halvings in range(nearest.size.bit_length())}
    tried = [_least(nearest[:size], missed, most) for size in sorted(sizes)]
    return min((one for one in tried if one is not None), key=lambda one: one.needed / one.rows.size, default=None)


def _least(rows: Rows, missed: Callable[[Witness], Fraction], most: Fraction) -> Witness | None:
    """On these rows the one that speaks as often as is allowed."""
    low, high = 0, rows.size + 1  # how many are needed: too few, and out of reach
    while high - low > 1:
        middle = (low + high) // 2
        allowed = missed(Witness(rows, middle)) <= most
        low, high = (low, middle) if allowed else (middle, high)
    return Witness(rows, high) if high <= rows.size else None
