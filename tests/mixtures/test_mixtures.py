"""Best mixtures: known values, linear programs on dense grids, sums over all outcomes in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

import provend as pv
from oracle import kappa_of, worst_case
from provend._kernels.arithmetic.rounding import BETAINC
from provend._kernels.programs.adjacent import AdjacentProblem
from provend._kernels.programs.adjacent_counts import EqualCounts, UnequalCounts
from provend._kernels.programs.exchange import Atom
from provend._kernels.programs.rank_bounds import prior_bounds
from provend.mixtures import BestMixture, best_mixture, effective_sample_size
from provend.regret import lengths
from samplers import a_design, a_ratio

NOTE = "computed independently of this code, q = 0.9"
SIZES = [(0.1, 60, 15), (0.05, 150, 56), (0.04, 200, 90), (0.03, 400, 157), (0.02, 1000, 354), (0.01, 3000, 1414)]


def sides(q: Fraction):
    high, low = lengths(q)
    return low, high


def rank_rows(d: np.ndarray, q: float, points: int) -> np.ndarray:
    """(c - t) P(rank r errs), r = 0..n+1, on a grid of both sides; tails by convolution."""
    rows = []
    for c, low in ((1 - q, True), (q, False)):
        for t in np.linspace(0, c, points):
            masses = np.ones(1)
            for p in np.minimum(t + d, 1):
                masses = np.convolve(masses, [1 - p, p])
            tails = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
            rows.append((c - t) * (tails[::-1] if low else tails))
    return np.array(rows)


def program_on_grid(rows: np.ndarray) -> float:
    m, ranks = rows.shape
    found = linprog(
        np.append(np.zeros(ranks), 1),
        A_ub=np.hstack([rows, -np.ones((m, 1))]),
        b_ub=np.zeros(m),
        A_eq=[np.append(np.ones(ranks), 0)],
        b_eq=[1],
        method="highs",
    )
    return float(found.fun)


def adjacent_on_grid(rows: np.ndarray) -> float:
    shares = np.linspace(0, 1, 401)[:, None, None]
    mixed = (1 - shares) * rows[None, :, :-1] + shares * rows[None, :, 1:]
    return float(mixed.max(axis=1).min())


def check_consistent(best: BestMixture, *, gap: float) -> None:
    assert 0 <= best.lower_bound <= best.guarantee.upper
    assert best.gap <= gap
    assert sum(best.probabilities) == 1
    if best.lower_bound_any_policy is not None:
        assert best.lower_bound_any_policy <= best.guarantee.upper


# --- known values ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [15, 30, 100, 200])
def test_all_ranks_reach_the_universal_bound(n: int) -> None:
    best = best_mixture(pv.constant(0.1, n), q=0.9)
    assert 0.05 - 1e-15 <= best.guarantee.upper <= 0.05 + 1e-9
    assert 0.05 - 1e-9 <= best.lower_bound_any_policy <= 0.05
    check_consistent(best, gap=1e-8)


@pytest.mark.parametrize(("zeta", "n", "k"), SIZES)
def test_effective_sample_size(zeta: float, n: int, k: int) -> None:
    size = effective_sample_size(pv.constant(zeta, n), q=0.9)
    assert (size.k, size.indistinguishable) == (k, (k,)), NOTE
    assert size.rule_of_thumb == pytest.approx(np.pi / 2 * 0.09 / zeta**2)
    assert size.guarantee.upper >= zeta / 2
    assert size.guarantee.gap < 4 * BETAINC


def test_how_flat_the_curve_is() -> None:
    """The excess over zeta / 2 = 0.015, relative to it."""
    excess = [
        best_mixture(pv.constant(0.03, k), q=0.9, ranks="adjacent").guarantee.upper / 0.015 - 1 for k in (157, 158)
    ]
    assert excess == pytest.approx([5.06e-8, 2.09e-7], rel=3e-3)


def test_effective_sample_size_of_all_ranks_is_where_data_stop_helping() -> None:
    size = effective_sample_size(pv.constant(0.1, 120), q=0.9, ranks="all")
    assert size.k == 15
    assert size.indistinguishable == tuple(range(15, 121))
    assert effective_sample_size(pv.constant(0, 40), q=0.9, ranks="all").k == 40  # data from the target itself


def test_one_sample_from_the_target_itself() -> None:
    best = best_mixture([0.0], q=0.9)
    assert best.guarantee.upper == pytest.approx(0.066942, abs=1e-6)  # by hand: 81 / 1210


@pytest.mark.parametrize("zeta", [0.5, 0.6, 1.0])
def test_useless_data_give_the_no_data_regret(zeta: float) -> None:
    for n in (1, 7):
        best = best_mixture(pv.constant(zeta, n), q=0.9)
        assert best.guarantee.upper == pytest.approx(0.09, abs=1e-9)
        assert best.lower_bound_any_policy == pytest.approx(0.09, abs=1e-9)


# --- against slow answers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_against_a_linear_program_on_a_dense_grid(seed: int) -> None:
    """On a grid the maximum is too low, so the grid's value is below ours; and not by much."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    d, q = a_design(rng, n), a_ratio(rng, n)
    rows = rank_rows(np.minimum(d, 1), float(q), 600)
    for ranks, value in (("all", program_on_grid(rows)), ("adjacent", adjacent_on_grid(rows))):
        best = best_mixture(d, q=q, ranks=ranks)
        check_consistent(best, gap=1e-8)
        assert value <= best.guarantee.upper * (1 + (1e-9 if ranks == "all" else 1e-2))  # shares are on a grid too
        assert best.lower_bound <= value * (1 + 1e-3) + 1e-5


