"""How each segment will be decided and what that promises, before any sales are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from provend.certificate import Bracket, rounded_down, rounded_up
from provend.minimax import minimax
from provend.policies import DecidingPolicy
from provend.regret import worst_case_regret
from provend.stockouts._levels import fewer_levels, stock_levels
from provend.stockouts._segments import Floats, Rows, Rule, SeenSegment, Segment, UnseenSegment
from provend.stockouts._unseen import unseen


@dataclass(frozen=True, eq=False)
class Plan:
    """All segments, from the bottom of the support to its top."""

    segments: tuple[Segment, ...]
    support: tuple[float, float]

    @property
    def guarantee(self) -> Bracket[float]:
        """Of the worst-case regret of the sum, in units of (cu + co) times the width of the support.

        From above by the sum of the parts; from below by what no policy can avoid if demand is either the stock just
        below ``top`` or the top of the support: days with less stock then look the same whatever comes.
        """
        upper = sum((self.part(segment) for segment in self.segments), Fraction(0))
        lower = max(segment.lower_bound * self._share(segment.below, self.support[1]) for segment in self.segments)
        return Bracket(rounded_down(float(lower)), rounded_up(float(upper)))

    def part(self, segment: Segment) -> Fraction:
        """What one segment adds to the guarantee."""
        return segment.upper * self._share(segment.bottom, segment.top)

    def _share(self, bottom: float, top: float) -> Fraction:
        lowest, highest = map(Fraction, self.support)
        return (Fraction(top) - Fraction(bottom)) / (highest - lowest)


def plan(stock: Floats, d: Floats, q: Fraction, support: tuple[float, float], policy: DecidingPolicy | None) -> Plan:
    """Segments between stock levels, each with the rule of the days that had enough: sales are no argument."""
    bottom, top = support
    every = stock_levels(stock, support)
    levels = fewer_levels(every, stock, d, bottom)
    rules = _rules([np.flatnonzero(stock >= level) for level in levels.tolist()], d, q, policy)
    segments, start = list[Segment](), bottom
    for level, rule in zip(levels.tolist(), rules, strict=True):
        below = max(every[every < level].tolist(), default=bottom)
        segments.append(SeenSegment(start, level, int(np.count_nonzero(stock >= level)), below, rule))
        start = level
    if start < top:
        segments.append(UnseenSegment(start, top, 0, max(every.tolist(), default=bottom), unseen(stock, d, q)))
    return Plan(tuple(segments), support)


def _rules(nested: list[Rows], d: Floats, q: Fraction, policy: DecidingPolicy | None) -> Iterator[Rule]:
    """One rule for each set of rows, every set part of the one before it."""
    rule = None
    for rows in nested:
        if rule is None or not np.all(rule.idle | np.isin(rule.rows, rows)):
            rule = _optimal(rows, d[rows], q) if policy is None else _given(policy, rows, d[rows], q)
        yield rule  # the old one where only idle rows have left: it is the best on the rest, too


def _optimal(rows: Rows, d: Floats, q: Fraction) -> Rule:
    best = minimax(d, q=q)
    return Rule(best.policy, rows, best.weights == 0, Fraction(best.guarantee.upper), Fraction(best.lower_bound))


def _given(policy: DecidingPolicy, rows: Rows, d: Floats, q: Fraction) -> Rule:
    upper, lower = worst_case_regret(policy, d, q=q).upper, minimax(d, q=q).lower_bound
    return Rule(policy, rows, np.zeros(rows.size, np.bool_), Fraction(upper), Fraction(lower))
