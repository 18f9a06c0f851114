"""The Lagrangian of a count whose samples may be bought: its certified inner maximum.

One side is max over t in [0, c] and j of (c - t) f_j(t) - (1 - t) Lambda_j, where f_j(t) = P(at least r successes of
which j are certain, the others having probability t each) and Lambda_j is the price of the j cheapest samples. Any
prices give a bound (weak duality); ``cutting_planes`` looks for good ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import (
    ATTAINED,
    BETAINC,
    DENSITY,
    PARABOLA,
    TINY,
    TOTAL,
    prices_error,
    tails_error,
)

MOST_SPLITS, MOST_BOXES = 200, 200_000


@dataclass(frozen=True)
class PricedSide:
    """sum_k probabilities_k P(at least ranks_k of n) + constant, against a reward c - t; c is rounded up."""

    n: int
    ranks: tuple[int, ...]
    probabilities: tuple[float, ...]
    constant: float
    c: float

    @property
    def last(self) -> int:
        """The number of bought samples beyond which more are of no use."""
        return max((r for r in self.ranks if r <= self.n), default=0)

    def tail(self, j: Integers, t: Floats) -> Floats:
        """f_j(t), to a relative error of BETAINC and a few roundings."""
        total = np.full(np.broadcast(j, t).shape, self.constant)
        for r, p in zip(self.ranks, self.probabilities, strict=True):
            if r <= self.n:
                inside = special.betainc(np.maximum(r - j, 1).astype(float), self.n - r + 1.0, t)
                total += p * np.where(j >= r, 1.0, inside)
        return total

    def slopes(self, j: Integers, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """The largest and the smallest f_j' on [a, b], or bounds on them: each term is a unimodal beta density."""
        most, least = np.zeros(j.size), np.zeros(j.size)
        for r, p in zip(self.ranks, self.probabilities, strict=True):
            if r > self.n:
                continue
            s, rest = np.maximum(r - j, 1).astype(float), float(self.n - r)
            log_beta = special.betaln(s, rest + 1)

            def density(x: Floats, s: Floats = s, rest: float = rest, log_beta: Floats = log_beta) -> Floats:
                return np.asarray(np.exp(special.xlogy(s - 1, x) + special.xlog1py(rest, -x) - log_beta))

            mode = np.clip((s - 1) / np.maximum(s - 1 + rest, 1), a, b)
            share = np.where(j >= r, 0.0, p)
            most += share * density(mode)
            least += share * np.minimum(density(a), density(b))
        return most * (1 + 2 * DENSITY), least * (1 - 2 * DENSITY)


class Boxes(NamedTuple):
    """first <= j <= last and a <= t <= b, with a bound over the box, where it peaks, and what is attained in it."""

    first: Integers
    last: Integers
    a: Floats
    b: Floats
    bound: Floats
    peak: Floats
    attained: Floats
    at: Floats  # the t at which it is attained, with j = last

    def where(self, chosen: NDArray[np.bool_]) -> Boxes:
        """The chosen boxes."""
        return Boxes._make(column[chosen] for column in self)


class Peaks(NamedTuple):
    """An upper bound of one side, and points (j, t) with the values attained there."""

    upper: float
    j: Integers
    t: Floats
    value: Floats


def bounded(side: PricedSide, prices: Floats, first: Integers, last: Integers, a: Floats, b: Floats) -> Boxes:
    """Over a box f_j <= f_last and Lambda_j >= Lambda_first; f_last lies below two lines, each giving a parabola."""
    at_a, at_b = side.tail(last, a), side.tail(last, b)
    up = 1 + tails_error(len(side.ranks))
    most, least = side.slopes(last, a, b)
    left = _parabola(side.c, Line(at_a * up + TINY, most, a), prices[first], a, b)
    right = _parabola(side.c, Line(at_b * up + TINY, least, b), prices[first], a, b)
    lower_left = left[0] <= right[0]
    bound, peak = np.where(lower_left, left[0], right[0]), np.where(lower_left, left[1], right[1])
    ends = (side.c - a) * at_a - (1 - a) * prices[last], (side.c - b) * at_b - (1 - b) * prices[last]
    attained, at = np.maximum(*ends), np.where(ends[0] >= ends[1], a, b)
    return Boxes(first, last, a, b, bound, peak, attained, at)


class Line(NamedTuple):
    """v + g (t - x)."""

    v: Floats
    g: Floats
    x: Floats


