"""Rules that decide for many targets at once: integer weights, and how much weight an order must cover."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend.policies import Policy
from provend.policies._forms import Ranks, Thresholds, Top

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """Order the smallest demand up to which the weight is at least ``needed``; weights by rank of dissimilarity."""

    probability: float
    weights: Integers
    needed: int


@dataclass(frozen=True, eq=False)
class Rule:
    """A policy on the ``reach`` nearest contexts, decoded into weighted quantiles by rank.

    ``no_data`` is the probability with which it orders the top of the support without looking, ``blind`` that of
    looking at no data at all.
    """

    policy: Policy
    q: Fraction
    reach: int
    parts: tuple[Part, ...]
    no_data: float = 0.0
    blind: float = 0.0

    def shares(self, size: int) -> Floats:
        """Share of the decision by rank, summing to 1; equal shares where no data are used."""
        total = np.zeros(size)
        for part in self.parts:
            if 0 < part.needed <= part.weights.sum():
                total[: part.weights.size] += part.probability * part.weights / part.weights.sum()
        return total / total.sum() if total.any() else np.full(size, 1 / size)


def decode(policy: Policy, d: Floats, q: Fraction) -> Rule:
    """The rule of a policy at ascending dissimilarities."""
    parts: list[Part] = []
    no_data = blind = 0.0
    for form in policy.form(d, q):
        if isinstance(form, Ranks):
            ones = np.zeros(d.size, np.int64)
            ones[slice(None) if form.index is None else form.index] = 1
            needs = zip(form.ranks, form.probabilities, strict=True)
            parts += [Part(float(p), ones, rank) for rank, p in needs]
        elif isinstance(form, Thresholds) and form.weights.lattice is not None:
            weights, unit = form.weights.lattice
            total = int(weights.sum())
            levels = zip(form.levels, form.probabilities, strict=True)
            parts += [Part(float(p), weights, level.needed(total, unit)) for level, p in levels]
        elif isinstance(form, Top):
            no_data += float(form.probability * form.share)
            blind += float(form.probability)
        else:
            raise TypeError(f"policy = {policy!r} is not a weighted quantile with integer weights; choose another")
    return Rule(policy, q, d.size, tuple(parts), no_data, blind)


def rank_orders(rule: Rule, ranks: NDArray[np.intp], ascending: Floats, support: tuple[float, float]) -> Floats:
    """Orders of one rule for several targets.

    ``ranks[t, i]`` is the rank, by dissimilarity to target t, of the i-th smallest past demand.
    """
    low, high = support
    orders = np.full(ranks.shape[0], rule.no_data * high + (rule.blind - rule.no_data) * low)
    for part in rule.parts:
        padded = np.zeros(ranks.shape[1], np.int64)
        padded[: part.weights.size] = part.weights
        needed = np.full(ranks.shape[0], part.needed)
        orders += part.probability * weighted_quantiles(padded[ranks], needed, ascending, support)
    return orders


def weighted_quantiles(weights: Integers, needed: Integers, ascending: Floats, support: tuple[float, float]) -> Floats:
    """The smallest demand at which the cumulated weight reaches what is needed, else an end of the support."""
    reached = np.cumsum(weights, axis=1)
    enough = reached >= needed[:, None]
    found = np.where(enough.any(axis=1), ascending[enough.argmax(axis=1)], support[1])
    orders: Floats = np.where(needed <= 0, support[0], found)
    return orders


def share_needed(weights: Integers, q: Fraction) -> Integers:
    """ceil(q times the total weight), exactly."""
    totals: Integers = weights.sum(axis=1)
    return -(-q.numerator * totals // q.denominator)
