"""The Wasserstein bound against all 2^n vertices, a linear program over them, and instances that respect distances."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

import oracle
import provend as pv
from provend.wasserstein import WassersteinBound, wasserstein_bound
from samplers import a_design, a_ratio

NINE = Fraction(9, 10)
GRID = 250  # points in mu_0 of the brute-force Lagrangian, on each side


def sides(q: Fraction):
    """mu_0 on a grid, with the end of the support Nature moves past means to."""
    return (np.linspace(0, float(1 - q), GRID), 1.0), (np.linspace(float(1 - q), 1, GRID), 0.0)


def order_top(table: np.ndarray, ones: np.ndarray) -> np.ndarray:
    """E[a(Y)], a given by its table over {0,1}^n, for rows of Bernoulli means: outcomes folded sample by sample."""
    F = np.repeat(table[:, None], ones.shape[1], axis=1)
    for p in ones:
        half = len(F) // 2
        F = F[:half] * (1 - p) + F[half:] * p
    return F[0]


def vertices(policy: pv.Policy, d: np.ndarray, q: Fraction):
    """For every subset moved to the end and mu_0 on the grid: the regret and the distances moved (Prop. of App. G)."""
    kappa = oracle.kappa_of(policy, d, q)
    table = np.array([1 - float(kappa(tuple(1 - x for x in y))) for y in product((0, 1), repeat=len(d))])
    regrets, moved = [], []
    for mu, end in sides(q):
        for chosen in product((False, True), repeat=len(d)):
            ones = np.where(np.array(chosen)[:, None], end, mu[None, :])
            top = order_top(table, ones)
            gap = float(1 - q) - mu
            regrets.append(np.where(gap >= 0, gap * top, -gap * (1 - top)) if end else -gap * (1 - top))
            moved.append(np.abs(ones - mu))
    return np.concatenate(regrets), np.concatenate(moved, axis=1).T


def a_count(rng: np.random.Generator, n: int) -> pv.Policy:
    kind = rng.integers(3)
    if kind == 0:
        return pv.ERM()
    if kind == 1:
        return pv.KNN(int(rng.integers(1, n + 1)))
    return pv.OrderStatistic(int(rng.integers(0, n + 2)))


@pytest.mark.parametrize(
    ("n", "value"),
    [(1, "0.27225"), (5, "0.12203613"), (10, "0.13397624"), (15, "0.11206725"), (30, "0.11445114"), (70, "0.10794689")],
)
def test_known_values(n: int, value: str) -> None:
    """q = 0.9, zeta = 0.1: the digits of a grid of 4,001 means and a line search in lambda with scipy.stats."""
    found = wasserstein_bound(pv.ERM(), pv.constant(0.1, n), q=0.9)
    assert found.upper == pytest.approx(float(value), abs=6e-9)
    assert np.ptp(found.multipliers) == 0  # equal dissimilarities, equal multipliers
    assert found.note == ""


@pytest.mark.parametrize("n", [7, 40, 70])
def test_equal_dissimilarity_in_one_dimension(n: int) -> None:
    """The simplified form of Appendix G on grids in lambda and mu_0: its least value is the bound."""
    found = wasserstein_bound(pv.ERM(), pv.constant(0.1, n), q=0.9)
    rank = int(np.ceil(NINE * n))

    def lagrangian(each: float) -> float:
        best = -np.inf
        for r, c in ((rank, 0.9), (n - rank + 1, 0.1)):
            t = np.linspace(0, c, 1001)
            for j in range(r + 1):
                best = max(best, float(((c - t) * binom.sf(r - j - 1, n - j, t) - (1 - t) * each * j).max()))
        return n * each * 0.1 + best

    around = [lagrangian(float(found.multipliers[0]) * x) for x in (0.9, 0.98, 1.0, 1.02, 1.1)]
    assert min(around) == around[2]
    assert found.upper * (1 - 1e-5) < around[2] <= found.upper


def test_lagrangian_at_the_multipliers_over_all_vertices() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        n = int(rng.integers(1, 7))
        d, q = a_design(rng, n), a_ratio(rng, n)
        policy = a_count(rng, n)
        found = wasserstein_bound(policy, d, q=q)
        regret, moved = vertices(policy, d, q)
        value = float((regret + (np.minimum(d, 1) - moved) @ found.multipliers).max())
        assert value <= found.upper + 1e-15
        assert value >= found.upper - 1e-4  # the grid misses the top of the curve by no more


@pytest.mark.parametrize("policy", [pv.ERM(), pv.KNN(5), pv.OrderStatistic(6)])
def test_eight_samples_over_all_vertices(policy: pv.Policy) -> None:
    d = np.array([0.02, 0.05, 0.05, 0.1, 0.13, 0.2, 0.3, 0.3])
    found = wasserstein_bound(policy, d, q=NINE)
    regret, moved = vertices(policy, d, NINE)
    assert found.upper - 2e-5 <= (regret + (d - moved) @ found.multipliers).max() <= found.upper


def test_no_multipliers_are_better() -> None:
    """min over lambda as a linear program with one row per vertex and mu_0, unsorted and ungrouped."""
    rng = np.random.default_rng(4)
    for _ in range(15):
        n = int(rng.integers(1, 6))
        d, q = a_design(rng, n), a_ratio(rng, n)
        policy = a_count(rng, n)
        regret, moved = vertices(policy, d, q)
        columns = np.concatenate([-np.ones((regret.size, 1)), -moved], axis=1)
        best = linprog([1.0, *np.minimum(d, 1)], columns, -regret, bounds=[(0, None)] * (n + 1)).fun
        upper = wasserstein_bound(policy, d, q=q).upper
        assert best <= upper * (1 + 1e-7)
        assert upper <= best + 1e-4


def step_cdfs(rng: np.random.Generator, n: int, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Past and future cdfs on equal cells, often Bernoulli-like or with few steps."""
    F = np.sort(rng.random((n + 1, cells)) ** rng.choice([0.2, 1.0, 4.0], (n + 1, 1)), axis=1)
    if rng.random() < 0.5:
        F[:] = F[:, :1]
    if rng.random() < 0.5:
        F[1:] = np.where(rng.random((n, 1)) < 0.5, 1.0, F[1:])
    return F[1:], F[0]


