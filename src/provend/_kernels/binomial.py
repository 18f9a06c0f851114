"""Tails for equal dissimilarities, by the regularised incomplete beta function: no numba needed.

The variable is the success probability x = t + d itself, so nothing is rounded before the tail.
"""

from functools import cached_property

import numpy as np
from scipy import special

from provend._kernels.points import (
    NO_KINKS,
    Floats,
    Moments,
    Point,
    PointFunction,
    Problem,
    Slope,
    TwoFloats,
)
from provend._kernels.rounding import BETAINC, DENSITY

_ONE = np.array([1.0])


def binomial_problem(c: TwoFloats, d: float) -> Problem:
    """max over x in [d, c + d] of (c + d - x) f(x)."""
    return Problem(c.plus(d), d, _ONE if c.high + d > 1 else NO_KINKS, BETAINC, DENSITY)


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
    """F(x) = sum_j probabilities_j P(Binomial(n, x) >= ranks_j), 1 <= ranks_j <= n."""
    r, weight = np.array(ranks, float), np.array(probabilities)

    def evaluate(x: float) -> Point:
        x = min(x, 1.0)
        f = float(weight @ special.betainc(r, n - r + 1, x))
        a = n * float(weight @ _tail(n - 1, r - 1, x))
        b = n * float(weight @ _tail(n - 1, r, x))
        right = (a, b) if x < 1 else (0.0, 0.0)
        return Point(x, f, f, a, b, *right)

    return evaluate


def _tail(n: int, r: Floats, x: float) -> Floats:
    """P(Binomial(n, x) >= r) for r from 0 to n + 1."""
    inside = (r >= 1) & (r <= n)
    safe = np.where(inside, r, 1)
    return np.where(inside, special.betainc(safe, np.maximum(n - safe + 1, 1), x), np.where(r < 1, 1.0, 0.0))
