"""What the two maximisers work on: a problem, the function f at a point, and the maximum found."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.rounding import NEAR_ONE, SHIFT

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NO_KINKS: Floats = np.empty(0)


REPORT = (
    "if the policy holds a function of yours, check that it returns probabilities, else please report the policy, "
    "the dissimilarities and q"
)


def check_number(value: float) -> None:
    """Reject a nan: it would slip through every later comparison of bounds."""
    if value != value:
        raise ArithmeticError(f"a probability came out as nan; {REPORT}")


def check_brackets(lower: float | Floats, upper: float | Floats) -> None:
    """The last check of every bracket: a nan, or a lower end above the upper one, is a bug and not an answer."""
    if not np.all(np.less_equal(lower, upper)):
        raise ArithmeticError(f"a bracket came out as [{lower}, {upper}]; {REPORT}")


class TwoFloats(NamedTuple):
    """A number as an unevaluated sum of two floats, correct to about 1e-32 of it."""

    value: float
    rest: float

    def plus(self, x: float) -> "TwoFloats":
        """The sum with a float: Knuth's error-free addition of the leading parts, then Dekker's to normalise."""
        total = self.value + x
        shifted = total - self.value
        rest = (self.value - (total - shifted)) + (x - shifted) + self.rest
        high = total + rest
        return TwoFloats(high, rest - (high - total))


class PeakProblem(NamedTuple):
    """Maximise (C - x) f(x) over start <= x <= C, where f is non-decreasing.

    C is known to twice double precision, so that C - x keeps its relative accuracy; ``kinks`` are the points,
    ascending, at which some sample's probability reaches 1; ``error`` and ``slope_error`` bound the relative errors
    of f and of its derivative.
    """

    C: TwoFloats
    start: float
    kinks: Floats
    error: float
    slope_error: float
    shift: float = 0.0  # how far a probability t + d may have been rounded down, or taken down to its kink


def gap_at(problem: PeakProblem, x: float) -> float:
    """C - x, correct to two roundings."""
    return (problem.C.value - x) + problem.C.rest


def count_problem(d: Floats, C: TwoFloats, error: float) -> PeakProblem:
    """The problem in t, with probabilities t + d for ascending d: there is a kink wherever one reaches 1."""
    # A kink beyond C does no harm; one missed just before C would.
    kinks = (1 - d[np.searchsorted(d, 1 - C.value - NEAR_ONE, "right") :])[::-1].copy()
    return PeakProblem(C, 0.0, kinks, error, error, SHIFT)


class Slope(NamedTuple):
    """f(x) = P(at least r successes) and its one-sided derivatives; they differ at a kink."""

    f: float
    right: float
    left: float


class Moments(NamedTuple):
    """How many samples move with x, and the first four cumulants of the count at x."""

    moving: int
    mean: float
    variance: float
    third: float
    fourth: float


class Point(NamedTuple):
    """F(x) for a mixture of counts, and its derivative as a difference of two increasing functions, A - B.

    ``low <= F`` is a second function that certifies from below (the same where weights are integers). At a
    kink the samples that saturate there count in the left version and not in the right one.
    """

    x: float
    f: float
    low: float
    a_left: float
    b_left: float
    a_right: float
    b_right: float


PointFunction = Callable[[float], Point]


class Maximum(NamedTuple):
    """lower <= max <= upper, and a point at which at least lower is attained."""

    lower: float
    upper: float
    x: float
    evaluations: int
