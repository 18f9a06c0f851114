"""Tails for equal dissimilarities, by the regularised incomplete beta function: no numba needed.

The variable is the success probability x = t + d itself, so nothing is rounded before the tail.
"""

from fractions import Fraction

import numpy as np
from scipy import special

from provend._kernels.points import Point, PointFunction, Problem, Slope, SlopeFunction
from provend._kernels.rounding import BETAINC, DENSITY
from provend._kernels.tangent import Moments

SLOPE_ERROR = DENSITY


def binomial_problem(c: Fraction, d: float) -> Problem:
    """max over x in [d, c + d] of (c + d - x) f(x)."""
    C = c + Fraction(d)
    high = float(C)
    return Problem((high, float(C - Fraction(high))), d, np.array([1.0]), BETAINC)


def binomial_moments(n: int) -> Moments:
    """Of n samples whose probability is x itself."""
    return Moments(n, 0.0, 0.0)


def binomial_slope(n: int, r: int) -> SlopeFunction:
    """f(x) = P(Binomial(n, x) >= r), 1 <= r <= n, with its one-sided derivatives."""
    log_beta = special.betaln(r, n - r + 1)

    def evaluate(x: float) -> Slope:
        if x >= 1:
            return Slope(1.0, 0.0, float(n) if r == n and x == 1 else 0.0)
        f = float(special.betainc(r, n - r + 1, x))
        slope = float(np.exp(special.xlogy(r - 1, x) + special.xlog1py(n - r, -x) - log_beta))
        return Slope(f, slope, slope)

    return evaluate


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


def _tail(n: int, r: np.ndarray, x: float) -> np.ndarray:
    """P(Binomial(n, x) >= r) for r from 0 to n + 1."""
    inside = (r >= 1) & (r <= n)
    safe = np.where(inside, r, 1)
    return np.where(inside, special.betainc(safe, np.maximum(n - safe + 1, 1), x), np.where(r < 1, 1.0, 0.0))
