"""The best policy and the bound below every policy, against brute force over all outcomes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

import oracle
import provend as pv
from priors import bayes_risk, is_feasible
from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.game.candidate import Candidate, logit
from provend._kernels.game.prior import certified_prior
from provend._rational import read_exactly
from provend.minimax import Minimax, Optimal, PriorPoint, minimax, value_of_data
from provend.regret import lengths
from samplers import a_design, a_ratio

DRIFTS = {0.001: 0.012795, 0.0025: 0.017574, 0.005: 0.022327}  # most the policy may cost at q = 0.9


def best_monotone_function(d: np.ndarray, q: float, points: int) -> float:
    """What the best monotone function of all 2^n outcomes guarantees at some means only: at most its true worst case.

    Monotone, because only then are the extreme histories Nature's best.
    """
    outcomes = np.array(list(product((0, 1), repeat=d.size)))
    c = 1 - q
    rows, limits = [], []
    for mu in np.linspace(0, c, points):
        p = np.minimum(mu + d, 1)
        law = np.prod(np.where(outcomes == 1, p, 1 - p), axis=1)
        rows.append(np.append((c - mu) * law, -1.0))
        limits.append(0.0)
    for mu in np.linspace(c, 1, points):
        p = np.maximum(mu - d, 0)
        law = np.prod(np.where(outcomes == 1, p, 1 - p), axis=1)
        rows.append(np.append(-(mu - c) * law, -1.0))
        limits.append(-(mu - c))
    for y, outcome in enumerate(outcomes):
        for i in np.flatnonzero(outcome):
            row = np.zeros(len(outcomes) + 1)
            row[y - 2 ** (d.size - 1 - i)], row[y] = 1.0, -1.0
            rows.append(row)
            limits.append(0.0)
    costs = np.append(np.zeros(len(outcomes)), 1.0)
    solved = linprog(costs, A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * len(outcomes) + [(0, None)])
    return float(solved.fun)


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_what_its_prior_proves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    d, q = np.minimum(rng.permutation(a_design(rng, n)), 1.0), a_ratio(rng, n)
    if d.min() == d.max():
        d[0] /= 2
    found = minimax(d, q=q)
    assert is_feasible(found, d)
    assert found.lower_bound <= bayes_risk(found, q)


@pytest.mark.parametrize("zeta", [0.0, 0.03, 0.2, 0.45])
@pytest.mark.parametrize("q", [Fraction(9, 10), Fraction(1, 2), Fraction(1, 10**7), 1 - Fraction(1, 10**7)])
def test_equal_dissimilarities_come_with_worlds_that_may_be(zeta: float, q: Fraction) -> None:
    """The likeliest two worlds behind the bound: allowed by d, on either side of 1 - q, never above what is proved."""
    d = np.full(7, zeta)
    found = minimax(d, q=q)
    assert is_feasible(found, d)
    assert found.gap <= 1e-3
    low, high = found.prior
    assert Fraction(low.mean) < 1 - q < Fraction(high.mean)
    assert low.probability + high.probability == pytest.approx(1)
    assert 0 < bayes_risk(found, q) <= Fraction(found.guarantee.upper)


@pytest.mark.parametrize("seed", range(8))
def test_any_prior_gives_a_bound(seed: int) -> None:
    # Priors nobody would choose, on a coarse lattice: the bound is weak, and must still hold.
    rng = np.random.default_rng(100 + seed)
    d, q = np.sort(rng.random(6) * 0.3), a_ratio(rng, 6)
    one = Candidate(float(rng.random()) * float(1 - q), float(rng.random()) * float(q), 0.0)
    prior = certified_prior(d, lengths(q)[1], one, int(rng.integers(2, 12)))
    g = pv.worst_case_regret(pv.NoData(), d, q=q)
    points = (
        PriorPoint(prior.low, prior.probability, prior.low_history),
        PriorPoint(prior.high, 1 - prior.probability, prior.high_history),
    )
    found = Minimax(pv.NoData(), g, prior.bound, points, np.zeros(6))
    assert is_feasible(found, d)
    assert prior.bound <= bayes_risk(found, q)


def test_log_odds_are_as_accurate_as_the_bound_assumes() -> None:
    """The accuracy of numpy's log is not ours to prove; per log-odds, ``certified_prior`` adds four times this."""
    rng = np.random.default_rng(5)
    p = np.concatenate([rng.random(3000), 10.0 ** rng.uniform(-9, 0, 3000), 1 - 10.0 ** rng.uniform(-9, -1, 3000)])
    p = np.concatenate([p, 0.5 + rng.normal(0, 1e-9, 1000), [0.5]])
    computed = logit(p)
    with mpmath.workdps(50):
        off = [
            float(abs(mpmath.mpf(x) - mpmath.log(mpmath.mpf(y) / (1 - mpmath.mpf(y)))) / (UNIT * (1 + abs(x))))
            for x, y in zip(computed.tolist(), p.tolist(), strict=True)
        ]
    assert max(off) <= 4


