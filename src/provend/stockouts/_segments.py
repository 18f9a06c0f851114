"""Two kinds of segments: those that some days reached, and the one above the largest stock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from provend.stockouts._rules import Rule
from provend.stockouts._unseen import Unseen
from provend.stockouts._witness import Floats


class Days(NamedTuple):
    """The past, one entry per day."""

    sales: Floats
    stock: Floats
    d: Floats


@dataclass(frozen=True, eq=False)
class Segment(ABC):
    """The demand between ``bottom`` and ``top``; ``rows`` days had at least ``top`` in stock."""

    bottom: float
    top: float
    rows: int
    below: float  # the largest stock below ``top``, wherever the segment begins
    rule: Rule | Unseen

    @property
    def width(self) -> Fraction:
        """The exact width."""
        return Fraction(self.top) - Fraction(self.bottom)

    @property
    def upper(self) -> Fraction:
        """Upper bound on the worst-case regret within the segment, in units of (cu + co) times its width."""
        return self.rule.upper

    @property
    def lower_bound(self) -> Fraction:
        """No policy that sees these rows has a worst-case regret below this, in the same unit."""
        return self.rule.lower_bound

    @abstractmethod
    def order(self, days: Days, q: Fraction) -> Fraction:
        """How much of the segment to stock."""


@dataclass(frozen=True, eq=False)
class SeenSegment(Segment):
    """Decided by a rule on the days that had enough."""

    rule: Rule

    def order(self, days: Days, q: Fraction) -> Fraction:
        """What the rule orders when demand is cut off at both ends of the segment, or where a witness ends it.

        Thresholds commute with increasing maps: this is what each would order, or the limit if that is less.
        """
        rule = self.rule
        limit = inf if rule.witness is None else rule.witness.limit(days.sales, days.stock)
        ends = self.bottom, min(self.top, limit)
        if ends[1] <= self.bottom:
            return Fraction(0)
        seen = np.clip(days.sales[rule.rows], *ends)
        return Fraction(rule.policy.order(seen, days.d[rule.rows], q=q, support=ends)) - Fraction(self.bottom)


@dataclass(frozen=True, eq=False)
class UnseenSegment(Segment):
    """Decided without data, or left out where the days that did not sell out say so."""

    rule: Unseen

    def order(self, days: Days, q: Fraction) -> Fraction:
        """The share q of it, or nothing."""
        return self.rule.share(days.sales, days.stock, q) * self.width
