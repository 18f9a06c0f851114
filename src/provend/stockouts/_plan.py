"""How each segment will be decided and what that promises, before any sales are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from provend.certificate import Bracket, rounded_down, rounded_up
from provend.minimax import minimax
from provend.policies import DecidingPolicy, NoData
from provend.regret import worst_case_regret
from provend.stockouts._levels import fewer_levels, stock_levels

Floats = NDArray[np.float64]


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
    rows: NDArray[np.intp]
    idle: NDArray[np.bool_]
    upper: Fraction
    lower_bound: Fraction


@dataclass(frozen=True, eq=False)
class Layers:
    """A segment from ``bottom`` to ``top``, decided by the ``rows`` days that had at least ``top``."""

    bottom: float
    top: float
    rows: int
    rule: Rule
    below: float  # the largest stock below ``top``, wherever segments begin

    @property
    def width(self) -> Fraction:
        """Exactly."""
        return Fraction(self.top) - Fraction(self.bottom)

    def order(self, sales: Floats, d: Floats, q: Fraction) -> Fraction:
        """How much of the segment to stock."""
        rule, ends = self.rule, (self.bottom, self.top)
        if rule.rows.size == 0:
            return q * self.width
        seen = np.clip(sales[rule.rows], *ends)
        return Fraction(rule.policy.order(seen, d[rule.rows], q=q, support=ends)) - Fraction(self.bottom)


@dataclass(frozen=True, eq=False)
class Plan:
    """All segments, from the bottom of the support to its top."""

    layers: tuple[Layers, ...]
    support: tuple[float, float]

    @cached_property
    def guarantee(self) -> Bracket[float]:
        """Of the worst-case regret of the sum, in units of (cu + co) times the width of the support.

        From above by the sum of the parts; from below by what no policy can avoid if demand is either the stock just
        below ``top`` or the top of the support: days with less stock then look the same whatever comes.
        """
        upper = sum((self.part(layers) for layers in self.layers), Fraction(0))
        lower = max(layers.rule.lower_bound * self._share(layers.below, self.support[1]) for layers in self.layers)
        return Bracket(rounded_down(float(lower)), rounded_up(float(upper)))

    def part(self, layers: Layers) -> Fraction:
        """What one segment adds to the guarantee."""
        return layers.rule.upper * self._share(layers.bottom, layers.top)

    def _share(self, bottom: float, top: float) -> Fraction:
        ends = map(Fraction, (bottom, top, *self.support))
        low, high, lowest, highest = ends
        return (high - low) / (highest - lowest)


def plan(stock: Floats, d: Floats, q: Fraction, support: tuple[float, float], policy: DecidingPolicy | None) -> Plan:
    """Segments between stock levels, each with the rule of the days that had enough: sales are no argument."""
    bottom, top = support
    every = stock_levels(stock, support)
    levels = fewer_levels(every, stock, d, bottom)
    rules = _rules([np.flatnonzero(stock >= level) for level in levels.tolist()], d, q, policy)
    found, start = [], bottom
    for level, rule in zip(levels.tolist(), rules, strict=True):
        below = max(every[every < level].tolist(), default=bottom)
        found.append(Layers(start, level, int(np.count_nonzero(stock >= level)), rule, below))
        start = level
    if start < top:
        found.append(Layers(start, top, 0, _without_rows(q), start))
    return Plan(tuple(found), support)


def _rules(nested: list[NDArray[np.intp]], d: Floats, q: Fraction, policy: DecidingPolicy | None) -> Iterator[Rule]:
    """One rule for each set of rows, every set part of the one before it."""
    rule = None
    for rows in nested:
        if rule is None or not np.all(rule.idle | np.isin(rule.rows, rows)):
            rule = _optimal(rows, d[rows], q) if policy is None else _given(policy, rows, d[rows], q)
        yield rule  # the old one where only idle rows have left: it is the best on the rest, too


def _optimal(rows: NDArray[np.intp], d: Floats, q: Fraction) -> Rule:
    best = minimax(d, q=q)
    ends = Fraction(best.guarantee.upper), Fraction(best.lower_bound)
    return Rule(best.policy, rows, best.weights == 0, *ends)


def _given(policy: DecidingPolicy, rows: NDArray[np.intp], d: Floats, q: Fraction) -> Rule:
    upper, lower = worst_case_regret(policy, d, q=q).upper, minimax(d, q=q).lower_bound
    return Rule(policy, rows, np.zeros(rows.size, np.bool_), Fraction(upper), Fraction(lower))


def _without_rows(q: Fraction) -> Rule:
    """No day had so much: the share q is best, and its worst case q (1 - q) exactly."""
    return Rule(NoData(), np.zeros(0, np.intp), np.zeros(0, np.bool_), q * (1 - q), q * (1 - q))
