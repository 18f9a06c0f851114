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

from provend._kernels import points, tangent
from provend._kernels.points import Floats, Moments, Slope
from provend._kernels.rounding import BLOCK, NEAR_ONE


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
    """At least r successes of samples with probability min(1, t + d_i), d ascending."""

    d: Floats
    r: int


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
    """Moments of the number of successes."""
    moving = 0
    mean = variance = third = fourth = 0.0
    for d in count.d:
        p = t + d
        if p >= 1.0:
            break
        moving += 1
        spread = p * (1.0 - p)
        mean += p
        variance += spread
        third += spread * (1.0 - 2.0 * p)
        fourth += spread * (1.0 - 6.0 * spread)
    return Moments(moving, mean + (count.d.size - moving), variance, third, fourth)


_gap_at = _compiled_copy(points.gap_at)
_excess = _compiled_copy(tangent.excess)
_mills = _compiled_copy(tangent.mills_ratio)
_log_value = _compiled_copy(
    tangent.log_value, moments_at=successes_moments, edgeworth_tail=_compiled_copy(tangent.edgeworth_tail)
)
maximise_successes = _compiled_copy(
    tangent.maximise_count,
    slope_at=successes_slope,
    gap_at=_gap_at,
    tangent_bound=_compiled_copy(tangent.tangent_bound, gap_at=_gap_at, excess=_excess),
    next_point=_compiled_copy(tangent.next_point),
    first_guess=_compiled_copy(
        tangent.first_guess,
        normal_guess=_compiled_copy(tangent.normal_guess, moments_at=successes_moments, mills_ratio=_mills),
        log_value=_log_value,
    ),
)


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
        for s in range(highest, -1, -1):
            value = Q[s] * y
            if s >= whole:
                value += Q[s - whole] * x
            if s > whole:
                value += Q[s - whole - 1] * z
            Q[s] = value
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