def pull_in(past: np.ndarray, future: np.ndarray, d: np.ndarray) -> np.ndarray:
    """The past cdfs, moved towards the future one until their Wasserstein distance is at most d."""
    distance = np.abs(past - future).mean(axis=1)
    share = np.where(distance > d, d / np.maximum(distance, 1e-300), 1.0)
    return future + share[:, None] * (past - future)


def climb(rng: np.random.Generator, kappa: oracle.Kappa, d: np.ndarray, q: Fraction, *, steps: int) -> float:
    """The regret a random search over step distributions within the distances reaches."""
    cells = 6
    past, future = step_cdfs(rng, d.size, cells)
    past = pull_in(past, future, d)
    best = oracle.expected_regret(kappa, past, future, q)
    for _ in range(steps):
        width = float(rng.choice([0.3, 0.05]))
        trial = np.sort(np.clip(future + width * rng.normal(size=cells), 0, 1))
        moved = np.sort(np.clip(past + width * rng.normal(size=past.shape), 0, 1), axis=1)
        if rng.random() < 0.3:
            trial, moved = np.full(cells, trial[0]), np.repeat(moved[:, :1], cells, axis=1)
        moved = pull_in(moved, trial, d)
        if (value := oracle.expected_regret(kappa, moved, trial, q)) > best:
            best, past, future = value, moved, trial
    return best


def test_instances_within_the_distances_never_exceed_the_bound() -> None:
    rng = np.random.default_rng(6)
    tightest = 0.0
    for _ in range(80):
        n = int(rng.integers(1, 5))
        d, q = np.minimum(a_design(rng, n), 1), a_ratio(rng, n)
        weighted = rng.random() < 0.3
        policy = pv.WeightedERM([int(x) for x in rng.integers(1, 5, n)]) if weighted else a_count(rng, n)
        found = wasserstein_bound(policy, d, q=q)
        attained = climb(rng, oracle.kappa_of(policy, d, q), d, q, steps=15)
        assert attained <= found.upper + 1e-12
        tightest = max(tightest, attained / found.upper)
    assert tightest > 0.95  # the search does find bad instances


def test_beyond_bernoulli() -> None:
    """Five samples: demands with three atoms are worse than any Bernoulli ones, 0.0925 against 0.0670.

    F_0 = 0.6 throughout, and the past cdfs are 0.6 and then 1 on the last quarter: a distance of 0.4 / 4 = 0.1.
    """
    past = np.where(np.arange(8) >= 6, 1.0, 0.6) * np.ones((5, 1))
    attained = oracle.expected_regret(oracle.kappa_of(pv.ERM(), [0.1] * 5, NINE), past, np.full(8, 0.6), NINE)
    assert attained == pytest.approx(0.3 * (0.75 * 0.6**5 + 0.25))
    found = wasserstein_bound(pv.ERM(), pv.constant(0.1, 5), q=0.9)
    assert pv.worst_case_regret(pv.ERM(), pv.constant(0.1, 5), q=0.9).upper < 0.0671
    assert attained - 1e-4 < found.lower < 1.01 * attained < found.upper


