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

WORTH = Fraction(1, 1000)  # of the part above the largest stock, by which the guarantee may rise for it
SHARES = (1, 2, 4)  # all days, the half and the quarter of them with most stock: which will speak is not known before


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

    witnesses: tuple[Witness, ...]
    upper: Fraction
    lower_bound: Fraction  # q (1 - q), what no policy without data is below

    def share(self, sales: Floats, stock: Floats, q: Fraction) -> Fraction:
        """Of the segment, to be ordered."""
        return Fraction(0) if any(witness.speaks(sales, stock) for witness in self.witnesses) else q


def unseen(stock: Floats, d: Floats, q: Fraction) -> Unseen:
    """Witnesses that cost next to nothing, and the worst case of the share ordered with them.

    A day that did not sell out has seen a demand below all of this segment. If it happens with probability t + d_i at
    most, t being the demand's own probability to stay below, the high side is (q - t) (1 - q + q P(a witness speaks)),
    at most the mean over the witnesses of (q - t) (1 - q + q J P(this one speaks)), J of them. The low side is
    q (1 - q), as without: witnesses only lower the order.
    """
    without = q * (1 - q)
    found, upper, most = list[Witness](), without, without * (1 + WORTH)
    by_stock = np.argsort(-stock, kind="stable")
    for share in SHARES:
        one = _best_witness(by_stock[: stock.size // share], d, q, most)
        if one is not None:
            found.append(one)
            upper = max(upper, _missed(one, d, q))
    return Unseen(tuple(found), upper, without)


def _best_witness(rows: Rows, d: Floats, q: Fraction, most: Fraction) -> Witness | None:
    """The nearest of the rows, half, a quarter of them, ..., where the least share must not have sold out."""
    nearest = rows[np.argsort(d[rows], kind="stable")]
    sizes = {rows.size >> halvings for halvings in range(rows.size.bit_length())} - {0}
    tried = [_least(nearest[:size], d, q, most) for size in sorted(sizes)]
    return min((one for one in tried if one is not None), key=lambda one: one.needed / one.rows.size, default=None)


def _least(rows: Rows, d: Floats, q: Fraction, most: Fraction) -> Witness | None:
    """The witness on these rows that speaks as often as is allowed, or None if it may never speak."""
    low, high = 0, rows.size + 1  # how many are needed: too few, and out of reach
    while high - low > 1:
        middle = (low + high) // 2
        allowed = _missed(Witness(rows, middle), d, q) <= most
        low, high = (low, middle) if allowed else (middle, high)
    return Witness(rows, high) if high <= rows.size else None


def _missed(one: Witness, d: Floats, q: Fraction) -> Fraction:
    """The high side, from above, if each of the witnesses spoke as often as this one."""
    silent, speaks = 1 - q, q * len(SHARES)
    total = silent + speaks
    policy = Mixture([OrderStatistic(0), OrderStatistic(one.needed)], [silent / total, speaks / total])
    return Fraction(high_side(policy, d[one.rows], q, 1e-6).upper) * total