def test_the_laws_of_counts() -> None:
    from provend._kernels.tails.laws import lattice_law, spread_law

    rng = np.random.default_rng(6)
    p, k = rng.random(7), rng.integers(1, 9, 7)
    law = np.zeros(k.sum() + 1)
    for y in product((0, 1), repeat=7):
        law[int(np.dot(y, k))] += np.prod(np.where(y, p, 1 - p))
    for Q, start in (lattice_law(p, k), spread_law(p, k.astype(float))):
        np.testing.assert_allclose(Q, law[start : start + Q.size], atol=1e-12)
    w = k + rng.random(7)
    Q, start = spread_law(p, w)
    assert (start + np.arange(Q.size)) @ Q == pytest.approx(p @ w, rel=1e-9)  # spreading keeps the mean


@pytest.mark.parametrize("seed", range(6))
def test_best_monotone_function_of_the_outcomes(seed: int) -> None:
    rng = np.random.default_rng(200 + seed)
    n = int(rng.integers(2, 7))
    d, q = rng.random(n) * rng.choice([0.1, 0.3]), float(rng.choice([0.9, 0.5, 0.7]))
    found = minimax(d, q=q)
    on_grid = best_monotone_function(d, q, 150)  # below the true value by the grid only
    assert on_grid <= found.guarantee.upper * (1 + 1e-7)
    assert found.lower_bound == pytest.approx(on_grid, rel=3e-3)


@pytest.mark.parametrize("seed", range(40))
def test_no_policy_is_below_the_bound(seed: int) -> None:
    rng = np.random.default_rng(300 + seed)
    n = int(rng.integers(1, 25))
    d, q = a_design(rng, n), a_ratio(rng, n)
    found = minimax(d, q=q)
    assert found.lower_bound <= found.guarantee.upper
    k = int(rng.integers(1, n + 1))
    others = [pv.ERM(), pv.KNN(k), pv.OrderStatistic(int(rng.integers(0, n + 2))), pv.NoData(), pv.Exponential(0.9)]
    for policy in [*others, pv.Kernel("triangular", 0.2), pv.best_mixture(d, q=q).policy]:
        assert found.lower_bound <= pv.worst_case_regret(policy, d, q=q, rtol=1e-6).upper, policy


@pytest.mark.parametrize("seed", range(30))
def test_the_gap_closes(seed: int) -> None:
    rng = np.random.default_rng(400 + seed)
    n = int(rng.integers(2, 50))
    d = rng.random(n) * rng.choice([0.02, 0.1, 0.3, 1.0])
    if seed % 4 == 0:
        d = np.round(d, 1)
    assert minimax(d, q=float(rng.choice([0.5, 0.7, 0.9, 0.95, 0.2]))).gap <= 1e-3


@pytest.mark.parametrize("delta", DRIFTS)
def test_drift(delta: float) -> None:
    found = minimax(pv.drift(delta, 100), q=0.9)
    assert found.guarantee.upper <= DRIFTS[delta]
    assert found.gap <= 1e-3


def test_a_context_at_the_cut_off_breaks_ties() -> None:
    found = minimax(pv.drift(0.02, 50), q=0.9)
    assert found.guarantee.upper <= 0.0414085  # 0.04165 without the sixth context
    assert found.unused == 44


def test_local_maxima_of_the_bound() -> None:
    found = minimax((0.003, 0.005, 0.046, 0.069, 0.085, 0.1), q=0.9)
    assert found.gap <= 1e-4


@pytest.mark.parametrize("d", [[0.0], [0.1] * 5, [0.0] * 20, [0.03] * 250])
def test_equal_dissimilarities_agree_with_all_ranks(d: list[float]) -> None:
    found, ranks = minimax(d, q=0.9), pv.best_mixture(d[:200], q=0.9)
    assert found.guarantee.upper == pytest.approx(ranks.guarantee.upper, rel=1e-6)
    assert found.gap <= 1e-3


def test_few_exact_contexts_beside_many_others() -> None:
    found = minimax([0.2] * 500 + [0.0] * 5, q=0.9)
    assert found.gap <= 1e-3
    assert found.unused == 500
    assert np.all(found.weights[500:] > 0)


def test_ten_thousand_contexts() -> None:
    found = minimax(pv.drift(1e-4, 10_000), q=0.9)
    assert found.gap <= 1e-3
    assert found.unused > 9000


@pytest.mark.parametrize("d", [[0.5], [0.7, 0.5, 3.0]])
def test_no_usable_data(d: list[float]) -> None:
    found = minimax(d, q="0.9")
    assert found.guarantee.upper == pytest.approx(0.09, rel=1e-12)
    assert found.lower_bound == pytest.approx(0.09, rel=1e-12)
    assert Fraction(found.lower_bound) <= Fraction(9, 100)
    assert found.policy.order([0.3] * len(d), d, q="0.9", support=(0, 10)) == pytest.approx(9.0)
    assert not found.weights.any()
    assert found.unused == len(d)


