"""Who decides within a segment: the best rule on the days that had enough, and a witness among those that had less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend.minimax import minimax
from provend.policies import DecidingPolicy, OrderStatistic
from provend.regret import high_side_of_any, regret_profile, worst_case_regret
from provend.stockouts._witness import Floats, Rows, Search, Witness, easiest, grid, most_stocked

WORTH = Fraction(1, 100)  # share of a segment's part by which a witness may raise the guarantee
MANY = 1000  # days from which only the rules of a few plans are kept
AT_LEAST = 40  # days to choose a witness from, or half of all days if that is more


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy on the rows it was certified for.

    Attributes
    ----------
    rows : array of int
        Positions of the past days it looks at.
    idle : array of bool
        Which of them have no weight at all, so that the rule stays valid without them.
    upper, lower_bound : Fraction
        The worst-case regret of the rule, witness included, is at most ``upper``; that of no policy on these rows is
        below ``lower_bound``.
    witness : Witness, optional
        What may lower its order.
    """

    policy: DecidingPolicy
    rows: Rows
    idle: NDArray[np.bool_]
    upper: Fraction
    lower_bound: Fraction
    witness: Witness | None = None


def rules(nested: list[Rows], stock: Floats, d: Floats, q: Fraction, policy: DecidingPolicy | None) -> Iterator[Rule]:
    """One rule for each set of rows, where every set is a subset of the one before."""
    rule, well_stocked = None, most_stocked(stock, d, max(stock.size // 2, AT_LEAST))
    for rows in nested:
        if rule is None or not np.all(rule.idle | np.isin(rule.rows, rows)):
            rule = _optimal(rows, d, q, well_stocked) if policy is None else _given(policy, rows, d[rows], q)
        yield rule  # the previous one if only idle rows have left: it is the best on the rest, too


def _given(policy: DecidingPolicy, rows: Rows, d: Floats, q: Fraction) -> Rule:
    upper, lower = worst_case_regret(policy, d, q=q).upper, minimax(d, q=q).lower_bound
    return Rule(policy, rows, np.zeros(rows.size, np.bool_), Fraction(upper), Fraction(lower))


def _optimal(rows: Rows, d: Floats, q: Fraction, well_stocked: Rows) -> Rule:
    """The best rule on these rows; days with less stock may be witnesses, too."""
    others = b"" if np.isin(well_stocked, rows).all() else d[well_stocked].tobytes()
    best = (_best_of_many if rows.size > MANY else _best_known)(d[rows].tobytes(), others, q)
    witness = best.witness and Witness(well_stocked[: best.witness[0]], best.witness[1])
    return Rule(best.policy, rows, best.idle, best.upper, best.lower_bound, witness)


class Best(NamedTuple):
    """The best rule at given distances, whichever rows have them: the same for many items of a plan."""

    policy: DecidingPolicy
    idle: NDArray[np.bool_]
    upper: Fraction
    lower_bound: Fraction
    witness: tuple[int, int] | None  # out of how many days, and how many are needed


def _best(distances: bytes, others: bytes, q: Fraction) -> Best:
    """A layer is left out if the rule or the witness says so: the high side is at most that of both together.

    The low side can only fall.
    """
    d, theirs = np.frombuffer(distances), np.frombuffer(others)
    found = minimax(d, q=q)
    upper = Fraction(found.guarantee.upper)

    def missed(size: int, needed: int) -> Fraction:
        both = [(found.policy, d), (OrderStatistic(needed), theirs[:size])]
        return Fraction(high_side_of_any(both, q, 1e-6).upper)

    if not others:
        return Best(found.policy, found.weights == 0, upper, Fraction(found.lower_bound), None)
    alone = regret_profile(found.policy, d, 1 - grid(q), q=q)
    witness = easiest(theirs, q, Search(upper * (1 + WORTH), missed, alone, float(q) - grid(q)))
    most = upper if witness is None else max(upper, missed(*witness))
    return Best(found.policy, found.weights == 0, most, Fraction(found.lower_bound), witness)


# A rule takes about 140 bytes a day: with up to 5,000 days both caches together stay below 200 MB.
_best_known, _best_of_many = lru_cache(maxsize=1024)(_best), lru_cache(maxsize=64)(_best)
