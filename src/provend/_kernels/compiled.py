"""Numba kernels. Import this module only when one of them runs: it pays for numba.

They trust their input, release the GIL, and use all-positive recurrences, so small tails keep their relative
accuracy. Machine code is cached in a directory chosen here, because a read-only install has none of its own.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import config

from provend._kernels import points, rounding, tangent
from provend._kernels.points import Floats, Maximum, Moments, Problem, Slope
from provend._kernels.rounding import BLOCK, NEAR_ONE, UNIT
from provend._kernels.tangent import Guess


def _cache_directory() -> str | None:
    """The first directory for machine code that can be written to, if any.

    Its name is a hash of the sources: a kernel inlines others, and numba looks at the file of the outermost only.
    """
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    version = hashlib.sha256(sources).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for parent in (Path(home) / "provend", Path(tempfile.gettempdir()) / f"provend-{user}"):
        try:
            directory = parent / version
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=directory):
                return str(directory)
        except OSError:
            continue
    return None


_DIRECTORY: str | None = config.CACHE_DIR or _cache_directory()  # type: ignore[attr-defined]


def _compiled(function: Callable[..., Any]) -> Any:
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    config.CACHE_DIR = _DIRECTORY or ""  # type: ignore[attr-defined]
    try:
        return numba.njit(nogil=True, cache=_DIRECTORY is not None)(function)
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]  # other libraries keep their own choice


def _compiled_copy(function: Any, **names: Any) -> Any:
    """The same source as machine code, with some of the names it uses bound to compiled ones."""
    return _compiled(FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__))


class Successes(NamedTuple):
    """At least r successes of samples with probability min(1, t + d_i), d ascending.

    ``sums[m, i]`` is the sum of the m-th powers of the first i entries of d, for m up to 4.
    """

    d: Floats
    r: int
    sums: Floats


@_compiled
def add_powers(sums, d, first):  # type: ignore[no-untyped-def]
    """Bring the power sums of d up to date from entry ``first`` on."""
    for i in range(first, d.size):
        power = 1.0
        for m in range(5):
            sums[m, i + 1] = sums[m, i] + power
            power *= d[i]


@_compiled
def successes(d, r):  # type: ignore[no-untyped-def]
    """The count with its power sums."""
    sums = np.zeros((5, d.size + 1))
    add_powers(sums, d, 0)
    return Successes(d, r, sums)


@_compiled
def count_tail(p, r):  # type: ignore[no-untyped-def]
    """P(S >= r), sum_i P(S without i = r - 1) and P(S = r) for S the sum of Bernoulli(p_i), 1 <= r <= n.

    At index i, Q is P(r - i successes so far) and D the sum over samples of P(r - i successes so far, that sample
    left out). Stored from the top so that the update in place runs upwards, with unsigned indices: only then
    is it vectorised. Counts from which r - 1 is out of reach are left alone: r (n - r + 1) steps in all.
    """
    n = p.size
    Q = np.zeros(r + 2)
    D = np.zeros(r + 2)
    Q[r] = 1.0
    reached = 0.0
    one = np.uint64(1)
    for j in range(n):
        x = p[j]
        y = 1.0 - x
        reached += x * Q[1]
        for i in range(np.uint64(max(0, r - 1 - j)), np.uint64(min(r, n - j) + 1)):
            q, q_below = Q[i], Q[i + one]  # loaded before anything is stored
            D[i] = D[i] * y + D[i + one] * x + q
            Q[i] = q * y + q_below * x
    return reached, D[1], Q[0]


@_compiled
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


@_compiled
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


_gap_at = _compiled_copy(points.gap_at)
_recurrence_error = _compiled_copy(rounding.recurrence_error)
_excess = _compiled_copy(tangent.excess)
_mills = _compiled_copy(tangent.mills_ratio)
_log_value = _compiled_copy(
    tangent.log_value, moments_at=successes_moments, edgeworth_tail=_compiled_copy(tangent.edgeworth_tail)
)
_first_guess = _compiled_copy(
    tangent.first_guess,
    normal_guess=_compiled_copy(tangent.normal_guess, moments_at=successes_moments, mills_ratio=_mills),
    log_value=_log_value,
)
_maximise_from = _compiled_copy(
    tangent.maximise_from,
    slope_at=successes_slope,
    gap_at=_gap_at,
    tangent_bound=_compiled_copy(tangent.tangent_bound, gap_at=_gap_at, excess=_excess),
    next_point=_compiled_copy(tangent.next_point),
)


@_compiled
def maximise_prefix(count, C, rtol, floor, shift):  # type: ignore[no-untyped-def]
    """Bracket max over 0 <= t <= C of (C - t) P(at least r successes); r may be out of reach.

    The first guess is moved by ``shift``; returned with the maximum is how far off the unmoved guess was.
    """
    d = count.d
    free = d.size
    while free > 0 and d[free - 1] >= 1.0:
        free -= 1
    r = count.r - (d.size - free)
    if r > free:
        return Maximum(0.0, 0.0, 0.0, 0), shift
    if r <= 0:
        return Maximum(C.high * (1 - 2 * UNIT), C.high * (1 + 2 * UNIT), 0.0, 0), shift
    if C.high * (1 + 2 * UNIT) <= floor:
        return Maximum(0.0, C.high * (1 + 2 * UNIT), 0.0, 0), shift
    kinks = (1 - d[np.searchsorted(d[:free], 1 - C.high - NEAR_ONE, "right") : free])[::-1].copy()
    error = _recurrence_error(free, 0, 1)
    problem = Problem(C, 0.0, kinks, error, error, NEAR_ONE + UNIT)
    moving = Successes(d[:free], r, count.sums[:, : free + 1])
    guess = _first_guess(problem, moving)
    found = _maximise_from(problem, moving, Guess(guess.x + shift, guess.rate), rtol, floor)
    return found, found.x - guess.x


@_compiled
def maximise_successes(d, r, C, rtol, floor):  # type: ignore[no-untyped-def]
    """Bracket max over 0 <= t <= C of (C - t) P(at least r successes), d ascending."""
    return maximise_prefix(successes(d, r), C, rtol, floor, 0.0)[0]


@_compiled
def count_curve(d, ranks, high, low, rtol, first):  # type: ignore[no-untyped-def]
    """For the prefixes of d from length ``first`` on: bounds on the regret of the ranks[k]-th smallest of k demands.

    Returns a row for each: lower, upper, whether the low side is worse, t, evaluations. ``high`` and ``low`` are q
    and 1 - q. The side that was worse for the prefix before goes first; the other only has to be beaten, which often
    needs no evaluation at all. From one prefix to the next the first guess errs by much the same, so its error is
    carried over.
    """
    n = d.size
    result = np.empty((n - first + 1, 5))
    ordered = np.empty(n)
    ordered[: first - 1] = np.sort(d[: first - 1])
    sums = np.zeros((5, n + 1))
    add_powers(sums, ordered[: first - 1], 0)
    low_first = False
    low_shift = high_shift = 0.0
    for k in range(first, n + 1):
        place = np.searchsorted(ordered[: k - 1], d[k - 1], "right")
        ordered[place + 1 : k] = ordered[place : k - 1].copy()
        ordered[place] = d[k - 1]
        add_powers(sums, ordered[:k], place)
        ones = Successes(ordered[:k], k - ranks[k - 1] + 1, sums[:, : k + 1])
        zeros = Successes(ordered[:k], ranks[k - 1], sums[:, : k + 1])
        if low_first:
            at_low, low_shift = maximise_prefix(ones, low, rtol, 0.0, low_shift)
            at_high, high_shift = maximise_prefix(zeros, high, rtol, at_low.lower, high_shift)
        else:
            at_high, high_shift = maximise_prefix(zeros, high, rtol, 0.0, high_shift)
            at_low, low_shift = maximise_prefix(ones, low, rtol, at_high.lower, low_shift)
        low_first = at_low.lower > at_high.lower
        worst = at_low if low_first else at_high
        row = result[k - first]
        row[0], row[1] = worst.lower, max(at_low.upper, at_high.upper)
        row[2], row[3], row[4] = low_first, worst.x, at_low.evaluations + at_high.evaluations
    return result


@_compiled
def block_sum(values, begin, end):  # type: ignore[no-untyped-def]
    """Sum of values[begin:end] by blocks, so that the error grows with the number of blocks only."""
    total = 0.0
    for start in range(begin, end, BLOCK):
        block = 0.0
        for i in range(np.uint64(start), np.uint64(min(start + BLOCK, end))):
            block += values[i]
        total += block
    return total


@_compiled
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


@_compiled
def lattice_tail(p, w, thresholds, probabilities, low_thresholds, low_probabilities):  # type: ignore[no-untyped-def]
    """Weighted counts S = sum w_i B(p_i) on the integers: F, A, B, and F at the low thresholds.

    F = sum_j probabilities_j P(S >= thresholds_j) with thresholds ascending and positive; A and B are the
    sums over samples i of F with sample i fixed at one and at zero, so that F' = A - B and both rise in p.
    What has passed the last threshold is absorbed, what cannot reach the first is left alone. Index i stands for
    the sum top - 1 - i, for the reason given in ``count_tail``.
    """
    top = max(thresholds[-1], low_thresholds[-1])
    Q = np.zeros(top)
    A = np.zeros(top)
    B = np.zeros(top)
    Q[top - 1] = 1.0
    absorbed_Q = absorbed_A = absorbed_B = 0.0
    remaining = w.sum()
    begin = top - 1  # index of the highest sum so far
    for j in range(p.size):
        x = p[j]
        y = 1.0 - x
        step = np.uint64(w[j])
        remaining -= w[j]
        passing_Q = block_sum(Q, begin, min(w[j], top))
        passing_A = block_sum(A, begin, min(w[j], top))
        passing_B = block_sum(B, begin, min(w[j], top))
        absorbed_A += x * passing_A + passing_Q + absorbed_Q
        absorbed_B += x * passing_B + absorbed_Q
        absorbed_Q += x * passing_Q
        begin = max(begin - w[j], 0)
        end = top - max(0, thresholds[0] - remaining)
        shifted = max(begin, min(end, top - w[j]))  # from here on a sum has nothing below it to come from
        for i in range(np.uint64(begin), np.uint64(shifted)):
            q = Q[i]
            q_below = Q[i + step]
            A[i] = A[i] * y + A[i + step] * x + q_below
            B[i] = B[i] * y + B[i + step] * x + q
            Q[i] = q * y + q_below * x
        for i in range(np.uint64(shifted), np.uint64(end)):
            q = Q[i]
            A[i] *= y
            B[i] = B[i] * y + q
            Q[i] = q * y
    F = FA = FB = low = 0.0
    for j in range(thresholds.size):
        end = top - thresholds[j]
        F += probabilities[j] * (absorbed_Q + block_sum(Q, begin, end))
        FA += probabilities[j] * (absorbed_A + block_sum(A, begin, end))
        FB += probabilities[j] * (absorbed_B + block_sum(B, begin, end))
    for j in range(low_thresholds.size):
        low += low_probabilities[j] * (absorbed_Q + block_sum(Q, begin, top - low_thresholds[j]))
    return F, FA, FB, low


@_compiled
def spread_tail(p, w, thresholds, probabilities):  # type: ignore[no-untyped-def]
    """An estimate, not a bound: real weights w in cells, each atom spread over two cells so that means are kept."""
    cells = int(np.ceil(w.sum())) + p.size + 2
    Q = np.zeros(cells)
    Q[0] = 1.0
    highest = 0
    for j in range(p.size):
        whole = int(np.floor(w[j]))
        part = w[j] - whole
        x = p[j] * (1.0 - part)
        z = p[j] * part
        y = 1.0 - p[j]
        highest += whole + 1
        for s in range(highest, whole, -1):
            Q[s] = Q[s] * y + Q[s - whole] * x + Q[s - whole - 1] * z
        Q[whole] = Q[whole] * y + Q[0] * x
        for s in range(whole):
            Q[s] *= y
    F = 0.0
    for j in range(thresholds.size):
        # Cell k stands for [k - 1/2, k + 1/2]: the tail from there, linear in between.
        at = thresholds[j] + 0.5
        k = int(np.floor(at))
        tail = 0.0
        for s in range(max(k + 1, 0), highest + 1):
            tail += Q[s]
        if 0 <= k <= highest:
            tail += Q[k] * (k + 1 - at)
        F += probabilities[j] * tail
    return F
