"""Unweighted counts as machine code: tails, certified maxima, whole curves. Import only when one of them runs.

All recurrences are of positive terms only, so small tails keep their relative accuracy.
"""

from typing import NamedTuple

import numpy as np

from provend._kernels import points, rounding, tangent
from provend._kernels.jit import compiled, compiled_copy
from provend._kernels.points import Floats, Maximum, Moments, Problem, Slope
from provend._kernels.rounding import NEAR_ONE, UNIT
from provend._kernels.sums import block_sum
from provend._kernels.tangent import Guess


class Successes(NamedTuple):
    """At least r successes of samples with probability min(1, t + d_i), d ascending.

    ``sums[m, i]`` is the sum of the m-th powers of the first i entries of d, for m up to 4.
    """

    d: Floats
    r: int
    sums: Floats


@compiled
def add_powers(sums, d, first):  # type: ignore[no-untyped-def]
    """Bring the power sums of d up to date from entry ``first`` on."""
    for i in range(first, d.size):
        power = 1.0
        for m in range(5):
            sums[m, i + 1] = sums[m, i] + power
            power *= d[i]


@compiled
def successes(d, r):  # type: ignore[no-untyped-def]
    """The count with its power sums."""
    sums = np.zeros((5, d.size + 1))
    add_powers(sums, d, 0)
    return Successes(d, r, sums)


@compiled
def count_tail(p, r):  # type: ignore[no-untyped-def]
    """P(S >= r), sum_i P(S without i = r - 1) and P(S = r) for S the sum of Bernoulli(p_i), 1 <= r <= n.

    At index i, Q is P(r - i successes so far) and D the sum over samples of P(r - i successes so far, that sample
    left out). Two samples enter per pass. Stored from the top so that the update in place runs upwards, with unsigned
    indices and all loads before the stores: only then is it vectorised. Counts from which r - 1 is out of
    reach are left alone: r (n - r + 1) steps in all.
    """
    n = p.size
    Q = np.zeros(r + 3)
    D = np.zeros(r + 3)
    Q[r] = 1.0
    reached = 0.0
    one, two = np.uint64(1), np.uint64(2)
    if n % 2 == 1:  # the odd one out: counts 0 and 1
        x = p[0]
        reached = x * Q[1]
        D[r], D[r - 1] = 1.0, 0.0
        Q[r], Q[r - 1] = 1.0 - x, x
    for j in range(n % 2, n, 2):
        x1, x2 = p[j], p[j + 1]
        y1, y2 = 1.0 - x1, 1.0 - x2
        none, both, single = y1 * y2, x1 * x2, x1 * y2 + y1 * x2
        x, y = x1 + x2, y1 + y2
        reached += x1 * Q[1] + x2 * (y1 * Q[1] + x1 * Q[2])
        for i in range(np.uint64(max(0, r - 2 - j)), np.uint64(min(r, n - j) + 1)):
            q0, q1, q2 = Q[i], Q[i + one], Q[i + two]
            D[i] = D[i] * none + D[i + one] * single + D[i + two] * both + q0 * y + q1 * x
            Q[i] = q0 * none + q1 * single + q2 * both
    return reached, D[1], Q[0]


@compiled
def successes_slope(count, t):  # type: ignore[no-untyped-def]
    """f(t) = P(at least r successes) with its derivatives from the right and from the left.

    A sample that has reached probability 1 leaves the recurrence and lowers r; those that reach it right here still
    move on the left: each adds P(exactly r) of the others.
    """
    d = count.d
    free = d.size
    while free > 0 and t + d[free - 1] >= 1 - NEAR_ONE:
        free -= 1
    at_kink = 0
    while free + at_kink < d.size and t + d[free + at_kink] <= 1 + NEAR_ONE:
        at_kink += 1
    needed = count.r - (d.size - free)
    if needed > free:
        return Slope(0.0, 0.0, 0.0)
    if needed < 0:
        return Slope(1.0, 0.0, 0.0)
    p = t + d[:free]
    if needed == 0:
        return Slope(1.0, 0.0, at_kink * np.prod(1.0 - p))
    f, slope, exactly = count_tail(p, needed)
    return Slope(f, slope, slope + at_kink * exactly)


@compiled
def successes_moments(count, t):  # type: ignore[no-untyped-def]
    """Moments of the number of successes, from the power sums of p = t + d over the samples below 1."""
    n = count.d.size
    free = n if n == 0 or t + count.d[n - 1] < 1 else np.searchsorted(count.d, 1 - t)
    s0, s1, s2, s3, s4 = count.sums[:, free]
    p1 = s0 * t + s1
    p2 = t * (s0 * t + 2 * s1) + s2
    p3 = t * (t * (s0 * t + 3 * s1) + 3 * s2) + s3
    p4 = t * (t * (t * (s0 * t + 4 * s1) + 6 * s2) + 4 * s3) + s4
    return Moments(free, p1 + (n - free), p1 - p2, p1 - 3 * p2 + 2 * p3, p1 - 7 * p2 + 12 * p3 - 6 * p4)


_gap_at = compiled_copy(points.gap_at)
_recurrence_error = compiled_copy(rounding.recurrence_error)
_excess = compiled_copy(tangent.excess)
_mills = compiled_copy(tangent.mills_ratio)
_log_value = compiled_copy(
    tangent.log_value, moments_at=successes_moments, edgeworth_tail=compiled_copy(tangent.edgeworth_tail)
)
_first_guess = compiled_copy(
    tangent.first_guess,
    normal_guess=compiled_copy(tangent.normal_guess, moments_at=successes_moments, mills_ratio=_mills),
    edgeworth_guess=compiled_copy(tangent.edgeworth_guess, log_value=_log_value),
)
_maximise_from = compiled_copy(
    tangent.maximise_from,
    slope_at=successes_slope,
    gap_at=_gap_at,
    tangent_bound=compiled_copy(tangent.tangent_bound, gap_at=_gap_at, excess=_excess),
    next_point=compiled_copy(tangent.next_point),
)


