"""Above the largest stock nobody has seen anything, except that many a day did not even sell what it had."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from provend.policies import Mixture, OrderStatistic
from provend.regret import high_side
from provend.stockouts._witness import WORTH, Floats, Witness, easiest, most_stocked


@dataclass(frozen=True, eq=False)
class Unseen:
    """Order the share q of what is above the largest stock, unless a witness says that there is no need."""

    witness: Witness | None
    upper: Fraction
    lower_bound: Fraction  # q (1 - q), what no policy without data is below

    def share(self, sales: Floats, stock: Floats, q: Fraction) -> Fraction:
        """Of the segment, to be ordered; days that had something left stayed below all of it."""
        return Fraction(0) if self.witness is not None and self.witness.limit(sales, stock) < inf else q


def unseen(stock: Floats, d: Floats, q: Fraction) -> Unseen:
    """The witness that speaks most easily at next to no cost, and the worst case of the share ordered with it.

    A day that did not sell out has seen a demand below all of this segment. This has probability t + d_i at most, t
    being that of the demand to come. So the high side is at most (q - t) (1 - q + q P(the witness speaks)), with slack
    for all t > 0. The low side is q (1 - q), as without: a witness only lowers the order.
    """
    without = q * (1 - q)
    best = easiest(most_stocked(stock, d, 4), lambda one: _missed(one, d, q), without * (1 + WORTH))
    return Unseen(best, without if best is None else max(without, _missed(best, d, q)), without)


def _missed(one: Witness, d: Floats, q: Fraction) -> Fraction:
    """The high side, from above: the bottom with probability 1 - q, else a rank, that is as many zeros as needed."""
    policy = Mixture([OrderStatistic(0), OrderStatistic(one.needed)], [1 - q, q])
    return Fraction(high_side(policy, d[one.rows], q, 1e-6).upper)