def test_weights_follow_the_contexts() -> None:
    d = np.array([0.30, 0.01, 0.08, 0.02, 0.9])
    found = minimax(d, q=0.7)
    assert found.weights.sum() == pytest.approx(100)
    assert np.all(np.diff(found.weights[np.argsort(d)]) <= 1e-9)
    assert found.weights[4] == 0
    shuffled = np.array([4, 2, 0, 1, 3])
    assert minimax(d[shuffled], q=0.7).weights == pytest.approx(found.weights[shuffled])


@pytest.mark.parametrize("seed", range(8))
def test_more_or_closer_data_never_hurt(seed: int) -> None:
    rng = np.random.default_rng(500 + seed)
    d = rng.random(int(rng.integers(1, 15))) * 0.3
    q = float(rng.choice([0.9, 0.6]))
    less = minimax(d, q=q).guarantee.upper
    assert minimax(np.append(d, rng.random(4) * 0.3), q=q).lower_bound <= less
    assert minimax(d * 0.7, q=q).lower_bound <= less


def test_money() -> None:
    problem = pv.Newsvendor(9, 1, support=(0, 50))
    d = [0.01, 0.05, 0.02, 0.2]
    plain, money = minimax(d, q="9/10"), minimax(d, q=problem)
    assert money.guarantee.upper == pytest.approx(500 * plain.guarantee.upper)
    assert money.lower_bound == pytest.approx(500 * plain.lower_bound)
    assert money.gap == pytest.approx(plain.gap, abs=1e-9)


def test_the_policy_decides() -> None:
    d, y = [0.01, 0.05, 0.02, 0.2], [3.0, 9.0, 5.0, 2.0]
    found = minimax(d, q=0.9)
    assert 0 <= found.policy.order(y, d, q=0.9, support=(0, 10)) <= 10
    assert found.policy.order(y, d, q=0.9, support=(0, 10), random_state=1) in {0.0, *y, 10.0}


def test_optimal_is_what_minimax_finds() -> None:
    d, y = [0.01, 0.05, 0.02, 0.2], [3.0, 9.0, 5.0, 2.0]
    found = minimax(d, q=0.9)
    same = pv.worst_case_regret(Optimal(), d, q=0.9, rtol=1e-5)
    assert same.upper == pytest.approx(found.guarantee.upper, rel=1e-4)
    for state in (None, 3):
        ordered = found.policy.order(y, d, q=0.9, support=(0, 10), random_state=state)
        assert Optimal().order(y, d, q=0.9, support=(0, 10), random_state=state) == ordered


def test_the_upper_bound_by_brute_force() -> None:
    d, q = [0.02, 0.05, 0.11], read_exactly(0.8)
    found = minimax(d, q=q)
    exact = oracle.worst_case(oracle.kappa_of(found.policy, d, q), d, q)
    assert found.guarantee.lower <= exact <= found.guarantee.upper


def test_value_of_data() -> None:
    worth = value_of_data([0.05, 0.1], q=0.9, new=[0.0] * 10)
    assert worth.reduction > 0
    assert worth.least_reduction <= worth.reduction <= worth.most_reduction
    useless = value_of_data([0.01, 0.02], q=0.9, new=[0.8, 0.9])
    assert useless.least_reduction == 0
    assert abs(useless.reduction) <= 1e-3 * useless.now.guarantee.upper


@pytest.mark.parametrize(
    ("d", "q", "rtol", "message"),
    [([], 0.9, 1e-3, "d is empty"), ([-0.1], 0.9, 1e-3, r"d\[0\]"), ([0.1], 1.5, 1e-3, "q ="), ([0.1], 0.9, 0, "rtol")],
)
def test_bad_input(d: list[float], q: float, rtol: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        minimax(d, q=q, rtol=rtol)


def test_weights_that_differ_by_little() -> None:
    """Rounded to few cells they would all be equal, and the policy 0.1 % worse than the best."""
    d = np.repeat([0.00022, 0.00037, 0.00052], [24, 18, 38])
    found = minimax(d, q=0.05)
    assert found.gap <= 5e-4
    assert np.unique(found.weights).size == 3


def test_a_decisive_weight_beside_light_ones() -> None:
    """The high mean is at its limit and two contexts are exact: the estimates climbed first are 0.3 % off there."""
    levels, counts = [0, 0.02, 0.03, 0.05, 0.06, 0.07, 0.08, 0.1, 0.13], [2, 4, 3, 1, 4, 1, 3, 1, 61]
    assert minimax(np.repeat(levels, counts), q=0.05).gap <= 1e-3


def test_only_the_nearest_count_and_all_alike() -> None:
    """The cut-off is at the nearest level: the best mixture of its ranks is optimal, and needs many of them."""
    near, far = np.full(28, 0.21984027970098888), np.repeat([0.2637023294600789, 0.2952142583431957], [23, 29])
    found, alone = minimax(np.append(near, far), q=0.95), minimax(near, q=0.95)
    assert found.gap <= 1e-3
    assert found.guarantee.upper == pytest.approx(alone.guarantee.upper, rel=1e-3)
