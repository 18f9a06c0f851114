"""Rules: a policy at one design as weighted quantiles with integer weights. What is executed is what is certified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from numpy.typing import NDArray

from provend._rational import ceil_product
from provend.policies import (
    DecidingPolicy,
    Mixture,
    OrderStatistic,
    Policy,
    WeightedQuantile,
    WholeCount,
    counts_of,
    with_ends,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Ends = float | Floats  # of the support: the same for all targets, or one per target

CELLS = 1000  # real weights are rounded to integers up to this, so that their worst case is computed exactly


@dataclass(frozen=True, eq=False)
class Part:
    """Order the smallest demand up to which the total weight is at least ``needed``."""

    probability: Fraction
    weights: Integers
    needed: int

    @property
    def counts(self) -> bool:
        """Whether it looks at the demands at all."""
        return 0 < self.needed <= int(self.weights.sum())

    def weighed(self, importance: Floats, q: Fraction) -> Part:
        """The same part with its weights multiplied by the importance."""
        return self._with(as_integers((self.weights * importance)[None])[0], q) if self.counts else self

    def coarser(self, cells: int, q: Fraction) -> Part:
        """The same part with weights rounded to integers, the heaviest to ``cells`` units."""
        return self._with(np.rint(self.weights * (cells / self.weights.max())).astype(np.int64), q)

    def _with(self, weights: Integers, q: Fraction) -> Part:
        """The same part with other weights; the order still has to cover the same share of them."""
        total = int(self.weights.sum())
        # An integer count meets any level in (needed - 1, needed]: take q if it is one of them, otherwise the middle.
        share = q if ceil_product(q, total) == self.needed else Fraction(2 * self.needed - 1, 2 * total)
        return Part(self.probability, weights, ceil(share * int(weights.sum())))


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy on ``reach`` contexts in a given order, decoded into weighted quantiles.

    ``top`` and ``bottom`` are the probabilities of ordering that end of the support without looking at the demands.
    """

    q: Fraction
    reach: int
    parts: tuple[Part, ...]
    top: Fraction = Fraction(0)
    bottom: Fraction = Fraction(0)

    @classmethod
    def of(cls, counts: Iterable[WholeCount], reach: int, q: Fraction) -> Rule:
        """The rule made of counts of ``reach`` contexts."""
        parts: list[Part] = []
        top = bottom = Fraction(0)
        for count in counts:
            if count.weights.any():
                needs = zip(count.needed, count.probabilities, strict=True)
                parts += [Part(p, count.weights, needed) for needed, p in needs]
            else:
                top, bottom = top + count.top, bottom + count.bottom
        return cls(q, reach, tuple(parts), top, bottom)

    @cached_property
    def policy(self) -> DecidingPolicy:
        """The rule as a policy on dissimilarities in the same order, made of the very parts that are executed."""
        members: list[DecidingPolicy] = [WeightedQuantile(part.weights, part.needed) for part in self.parts]
        shares = [part.probability for part in self.parts]
        ends = ((self.bottom, OrderStatistic(0)), (self.top, OrderStatistic(self.reach + 1)))
        for probability, end in ends:
            if probability:
                members.append(end)
                shares.append(probability)
        return members[0] if len(members) == 1 else Mixture(members, shares)

    def weighed(self, importance: Floats) -> Rule:
        """The rule in which rows also count by their importance."""
        parts = tuple(part.weighed(importance, self.q) for part in self.parts)
        return Rule(self.q, self.reach, parts, self.top, self.bottom)

    @property
    def is_supported(self) -> bool:
        """Whether it never orders beyond the demands it looks at."""
        return not self.top and not self.bottom and all(part.counts for part in self.parts)

    def supported(self, size: int) -> Rule:
        """The rule that never orders beyond the demands it looks at: their largest and smallest replace the ends.

        A rule that would look at no demand takes the empirical quantile of all ``size`` demands.
        """
        kept = [part for part in self.parts if part.counts]
        if not kept:
            return Rule(self.q, size, (Part(Fraction(1), np.ones(size, np.int64), ceil_product(self.q, size)),))
        beyond = sum((part.probability for part in self.parts if not part.counts and part.needed > 0), self.top)
        below = 1 - beyond - sum((part.probability for part in kept), Fraction(0))
        ends = ((beyond, self.reach), (below, 1))
        kept += [Part(share, np.ones(self.reach, np.int64), needed) for share, needed in ends if share]
        return Rule(self.q, self.reach, tuple(kept))

    def coarser(self, cells: int) -> Rule:
        """The rule with weights of at most ``cells`` units, wherever they have more than twice as many."""
        parts = tuple(
            part.coarser(cells, self.q) if part.counts and part.weights.max() > 2 * cells else part
            for part in self.parts
        )
        return Rule(self.q, self.reach, parts, self.top, self.bottom)

    def placed(self, at: NDArray[np.intp], size: int) -> Rule:
        """The rule on ``size`` contexts, of which those it looks at are at the positions ``at``."""
        moved = []
        for part in self.parts:
            weights = np.zeros(size, np.int64)
            weights[at[: self.reach]] = part.weights
            moved.append(Part(part.probability, weights, part.needed))
        return Rule(self.q, size, tuple(moved), self.top, self.bottom)

    def shares(self, size: int) -> Floats:
        """The share of each position in the decision, summing to 1; equal shares if no data are used."""
        total = np.zeros(size)
        for part in self.parts:
            if part.counts:
                total[: part.weights.size] += float(part.probability) * part.weights / part.weights.sum()
        return total / total.sum() if total.any() else np.full(size, 1 / size)


def decode(policy: Policy, d: Floats, q: Fraction) -> Rule:
    """The rule of a policy at these dissimilarities."""
    return Rule.of(counts_of(policy, d, q), d.size, q)


def rank_orders(rule: Rule, ranks: NDArray[np.intp], ascending: Floats, support: tuple[Ends, Ends]) -> Floats:
    """Orders of one rule for several targets.

    ``ranks[t, i]`` is the rank, by dissimilarity to target t, of the i-th smallest past demand, and
    ``ascending[t, i]`` that demand as it counts for the target.
    """
    from provend._kernels.arithmetic.ranks import reached

    ordered = with_ends(ascending, support)
    ends = ((rule.bottom, np.zeros(1, np.intp)), (rule.top, np.full(1, ascending.shape[1] + 1)))
    places = [(p, np.broadcast_to(at, len(ranks))) for p, at in ends if p]
    places += [(part.probability, reached(ranks, part.weights, part.needed)) for part in rule.parts]
    values = np.array([np.take_along_axis(ordered, at[:, None], axis=1)[:, 0] for _, at in places])
    shares = np.array([float(p) for p, _ in places])
    mean = (shares[:, None] * values).sum(axis=0)  # by target: how a matrix product rounds depends on its shape
    inside: Floats = np.clip(mean, values.min(axis=0), values.max(axis=0))  # rounding must not lead outside their range
    return inside


def as_integers(weights: Floats) -> Integers:
    """The weights of each row as integers of at most ``CELLS``; unchanged if they already are such integers."""
    top = weights.max(axis=1, keepdims=True)
    whole = (weights == np.rint(weights)).all(axis=1, keepdims=True) & (top <= CELLS)
    relative = weights / np.where(top > 0, top, 1.0)
    rounded: Integers = np.rint(np.where(whole, weights, CELLS * relative)).astype(np.int64)
    return rounded
