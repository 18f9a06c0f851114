"""How each segment will be decided and what that promises, before any sales are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from provend.certificate import Bracket, rounded_down, rounded_up
from provend.policies import DecidingPolicy
from provend.stockouts._levels import fewer_levels, stock_levels
from provend.stockouts._rules import rules
from provend.stockouts._segments import SeenSegment, Segment, UnseenSegment
from provend.stockouts._unseen import unseen
from provend.stockouts._witness import Floats


@dataclass(frozen=True, eq=False)
class Plan:
    """All segments, from the bottom of the support to its top."""

    segments: tuple[Segment, ...]
    support: tuple[float, float]

    @property
    def guarantee(self) -> Bracket[float]:
        """Bracket of the worst-case regret of the summed order, in units of (cu + co) times the width of the support.

        Bounded above by the sum of the parts, and below by what no policy can avoid if demand is either the stock just
        below ``top`` or the top of the support: days with less stock then look the same in either case.
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
    """Segments between stock levels, each with the rule of the days that had enough; sales are not an argument."""
    bottom, top = support
    every = stock_levels(stock, support)
    levels = fewer_levels(every, stock, d, bottom)
    enough = [np.flatnonzero(stock >= level) for level in levels.tolist()]
    segments, start = list[Segment](), bottom
    for level, rule in zip(levels.tolist(), rules(enough, stock, d, q, policy), strict=True):
        below = max(every[every < level].tolist(), default=bottom)
        segments.append(SeenSegment(start, level, int(np.count_nonzero(stock >= level)), below, rule))
        start = level
    if start < top:
        segments.append(UnseenSegment(start, top, 0, max(every.tolist(), default=bottom), unseen(stock, d, q)))
    return Plan(tuple(segments), support)
