"""Above the largest stock nobody has seen anything, except that many a day did not even sell what it had."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend.policies import Mixture, OrderStatistic
from provend.regret import high_side

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

WORTH = Fraction(1, 1000)  # of the part above the largest stock, by which the guarantee may rise for a witness
AT_LEAST = 8  # days to choose a witness from; else a quarter of them, those with most stock, which sell out least


@dataclass(frozen=True, eq=False)
class Witness:
    """So many of these days did not sell out that nothing is ordered above the largest stock."""

    rows: Rows
    needed: int

    def speaks(self, sales: Floats, stock: Floats) -> bool:
        """Whether enough of the days had something left."""
        return int(np.count_nonzero(sales[self.rows] < stock[self.rows])) >= self.needed


@dataclass(frozen=True, eq=False)
class Unseen:
    """Order the share q of what is above the largest stock, unless a witness says that there is no need."""

    witness: Witness | None
    upper: Fraction
    lower_bound: Fraction  # q (1 - q), what no policy without data is below

    def share(self, sales: Floats, stock: Floats, q: Fraction) -> Fraction:
        """Of the segment, to be ordered."""
        return Fraction(0) if self.witness is not None and self.witness.speaks(sales, stock) else q


def unseen(stock: Floats, d: Floats, q: Fraction) -> Unseen:
    """The witness that speaks most easily at next to no cost, and the worst case of the share ordered with it.

    A day that did not sell out has seen a demand below all of this segment. This has probability t + d_i at most, t
    being that of the demand to come. So the high side is at most (q - t) (1 - q + q P(the witness speaks)), with slack
    for all t > 0. The low side is q (1 - q), as without: a witness only lowers the order.
    """
    without = q * (1 - q)
    most_stock = np.lexsort((d, -stock))[: max(stock.size // 4, AT_LEAST)]
    nearest = most_stock[np.argsort(d[most_stock], kind="stable")]
    sizes = {nearest.size >> halvings for halvings in range(nearest.size.bit_length())}
    tried = [_least(nearest[:size], d, q, without * (1 + WORTH)) for size in sorted(sizes)]
    best = min((one for one in tried if one is not None), key=lambda one: one.needed / one.rows.size, default=None)
    return Unseen(best, without if best is None else max(without, _missed(best, d, q)), without)


def _least(rows: Rows, d: Floats, q: Fraction, most: Fraction) -> Witness | None:
    """The witness on these rows that speaks as often as is allowed, or None if it may never speak."""
    low, high = 0, rows.size + 1  # how many are needed: too few, and out of reach
    while high - low > 1:
        middle = (low + high) // 2
        allowed = _missed(Witness(rows, middle), d, q) <= most
        low, high = (low, middle) if allowed else (middle, high)
    return Witness(rows, high) if high <= rows.size else None


def _missed(one: Witness, d: Floats, q: Fraction) -> Fraction:
    """The high side, from above: the bottom with probability 1 - q, else a rank, that is as many zeros as needed."""
    policy = Mixture([OrderStatistic(0), OrderStatistic(one.needed)], [1 - q, q])
    return Fraction(high_side(policy, d[one.rows], q, 1e-6).upper)