def _parabola(c: float, line: Line, price: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Maximum over [a, b] of (c - t) (v + g (t - x)) - (1 - t) price, rounded up, and where."""
    v, g, x = line
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.where(g > 0, (c + x - (v - price) / g) / 2, np.where(price > v, b, a))
    t = np.clip(t, a, b)
    return (c - t) * (v + g * (t - x)) - (1 - t) * price + PARABOLA * (v + g + price), t


def peaks(side: PricedSide, prices: Floats, *, floor: float, atol: float, share: float = 1.0) -> Peaks:
    """Bound a side by splitting boxes, as long as they may exceed the best value found by more than ``atol``.

    With ``share`` below 1 the search is for cuts: it keeps every j whose excess over ``floor`` is at least that share
    of the largest, and is content with a tenth of it.
    """
    zero, all_of = np.zeros(1, np.int64), np.array([side.last], np.int64)
    boxes = bounded(side, prices, zero, all_of, np.zeros(1), np.array([side.c]))
    best, upper, seen = floor, -np.inf, [boxes]
    for _ in range(MOST_SPLITS):
        best = max(best, float(boxes.attained.max()))
        needed = floor + share * (best - floor) + atol
        enough = (1 - share) * 0.1 * (best - floor) + 8 * BETAINC  # the bound cannot come closer than rounding allows
        done = (boxes.first == boxes.last) & (boxes.bound - boxes.attained <= enough)
        active = (boxes.bound > needed) & ~done
        settled = boxes.bound[~active]
        upper = max(upper, float(settled.max(initial=-np.inf)))
        boxes = boxes.where(active)
        if boxes.bound.size == 0 or boxes.bound.size > MOST_BOXES:
            break
        boxes = _split(side, prices, boxes)
        seen.append(boxes.where(boxes.attained > floor))
    upper = max(upper, float(boxes.bound.max(initial=-np.inf)))
    return Peaks(upper, *_best_of_each(seen))


def _split(side: PricedSide, prices: Floats, boxes: Boxes) -> Boxes:
    """Split each box: in t where the bound peaks, but well inside, and in j by halves."""
    width = boxes.b - boxes.a
    x = np.clip(boxes.peak, boxes.a + width / 4, boxes.b - width / 4)
    middle = (boxes.first + boxes.last) // 2
    several = boxes.first < boxes.last
    top = np.where(several, middle, boxes.last)
    first = np.concatenate([boxes.first, boxes.first, middle[several] + 1, middle[several] + 1])
    last = np.concatenate([top, top, boxes.last[several], boxes.last[several]])
    a = np.concatenate([boxes.a, x, boxes.a[several], x[several]])
    b = np.concatenate([x, boxes.b, x[several], boxes.b[several]])
    return bounded(side, prices, first, last, a, b)


def _best_of_each(seen: Sequence[Boxes]) -> tuple[Integers, Floats, Floats]:
    """The best point of each j, best first."""
    j, t, value = (np.concatenate([getattr(boxes, name) for boxes in seen]) for name in ("last", "at", "attained"))
    order = np.lexsort((-value, j))
    j, t, value = j[order], t[order], value[order]
    first = np.ones(j.size, bool)
    first[1:] = j[1:] != j[:-1]
    order = np.argsort(-value[first], kind="stable")
    return j[first][order], t[first][order], value[first][order]


def attained(sides: Sequence[PricedSide], d: Floats) -> float:
    """What an instance attains, rounded down: sample i is certain on a share d_i / (1 - t) of the support, nested."""
    far, counts = np.unique(-d, return_counts=True)
    j, best = np.concatenate([[0], np.cumsum(counts)]), 0.0
    for side in sides:
        t = np.linspace(0, side.c, max(8, min(129, 2**18 // far.size)))[:-1, None]
        share = np.minimum(-far / (1 - t), 1.0)
        ends = np.ones_like(t)
        lengths = -np.diff(np.concatenate([ends, share, 0 * ends], axis=1))  # of support on which j are certain
        values = (side.c - t[:, 0]) * (lengths * side.tail(np.minimum(j, side.last), t)).sum(axis=1)
        best = max(best, float(values.max()))
    return max(best * (1 - 4 * BETAINC) - ATTAINED, 0.0)


class Groups(NamedTuple):
    """Samples that share a price, farthest first; prices rise along the groups because distances fall."""

    sizes: Integers
    distance: Floats  # sum of the distances of each group

    @property
    def starts(self) -> Integers:
        """How many samples come before each group."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])


def evaluate(
    sides: Sequence[PricedSide], groups: Groups, price: Floats, *, floor: float, atol: float, share: float
) -> tuple[float, list[Peaks]]:
    """The Lagrangian at the given prices, rounded up, with the points that make it so large."""
    n = int(groups.sizes.sum())
    each = np.repeat(price, groups.sizes)
    prices = np.concatenate([[0.0], np.cumsum(each)]) * (1 - prices_error(n))  # rounded down
    found = [peaks(side, prices, floor=floor, atol=atol, share=share) for side in sides]
    budget = fsum((price * groups.distance).tolist()) * (1 + prices_error(n + 2))  # distances are rounded sums as well
    return (budget + max(peak.upper for peak in found)) * (1 + TOTAL), found