@pytest.mark.parametrize("n", [2, 4])
def test_the_lower_end_is_attained(n: int) -> None:
    """The nested instance on a fine grid of the support, for means on a grid, by the oracle's integral."""
    rng = np.random.default_rng(n)
    for _ in range(6):
        d, q, cells = rng.random(n) * 0.3, a_ratio(rng, n), 2000
        kappa, best = oracle.kappa_of(pv.ERM(), d, q), 0.0
        y = (np.arange(cells) + 0.5) / cells
        for t in np.linspace(0, 1, 120)[:-1]:
            reach = np.minimum(d / (1 - t), 1)[:, None]
            high = np.where(y > 1 - reach, 1.0, t), np.full(cells, t)  # zeros at the top of the support
            low = np.where(y < reach, 0.0, 1 - t), np.full(cells, 1 - t)  # ones at its bottom
            best = max(best, *(oracle.expected_regret(kappa, *pair, q) for pair in (high, low)))
        found = wasserstein_bound(pv.ERM(), d, q=q)
        exact = pv.worst_case_regret(pv.ERM(), d, q=q).lower
        assert found.lower == pytest.approx(max(best, exact), rel=5e-3)
        assert best < found.upper


def test_between_kolmogorov_and_the_trivial_bound() -> None:
    """Bernoulli demands at Kolmogorov distance d are at Wasserstein distance d; prices of zero give max(q, 1 - q)."""
    rng = np.random.default_rng(8)
    for _ in range(80):
        n = int(rng.choice([1, 2, 3, 6, 12, 25]))
        d, q = a_design(rng, n), a_ratio(rng, n)
        policy = a_count(rng, n)
        found = wasserstein_bound(policy, d, q=q)
        exact = pv.worst_case_regret(policy, d, q=q)
        assert exact.lower <= found.lower <= found.upper * (1 + 1e-9)
        assert exact.upper <= found.upper * (1 + 1e-9)
        assert found.upper <= float(max(q, 1 - q)) * (1 + 1e-8)
        assert found.multipliers.shape == d.shape
        assert (found.multipliers >= 0).all()


def test_multipliers_price_other_distances() -> None:
    d, other = np.array([0.02, 0.1, 0.1, 0.2, 0.05, 0.3]), np.array([0.05, 0.1, 0.08, 0.25, 0.06, 0.2])
    for policy in (pv.ERM(), pv.OrderStatistic(5), pv.WeightedERM([3, 2, 2, 1, 2, 1])):
        found = wasserstein_bound(policy, d, q=0.9)
        at_other = wasserstein_bound(policy, other, q=0.9)
        slack = 1e-12 if not at_other.note else 0.02  # the weighted bound does not find the best multipliers
        assert found.upper + found.multipliers @ (other - d) >= at_other.upper - slack


def test_no_distance_is_no_relaxation() -> None:
    """d = 0: the demands are independent of one distribution, and the bound is the exact worst case."""
    for n in (1, 3, 10, 31):
        d = np.zeros(n)
        found = wasserstein_bound(pv.ERM(), d, q=0.9)
        assert found.upper == pytest.approx(pv.worst_case_regret(pv.ERM(), d, q=0.9).upper, rel=1e-8)


def test_order_groups_and_equal_weights() -> None:
    rng = np.random.default_rng(9)
    d = np.round(rng.random(12) * 0.3, 2)
    shuffled = rng.permutation(12)
    first, second = wasserstein_bound(pv.ERM(), d, q=0.8), wasserstein_bound(pv.ERM(), d[shuffled], q=0.8)
    assert first.upper == pytest.approx(second.upper, rel=1e-9)
    np.testing.assert_allclose(first.multipliers[shuffled], second.multipliers, atol=1e-7)
    for same in (pv.WeightedERM([2] * 12), pv.OrderStatistic(10), pv.Kernel("uniform", 1.0), pv.KNN(12)):
        assert wasserstein_bound(same, d, q=0.8).upper == first.upper
    only = wasserstein_bound(pv.OrderStatistic(2, subset=[3, 5]), d, q=0.8)
    assert set(np.flatnonzero(only.multipliers)) <= {3, 5}


