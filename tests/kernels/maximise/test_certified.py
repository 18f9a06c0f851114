"""The two maximisers where rounding decides: their errors as large as they say, the bound holds all the same."""

from __future__ import annotations

from itertools import product
from math import inf

import mpmath
import numpy as np
import pytest

from peaks import SIGNS, F, a_length, late_kinks, peak, problem_for, two_floats
from provend._kernels.arithmetic.points import (
    Point,
    Slope,
    count_problem,
)
from provend._kernels.arithmetic.rounding import TINY, UNIT
from provend._kernels.maximise import branch, tangent
from provend._kernels.programs import adjacent_side
from provend._kernels.tails.counts import slope_of

# --- the tangent bound -----------------------------------------------------------------------------------------------


class Power:
    """f(x) = x^r, with f and f' off by given relative errors."""

    def __init__(self, r: int, f_off: float = 0.0, slope_off: float = 0.0) -> None:
        self.r, self.f_off, self.slope_off = r, f_off, slope_off

    def slope(self, x: float) -> Slope:
        slope = self.r * x ** (self.r - 1) * (1 + self.slope_off)
        return Slope(x**self.r * (1 + self.f_off), slope, slope)


@pytest.mark.parametrize("r", [1, 2, 7, 40])
def test_tangent_with_the_errors_it_allows(r: int) -> None:
    rng = np.random.default_rng(r)
    for e, slope_e in ((1e-3, 0.0), (0.0, 1e-3), (1e-4, 1e-2)):
        for signs in product(SIGNS, repeat=2):
            c = a_length(rng)
            problem = problem_for(c, error=e, slope_error=slope_e)
            count = Power(r, signs[0] * e * 0.999, signs[1] * slope_e * 0.999)
            for x in rng.uniform(0.05, 0.999, 12) * float(c):
                assert tangent.tangent_bound(problem, x, count.slope(x), r) >= peak(c, r), (c, x, signs)
            found = tangent.maximise_from(problem, count, tangent.Guess(float(c) / 2, -inf), 1e-9, 0.0)
            assert found.lower <= peak(c, r) <= found.upper


def test_tangent_at_a_kink_that_came_earlier() -> None:
    """All of n samples are needed, and have been there for two roundings: C - t is too small by that much."""
    n = 1000
    d, t = late_kinks(n)
    C = F(t) + F(11, 10 * n)
    exact = C - (F(t) - 2 * F(UNIT))  # f is 1 from there on
    problem = count_problem(d, two_floats(C), 0.0)
    assert tangent.tangent_bound(problem, t, slope_of(d, n, t), n) >= exact


class Flat:
    """f(x) = value: the maximum is C times it, and every rounding shows."""

    def __init__(self, value: float) -> None:
        self.r, self.value = 1, value

    def slope(self, x: float) -> Slope:
        return Slope(self.value, 0.0, 0.0)


def test_rounding_of_a_value() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        c, value = a_length(rng), float(rng.random())
        found = tangent.maximise_from(problem_for(c), Flat(value), tangent.Guess(0.0, -1.0), 1e-9, 0.0)
        assert found.lower <= c * F(value) <= found.upper


def test_phi_is_rounded_up() -> None:
    """The tangent of x^r is exact at every x, so that only the rounding of phi itself is left."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        r, steepness = int(rng.integers(1, 60)), float(rng.uniform(0.01, 30))
        with mpmath.workdps(60):
            z = mpmath.mpf(steepness) / r
            exact = (1 + z) ** (r + 1) * (mpmath.mpf(r) / (r + 1)) ** r / ((r + 1) * z)
            assert tangent.excess(steepness, r) >= exact
            batch = adjacent_side._excess(np.array([steepness]), np.array([r]))
            assert float(batch[0]) >= exact


def test_phi_beyond_the_largest_float() -> None:
    assert tangent.excess(1e-310, 1) == inf
    assert adjacent_side._excess(np.array([1e-310]), np.array([1]))[0] == inf


def test_underflow_certifies_nothing_from_below() -> None:
    """Tails below TINY may have lost all their digits: no lower end, and an upper one that covers them."""
    found = tangent.maximise_from(problem_for(F(1, 3)), Flat(1e-300), tangent.Guess(0.1, -1.0), 1e-9, 0.0)
    assert found.lower == 0
    assert found.upper >= F(TINY) / 3
    branched = branch.branch_and_bound(problem_for(F(1, 3)), steady(1e-300), rtol=1e-9, floor=0.0, budget=50)
    assert branched.lower == 0


# --- branch and bound ------------------------------------------------------------------------------------------------


def steady(value: float) -> branch.PointFunction:
    return lambda t: Point(t, value, value, 0.0, 0.0, 0.0, 0.0)


def test_rounding_of_an_interval() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        c, value = a_length(rng), float(rng.random())
        found = branch.branch_and_bound(problem_for(c), steady(value), rtol=1e-9, floor=0.0, budget=20)
        assert found.lower <= c * F(value) <= found.upper


@pytest.mark.parametrize("signs", list(product(SIGNS, repeat=3)))
def test_interval_with_the_errors_it_allows(signs: tuple[float, float, float]) -> None:
    """F = 1 - (1 - t)^2 has A = 2 and B = 2t; F = t^2 has A = 2t and B = 0; F = t is taken as A - B = 1.5 - 0.5.

    F, A and B are off by as much as allowed.
    """
    rng, e = np.random.default_rng(3), 1e-3
    off_F, off_A, off_B = (1 + 0.999 * e * sign for sign in signs)

    def concave(t: float) -> Point:
        f, a, b = t * (2 - t) * off_F, 2 * off_A, 2 * t * off_B
        return Point(t, f, f, a, b, a, b)

    def convex(t: float) -> Point:
        return Point(t, t * t * off_F, t * t * off_F, 2 * t * off_A, 0.0, 2 * t * off_A, 0.0)

    def straight(t: float) -> Point:  # nothing to lose but the errors
        a, b = 1.5 * off_A, 0.5 * off_B
        return Point(t, t * off_F, t * off_F, a, b, a, b)

    for _ in range(10):
        c = a_length(rng)
        problem = problem_for(c, error=e)
        functions = ((concave, lambda t: t * (2 - t)), (convex, lambda t: t * t), (straight, lambda t: t))
        for point, exact in functions:
            a, b = sorted(float(x) for x in rng.random(2) * float(c))
            bound = F(-branch._bounded(problem, point(a), point(b)).minus_bound)
            grid = [F(a) + (F(b) - F(a)) * k / 32 for k in range(33)]
            assert max((c - t) * exact(t) for t in grid) <= bound
            found = branch.branch_and_bound(problem, point, rtol=1e-9, floor=0.0, budget=200)
            most = max((c - t) * exact(t) for t in (c * k / 128 for k in range(129)))  # misses far less than e
            assert most <= found.upper
            assert found.lower <= most * (1 + F(1, 10**4))
