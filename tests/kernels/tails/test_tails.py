"""Tail probabilities and their derivatives against exact arithmetic, down to 1e-300."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

import oracle
from provend._kernels.arithmetic.rounding import BETAINC, DENSITY, recurrence_error
from provend._kernels.tails.binomial import BinomialCount, binomial_point
from provend._kernels.tails.counts import count_tail, slope_of, successes, successes_moments
from provend._kernels.tails.lattice import lattice_point
from provend._kernels.tails.table import table_point
from provend._kernels.tails.weighted import lattice_tail, spread_tail

F = Fraction


def fractions(values: np.ndarray) -> list[Fraction]:
    return [Fraction(float(x)) for x in values]


def error(computed: float, exact: Fraction) -> float:
    """Relative, exactly; exact zeros must be computed as zero."""
    if exact == 0:
        return 0.0 if computed == 0 else np.inf
    return float(abs(Fraction(float(computed)) - exact) / abs(exact))


def at(d: np.ndarray, t: float) -> list[Fraction]:
    return [min(x + Fraction(t), F(1)) for x in fractions(d)]


def dyadic(rng: np.random.Generator, n: int, size: float) -> np.ndarray:
    """Probabilities with 20 binary digits at most, so that nothing is rounded before the recurrence."""
    return np.maximum(1, np.rint(rng.random(n) * size * 2**20)) / 2**20


@pytest.mark.parametrize("seed", range(12))
def test_count_tail_keeps_relative_accuracy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    smallest = 1.0
    for size in (2e-4, 0.01, 0.3, 0.999):
        n = int(rng.integers(2, 90))
        p = dyadic(rng, n, size)
        for r in {1, n, int(rng.integers(1, n + 1)), max(1, 7 * n // 8)}:
            tail, slope, exactly = count_tail(p, r)
            exact = oracle.exact_count_tail(fractions(p), r)
            if exact < F(1, 10**300):
                continue
            smallest = min(smallest, float(exact))
            assert error(tail, exact) <= min(1e-13, recurrence_error(n))
            above = oracle.exact_count_tail(fractions(p), r + 1)
            assert error(exactly, exact - above) <= 1e-13
            others = [fractions(np.delete(p, i)) for i in range(n)] if n < 20 else []
            if others:
                tails = [oracle.exact_count_tail(x, r - 1) - oracle.exact_count_tail(x, r) for x in others]
                assert error(slope, sum(tails, F(0))) <= 1e-13
    assert smallest < 1e-30  # far tails were among them


def test_count_tail_down_to_the_smallest() -> None:
    for n, r, numerator in ((100, 100, 1100), (100, 90, 350), (150, 75, 90), (60, 60, 11)):
        p = np.arange(numerator, numerator + n) / 2**20
        exact = oracle.exact_count_tail(fractions(p), r)
        assert F(1, 10**300) < exact < F(1, 10**150)
        assert error(count_tail(p, r)[0], exact) <= 1e-13


@pytest.mark.parametrize("seed", range(6))
def test_complementary_tail_is_computed_directly(seed: int) -> None:
    """P(fewer than r) as a tail of the failures keeps its digits where 1 - P(at least r) has none left."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 80))
    p = 1 - dyadic(rng, n, 0.02)
    r = n // 2
    few = count_tail(1 - p, n - r + 1)[0]
    assert 0 < few < 1e-17
    assert error(few, 1 - oracle.exact_count_tail(fractions(p), r)) <= 1e-13
    assert count_tail(p, r)[0] == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize("seed", range(10))
def test_stated_error_covers_the_rounding_of_probabilities(seed: int) -> None:
    """t + d is rounded, also close to 1 where 1 - p loses its digits: ``recurrence_error`` covers that."""
    rng = np.random.default_rng(seed)
    for _ in range(6):
        n = int(rng.integers(2, 60))
        d = np.sort(rng.random(n) * rng.choice([0.01, 0.3, 1.0]))
        t = float(rng.random() * (1 - d[-1] * rng.choice([0.5, 1.0])))
        if rng.random() < 0.5:
            t = float(np.nextafter(1 - d[-1], 0)) * (1 - float(rng.choice([0, 1e-15, 1e-13])))
        r = int(rng.integers(1, n + 1))
        slope = slope_of(d, r, t)
        assert error(slope.f, oracle.exact_count_tail(at(d, t), r)) <= recurrence_error(n)


