"""A function f on one side of the theorem, evaluated at a point: what the two maximisers need to know of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Slope(NamedTuple):
    """f(x) = P(at least r successes) and its one-sided derivatives; they differ at a kink."""

    f: float
    right: float
    left: float


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


@dataclass(frozen=True)
class Problem:
    """Maximise (C - x) f(x) over start <= x <= C, where f is non-decreasing.

    ``C`` is an unevaluated sum of two floats, so that C - x keeps its relative accuracy; ``kinks`` are the
    points, ascending, at which some sample's probability reaches 1; ``error`` bounds the relative error of f.
    """

    C: tuple[float, float]
    start: float
    kinks: NDArray[np.float64]
    error: float

    def gap(self, x: float) -> float:
        """C - x, correct to two roundings."""
        return (self.C[0] - x) + self.C[1]


class Maximum(NamedTuple):
    """lower <= max <= upper, and a point at which at least lower is attained."""

    lower: float
    upper: float
    x: float
    evaluations: int


SlopeFunction = Callable[[float], Slope]
PointFunction = Callable[[float], Point]
