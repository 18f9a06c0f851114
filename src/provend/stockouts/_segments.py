"""Two kinds of segments: those that some days have seen, and the one above the largest stock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend.policies import DecidingPolicy
from provend.stockouts._unseen import Unseen

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Days(NamedTuple):
    """The past, one entry per day."""

    sales: Floats
    stock: Floats
    d: Floats


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy on the rows it was certified for.

    Attributes
    ----------
    rows : array of int
        Positions of the past days it looks at.
    idle : array of bool
        Which of them have no weight at all, so that the rule may outlive them.
    upper, lower_bound : Fraction
        Its worst-case regret is at most ``upper``; that of no policy on these rows is below ``lower_bound``.
    """

    policy: DecidingPolicy
    rows: Rows
    idle: NDArray[np.bool_]
    upper: Fraction
    lower_bound: Fraction


@dataclass(frozen=True, eq=False)
class Segment(ABC):
    """The demand between ``bottom`` and ``top``, which ``rows`` days had at least."""

    bottom: float
    top: float
    rows: int
    below: float  # the largest stock below ``top``, wherever segments begin
    rule: Rule | Unseen

    @property
    def width(self) -> Fraction:
        """Exactly."""
        return Fraction(self.top) - Fraction(self.bottom)

    @property
    def upper(self) -> Fraction:
        """The worst-case regret within, from above, in units of (cu + co) times the width."""
        return self.rule.upper

    @property
    def lower_bound(self) -> Fraction:
        """What no policy that sees these rows is below, in the same unit."""
        return self.rule.lower_bound

    @abstractmethod
    def order(self, days: Days, q: Fraction) -> Fraction:
        """How much of it to stock."""


@dataclass(frozen=True, eq=False)
class SeenSegment(Segment):
    """Decided by a rule on the days that had enough."""

    rule: Rule

    def order(self, days: Days, q: Fraction) -> Fraction:
        """What the rule orders where demand is cut off at both ends of the segment."""
        rows, ends = self.rule.rows, (self.bottom, self.top)
        seen = np.clip(days.sales[rows], *ends)
        return Fraction(self.rule.policy.order(seen, days.d[rows], q=q, support=ends)) - Fraction(self.bottom)


@dataclass(frozen=True, eq=False)
class UnseenSegment(Segment):
    """Decided without data, or left out where the days that did not sell out say so."""

    rule: Unseen

    def order(self, days: Days, q: Fraction) -> Fraction:
        """The share q, or nothing."""
        return self.rule.share(days.sales, days.stock, q) * self.width