def slopes(d: np.ndarray, r: int, t: Fraction) -> tuple[Fraction, Fraction]:
    """f' from the right and from the left, by leaving out each sample that moves."""
    p = [x + t for x in fractions(d)]
    capped = [min(x, F(1)) for x in p]
    parts = []
    for i in range(len(p)):
        rest = capped[:i] + capped[i + 1 :]
        parts.append(oracle.exact_count_tail(rest, r - 1) - oracle.exact_count_tail(rest, r))
    right = sum((x for x, at_p in zip(parts, p, strict=True) if at_p < 1), F(0))
    return right, sum((x for x, at_p in zip(parts, p, strict=True) if at_p <= 1), F(0))


@pytest.mark.parametrize("seed", range(10))
def test_one_sided_slopes_at_kinks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        n = int(rng.integers(1, 12))
        d = np.sort(rng.integers(0, 65, n)) / 64  # kinks fall exactly on floats
        for t in (1 - float(rng.choice(d)), float(rng.integers(0, 64)) / 64):
            r = int(rng.integers(1, n + 1))
            slope = slope_of(d, r, t)
            right, left = slopes(d, r, Fraction(t))
            assert error(slope.f, oracle.exact_count_tail(at(d, t), r)) <= 1e-13
            assert error(slope.right, right) <= 1e-12
            assert error(slope.left, left) <= 1e-12


def test_moments_are_cumulants() -> None:
    """From the distribution itself: moments about the mean, of all 2^n outcomes."""
    d, t = np.array([0.0, 0.25, 0.625, 1.0]), 0.25
    p = [float(x) for x in at(d, t)]
    law = np.ones(1)
    for x in p:
        law = np.convolve(law, [1 - x, x])
    mean = law @ np.arange(5)
    second, third, fourth = (law @ (np.arange(5) - mean) ** k for k in (2, 3, 4))
    moments = successes_moments(successes(d, 1), t)
    assert moments.moving == 3
    assert tuple(moments[1:]) == pytest.approx((mean, second, third, fourth - 3 * second**2), abs=1e-14)
    same = BinomialCount(7, 3).moments(0.25)
    assert tuple(same) == pytest.approx(tuple(successes_moments(successes(np.full(7, 0.25), 3), 0.0)))


# --- weighted counts: F, low F, and F' as a difference of two increasing functions -----------------------------------


def brute_point(d: np.ndarray, value, t: float) -> tuple[Fraction, ...]:
    """F, then (A, B) from the left and from the right, over all outcomes."""
    p = [x + Fraction(t) for x in fractions(d)]
    capped = [min(x, F(1)) for x in p]

    def fixed(i: int, one: int) -> Fraction:
        return oracle.expectation(value, [*capped[:i], F(one), *capped[i + 1 :]])

    A, B = ([fixed(i, one) for i in range(len(p))] for one in (1, 0))
    left = [i for i, x in enumerate(p) if x <= 1]
    right = [i for i, x in enumerate(p) if x < 1]
    sums = [sum((side[i] for i in moving), F(0)) for moving in (left, right) for side in (A, B)]
    return oracle.expectation(value, capped), *sums


def check_point(point, d: np.ndarray, value, t: float) -> None:
    computed, exact = point(t), brute_point(d, value, t)
    for name, number in zip(("f", "a_left", "b_left", "a_right", "b_right"), exact, strict=True):
        assert error(getattr(computed, name), number) <= 1e-13, name
    assert computed.x == t


@pytest.mark.parametrize("seed", range(12))
def test_lattice_and_table_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(3):
        n = int(rng.integers(1, 6))
        d, w = rng.integers(0, 65, n) / 64, rng.integers(1, 9, n)
        total = int(w.sum())
        thresholds = rng.integers(-1, total + 2, int(rng.integers(1, 4)))
        shares = rng.integers(1, 5, thresholds.size) / 8

        value, low_value = stepped(w, thresholds, shares), stepped(w, thresholds + 1, shares)
        table = np.array([float(value(b)) for b in product((0, 1), repeat=n)])
        for t in (1 - float(rng.choice(d)), float(rng.integers(0, 65)) / 64, 0.0):
            check_point(lattice_point(d, w, thresholds, shares, thresholds), d, value, t)
            check_point(table_point(d, table), d, value, t)
            low = lattice_point(d, w, thresholds, shares, thresholds + 1)(t).low
            assert error(low, brute_point(d, low_value, t)[0]) <= 1e-13


