"""Certified maxima of unweighted counts as machine code: ``tangent`` on ``counts``. Import only when it runs."""

from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic import points, rounding
from provend._kernels.arithmetic.jit import compiled, compiled_copy
from provend._kernels.arithmetic.points import Floats, Maximum, PeakProblem, Slope, TwoFloats, count_problem
from provend._kernels.arithmetic.rounding import LENGTH
from provend._kernels.maximise import tangent
from provend._kernels.maximise.tangent import Guess
from provend._kernels.tails.counts import PIECE, Successes, slope_of, successes, successes_moments, successes_slope

_gap_at = compiled_copy(points.gap_at)
_count_problem = compiled_copy(points.count_problem)
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

    ``last`` is the guess for a similar count and how far it was off: this one is expected to be off by as much. The
    same pair for the next count is returned with the maximum.
    """
    d = count.d
    free = d.size
    while free > 0 and d[free - 1] >= 1.0:
        free -= 1
    r = count.r - (d.size - free)
    if r > free:
        return Maximum(0.0, 0.0, 0.0, 0), last
    if r <= 0:
        return Maximum(C.value * (1 - LENGTH), C.value * (1 + LENGTH), 0.0, 0), last
    if C.value * (1 + LENGTH) <= floor:
        return Maximum(0.0, C.value * (1 + LENGTH), 0.0, 0), last
    problem = _count_problem(d[:free], C, _recurrence_error(free, 0, 1))
    rest = Successes(d[:free], r, count.sums[:, : free + 1])
    near, off = last
    guess = _first_guess(problem, rest, near)
    found = _maximise_from(problem, rest, Guess(guess.x + off, guess.rate), rtol, floor)
    return found, (guess.x, found.x - guess.x)


@compiled
def _maximise(d, r, high, low, rtol, floor):  # type: ignore[no-untyped-def]
    found, _ = maximise_prefix(successes(d, r), TwoFloats(high, low), rtol, floor, (np.nan, 0.0))
    return found.lower, found.upper, found.x, found.evaluations


@compiled
def _guess(d, r, high, low):  # type: ignore[no-untyped-def]
    x, rate = _first_guess(PeakProblem(TwoFloats(high, low), 0.0, d[:0], 0.0, 0.0, 0.0), successes(d, r), np.nan)
    return x, rate


class _LongCount(NamedTuple):
    """At least r successes of so many samples that even one evaluation is called in pieces."""

    d: Floats
    r: int

    def slope(self, x: float) -> Slope:
        """The probability with its derivatives."""
        return slope_of(self.d, self.r, x)


def maximise_successes(d: Floats, r: int, C: TwoFloats, rtol: float, floor: float) -> Maximum:
    """Bracket max over 0 <= t <= C of (C - t) P(at least r successes), d ascending.

    The search is the same source in two engines: where an evaluation takes long, it runs in Python.
    """
    long = r * (d.size - r + 1) > PIECE and d[-1] < 1 and C.value * (1 + LENGTH) > floor
    if not long:
        return Maximum(*_maximise(d, r, C.value, C.rest, rtol, floor))
    problem = count_problem(d, C, rounding.recurrence_error(d.size, 0, 1))
    return tangent.maximise_from(problem, _LongCount(d, r), Guess(*_guess(d, r, C.value, C.rest)), rtol, floor)
