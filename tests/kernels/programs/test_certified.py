"""Two neighbouring ranks where rounding decides."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from peaks import SIGNS, F, Floats, a_length, late_kinks, peak, two_floats
from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.programs.adjacent import AdjacentProblem
from provend._kernels.programs.adjacent_counts import Slopes, UnequalCounts
from provend._kernels.programs.adjacent_side import AdjacentSide
from provend.regret import lengths


class Powers:
    """A batch of Power: tails x^r that are off by given relative errors, with a shift."""

    n, start = np.array([5]), 0.0

    def __init__(self, error: float, slope_error: float, shift: float, signs: tuple[float, float]) -> None:
        self.error, self.slope_error, self.shift, self._signs = error, slope_error, shift, signs

    def kinks(self, c: float) -> Floats:
        return np.empty(0)

    def tail(self, x: Floats, r: NDArray[np.int64]) -> Slopes:
        slope = r * x ** (r - 1) * (1 + 0.999 * self._signs[1] * self.slope_error)
        return Slopes(self.probability(x, r), slope, slope)

    def probability(self, x: Floats, r: NDArray[np.int64]) -> Floats:
        return np.asarray(x**r * (1 + 0.999 * self._signs[0] * self.error))


@pytest.mark.parametrize(("e", "slope_e", "shift"), [(1e-3, 0, 0), (0, 1e-2, 0), (0, 0, 1e-3), (0, 0, 0)])
def test_neighbours_with_the_errors_they_allow(e: float, slope_e: float, shift: float) -> None:
    rng = np.random.default_rng(4)
    none, r = np.zeros(1), np.array([3])
    for signs in product(SIGNS, repeat=2):
        for _ in range(40):
            c = a_length(rng)
            one_side = AdjacentSide(Powers(e, slope_e, shift, signs), two_floats(c))
            x = rng.uniform(0.05, 0.999, 1) * float(c)
            lower, upper = (float(end[0]) for end in one_side.bracket(x, r, none))
            assert lower <= (c - F(float(x[0]))) * F(float(x[0])) ** 3 * (1 + F(UNIT) * (4 if e == 0 else 0))
            assert upper >= peak(c + F(shift), 3) * (1 - F(8 * UNIT))  # x ** 3 is itself rounded


def test_rounding_of_a_mixture_of_two() -> None:
    """A tail of 1 at every x: (C - x) is all there is."""

    class Certain(Powers):
        def probability(self, x: Floats, r: NDArray[np.int64]) -> Floats:
            return np.ones(1)

    rng = np.random.default_rng(5)
    for _ in range(300):
        c, share = a_length(rng), rng.random(1)
        x = rng.uniform(0, 1, 1) * float(c)
        one_side = AdjacentSide(Certain(0.0, 0.0, 0.0, (0.0, 0.0)), two_floats(c))
        assert float(one_side.bracket(x, np.array([2]), share)[0][0]) <= c - F(float(x[0]))


def test_neighbours_at_a_kink_that_came_earlier() -> None:
    """As for the tangent of a single count: the shift is that of real, unequal samples."""
    n = 1000
    d, t = late_kinks(n)
    C = F(t) + F(11, 10 * n)
    counts = UnequalCounts(d)
    counts.error = counts.slope_error = 0.0
    one_side = AdjacentSide(counts, two_floats(C))
    _, upper = one_side.bracket(np.array([t]), np.array([n]), np.zeros(1))
    assert float(upper[0]) >= C - (F(t) - 2 * F(UNIT))


def test_both_sides_speak_of_the_same_mixture() -> None:
    high, low = lengths(F(1, 2))
    problem = AdjacentProblem(UnequalCounts(np.array([0.0, 0.1, 0.2])), low, high)
    for share in (0.6 * UNIT, 0.3, 1e-9, 1 / 3, 1.0, 0.0):
        lam = problem.package(np.array([1]), np.array([share]), np.array([0.2]), np.array([0.2])).lam
        assert F(1) - F(float(lam[0])) == F(1 - float(lam[0]))