@pytest.mark.parametrize("seed", range(10))
def test_guarantee_is_that_of_the_policy(seed: int) -> None:
    rng = np.random.default_rng([seed, 5])
    n = int(rng.integers(1, 7))
    d, q = a_design(rng, n), a_ratio(rng, n)
    for ranks in ("all", "adjacent"):
        for k in (None, int(rng.integers(1, n + 1))):
            best = best_mixture(d, q=q, ranks=ranks, k=k)
            exact = worst_case(kappa_of(best.policy, d, q), d, q)
            assert best.lower_bound <= exact
            assert best.guarantee.lower <= exact <= best.guarantee.upper


def sum_of_minima(n: int, q: Fraction, points: list[tuple[int, Fraction, Fraction]]) -> Fraction:
    """Over 2^n outcomes; a point is a side, t and the success probability, all equally likely."""
    total = Fraction(0)
    for ones in product((0, 1), repeat=n):
        mass = [Fraction(0), Fraction(0)]
        for side, t, p in points:
            ups = sum(ones) if side == 0 else n - sum(ones)  # the high side counts zeros
            mass[side] += ((1 - q, q)[side] - t) * p**ups * (1 - p) ** (n - ups) / len(points)
        total += min(mass)
    return total


@pytest.mark.parametrize("seed", range(30))
def test_sum_of_minima_over_all_outcomes(seed: int) -> None:
    """The bound for any policy: with the most misleading histories, or with those that meet half-way."""
    rng = np.random.default_rng([seed, 7])
    n, q = int(rng.integers(1, 7)), Fraction(int(rng.integers(1, 20)), 20)
    zeta = float(rng.choice([0.0, 0.1, 0.3, rng.random()]))
    means = [(side, float(rng.random()) * float((1 - q, q)[side])) for side in (0, 1, int(rng.integers(2)))]
    bounds = prior_bounds(pv.constant(zeta, n), *sides(q), [Atom(side, t, 1 / 3) for side, t in means])
    points = [(side, Fraction(t), min(Fraction(t) + Fraction(zeta), Fraction(1))) for side, t in means]
    low, high = (np.mean([float(p) for s, _, p in points if s == side]) for side in (0, 1))
    meet = Fraction(float((low + 1 - high) / 2))
    half_way = [(s, t, min(max((meet, 1 - meet)[s], t), p)) for s, t, p in points]
    exact = float(max(sum_of_minima(n, q, points), sum_of_minima(n, q, half_way)))
    assert exact * (1 - 1e-11) <= bounds.policies <= exact * (1 + 1e-14)


