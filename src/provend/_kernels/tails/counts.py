"""Tails of unweighted counts as machine code. Import only when one of the functions runs.

All recurrences are of positive terms only, so small tails keep their relative accuracy. What takes long is called
in pieces: a signal is noticed only between two calls.
"""

from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats, Moments, Slope
from provend._kernels.arithmetic.rounding import NEAR_ONE
from provend._kernels.arithmetic.sums import block_sum

PIECE = 2**27  # steps of a recurrence in one call: a tenth of a second at most


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
def start_tail(p, r, Q, D):  # type: ignore[no-untyped-def]
    """Turn zeros into the state of ``advance_tail`` before the first pair of samples; returns what has reached r."""
    Q[r] = 1.0
    reached = 0.0
    if p.size % 2 == 1:  # the odd one out: counts 0 and 1
        x = p[0]
        reached = x * Q[1]
        D[r], D[r - 1] = 1.0, 0.0
        Q[r], Q[r - 1] = 1.0 - x, x
    return reached


@compiled
def advance_tail(p, r, Q, D, reached, span):  # type: ignore[no-untyped-def]
    """Let the samples of a ``span`` (begin, end) enter in pairs, changing Q and D; returns what has reached r.

    At index i, Q is P(r - i successes so far) and D the sum over samples of P(r - i successes so far, that sample left
    out). Two samples enter per pass. Q and D are stored from the top so that the update in place runs upwards, with
    unsigned indices and all loads before the stores: only then is it vectorised. Counts from which r - 1 is out of
    reach are left alone: r (n - r + 1) steps in all.
    """
    n, (begin, end) = p.size, span
    one, two = np.uint64(1), np.uint64(2)
    for j in range(begin, end, 2):
        x1, x2 = p[j], p[j + 1]
        y1, y2 = 1.0 - x1, 1.0 - x2
        none, both, single = y1 * y2, x1 * x2, x1 * y2 + y1 * x2
        x, y = x1 + x2, y1 + y2
        reached += x1 * Q[1] + x2 * (y1 * Q[1] + x1 * Q[2])
        for i in range(np.uint64(max(0, r - 2 - j)), np.uint64(min(r, n - j) + 1)):
            q0, q1, q2 = Q[i], Q[i + one], Q[i + two]
            D[i] = D[i] * none + D[i + one] * single + D[i + two] * both + q0 * y + q1 * x
            Q[i] = q0 * none + q1 * single + q2 * both
    return reached


@compiled
def count_tail(p, r):  # type: ignore[no-untyped-def]
    """P(S >= r), sum_i P(S without i = r - 1) and P(S = r) for S the sum of Bernoulli(p_i), 1 <= r <= n."""
    Q, D = np.zeros(r + 3), np.zeros(r + 3)
    reached = advance_tail(p, r, Q, D, start_tail(p, r, Q, D), (p.size % 2, p.size))
    return reached, D[1], Q[0]


def count_tail_in_pieces(p: Floats, r: int) -> tuple[float, float, float]:
    """The same, digit for digit, in pieces between which a signal is noticed."""
    Q, D = np.zeros(r + 3), np.zeros(r + 3)
    reached = start_tail(p, r, Q, D)
    for begin in range(p.size % 2, p.size, step := 2 * max(PIECE // (2 * r), 1)):
        reached = advance_tail(p, r, Q, D, reached, (begin, min(begin + step, p.size)))
    return float(reached), float(D[1]), float(Q[0])


@compiled
def moving(d, r, t):  # type: ignore[no-untyped-def]
    """How many samples are below probability 1, how many reach it right here, and how many successes are missing."""
    free = d.size
    while free > 0 and t + d[free - 1] >= 1 - NEAR_ONE:
        free -= 1
    at_kink = 0
    while free + at_kink < d.size and t + d[free + at_kink] <= 1 + NEAR_ONE:
        at_kink += 1
    return free, at_kink, r - (d.size - free)


@compiled
def successes_slope(count, t):  # type: ignore[no-untyped-def]
    """f(t) = P(at least r successes) with its derivatives from the right and from the left.

    A sample that has reached probability 1 leaves the recurrence and lowers r; those that reach it right here still
    move on the left: each adds P(exactly r) of the others.
    """
    free, at_kink, needed = moving(count.d, count.r, t)
    if needed > free:
        return Slope(0.0, 0.0, 0.0)
    if needed < 0:
        return Slope(1.0, 0.0, 0.0)
    p = t + count.d[:free]
    if needed == 0:
        return Slope(1.0, 0.0, at_kink * np.prod(1.0 - p))
    f, slope, exactly = count_tail(p, needed)
    return Slope(f, slope, slope + at_kink * exactly)


@compiled
def _slope(d, r, t):  # type: ignore[no-untyped-def]
    f, right, left = successes_slope(Successes(d, r, np.empty((0, 0))), t)
    return f, right, left


def slope_of(d: Floats, r: int, t: float) -> Slope:
    """f and its one-sided derivatives at t, d ascending."""
    free, at_kink, needed = moving(d, r, t)
    if not 0 < needed <= free or needed * (free - needed + 1) <= PIECE:
        return Slope(*_slope(d, r, t))
    f, slope, exactly = count_tail_in_pieces(t + d[:free], needed)
    return Slope(f, slope, slope + at_kink * exactly)


@compiled
def _tails(d, r, nodes):  # type: ignore[no-untyped-def]
    count = Successes(d, r, np.empty((0, 0)))
    tails = np.empty(nodes.size)
    for i in range(nodes.size):
        tails[i] = successes_slope(count, nodes[i]).f
    return tails


def tails_of(d: Floats, r: int, nodes: Floats) -> Floats:
    """f at many points, d ascending; in pieces, like everything that takes long."""
    steps = r * max(d.size - r + 1, 1)
    if steps > PIECE:
        return np.array([slope_of(d, r, t).f for t in nodes.tolist()])
    at_once = PIECE // steps
    parts = [_tails(d, r, nodes[i : i + at_once]) for i in range(0, nodes.size, at_once)]
    return np.concatenate(parts)


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
