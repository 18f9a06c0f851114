"""Above the largest stock nothing was ever seen, except that many days did not even sell what they had."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf

import numpy as np

from provend.policies import Mixture, OrderStatistic
from provend.regret import high_side
from provend.stockouts._witness import Floats, Search, Witness, easiest, grid, most_stocked

WORTH = Fraction(1, 1000)  # share of the part above the largest stock by which a witness may raise the guarantee
AT_LEAST = 15  # days to choose a witness from, or a sixteenth of all days if that is more: those with less sell out


@dataclass(frozen=True, eq=False)
class Unseen:
    """Order the share q of what is above the largest stock, unless a witness says that there is no need to."""

    witness: Witness | None
    upper: Fraction
    lower_bound: Fraction  # q (1 - q): no policy without data has less

    def share(self, sales: Floats, stock: Floats, q: Fraction) -> Fraction:
        """The share of the segment to order; days that had something left stayed below all of it."""
        return Fraction(0) if self.witness is not None and self.witness.limit(sales, stock) < inf else q


def unseen(stock: Floats, d: Floats, q: Fraction) -> Unseen:
    """The witness that speaks most easily at next to no cost, and the worst case of the share ordered with it.

    A day that did not sell out had a demand below all of this segment. The probability of that is at most t + d_i,
    where t is that for the demand to come. So the high side is at most (q - t) (1 - q + q P(the witness speaks)), with
    slack for all t > 0. The low side is q (1 - q), as without a witness: a witness only lowers the order.
    """
    without, nearest = q * (1 - q), most_stocked(stock, d, max(stock.size // 16, AT_LEAST))
    found, upper = _found(d[nearest].tobytes(), q)
    return Unseen(found and Witness(nearest[: found[0]], found[1]), upper, without)


@lru_cache(maxsize=1024)
def _found(distances: bytes, q: Fraction) -> tuple[tuple[int, int] | None, Fraction]:
    """Out of how many days how many are needed, and what that promises: the same for all items of a plan."""
    d, without = np.frombuffer(distances), q * (1 - q)

    def missed(size: int, needed: int) -> Fraction:
        """The high side: the bottom with probability 1 - q, otherwise a rank, that is, as many zeros as needed."""
        policy = Mixture([OrderStatistic(0), OrderStatistic(needed)], [1 - q, q])
        return Fraction(high_side(policy, d[:size], q, 1e-6).upper)

    gap = float(q) - grid(q)
    best = easiest(d, q, Search(without * (1 + WORTH), missed, gap * float(1 - q), gap * float(q)))
    return best, without if best is None else max(without, missed(*best))
