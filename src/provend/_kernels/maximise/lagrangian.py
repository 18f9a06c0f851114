"""The Lagrangian of a count whose samples may be bought: certified inner maximum, cutting planes outside.

One side is max over t in [0, c] and j of (c - t) f_j(t) - (1 - t) Lambda_j, where f_j(t) = P(at least r successes of
which j are certain, the others having probability t each) and Lambda_j is the price of the j cheapest samples. Any
prices give a bound (weak duality); the linear program only looks for good ones, so nothing rests on its accuracy.
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

MOST_ROUNDS, MOST_CUTS, MOST_SPLITS, MOST_BOXES = 60, 400, 200, 200_000


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
        """Beyond as many bought samples no more are of use."""
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
        """Most and least of f_j' on [a, b]: each term is a unimodal beta density."""
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
    at: Floats  # the t at which, with j = last

    def where(self, chosen: NDArray[np.bool_]) -> Boxes:
        """Some of the boxes."""
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
    left = _parabola(side.c, at_a * up + TINY, most, a, prices[first], a, b)
    right = _parabola(side.c, at_b * up + TINY, least, b, prices[first], a, b)
    lower_left = left[0] <= right[0]
    bound, peak = np.where(lower_left, left[0], right[0]), np.where(lower_left, left[1], right[1])
    ends = (side.c - a) * at_a - (1 - a) * prices[last], (side.c - b) * at_b - (1 - b) * prices[last]
    attained, at = np.maximum(*ends), np.where(ends[0] >= ends[1], a, b)
    return Boxes(first, last, a, b, bound, peak, attained, at)


def _parabola(c: float, v: Floats, g: Floats, x: Floats, price: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Most over [a, b] of (c - t) (v + g (t - x)) - (1 - t) price, rounded up, and where."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        t = np.where(g > 0, (c + x - (v - price) / g) / 2, np.where(price > v, b, a))
    t = np.clip(t, a, b)
    line = v + g * (t - x)
    return (c - t) * line - (1 - t) * price + PARABOLA * (v + g + price), t


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
    """In t where the bound peaks but well inside, in j by halves."""
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


class Bound(NamedTuple):
    """An upper bound on both sides together, with the price of each group."""

    upper: float
    price: Floats


def evaluate(
    sides: Sequence[PricedSide], groups: Groups, price: Floats, *, floor: float, atol: float, share: float
) -> tuple[float, list[Peaks]]:
    """The Lagrangian at the given prices, rounded up, with the points that make it so large."""
    n = int(groups.sizes.sum())
    each = np.repeat(price, groups.sizes)
    prices = np.concatenate([[0.0], np.cumsum(each)]) * (1 - prices_error(n))  # rounded down
    found = [peaks(side, prices, floor=floor, atol=atol, share=share) for side in sides]
    budget = fsum((price * groups.distance).tolist()) * (1 + prices_error(n + 2))  # distances are rounded sums, too
    return (budget + max(peak.upper for peak in found)) * (1 + TOTAL), found


def minimise(sides: Sequence[PricedSide], groups: Groups, *, rtol: float) -> Bound:
    """Good prices by Kelley's cutting planes, and the certified Lagrangian there."""
    cuts, gaps = _Cuts(groups), [np.inf] * 3
    best = Bound(np.inf, np.zeros(groups.sizes.size))
    for _ in range(MOST_ROUNDS):
        floor, price, value = cuts.solve()
        upper, found = evaluate(sides, groups, price, floor=floor, atol=rtol * max(value, TINY) / 4, share=0.3)
        if upper < best.upper:
            best = Bound(upper, price)
        gaps.append((best.upper - value) / best.upper)
        stalled = 100 * rtol > gaps[-1] > 0.9 * gaps[-4]  # at the tolerance of the linear program
        if gaps[-1] <= rtol or stalled or not cuts.add(sides, found, floor):
            break
    upper, _ = evaluate(sides, groups, best.price, floor=0.0, atol=rtol * best.upper / 16, share=1.0)
    return Bound(min(upper, best.upper), best.price)


class _Cuts:
    """min s + sum of price times distance, over the cuts s >= (c - t) f_j(t) - (1 - t) Lambda_j found so far.

    Columns: s, the price of each group (rising), and what the groups before each cost together.
    """

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.rows: list[tuple[Integers, Floats, Floats]] = []  # j, t, (c - t) f_j(t)

    def add(self, sides: Sequence[PricedSide], found: Sequence[Peaks], floor: float) -> bool:
        """Keep what is violated; False if nothing is."""
        before = len(self.rows)
        for side, peak in zip(sides, found, strict=True):
            new = (peak.value > floor + 1e-12)[:MOST_CUTS]
            j, t = peak.j[:MOST_CUTS][new], peak.t[:MOST_CUTS][new]
            if j.size:
                self.rows.append((j, t, (side.c - t) * side.tail(j, t)))
        return len(self.rows) > before

    def solve(self) -> tuple[float, Floats, float]:
        """s, the prices and the value of the linear program; the value is a lower bound up to its tolerance."""
        from scipy.optimize import linprog

        G, starts, sizes = self.groups.sizes.size, self.groups.starts, self.groups.sizes
        matrix, rhs = self._inequalities(G)
        equal, zero = _chain(G, sizes)
        costs = np.concatenate([[1.0], self.groups.distance, np.zeros(G)])
        bounds = [(0, 1)] * (1 + G) + [(0, int(start)) for start in starts]
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        solved = linprog(costs, matrix, rhs, equal, zero, bounds, method="highs", options=tight)
        if solved.x is None:
            return 0.0, np.zeros(G), 0.0
        price = np.maximum.accumulate(np.clip(solved.x[1 : G + 1], 0.0, 1.0))  # rebuilt: rising, whatever was solved
        return float(solved.x[0]), price, float(solved.fun)

    def _inequalities(self, G: int) -> tuple[object, Floats]:
        from scipy.sparse import coo_array

        i = np.arange(G - 1)
        entries = [(i, 1 + i, np.ones(G - 1)), (i, 2 + i, -np.ones(G - 1))]  # rising prices
        rhs = [np.zeros(G - 1)]
        row = G - 1
        for j, t, value in self.rows:
            at = row + np.arange(j.size)
            group = np.searchsorted(self.groups.starts, np.maximum(j - 1, 0), "right") - 1
            entries += [
                (at, np.zeros(j.size, int), -np.ones(j.size)),
                (at, 1 + group, -(1 - t) * (j - self.groups.starts[group])),
                (at, 1 + G + group, -(1 - t)),
            ]
            rhs.append(-value)
            row += j.size
        if row == 0:
            return None, np.zeros(0)
        rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        return coo_array((values, (rows, columns)), shape=(row, 1 + 2 * G)).tocsr(), np.concatenate(rhs)


def _chain(G: int, sizes: Integers) -> tuple[object, Floats]:
    """What the groups before g + 1 cost is what those before g cost, and group g; those before the first, nothing."""
    from scipy.sparse import coo_array

    g = np.arange(G - 1)
    rows = np.concatenate([[0], 1 + g, 1 + g, 1 + g])
    columns = np.concatenate([[1 + G], 2 + G + g, 1 + G + g, 1 + g])
    values = np.concatenate([[1.0], np.ones(G - 1), -np.ones(G - 1), -sizes[:-1]])
    return coo_array((values, (rows, columns)), shape=(G, 1 + 2 * G)).tocsr(), np.zeros(G)
