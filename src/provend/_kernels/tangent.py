"""The certified maximum for unweighted counts, from one tangent.

For f(x) = P(at least r of n), f^(1/r) is concave (docs, "Why one tangent is enough"), so the tangent of f^(1/r)
at any point bounds f everywhere, and (C - x) (alpha + beta x)^r has its maximum in closed form. At the maximiser
of (C - x) f(x) that bound equals the value, and its excess is quadratic in the distance.
"""

from math import erfc, exp, inf, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np

from provend._kernels.points import Maximum, Problem, Slope, SlopeFunction
from provend._kernels.rounding import TINY, UNIT

MOST_EVALUATIONS = 100


class Moments(NamedTuple):
    """Enough of a design for a normal approximation: sample count, sum of d and sum of d^2."""

    n: int
    total: float
    squares: float


class Start(NamedTuple):
    """A first guess of the maximiser, and of the second derivative of log((C - x) f(x)) there."""

    x: float
    curvature: float


def maximise_count(
    problem: Problem,
    evaluate: SlopeFunction,
    r: int,
    *,
    start: Start,
    slope_error: float,
    rtol: float,
    floor: float,
) -> Maximum:
    """Bracket the maximum of (C - x) f(x), f(x) = P(at least r), to ``rtol`` or below ``floor``.

    log((C - x) f(x)) is concave, so the sign of its derivative brackets the maximiser: a safeguarded secant
    method on that derivative, from ``start``, snapping to kinks inside the bracket, where the maximum may sit.
    """
    below, above = problem.start, problem.C[0]
    lower, upper, best = 0.0, inf, problem.start
    x, curvature, previous = min(max(start.x, below), above), start.curvature, None
    for evaluations in range(1, MOST_EVALUATIONS + 1):
        slope = evaluate(x)
        if slope.f < TINY:
            if x == above or evaluate(above).f < TINY:
                return Maximum(0.0, problem.gap(problem.start) * 2 * TINY, above, evaluations + 1)
            below, x, previous = x, (x + above) / 2, None
            continue
        gap = problem.gap(x)
        value = gap * slope.f
        if value * (1 - problem.error - 4 * UNIT) > lower:
            lower, best = value * (1 - problem.error - 4 * UNIT), x
        upper = min(upper, _tangent_bound(problem, x, slope, r, slope_error))
        if upper - lower <= rtol * upper or upper <= floor:
            break
        # Derivative of log((C - x) f(x)), from either side.
        rising, falling = slope.right / slope.f - 1 / gap, slope.left / slope.f - 1 / gap
        if rising > 0:
            below, derivative = x, rising
        elif falling < 0 and x > problem.start:
            above, derivative = x, falling
        else:
            break  # a kink or the left end is the maximiser
        if above - below <= 4 * UNIT * above:
            break
        if previous is not None and previous[0] != x:
            curvature = (derivative - previous[1]) / (x - previous[0])
        previous = x, derivative
        x = _next(problem, below, above, x - derivative / curvature if curvature < 0 else inf)
    return Maximum(lower, upper, best, evaluations)


def _next(problem: Problem, below: float, above: float, step: float) -> float:
    """``step``, moved into the bracket and onto the nearest kink inside it."""
    if not below < step < above:
        step = (below + above) / 2
    if problem.kinks.size:
        first, last = np.searchsorted(problem.kinks, below, "right"), np.searchsorted(problem.kinks, above)
        inside = problem.kinks[first:last]
        if inside.size:
            return float(inside[np.argmin(np.abs(inside - step))])
    return step


def _tangent_bound(problem: Problem, x: float, slope: Slope, r: int, slope_error: float) -> float:
    """max over y of (C - y) f(x) (1 + beta (y - x))^r, beta = f'(x) / (r f(x)), which bounds the maximum.

    With z = beta (C - x) it is (C - x) f(x) phi(z), phi(z) = (1 + z)^(r+1) (r / (r + 1))^r / ((r + 1) z), and
    phi has its least value 1 at z = 1/r. Any slope between right and left is a supergradient: take the best.
    """
    gap = problem.gap(x)
    value = gap * slope.f * (1 + problem.error + 4 * UNIT)
    steepness = min(max(slope.f / gap, slope.right), slope.left) * gap / slope.f  # 1 at a stationary point
    spread = 2 * slope_error + 2 * problem.error + 8 * UNIT
    if steepness <= 1 and x == problem.start:
        return value * _excess(1 + spread, r)  # the model falls from here on
    if steepness == 0:
        return inf
    return value * max(_excess(steepness * (1 - spread), r), _excess(steepness * (1 + spread), r))


def _excess(steepness: float, r: int) -> float:
    """phi(steepness / r), rounded up."""
    z = steepness / r
    exponent = (r + 1) * log1p(z) - (r + 1) * log1p(1 / r) - log(steepness)
    if exponent > 700:
        return inf
    size = abs((r + 1) * log1p(z)) + abs(log(steepness)) + 2
    return exp(exponent) * (1 + 8 * UNIT * size)


def normal_start(problem: Problem, moments: Moments, r: int) -> Start:
    """Where (C - x) f(x) would peak were the count normal: a starting point, nothing more."""
    n, total, squares = moments
    C = problem.C[0]
    below, above = problem.start, C
    x = min(max((r - total) / n, below), (below + r * above) / (r + 1))
    curvature = -inf
    for _ in range(12):
        mean = n * x + total
        variance = mean - (n * x * x + 2 * x * total + squares)
        if variance <= 0:
            break
        deviation, gap = sqrt(variance), C - x
        score = (mean - r + 0.5) / deviation
        speed = n / deviation - score * (n - 2 * mean) / (2 * variance)
        mills = _mills(score)
        derivative = speed * mills - 1 / gap
        curvature = -speed * speed * mills * (mills + score) - 1 / gap**2
        below, above = (x, above) if derivative > 0 else (below, x)
        if not below < (step := x - derivative / curvature) < above:
            step = (below + above) / 2
        if abs(step - x) <= 1e-4 * gap:
            return Start(step, curvature)
        x = step
    return Start(x, curvature)


def _mills(score: float) -> float:
    """phi(s) / Phi(s) of the standard normal."""
    if score < -30:
        return -score
    return exp(-score * score / 2) / (sqrt(pi / 2) * erfc(-score / sqrt(2)))

