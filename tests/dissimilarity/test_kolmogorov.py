"""Kolmogorov distances from samples: the statistic, its exact law, and limits that hold as often as they say."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from scipy import stats

from provend.dissimilarity._kolmogorov import (
    FINENESS,
    _lower_limit,
    _noise,
    _shift_tail,
    _unequal_upper_limit,
    _upper_limit,
    estimate_dissimilarity,
    kolmogorov_distances,
    shift_distribution,
    shift_mean,
    without_bias,
)


def brute_distance(a: np.ndarray, b: np.ndarray) -> Fraction:
    """From the definition, at every point where a distribution function jumps."""
    return max(abs(Fraction(int((a <= y).sum()), a.size) - Fraction(int((b <= y).sum()), b.size)) for y in [*a, *b])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 7), (5, 5), (12, 9), (40, 31)])
def test_distance_is_the_definition_and_scipys(seed: int, n: int, m: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(size=n), random.normal(0.5, size=m)
    if seed % 2:
        a, b = np.round(2 * a), np.round(2 * b)  # many ties, within and across
    found = estimate_dissimilarity(a, b)
    assert found.distance == float(brute_distance(a, b))
    if n * m > 1:  # its p-value divides by zero for a single pair
        assert found.distance == pytest.approx(stats.ks_2samp(a, b, method="asymp").statistic, abs=1e-14)
    assert found.sizes == (n, m)
    assert found.lower is None
    assert found.upper is None


def test_many_pairs_at_once() -> None:
    random = np.random.default_rng(1)
    a, b = random.poisson(3, (50, 20)).astype(float), random.poisson(4, (50, 33)).astype(float)
    assert kolmogorov_distances(a, b).tolist() == [float(brute_distance(x, y)) for x, y in zip(a, b, strict=True)]


def walks(start: int, ups: int, downs: int, wall: float, floor: float) -> int:
    """How many walks stay strictly between floor and wall: counted step by step."""
    if not floor < start < wall:
        return 0
    heights = {(0, 0): 1}
    for i, j in product(range(ups + 1), range(downs + 1)):
        if (i, j) != (0, 0):
            inside = floor < start + i - j < wall
            heights[i, j] = (heights.get((i - 1, j), 0) + heights.get((i, j - 1), 0)) if inside else 0
    return heights[ups, downs]


def shift_oracle(n: int, zeta: Fraction, r: int, *, two_sided: bool = True) -> Fraction:
    """P(largest difference < r / n) as a sum over the numbers at either end and over walks in between."""
    total = Fraction(0)
    for b, w in product(range(min(r, n + 1)), repeat=2):
        ends = comb(n, b) * comb(n, w) * zeta ** (b + w) * (1 - zeta) ** (2 * n - b - w)
        kept = walks(b, n - b, n - w, r, -r if two_sided else -np.inf)
        total += ends * Fraction(kept, comb(2 * n - b - w, n - b))
    return total


@pytest.mark.parametrize("zeta", [Fraction(0), Fraction(1, 20), Fraction(2, 5), Fraction(19, 20), Fraction(1)])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_law_of_the_shift_experiment(n: int, zeta: Fraction) -> None:
    r = np.arange(1, n + 1)
    exact = [float(shift_oracle(n, zeta, int(each))) for each in r]
    assert shift_distribution(n, float(zeta), r) == pytest.approx(exact, abs=1e-12)
    assert shift_mean(n, float(zeta)) == pytest.approx(sum(1 - x for x in exact) / n, abs=1e-12)
    one_sided = [1 - float(shift_oracle(n, zeta, int(each), two_sided=False)) for each in r]
    assert [_shift_tail(n, float(zeta), int(each)) for each in r] == pytest.approx(one_sided, abs=1e-12)


@pytest.mark.parametrize("n", [6, 30, 150])
def test_law_at_equality_is_the_kolmogorov_smirnov_test(n: int) -> None:
    for gap in (n // 6 + 1, n // 3, n // 2, n):
        a = np.arange(n, dtype=float)
        b = a + gap - 0.5  # exactly `gap` of a below the first of b
        test = stats.ks_2samp(a, b, method="exact")
        assert test.statistic == pytest.approx(gap / n)
        assert 1 - shift_distribution(n, 0.0, np.array([gap]))[0] == pytest.approx(test.pvalue, abs=1e-11)


def test_law_against_simulation() -> None:
    """Sampled from the definition, for a size the enumeration cannot reach."""
    random, n, zeta, repetitions = np.random.default_rng(0), 150, 0.07, 4000
    white, black = random.random((repetitions, n)), np.maximum(random.random((repetitions, n)) - zeta, 0)
    distances = kolmogorov_distances(white, black)
    error = float(distances.std()) / sqrt(repetitions)
    assert shift_mean(n, zeta) == pytest.approx(float(distances.mean()), abs=5 * error)
    for r in (15, 20, 25):
        p = float(shift_distribution(n, zeta, np.array([r]))[0])
        count = int((distances < r / n - 1e-9).sum())
        assert stats.binomtest(count, repetitions, p).pvalue > 1e-6


@pytest.mark.parametrize("zeta", [0.0, 0.003, 0.1, 0.7])
def test_mean_of_large_samples_skips_values_without_harm(zeta: float) -> None:
    n = 700
    full = (1 - shift_distribution(n, zeta, np.arange(10, n + 1))).sum()
    assert shift_mean(n, zeta) == pytest.approx((9 + full) / n, abs=2e-5)


def test_correction_inverts_the_mean() -> None:
    for n, distance in ((20, 0.4), (200, 0.12), (1000, 0.3)):
        zeta = without_bias(distance, n)
        assert 0 < zeta < distance
        assert shift_mean(n, zeta) == pytest.approx(distance, abs=1e-5)
    assert without_bias(0.1, 20) == 0.0  # identical distributions have a larger distance on average
    assert without_bias(1.0, 20) == 1.0
    assert without_bias(1.0, 1) == 0.0  # one observation of each says nothing
    found = estimate_dissimilarity(np.arange(30), np.arange(30) + 12)
    assert found.bias == pytest.approx(found.distance - found.corrected, abs=1e-15)
    assert 0 < found.corrected < found.distance


# ---------------------------------------------------------------------------------------------------------------------
# limits


def miss(gap: int, n: int, m: int, p: float, d: float) -> float:
    """P(Bin(m, p + d) / m - Bin(n, p) / n <= gap / (n m)), summed over all pairs of counts."""
    j, k = np.arange(n + 1)[:, None], np.arange(m + 1)[None]
    weights = stats.binom.pmf(j, n, p) * stats.binom.pmf(k, m, min(p + d, 1.0))
    return float(weights[n * k - m * j <= gap].sum())


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize(("n", "gap"), [(4, 1), (11, 0), (11, 4), (30, 6), (30, 29)])
def test_upper_limit_of_equal_sizes(n: int, gap: int, alpha: float) -> None:
    d = _upper_limit(gap * n, n, n, alpha)
    if d >= 1:
        return
    grid = np.linspace(0, 1 - d, 101)
    assert max(miss(gap * n, n, n, p, d + 1e-9) for p in grid) <= alpha + 1e-9
    smaller = d - 1e-3
    if smaller > (gap + 1) / n:  # no smaller limit is valid: Bernoulli demands attain the bound
        assert miss(gap * n, n, n, (1 - smaller) / 2, smaller) > alpha


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize(("n", "m", "steps"), [(3, 8, 6), (10, 13, 0), (10, 13, 61), (12, 40, 100), (25, 25, 100)])
def test_upper_limit_of_unequal_sizes(n: int, m: int, steps: int, alpha: float) -> None:
    d = _unequal_upper_limit(steps, n, m, alpha)
    assert d <= 1
    grid = np.linspace(0, 1 - d, 201)
    assert max(miss(steps, n, m, p, d) for p in grid) <= alpha
    smaller = d - 1.5 * FINENESS * sqrt(1 / (4 * n) + 1 / (4 * m))
    assert max(miss(steps, n, m, p, smaller) for p in np.linspace(0, 1 - smaller, 201)) > alpha


def test_upper_limits_of_either_kind_agree() -> None:
    for n, gap in ((20, 3), (90, 12)):
        exact, searched = _upper_limit(gap * n, n, n, 0.05), _unequal_upper_limit(gap * n, n, n, 0.05)
        assert exact - 1e-9 <= searched <= exact + 1.2 * FINENESS * sqrt(1 / (2 * n))
    assert _upper_limit(7 * 10, 10, 14, 0.1) == _upper_limit(7 * 10, 14, 10, 0.1)


def coverage_failures(a: np.ndarray, b: np.ndarray, d: float, alpha: float) -> tuple[int, int]:
    """How often each limit fails."""
    n, m = a.shape[1], b.shape[1]
    steps = np.rint(kolmogorov_distances(a, b) * n * m).astype(int)
    lower = {int(s): _lower_limit(int(s), n, m, alpha) for s in np.unique(steps)}
    upper = {int(s): _upper_limit(int(s), n, m, alpha) for s in np.unique(steps)}
    return sum(lower[int(s)] > d + 1e-12 for s in steps), sum(upper[int(s)] < d - 1e-12 for s in steps)


@pytest.mark.parametrize("sizes", [(30, 30), (12, 17)])
@pytest.mark.parametrize("case", ["equal", "shift", "normal", "bernoulli", "poisson"])
def test_limits_hold_as_often_as_they_say(sizes: tuple[int, int], case: str) -> None:
    (n, m), alpha, repetitions = sizes, 0.1, 1000
    random = np.random.default_rng([n, m, len(case)])
    u, v = random.random((repetitions, n)), random.random((repetitions, m))
    points = np.arange(30)
    pairs = {
        "equal": (u, v, 0.0),
        "shift": (u, np.maximum(v - 0.2, 0), 0.2),
        "normal": (stats.norm.ppf(u), stats.norm.ppf(v) + 1, 2 * stats.norm.cdf(0.5) - 1),
        "bernoulli": ((u < 0.4).astype(float), (v < 0.6).astype(float), 0.2),
        "poisson": (
            stats.poisson.ppf(u, 4.0),
            stats.poisson.ppf(v, 6.0),
            float(np.abs(stats.poisson.cdf(points, 4.0) - stats.poisson.cdf(points, 6.0)).max()),
        ),
    }
    most = stats.binom.ppf(1 - 1e-6, repetitions, alpha)
    assert max(coverage_failures(*pairs[case], alpha)) <= most


@pytest.mark.parametrize("alpha", [0.05, 0.25])
def test_exact_coverage_on_bernoulli_demands(alpha: float) -> None:
    """All pairs of counts: for Bernoulli demands the distance is the difference of the shares. Nearly attained."""
    n, worst = 12, 0.0
    k = np.arange(n + 1)
    gaps = np.abs(k[:, None] - k[None])
    upper = np.array([_upper_limit(gap * n, n, n, alpha) for gap in range(n + 1)])[gaps]
    for p, d in product(np.linspace(0, 1, 21), np.linspace(0, 1, 41)):
        if p + d <= 1:
            weights = stats.binom.pmf(k, n, p)[:, None] * stats.binom.pmf(k, n, p + d)[None]
            worst = max(worst, float(weights[upper < d - 1e-12].sum()))
    assert worst <= alpha
    assert worst > 0.6 * alpha


@pytest.mark.parametrize("alpha", [0.05, 0.25])
def test_exact_coverage_of_the_lower_limit(alpha: float) -> None:
    """For the pair of the paper's experiment, from the enumerated law."""
    n = 9
    lower = [_lower_limit(gap * n, n, n, alpha) for gap in range(n + 1)]
    assert lower == sorted(lower)
    for zeta in (Fraction(k, 20) for k in range(0, 16, 3)):
        refuted = [gap for gap in range(1, n + 1) if lower[gap] > zeta]
        failure = 1 - shift_oracle(n, zeta, min(refuted)) if refuted else 0
        assert failure <= alpha


