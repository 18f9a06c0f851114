"""The certified maximum for unweighted counts, from one tangent.

For f(x) = P(at least r of n), f^(1/r) is concave (docs, "One tangent is enough"), so the tangent of f^(1/r) at any
point bounds f everywhere, and (C - x) (alpha + beta x)^r has its maximum in closed form. At the maximiser of
(C - x) f(x) that bound equals the value, and its excess is quadratic in the distance.

One source, two engines: the functions below run as they are on a count that evaluates itself, and ``counts`` turns
the same functions into machine code, with its own ``slope_at`` and ``moments_at``. Hence their plain style.
"""

from math import erfc, exp, inf, log, log1p, nan, pi, sqrt
from typing import NamedTuple, Protocol

import numpy as np

from provend._kernels.arithmetic.points import Floats, Maximum, Moments, PeakProblem, Slope, gap_at
from provend._kernels.arithmetic.rounding import PHI, STEEPNESS, TINY, UNIT, VALUE

MOST_EVALUATIONS = 100


class Tail(Protocol):
    """P(at least r successes) as a function of x."""

    @property
    def r(self) -> int:
        """The number of successes required."""

    def slope(self, x: float) -> Slope:
        """The probability with its derivatives."""


class Count(Tail, Protocol):
    """A tail with moments, from which to guess where the peak is."""

    def moments(self, x: float) -> Moments:
        """Moments of the number of successes."""


class Guess(NamedTuple):
    """A guess of the maximiser, and of the derivative of log((C - x) f'(x) / f(x)) there."""

    x: float
    rate: float


def slope_at(count: Tail, x: float) -> Slope:
    """f and f' at x."""
    return count.slope(x)


def moments_at(count: Count, x: float) -> Moments:
    """Moments of the count at x."""
    return count.moments(x)


def maximise_count(problem: PeakProblem, count: Count, rtol: float, floor: float) -> Maximum:
    """Bracket the maximum of (C - x) f(x) to ``rtol``, or show that it is at most ``floor``."""
    return maximise_from(problem, count, first_guess(problem, count, nan), rtol, floor)


def maximise_from(problem: PeakProblem, count: Tail, guess: Guess, rtol: float, floor: float) -> Maximum:
    """``maximise_count`` from a given guess of the maximiser.

    log((C - x) f(x)) is concave, so it rises up to its maximiser and falls beyond it: a safeguarded secant
    method for (C - x) f'(x) / f(x) = 1, in logarithms, snapping to kinks in the bracket, where the maximum may sit.
    """
    r = count.r
    below, above = problem.start, problem.C.value
    x, rate = guess
    x = min(max(x, below), (below + r * above) / (r + 1))  # no maximiser lies beyond (docs, same page)
    lower, upper, best = 0.0, inf, problem.start
    last_x, last_imbalance = nan, nan
    tried_start = False
    evaluations = 0
    while evaluations < MOST_EVALUATIONS:
        tried_start |= x == problem.start
        slope = slope_at(count, x)
        evaluations += 1
        if slope.f < TINY:
            if slope_at(count, above).f < TINY:
                return Maximum(0.0, gap_at(problem, problem.start) * 2 * TINY, above, evaluations + 1)
            below, x = x, (x + above) / 2
            continue
        gap = gap_at(problem, x)
        attained = gap * slope.f * (1 - problem.error - VALUE)
        if attained > lower:
            lower, best = attained, x
        upper = min(upper, tangent_bound(problem, x, slope, r))
        if upper <= floor or upper - lower <= rtol * upper < inf:
            break
        # (C - x) f(x) rises where (C - x) f'(x) / f(x) > 1 from the right, falls where it is < 1 from the left.
        rising, falling = slope.right * gap / slope.f, slope.left * gap / slope.f
        if rising > 1:
            below, imbalance = x, log(rising)
        elif falling < 1 and x > problem.start:
            above, imbalance = x, log(falling) if falling > 0 else -inf
        else:
            break  # a kink or the left end is the maximiser
        if above - below <= 4 * UNIT * above and (tried_start or below > problem.start):
            break
        if last_x != x and -inf < last_imbalance:
            rate = (imbalance - last_imbalance) / (x - last_x)
        last_x, last_imbalance = x, imbalance
        step = x - imbalance / rate if -inf < rate < 0 else inf
        leave_start_out = tried_start or (step > problem.start and above - below > 4 * UNIT * above)
        kinks = problem.kinks if evaluations > 2 else problem.kinks[:0]  # a smooth maximum has been found by then
        x = next_point(kinks, below, above, step) if leave_start_out else problem.start
    return Maximum(lower, upper, best, evaluations)


def next_point(kinks: Floats, below: float, above: float, step: float) -> float:
    """``step``, moved into the bracket and onto the nearest kink inside it."""
    if not below < step < above:
        step = (below + above) / 2
    if kinks.size == 0:
        return step
    inside = kinks[np.searchsorted(kinks, below, "right") : np.searchsorted(kinks, above)]
    if inside.size == 0:
        return step
    return float(inside[np.argmin(np.abs(inside - step))])


