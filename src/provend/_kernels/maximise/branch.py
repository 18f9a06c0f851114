"""The certified maximum for everything else: branch and bound with second-order bounds.

Weighted counts and mixtures have no concavity to use and may have several local maxima. But F' = A - B with A and
B both rising, so on [a, b] without a kink inside, A(a) - B(b) <= F' <= A(b) - B(a), and F lies below two lines whose
excess is of second order in b - a.
"""

import heapq
from math import inf
from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Maximum, PeakProblem, Point, PointFunction, check_number, gap_at
from provend._kernels.arithmetic.rounding import INTERVAL, TINY, VALUE


class _Interval(NamedTuple):
    minus_bound: float
    a: Point
    b: Point
    peak: float  # where the bound is largest


def branch_and_bound(
    problem: PeakProblem, evaluate: PointFunction, *, rtol: float, floor: float, budget: int
) -> Maximum:
    """Bracket the maximum of (C - x) F(x) to ``rtol``, until it is below ``floor`` or ``budget`` evaluations are spent.

    The upper bound holds for F; the lower one is attained by F.low, a function below F.
    """
    ends = evaluate(problem.start), evaluate(problem.C.value)
    incumbent, lower, best = 0.0, 0.0, problem.start
    evaluations = 2

    def note(point: Point) -> None:
        nonlocal incumbent, lower, best
        check_number(sum(point))
        incumbent = max(incumbent, gap_at(problem, point.x) * point.f)
        if (surely := attained(problem, point)) > lower:
            lower, best = surely, point.x

    for end in ends:
        note(end)
    heap = [_bounded(problem, *ends)]
    while evaluations < budget:
        upper = -heap[0].minus_bound
        # The gap between F and F.low is there to stay; there is no point in resolving a small part of it.
        settled = incumbent + max(incumbent * rtol / 2, (incumbent - lower) / 50)
        if upper <= max(settled, floor, TINY):
            break
        interval = heapq.heappop(heap)
        x = _split(problem, interval)
        if not interval.a.x < x < interval.b.x:
            heapq.heappush(heap, interval)
            break  # as narrow as floating point allows
        middle = evaluate(x)
        evaluations += 1
        note(middle)
        heapq.heappush(heap, _bounded(problem, interval.a, middle))
        heapq.heappush(heap, _bounded(problem, middle, interval.b))
    return Maximum(lower, -heap[0].minus_bound, best, evaluations)


def attained(problem: PeakProblem, point: Point) -> float:
    """What the maximum surely exceeds, by its value at one point; nothing where that is too small to be sure of."""
    return gap_at(problem, point.x) * point.low * (1 - problem.error - VALUE) if point.low >= TINY else 0.0


def _split(problem: PeakProblem, interval: _Interval) -> float:
    """Where to split: where the bound peaks, but well inside, and on a kink if there is one."""
    a, b = interval.a.x, interval.b.x
    x = min(max(interval.peak, a + (b - a) / 3), b - (b - a) / 3)
    inside = _kinks_between(problem, a, b)
    return float(inside[np.argmin(np.abs(inside - x))]) if inside.size else x


def _kinks_between(problem: PeakProblem, a: float, b: float) -> Floats:
    kinks = problem.kinks
    return kinks[np.searchsorted(kinks, a, "right") : np.searchsorted(kinks, b)] if kinks.size else kinks


def _bounded(problem: PeakProblem, a: Point, b: Point) -> _Interval:
    """An upper bound of (C - x) F(x) on [a, b], and where it peaks."""
    up, down = 1 + problem.error, 1 - problem.error
    smooth = _kinks_between(problem, a.x, b.x).size == 0
    most = b.a_left * up - a.b_right * down if smooth else inf
    least = max(0.0, a.a_right * down - b.b_left * up) if smooth else 0.0
    fa, fb, width = a.f * up, b.f * up, b.x - a.x
    if most == inf:
        bound, peak = gap_at(problem, a.x) * fb, a.x + width / 2
    else:
        # F <= fa + most (x - a) on the left of the crossing, F <= fb - least (b - x) on its right.
        excess = most - least
        crossing = a.x + min(max((fb - fa - least * width) / excess, 0.0), width) if excess > 0 else b.x
        left = _parabola(problem, a.x, crossing, fa, most, a.x)
        right = _parabola(problem, crossing, b.x, fb - least * (b.x - crossing), least, crossing)
        bound, peak = max(left, right)
    return _Interval(-bound * (1 + INTERVAL), a, b, peak)


def _parabola(
    problem: PeakProblem, low: float, high: float, value: float, slope: float, at: float
) -> tuple[float, float]:
    """Maximum over [low, high] of (C - x) (value + slope (x - at)), and where."""
    x = low
    if slope > 0:
        x = min(max((problem.C.value + at - value / slope) / 2, low), high)
    return gap_at(problem, x) * (value + slope * (x - at)), x