def stepped(w: np.ndarray, thresholds: np.ndarray, shares: np.ndarray) -> oracle.Kappa:
    """b -> the shares of the thresholds that w b reaches."""

    def value(b: oracle.Bits) -> Fraction:
        reached = int(np.dot(w, b))
        return sum((F(float(s)) for s, x in zip(shares, thresholds, strict=True) if reached >= x), F(0))

    return value


def test_lattice_tail_keeps_relative_accuracy() -> None:
    p = np.arange(200, 230) / 2**20
    w = np.ones(30, np.int64)
    level = np.array([28], np.int64)
    one = np.ones(1)
    f, a, b, low = lattice_tail(p, w, level, one, level + 1, one)
    exact = oracle.exact_count_tail(fractions(p), 28)
    assert exact < F(1, 10**90)
    assert error(f, exact) <= 1e-13
    assert error(low, oracle.exact_count_tail(fractions(p), 29)) <= 1e-13
    assert error(a - b, slopes(p, 28, F(0))[0]) <= 1e-12


def test_spread_tail_is_exact_on_integers_and_converges_elsewhere() -> None:
    p, w = np.array([0.25, 0.5, 0.125, 0.75]), np.array([3.0, 1.0, 4.0, 1.0])
    for level in range(1, 10):
        exact = oracle.expectation(lambda b, level=level: F(int(np.dot(w, b)) >= level), fractions(p))
        assert error(spread_tail(p, w, np.array([level - 0.5]), np.ones(1)), exact) <= 1e-13
    weights = 0.95 ** np.arange(1, 61)
    p = np.linspace(0.85, 0.95, 60)

    def estimate(cells: int) -> float:
        scaled = weights * cells / weights.sum()
        return float(spread_tail(p, scaled, np.array([0.9 * cells]), np.ones(1)))

    fine = estimate(2**16)
    assert abs(estimate(2**10) - fine) < 1e-4
    assert abs(estimate(2**13) - fine) < 1e-5


# --- binomial tails --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("share", [1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
@pytest.mark.parametrize("n", [1, 2, 9, 100, 3_000, 10_000, 100_000, 10**6])
def test_binomial_tail_within_its_stated_tolerance(n: int, share: float) -> None:
    r = min(max(1, round(share * n)), n)
    spread = (share * (1 - share) / n) ** 0.5
    for x in share + np.linspace(-36.3, 8.9, 25) * spread:
        if not 0 < x < 1:
            continue
        slope = BinomialCount(n, r).slope(float(x))
        with mpmath.workdps(50):
            exact, density = oracle.binomial_tail(n, r, Fraction(float(x))), beta_density(n, r, float(x))
            if exact > mpmath.mpf(10) ** -300:
                assert abs(slope.f / exact - 1) <= BETAINC, (r, x)
                assert abs(slope.left / density - 1) <= DENSITY, (r, x)
                assert slope.left == slope.right


def beta_density(n: int, r: int, x: float) -> mpmath.mpf:
    log_beta = mpmath.loggamma(r) + mpmath.loggamma(n - r + 1) - mpmath.loggamma(n + 1)
    return mpmath.exp((r - 1) * mpmath.log(mpmath.mpf(x)) + (n - r) * mpmath.log1p(-mpmath.mpf(x)) - log_beta)


@pytest.mark.parametrize("seed", range(5))
def test_binomial_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(10):
        n = int(rng.integers(1, 7))
        ranks = [int(r) for r in rng.integers(1, n + 1, 2)]
        x = float(rng.choice([0.0, 1.0, *rng.integers(1, 64, 4) / 64]))

        def value(b, ranks=ranks) -> Fraction:
            return sum((w for r, w in zip(ranks, (F(1, 4), F(1, 2)), strict=True) if sum(b) >= r), F(0))

        check_point(binomial_point(n, ranks, [0.25, 0.5]), np.zeros(n), value, x)


def test_binomial_slope_at_its_kink() -> None:
    assert BinomialCount(5, 5).slope(1.0) == (1.0, 0.0, 5.0)
    assert BinomialCount(5, 4).slope(1.0) == (1.0, 0.0, 0.0)
    assert BinomialCount(5, 5).slope(1.25) == (1.0, 0.0, 0.0)