def test_shared_multipliers_are_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    d = pv.drift(0.01, 30)
    best = wasserstein_bound(pv.ERM(), d, q=0.9)
    monkeypatch.setattr("provend.wasserstein.MOST_GROUPS", 6)
    shared = wasserstein_bound(pv.ERM(), d, q=0.9)
    assert best.upper < shared.upper < 1.05 * best.upper
    assert shared.note == "30 dissimilarities share 6 multipliers"


def test_a_search_cut_short_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    d = pv.drift(0.01, 30)
    best = wasserstein_bound(pv.ERM(), d, q=0.9).upper
    monkeypatch.setattr("provend._kernels.maximise.cutting_planes.MOST_ROUNDS", 3)
    monkeypatch.setattr("provend._kernels.maximise.lagrangian.MOST_BOXES", 40)
    assert wasserstein_bound(pv.ERM(), d, q=0.9).upper >= best * (1 - 1e-9)


def test_mixtures_and_constants() -> None:
    d, ranks = np.array([0.05, 0.1, 0.2, 0.02, 0.1]), (4, 5)
    mixture = pv.Mixture([pv.OrderStatistic(r) for r in ranks] + [pv.NoData()], [0.4, 0.4, 0.2])
    found = wasserstein_bound(mixture, d, q=0.9)
    regret, moved = vertices(mixture, d, NINE)
    value = float((regret + (d - moved) @ found.multipliers).max())
    assert found.upper - 1e-4 <= value <= found.upper
    assert wasserstein_bound(pv.NoData(), d, q=0.9).upper == pytest.approx(0.09, rel=1e-12)
    assert wasserstein_bound(pv.OrderStatistic(0), d, q=0.9).upper == pytest.approx(0.9, rel=1e-12)
    assert wasserstein_bound(pv.OrderStatistic(6), d, q=0.9).upper == pytest.approx(0.1, rel=1e-12)


def test_weighted_relaxation_over_all_vertices() -> None:
    """The relaxation lets Nature react, so it is above every fixed choice, and not by much."""
    rng = np.random.default_rng(10)
    excess = []
    for _ in range(25):
        n = int(rng.integers(2, 7))
        d, q = np.minimum(a_design(rng, n), 1), a_ratio(rng, n)
        weights = [int(x) for x in rng.integers(1, 6, n)]
        policy = pv.WeightedERM(weights, tie_break=float(rng.choice([0.0, 0.5, 1.0])))
        found = wasserstein_bound(policy, d, q=q)
        regret, moved = vertices(policy, d, q)
        value = float((regret + (d - moved) @ found.multipliers).max())
        assert value <= found.upper
        assert found.upper <= float(max(q, 1 - q)) * 1.002
        excess.append(found.upper / value)
        assert "looser" in found.note or np.ptp(weights) == 0
    assert np.median(excess) < 1.1


def test_money() -> None:
    problem, d = pv.Newsvendor(cu=9, co=1, support=(0, 120)), [0.1, 0.05, 0.2]
    money, plain = wasserstein_bound(pv.ERM(), d, q=problem), wasserstein_bound(pv.ERM(), d, q="9/10")
    assert isinstance(money, WassersteinBound)
    assert money.upper == pytest.approx(1200 * plain.upper)
    assert money.lower == pytest.approx(1200 * plain.lower)
    np.testing.assert_allclose(money.multipliers, 1200 * plain.multipliers)
    assert (money.unit, money.q) == (1200.0, NINE)


@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        ("erm", TypeError, "is not a policy"),
        (pv.Counting(lambda b: int(sum(b) >= 2)), TypeError, "for one count of the samples.*use ERM, KNN"),
        (pv.Separable(lambda h: float(h.min())), TypeError, "for one count of the samples"),
        (pv.Mixture([pv.KNN(1), pv.KNN(2)], [0.5, 0.5]), TypeError, "Mixture of ranks among the same samples"),
        (pv.Exponential(0.9), ValueError, r"no common unit.*policy.rounded\(d, cells=20\)"),
        (pv.WeightedERM([1, 2]), ValueError, "weights has 2 entries but d has 3"),
    ],
)
def test_what_is_not_supported_says_so(policy: pv.Policy, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wasserstein_bound(policy, [0.1, 0.2, 0.3], q=0.9)


def test_bad_numbers() -> None:
    with pytest.raises(ValueError, match=r"d\[0\] = nan"):
        wasserstein_bound(pv.ERM(), [np.nan], q=0.9)
    with pytest.raises(ValueError, match="q = 0 must lie strictly"):
        wasserstein_bound(pv.ERM(), [0.1], q=0)