def tangent_bound(problem: PeakProblem, x: float, slope: Slope, r: int) -> float:
    """max over y of (C - y) f(x) (1 + beta (y - x))^r, beta = f'(x) / (r f(x)), which bounds the maximum.

    With z = beta (C - x) it is (C - x) f(x) phi(z), phi(z) = (1 + z)^(r+1) (r / (r + 1))^r / ((r + 1) z), and
    phi has its least value 1 at z = 1/r. Any slope between right and left is a supergradient: take the best.
    """
    gap = gap_at(problem, x) + problem.shift
    value = gap * slope.f * (1 + problem.error + VALUE)
    steepness = min(max(slope.f / gap, slope.right), slope.left) * gap / slope.f  # 1 at a stationary point
    spread = 2 * problem.slope_error + 2 * problem.error + STEEPNESS
    if steepness <= 1 and x == problem.start:
        return value * excess(1 + spread, r)  # the model falls from here on
    if steepness <= 0:
        return inf
    return value * max(excess(steepness * (1 - spread), r), excess(steepness * (1 + spread), r))


def excess(steepness: float, r: int) -> float:
    """phi(steepness / r), rounded up."""
    growth = (r + 1) * log1p(steepness / r)
    exponent = growth - (r + 1) * log1p(1 / r) - log(steepness)
    if exponent > 700:
        return inf
    return exp(exponent) * (1 + PHI * (growth + abs(log(steepness)) + 4))


def first_guess(problem: PeakProblem, count: Count, near: float) -> Guess:
    """Where (C - x) f(x) peaks in an Edgeworth approximation of f: good enough that one or two evaluations remain.

    The search starts from ``near`` or, where that is nan or leads astray, from the peak of the normal approximation,
    which is returned as it is where that leads astray, too. Only the number of evaluations depends on the guess.
    """
    guess = edgeworth_guess(problem, count, near)
    if guess.x != guess.x:
        normal = normal_guess(problem, count)
        guess = edgeworth_guess(problem, count, normal.x)
        if guess.x != guess.x:
            return normal
    return guess


def edgeworth_guess(problem: PeakProblem, count: Count, x: float) -> Guess:
    """Newton's method with central differences from x; nan where it leads astray."""
    curvature = nan
    for _ in range(3):
        room = min(problem.C.value - x, x - problem.start)
        if not room > 0:
            return Guess(nan, nan)
        h = 1e-3 * room
        here = log_value(problem, count, x)
        before, after = log_value(problem, count, x - h), log_value(problem, count, x + h)
        curvature = (after - 2 * here + before) / h**2
        if not -inf < curvature < 0:
            return Guess(nan, nan)
        step = -(after - before) / (2 * h) / curvature
        if abs(step) > 0.5 * room:
            return Guess(nan, nan)
        x += step
        if abs(step) <= 1e-4 * (problem.C.value - x):  # the next step would be of the order of this one squared
            break
    return Guess(x, curvature * (problem.C.value - x))


def log_value(problem: PeakProblem, count: Count, x: float) -> float:
    """log((C - x) f(x)) with f by Edgeworth; -inf where the expansion is of no use."""
    f = edgeworth_tail(moments_at(count, x), count.r)
    return log((problem.C.value - x) * f) if f > 0 else -inf


def edgeworth_tail(moments: Moments, r: int) -> float:
    """P(S >= r) = P(S + U >= r - 1/2), U uniform on [-1/2, 1/2]: to second order in the cumulants of S + U."""
    variance = moments.variance + 1 / 12
    x = (moments.mean - r + 0.5) / sqrt(variance)
    skewness = moments.third / (variance * sqrt(variance))
    kurtosis = (moments.fourth - 1 / 120) / (variance * variance)
    density = exp(-x * x / 2) / sqrt(2 * pi)
    hermite_3, hermite_5 = x**3 - 3 * x, x**5 - 10 * x**3 + 15 * x
    correction = skewness / 6 * (x * x - 1) - kurtosis / 24 * hermite_3 - skewness**2 / 72 * hermite_5
    return erfc(-x / sqrt(2)) / 2 + density * correction


def normal_guess(problem: PeakProblem, count: Count) -> Guess:
    """Where (C - x) f(x) would peak were the count normal."""
    r, C = count.r, problem.C.value
    below, above = problem.start, C
    initial = moments_at(count, below)
    x = below + (r - initial.mean) / max(initial.moving, 1)
    x = min(max(x, below), (below + r * above) / (r + 1))
    rate = -inf
    for _ in range(20):
        moments = moments_at(count, x)
        gap = C - x
        if moments.variance <= 0 or gap <= 0:
            break
        deviation = sqrt(moments.variance)
        score = (moments.mean - r + 0.5) / deviation
        speed, mills = moments.moving / deviation, mills_ratio(score)
        rate = -speed * (mills + score) - 1 / gap
        if mills <= 0:
            above = x = (below + x) / 2
            continue
        imbalance = log(speed * mills * gap)
        if imbalance > 0:
            below = x
        else:
            above = x
        step = x - imbalance / rate
        x = step if below < step < above else (below + above) / 2
        if abs(imbalance) < 0.1:
            break
    return Guess(x, rate)


def mills_ratio(score: float) -> float:
    """phi(s) / Phi(s) of the standard normal."""
    if score < -30:
        return -score
    return exp(-score * score / 2) / (sqrt(pi / 2) * erfc(-score / sqrt(2)))