@compiled
def maximise_prefix(count, C, rtol, floor, last):  # type: ignore[no-untyped-def]
    """Bracket max over 0 <= t <= C of (C - t) P(at least r successes); r may be out of reach.

    ``last`` is the guess for a similar count, and how far it was off: the same is expected of this one. Returned with
    the maximum is the pair for the next.
    """
    d = count.d
    free = d.size
    while free > 0 and d[free - 1] >= 1.0:
        free -= 1
    r = count.r - (d.size - free)
    if r > free:
        return Maximum(0.0, 0.0, 0.0, 0), last
    if r <= 0:
        return Maximum(C.high * (1 - 2 * UNIT), C.high * (1 + 2 * UNIT), 0.0, 0), last
    if C.high * (1 + 2 * UNIT) <= floor:
        return Maximum(0.0, C.high * (1 + 2 * UNIT), 0.0, 0), last
    kinks = (1 - d[np.searchsorted(d[:free], 1 - C.high - NEAR_ONE, "right") : free])[::-1].copy()
    error = _recurrence_error(free, 0, 1)
    problem = Problem(C, 0.0, kinks, error, error, NEAR_ONE + UNIT)
    moving = Successes(d[:free], r, count.sums[:, : free + 1])
    near, off = last
    guess = _first_guess(problem, moving, near)
    found = _maximise_from(problem, moving, Guess(guess.x + off, guess.rate), rtol, floor)
    return found, (guess.x, found.x - guess.x)


@compiled
def maximise_successes(d, r, C, rtol, floor):  # type: ignore[no-untyped-def]
    """Bracket max over 0 <= t <= C of (C - t) P(at least r successes), d ascending."""
    return maximise_prefix(successes(d, r), C, rtol, floor, (np.nan, 0.0))[0]


@compiled
def count_curve(d, ranks, high, low, rtol, first):  # type: ignore[no-untyped-def]
    """For the prefixes of d from length ``first`` on: bounds on the regret of the ranks[k]-th smallest of k demands.

    Returns a row for each: lower, upper, whether the low side is worse, t, evaluations. ``high`` and ``low`` are q
    and 1 - q. The side that was worse for the prefix before goes first; the other only has to be beaten, which often
    needs no evaluation at all. From one prefix to the next the first guess and its error change little and are
    carried over.
    """
    n = d.size
    result = np.empty((n - first + 1, 5))
    ordered = np.empty(n)
    ordered[: first - 1] = np.sort(d[: first - 1])
    sums = np.zeros((5, n + 1))
    add_powers(sums, ordered[: first - 1], 0)
    low_first = False
    low_last = high_last = (np.nan, 0.0)
    for k in range(first, n + 1):
        place = np.searchsorted(ordered[: k - 1], d[k - 1], "right")
        ordered[place + 1 : k] = ordered[place : k - 1].copy()
        ordered[place] = d[k - 1]
        add_powers(sums, ordered[:k], place)
        ones = Successes(ordered[:k], k - ranks[k - 1] + 1, sums[:, : k + 1])
        zeros = Successes(ordered[:k], ranks[k - 1], sums[:, : k + 1])
        if low_first:
            at_low, low_last = maximise_prefix(ones, low, rtol, 0.0, low_last)
            at_high, high_last = maximise_prefix(zeros, high, rtol, at_low.lower, high_last)
        else:
            at_high, high_last = maximise_prefix(zeros, high, rtol, 0.0, high_last)
            at_low, low_last = maximise_prefix(ones, low, rtol, at_high.lower, low_last)
        low_first = at_low.lower > at_high.lower
        worst = at_low if low_first else at_high
        row = result[k - first]
        row[0], row[1] = worst.lower, max(at_low.upper, at_high.upper)
        row[2], row[3], row[4] = low_first, worst.x, at_low.evaluations + at_high.evaluations
    return result


@compiled
def prefix_slopes(p, ranks):  # type: ignore[no-untyped-def]
    """For every prefix k = 1..n of the samples: P(at least ranks_k successes) and its derivative from the right.

    One pass for all of them. Index i stands for top - 1 - i successes, for the reason given in ``count_tail``. As many
    successes as the largest rank are enough for every prefix and are absorbed; more failures than any prefix
    allows are left alone. Samples that have reached probability 1 do not move.
    """
    n = p.size
    top = max(ranks.max(), 1)
    failures = max((np.arange(1, n + 1) - ranks).max(), 0)
    tails = np.empty(n)
    slopes = np.zeros(n)
    Q = np.zeros(top + 1)
    D = np.zeros(top + 1)
    Q[top - 1] = 1.0
    absorbed = 0.0
    one = np.uint64(1)
    for j in range(n):
        x = min(p[j], 1.0)
        y = 1.0 - x
        moves = 1.0 if x < 1.0 else 0.0
        absorbed += x * Q[0]
        begin = max(0, top - 2 - j)
        for i in range(np.uint64(begin), np.uint64(max(begin, min(top, top - j + failures)))):
            q, q_below = Q[i], Q[i + one]
            D[i] = D[i] * y + D[i + one] * x + moves * q
            Q[i] = q * y + q_below * x
        r = ranks[j]
        tails[j] = 1.0 if r <= 0 else absorbed + block_sum(Q, begin, top - r)
        if 1 <= r <= j + 1:
            slopes[j] = D[top - r]
    return tails, slopes