@pytest.mark.parametrize("seed", range(15))
def test_prior_bound_for_ranks(seed: int) -> None:
    """For unequal dissimilarities, by enumeration: the least of the costs of the ranks, rounded down."""
    rng = np.random.default_rng([seed, 8])
    n, q = int(rng.integers(2, 6)), Fraction(int(rng.integers(1, 20)), 20)
    d = np.sort(np.minimum(a_design(rng, n), 1))
    d[-1] = d[0] / 2 + 0.5 if d[0] == d[-1] else d[-1]
    d = np.sort(d)
    if d[0] == d[-1]:
        d[0] = 0.25
    means = [(0, float(rng.random()) * float(1 - q)), (1, float(rng.random()) * float(q))]
    bounds = prior_bounds(d, *sides(q), [Atom(*mean, 0.5) for mean in means])
    costs = []
    for rank in range(n + 2):
        kappa, cost = kappa_of(pv.OrderStatistic(rank), d, q), Fraction(0)
        for side, t in means:
            p = [min(Fraction(t) + Fraction(float(x)), Fraction(1)) for x in d]
            zeros = p if side == 1 else [1 - x for x in p]
            at_bottom = Fraction(0)
            for b in product((0, 1), repeat=n):
                chance = Fraction(1)
                for x, one in zip(zeros, b, strict=True):
                    chance *= x if one else 1 - x
                at_bottom += chance * kappa(b)
            wrong = at_bottom if side == 1 else 1 - at_bottom
            cost += ((1 - q, q)[side] - Fraction(t)) * wrong / 2
        costs.append(cost)
    assert bounds.policies is None
    assert min(costs) * (1 - Fraction(1, 10**12)) - Fraction(1, 10**280) <= bounds.mixtures <= min(costs)


@pytest.mark.parametrize("seed", range(20))
def test_adjacent_tangent_bound_is_a_bound(seed: int) -> None:
    """An adjacent mixture is a count with a sample that does not move: its tangent bound against branch and bound."""
    rng = np.random.default_rng([seed, 9])
    n = int(rng.integers(1, 40))
    d, q = np.sort(np.minimum(a_design(rng, n), 1)), a_ratio(rng, n)
    counts = EqualCounts(np.array([n]), float(d[0])) if d[0] == d[-1] else UnequalCounts(d)
    best = AdjacentProblem(counts, *sides(q)).solve()
    R, lam = int(best.R[0]), float(best.lam[0])
    policy = pv.Mixture([pv.OrderStatistic(R), pv.OrderStatistic(R + 1)], [Fraction(1) - Fraction(lam), Fraction(lam)])
    g = pv.worst_case_regret(policy, d, q=q, rtol=1e-11)
    assert best.lower[0] <= g.upper
    assert g.lower <= best.upper[0] <= best.lower[0] * (1 + 1e-9)


def test_batch_agrees_with_one_by_one() -> None:
    batch = AdjacentProblem(EqualCounts(np.arange(1, 41), 0.07), *sides(Fraction("0.3137"))).solve()
    for k in (1, 2, 17, 40):
        one = best_mixture(pv.constant(0.07, 40), q="0.3137", ranks="adjacent", k=k)
        assert one.guarantee.lower <= batch.upper[k - 1]
        assert batch.lower[k - 1] <= one.guarantee.upper
        assert one.lower_bound == pytest.approx(batch.lower[k - 1], rel=10 * BETAINC)


