"""The two maximisers: the concavity they rest on, the bounds they use, and two engines that agree."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf

import mpmath
import numpy as np
import pytest

import oracle
from provend._kernels.arithmetic.points import Moments, PeakProblem, Slope, TwoFloats, count_problem, gap_at
from provend._kernels.arithmetic.rounding import TINY, recurrence_error
from provend._kernels.maximise.branch import _bounded, branch_and_bound
from provend._kernels.maximise.successes import maximise_successes
from provend._kernels.maximise.tangent import excess, maximise_count, tangent_bound
from provend._kernels.tails.counts import slope_of, successes, successes_moments
from provend._kernels.tails.lattice import lattice_point
from samplers import a_design, a_ratio

F = Fraction


def sorted_design(rng: np.random.Generator, n: int) -> np.ndarray:
    d = np.sort(a_design(rng, n))
    return d[d < 1] if (d < 1).any() else np.array([0.5])


def tail_at(d: np.ndarray, r: int, t: Fraction) -> Fraction:
    return oracle.exact_count_tail([min(F(float(x)) + t, F(1)) for x in d], r)


def two_floats(c: Fraction) -> TwoFloats:
    return TwoFloats(float(c), float(c - F(float(c))))


@pytest.mark.parametrize("seed", range(20))
def test_root_of_the_tail_is_concave(seed: int) -> None:
    """f^(1/r) at a point between two others is above their chord, kinks between them included."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        d = sorted_design(rng, int(rng.integers(1, 10)))
        r = int(rng.integers(1, d.size + 1))
        a, b = sorted(F(int(x), 256) for x in rng.choice(257, 2, replace=False))
        share = F(int(rng.integers(1, 16)), 16)
        middle = a + (b - a) * share
        with mpmath.workdps(60):
            roots = [
                mpmath.root(mpmath.mpf(f.numerator) / f.denominator, r)
                for f in (tail_at(d, r, t) for t in (a, b, middle))
            ]
            chord = roots[0] + (roots[1] - roots[0]) * share.numerator / share.denominator
            assert roots[2] >= chord - mpmath.mpf(10) ** -50


@pytest.mark.parametrize("seed", range(10))
def test_second_derivative_inequality_exactly(seed: int) -> None:
    """f f'' <= (1 - 1/r) f'^2, in rationals, where no sample has reached 1."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n = int(rng.integers(1, 8))
        p = [F(int(x), 64) for x in rng.integers(1, 64, n)]
        r = int(rng.integers(1, n + 1))

        def equal(chosen: list[Fraction], k: int) -> Fraction:
            if k < 0:
                return F(0)
            return oracle.exact_count_tail(chosen, k) - oracle.exact_count_tail(chosen, k + 1)

        def without(*left_out: int, p=p) -> list[Fraction]:
            return [x for i, x in enumerate(p) if i not in left_out]

        pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
        f = oracle.exact_count_tail(p, r)
        first = sum((equal(without(i), r - 1) for i in range(n)), F(0))
        second = sum((equal(without(*ij), r - 2) - equal(without(*ij), r - 1) for ij in pairs), F(0))
        assert f * second <= (1 - F(1, r)) * first**2


@pytest.mark.parametrize("seed", range(15))
def test_one_tangent_bounds_the_maximum(seed: int) -> None:
    """From any point at all, not only near the top."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        d = sorted_design(rng, int(rng.integers(1, 8)))
        r, c = int(rng.integers(1, d.size + 1)), a_ratio(rng, 7)
        table = [F(bin(index).count("1") >= r) for index in range(2**d.size)]
        truth = oracle.side_maximum(table, [F(float(x)) for x in d], c)
        problem = count_problem(d, two_floats(c), recurrence_error(d.size))
        points = [*rng.random(6) * float(c) * 0.999, *(k for k in problem.kinks[:4] if k < float(c)), 0.0]
        for x in points:
            slope = slope_of(d, r, float(x))
            if slope.f > TINY:
                assert tangent_bound(problem, float(x), slope, r) >= truth, (d, r, c, x)


def test_excess_is_least_at_one() -> None:
    for r in (1, 2, 30, 10**6):
        assert 1 <= excess(1.0, r) <= 1 + 1e-9
        for steepness in (1e-6, 0.1, 0.9, 1.1, 3.0, 50.0):
            z = mpmath.mpf(steepness) / r
            with mpmath.workdps(40):
                exact = (1 + z) ** (r + 1) * (mpmath.mpf(r) / (r + 1)) ** r / ((r + 1) * z)
            computed = excess(steepness, r)
            assert 1 < exact <= computed
            assert computed == inf or computed <= exact * (1 + mpmath.mpf(10) ** -9)


class PlainCount:
    """At least r successes, in plain Python: the same protocol, an independent evaluation."""

    def __init__(self, d: np.ndarray, r: int) -> None:
        self.d, self.r = d, r

    def slope(self, x: float) -> Slope:
        p = [min(x + v, 1.0) for v in self.d]
        f = self._tail(p, self.r)
        leave_out = [
            self._tail(p[:i] + p[i + 1 :], self.r - 1) - self._tail(p[:i] + p[i + 1 :], self.r) for i in range(len(p))
        ]
        at = [x + v for v in self.d]
        right = sum(s for s, v in zip(leave_out, at, strict=True) if v < 1 - 1e-15)
        left = sum(s for s, v in zip(leave_out, at, strict=True) if v <= 1 + 1e-15)
        return Slope(f, right, left)

    @staticmethod
    def _tail(p: list[float], r: int) -> float:
        state = [1.0, *[0.0] * len(p)]
        for x in p:
            state = [s * (1 - x) + (state[k - 1] * x if k else 0.0) for k, s in enumerate(state)]
        return float(sum(state[max(r, 0) :]))

    def moments(self, x: float) -> Moments:
        """The first four cumulants: those of independent Bernoullis add up."""
        p = np.minimum(x + self.d, 1.0)
        v = p * (1 - p)
        return Moments(int((p < 1).sum()), *(float(k.sum()) for k in (p, v, v * (1 - 2 * p), v * (1 - 6 * v))))


