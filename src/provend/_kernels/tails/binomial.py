"""Tails for equal dissimilarities, by the regularised incomplete beta function: no numba needed.

The variable is the success probability x = t + d itself, so nothing is rounded before the tail.
"""

from functools import cached_property

import numpy as np
from scipy import special

from provend._kernels.arithmetic.points import (
    NO_KINKS,
    Moments,
    PeakProblem,
    Point,
    PointFunction,
    Slope,
    TwoFloats,
)
from provend._kernels.arithmetic.rounding import BETAINC, DENSITY

_ONE = np.array([1.0])


def binomial_problem(c: TwoFloats, d: float) -> PeakProblem:
    """max over x in [d, c + d] of (c + d - x) f(x)."""
    return PeakProblem(c.plus(d), d, _ONE if c.value + d > 1 else NO_KINKS, BETAINC, DENSITY)


class BinomialCount:
    """f(x) = P(Binomial(n, x) >= r), 1 <= r <= n."""

    def __init__(self, n: int, r: int) -> None:
        self.n, self.r = n, r

    @cached_property
    def _log_beta(self) -> float:
        return float(special.betaln(self.r, self.n - self.r + 1))

    def slope(self, x: float) -> Slope:
        """The tail with its derivatives, which are a beta density."""
        n, r = self.n, self.r
        if x >= 1:
            return Slope(1.0, 0.0, float(n) if r == n and x == 1 else 0.0)
        density = np.exp(special.xlogy(r - 1, x) + special.xlog1py(n - r, -x) - self._log_beta)
        return Slope(float(special.betainc(r, n - r + 1, x)), float(density), float(density))

    def moments(self, x: float) -> Moments:
        """Moments of the binomial."""
        x = min(x, 1.0)
        variance = self.n * x * (1 - x)
        return Moments(self.n, self.n * x, variance, variance * (1 - 2 * x), variance * (1 - 6 * x * (1 - x)))


def binomial_point(n: int, ranks: list[int], probabilities: list[float]) -> PointFunction:
    """F(x) = sum_j probabilities_j P(Binomial(n, x) >= ranks_j), 1 <= ranks_j <= n.

    With one sample fixed at one or at zero, the tails are those of n - 1 samples: at least r - 1, which is certain if
    r = 1, and at least r, which is impossible if r = n. All of them are computed in one call.
    """
    r, weight = np.array(ranks, float), np.array(probabilities)
    at_one, at_zero = np.maximum(r - 1, 1), np.clip(r, 1, max(n - 1, 1))
    successes = np.concatenate([r, at_one, at_zero])
    failures = np.concatenate([n - r + 1, np.maximum(n - at_one, 1), np.maximum(n - at_zero, 1)])  # never 0: nan
    combine = np.zeros((3, r.size, 3))  # rows F, A, B
    combine[0, :, 0], combine[1, :, 1], combine[2, :, 2] = weight, n * weight * (r > 1), n * weight * (r < n)
    matrix = combine.transpose(0, 2, 1).reshape(3, -1)
    certain = n * float(weight[r == 1].sum())

    def evaluate(x: float) -> Point:
        x = min(x, 1.0)
        f, a, b = (matrix @ special.betainc(successes, failures, x)).tolist()
        a += certain
        return Point(x, f, f, a, b, a, b) if x < 1 else Point(x, f, f, a, b, 0.0, 0.0)

    return evaluate