@pytest.mark.parametrize("ranks", ["all", "adjacent"])
@pytest.mark.parametrize("delta", [0.002, 0.03])
def test_unequal_sizes_one_by_one(ranks: str, delta: float) -> None:
    d = pv.drift(delta, 40)[::-1]  # any order
    calls: list[tuple[int, int]] = []
    size = effective_sample_size(d, q=0.9, ranks=ranks, progress=lambda *done: calls.append(done))
    values = [best_mixture(d, q=0.9, ranks=ranks, k=k).guarantee.upper for k in range(1, 41)]
    assert size.k == int(np.argmin(values)) + 1
    assert size.guarantee.upper == pytest.approx(min(values), rel=1e-8)
    assert calls == [(k, 40) for k in range(1, 41)]


# --- relations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", ["0.05", "0.3137", "0.5", "0.9", "0.95"])
@pytest.mark.parametrize(
    "d", [pv.constant(0, 30), pv.constant(0.04, 250), pv.drift(0.002, 60)], ids=["0", "0.04", "drift"]
)
def test_all_beat_adjacent_beat_erm(q: str, d: np.ndarray) -> None:
    everything, two = (best_mixture(d, q=q, ranks=ranks) for ranks in ("all", "adjacent"))
    check_consistent(everything, gap=2e-8)
    check_consistent(two, gap=1e-10)
    assert everything.lower_bound <= two.guarantee.upper
    assert everything.guarantee.upper <= two.guarantee.upper * (1 + 2e-8)
    assert two.guarantee.upper <= pv.worst_case_regret(pv.ERM(), d, q=q).upper * (1 + 1e-9)
    assert len(two.ranks) <= 2
    assert max(two.ranks) - min(two.ranks) <= 1


def test_a_thousand_samples() -> None:
    check_consistent(best_mixture(pv.constant(0.02, 1000), q="0.3137"), gap=2e-8)
    check_consistent(best_mixture(pv.drift(0.0005, 1000), q=0.9, ranks="adjacent"), gap=1e-9)


def test_mirror_image() -> None:
    """Exchanging zeros and ones turns q into 1 - q and rank r into n + 1 - r."""
    d = pv.drift(0.01, 12)
    for ranks in ("all", "adjacent"):
        a, b = (best_mixture(d, q=q, ranks=ranks).guarantee.upper for q in ("0.8", "0.2"))
        assert a == pytest.approx(b, rel=1e-8)


def test_money_and_orders() -> None:
    shop, d = pv.Newsvendor(cu=9, co=1, support=(0, 120)), pv.constant(0.1, 20)
    plain, money = best_mixture(d, q=0.9), best_mixture(d, q=shop)
    assert money.guarantee.upper == pytest.approx(1200 * plain.guarantee.upper)
    assert money.lower_bound == pytest.approx(1200 * plain.lower_bound)
    assert money.lower_bound <= money.guarantee.upper
    y = stats.uniform(0, 120).rvs(20, random_state=1)
    assert y.min() <= money.policy.order(y, d, q=shop) <= 120
    assert effective_sample_size(d, q=shop).guarantee.unit == 1200


def test_k_nearest_ignores_the_rest() -> None:
    d = np.array([0.9, 0.1, 0.05, 0.1, 0.7])
    few = best_mixture(d, q=0.8, k=3)
    assert few.k == 3
    assert few.guarantee.upper == pytest.approx(best_mixture([0.05, 0.1, 0.1], q=0.8).guarantee.upper, rel=1e-8)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [best_mixture, effective_sample_size])
@pytest.mark.parametrize(
    ("d", "options", "message"),
    [
        ([0.1], {"q": 0.9, "ranks": "some"}, r"ranks = 'some' is unknown; choose 'all' or 'adjacent'"),
        ([0.1], {"q": 1.5}, r"q = 1\.5 must lie strictly between 0 and 1"),
        ([], {"q": 0.9}, r"d is empty"),
        ([0.1, np.nan], {"q": 0.9}, r"d\[1\] = nan"),
    ],
)
def test_bad_input(function, d: list[float], options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(d, **options)


@pytest.mark.parametrize(("k", "message"), [(0, "k = 0 must be an integer of at least 1"), (3, "k = 3 exceeds the 2")])
def test_bad_k(k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_mixture([0.1, 0.2], q=0.9, k=k)