@pytest.mark.parametrize("seed", range(10))
def test_compiled_and_plain_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(8):
        d = sorted_design(rng, int(rng.integers(2, 14)))
        r, c = int(rng.integers(1, d.size + 1)), a_ratio(rng, 11)
        problem = count_problem(d, two_floats(c), recurrence_error(d.size))
        compiled = maximise_successes(d, r, two_floats(c), 1e-9, 0.0)
        plain = maximise_count(problem, PlainCount(d, r), 1e-9, 0.0)
        assert compiled.lower <= plain.upper * (1 + 1e-13)
        assert plain.lower <= compiled.upper * (1 + 1e-13)
        assert compiled.x == pytest.approx(plain.x, abs=1e-4)
        assert compiled.evaluations == pytest.approx(plain.evaluations, abs=2)
        moments, by_hand = successes_moments(successes(d, r), compiled.x), PlainCount(d, r).moments(compiled.x)
        assert moments == pytest.approx(by_hand, rel=1e-12, abs=1e-12)


def weighted_case(rng: np.random.Generator):
    n = int(rng.integers(1, 7))
    d, w = np.minimum(a_design(rng, n), 1.0), rng.integers(1, 7, n)
    level = int(rng.integers(1, w.sum() + 1))
    c = a_ratio(rng, 7)
    table = [F(sum(int(w[i]) for i in range(n) if index >> (n - 1 - i) & 1) >= level) for index in range(2**n)]
    problem = count_problem(np.sort(d), two_floats(c), recurrence_error(n))
    levels = np.array([level], np.int64)
    return d, c, table, problem, lattice_point(d, w, levels, np.ones(1), levels)


@pytest.mark.parametrize("seed", range(15))
def test_interval_bound_dominates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        d, c, table, problem, point = weighted_case(rng)
        cuts = [0.0, float(c), *problem.kinks[problem.kinks < float(c)], *(rng.random(3) * float(c))]
        a, b = sorted(float(x) for x in rng.choice(np.unique(cuts), 2, replace=False))
        bound = F(-_bounded(problem, point(a), point(b)).minus_bound)
        value = dict(zip(product((0, 1), repeat=d.size), table, strict=True))
        for x in (a, b, *rng.uniform(a, b, 4)):
            t = F(float(x))
            F_t = oracle.expectation(value.__getitem__, [min(F(float(v)) + t, F(1)) for v in d])
            assert (c - t) * F_t <= bound, (d, c, a, b, x)


@pytest.mark.parametrize("seed", range(10))
def test_interval_bound_is_of_second_order(seed: int) -> None:
    """Around the maximiser: an interval an eighth as wide has about 1/64 of the excess."""
    rng = np.random.default_rng(seed)
    d = rng.random(6) * 0.05
    w = np.array([5, 4, 3, 3, 2, 1])
    level = np.array([9], np.int64)
    problem = count_problem(np.sort(d), two_floats(F(9, 10)), recurrence_error(6))
    point = lattice_point(d, w, level, np.ones(1), level)

    top = branch_and_bound(problem, point, rtol=1e-12, floor=0.0, budget=10_000)

    def slack(width: float) -> float:
        a, b = top.x - 0.4 * width, top.x + 0.6 * width
        return -_bounded(problem, point(a), point(b)).minus_bound - top.upper

    assert 0 < slack(0.002) <= slack(0.016) / 30


@pytest.mark.parametrize("seed", range(10))
def test_branch_and_bound_brackets_the_maximum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        d, c, table, problem, point = weighted_case(rng)
        truth = oracle.side_maximum(table, [F(float(x)) for x in d], c)
        found = branch_and_bound(problem, point, rtol=1e-9, floor=0.0, budget=100_000)
        assert found.lower <= truth <= found.upper
        assert found.upper - found.lower <= 1e-9 * found.upper
        few = branch_and_bound(problem, point, rtol=1e-9, floor=0.0, budget=5)  # valid wherever it stops
        assert few.lower <= truth <= few.upper
        assert few.evaluations <= 5


def test_floor_stops_early_and_stays_a_bound() -> None:
    d = np.linspace(0.01, 0.2, 20)
    full = maximise_successes(d, 18, two_floats(F(9, 10)), 1e-9, 0.0)
    stopped = maximise_successes(d, 18, two_floats(F(9, 10)), 1e-9, full.upper * 1.5)
    assert stopped.evaluations < full.evaluations
    assert full.lower <= stopped.upper <= full.upper * 1.5


def test_two_floats_keep_both_parts() -> None:
    c = two_floats(F(9, 10)).plus(0.1)
    exact = F(9, 10) + F(0.1)
    assert abs(F(c.value) + F(c.rest) - exact) < F(1, 10**31)
    problem = PeakProblem(two_floats(F(1, 3)), 0.0, np.empty(0), 0.0, 0.0)
    gap = gap_at(problem, float(F(1, 3)))
    assert gap == float(F(1, 3) - F(float(F(1, 3))))  # what a single float would lose entirely
