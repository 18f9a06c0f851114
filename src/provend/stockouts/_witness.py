"""When days say that there is no need: so many demands were known to be lower that nothing is ordered of a segment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend.policies import Mixture, OrderStatistic
from provend.regret import high_side

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

WORTH = Fraction(1, 1000)  # of the part above the largest stock, by which the guarantee may rise for a witness
WORTH_SEEN = Fraction(1, 100)  # of the part of a segment that some days have seen
AT_LEAST = 8  # days to choose a witness from; else a quarter of them, those with most stock, which sell out least
SIZES = 3  # halvings of the days that may be witnesses in a segment some days have seen


@dataclass(frozen=True, eq=False)
class Witness:
    """So many of these days are known to have had demands up to ``level`` that nothing is ordered above it."""

    rows: Rows
    needed: int
    level: float

    def speaks(self, sales: Floats, stock: Floats) -> bool:
        """Whether enough of the days had something left and sold no more than that."""
        sold, had = sales[self.rows], stock[self.rows]
        return int(np.count_nonzero((sold < had) & (sold <= self.level))) >= self.needed


@dataclass(frozen=True, eq=False)
class Unseen:
    """Order the share q of what is above the largest stock, unless a witness says that there is no need."""

    witness: Witness | None
    upper: Fraction
    lower_bound: Fraction  # q (1 - q), what no policy without data is below

    def share(self, sales: Floats, stock: Floats, q: Fraction) -> Fraction:
        """Of the segment, to be ordered."""
        return Fraction(0) if self.witness is not None and self.witness.speaks(sales, stock) else q


def unseen(stock: Floats, d: Floats, q: Fraction, level: float) -> Unseen:
    """The witness that speaks most easily at next to no cost, and the worst case of the share ordered with it.

    A day that did not sell out has seen a demand below all of this segment. This has probability t + d_i at most, t
    being that of the demand to come. So the high side is at most (q - t) (1 - q + q P(the witness speaks)), with slack
    for all t > 0. The low side is q (1 - q), as without: a witness only lowers the order.
    """
    without = q * (1 - q)
    most_stock = np.lexsort((d, -stock))[: max(stock.size // 4, AT_LEAST)]
    nearest = most_stock[np.argsort(d[most_stock], kind="stable")]
    sizes = {nearest.size >> halvings for halvings in range(nearest.size.bit_length())}
    best = _easiest(nearest, sorted(sizes), level, lambda one: _missed(one, d, q) <= without * (1 + WORTH))
    return Unseen(best, without if best is None else max(without, _missed(best, d, q)), without)


def lower(stock: Floats, d: Floats, q: Fraction, level: float, upper: Fraction) -> tuple[Witness | None, Fraction]:
    """A witness for the segment above ``level``, whose rule has the regret ``upper``, and what it costs at most.

    That a demand is known to be at most ``level`` has probability t + d_i at most, t being that of the demand to come
    not to exceed a layer above. Leaving the layer out where the rule or the witness says so adds at most
    (q - t) P(the witness speaks) to the high side, and nothing to the low side.
    """
    could = np.flatnonzero(stock >= level)
    nearest = could[np.argsort(d[could], kind="stable")]
    sizes = {nearest.size >> halvings for halvings in range(SIZES)} - {0}
    best = _easiest(nearest, sorted(sizes), level, lambda one: _silenced(one, d, q) <= upper * WORTH_SEEN)
    return best, Fraction(0) if best is None else _silenced(best, d, q)


def _easiest(nearest: Rows, sizes: list[int], level: float, allowed: Callable[[Witness], bool]) -> Witness | None:
    """Of the nearest days, as many as one of the sizes, the witness that speaks most often, or None."""
    tried = [_least(nearest[:size], level, allowed) for size in sizes]
    return min((one for one in tried if one is not None), key=lambda one: one.needed / one.rows.size, default=None)


def _least(rows: Rows, level: float, allowed: Callable[[Witness], bool]) -> Witness | None:
    """The witness on these rows that speaks as often as is allowed, or None if it may never speak."""
    if not allowed(Witness(rows, rows.size, level)):
        return None
    low, high = 0, rows.size  # how many are needed: too few, and enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if allowed(Witness(rows, middle, level)) else (middle, high)
    return Witness(rows, high, level)


def _missed(one: Witness, d: Floats, q: Fraction) -> Fraction:
    """The high side, from above: the bottom with probability 1 - q, else a rank, that is as many zeros as needed."""
    policy = Mixture([OrderStatistic(0), OrderStatistic(one.needed)], [1 - q, q])
    return Fraction(high_side(policy, d[one.rows], q, 1e-6).upper)


def _silenced(one: Witness, d: Floats, q: Fraction) -> Fraction:
    """The high side of leaving out all above where the witness speaks, from above."""
    return Fraction(high_side(OrderStatistic(one.needed), d[one.rows], q, 1e-3).upper)