def test_lower_limit_is_positive_just_when_the_test_rejects() -> None:
    n, alpha = 80, 0.05
    for gap in range(1, n):
        rejected = 2 * _shift_tail(n, 0.0, gap) <= alpha
        assert (_lower_limit(gap * n, n, n, alpha) > 0) == rejected


@pytest.mark.parametrize(("n", "m"), [(5, 9), (60, 200)])
def test_noise_level_is_exceeded_rarely_and_beats_a_split(n: int, m: int) -> None:
    """Against simulated sums of the two suprema, and against Massart's bound applied to each half of the error."""
    random, repetitions, alpha = np.random.default_rng(3), 4000, 0.05

    def excess(size: int) -> np.ndarray:
        ordered = np.sort(random.random((repetitions, size)), axis=1)
        return (np.arange(1, size + 1) / size - ordered).max(axis=1)

    level = _noise(n, m, alpha)
    count = int((excess(n) + excess(m) > level).sum())
    assert count <= stats.binom.ppf(1 - 1e-6, repetitions, alpha)
    assert level < sqrt(np.log(2 / alpha) / (2 * n)) + sqrt(np.log(2 / alpha) / (2 * m))


def test_limits_surround_the_estimate() -> None:
    random = np.random.default_rng(2)
    for n, m in ((40, 40), (25, 90)):
        a, b = random.random(n), random.random(m) ** 2
        loose, tight = (estimate_dissimilarity(a, b, confidence=level) for level in (0.99, 0.8))
        assert loose.lower is not None
        assert tight.lower is not None
        assert loose.upper is not None
        assert tight.upper is not None
        assert 0 <= loose.lower <= tight.lower < tight.distance < tight.upper < loose.upper <= 1
        assert tight.confidence == 0.8


@cache
def some() -> np.ndarray:
    return np.arange(5.0)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], [1.0], "a is empty; give at least one demand"),
        ([1.0], [], "b is empty; give at least one demand"),
        ([1.0, np.nan], [1.0], r"a\[1\] = nan: demands are finite; drop"),
        ([1.0], [1.0, 2.0, np.inf], r"b\[2\] = inf: demands are finite; drop"),
        ([[1.0, 2.0]], [1.0], "a has 2 dimensions; give a one-dimensional array"),
        (3.0, [1.0], "a has 0 dimensions"),
        (["many"], [1.0], "a holds something that is not a number"),
    ],
)
def test_bad_samples(a: object, b: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_dissimilarity(a, b)  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, "0.9", float("nan"), True])
def test_bad_confidence(confidence: object) -> None:
    with pytest.raises(ValueError, match=r"confidence = .* must lie strictly between 0 and 1; give a probability"):
        estimate_dissimilarity(some(), some(), confidence=confidence)
