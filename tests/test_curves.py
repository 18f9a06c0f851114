"""Learning curves against single regrets, and the two meanings of "samples needed"."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from provend._kernels.tails.counts import prefix_slopes, slope_of
from samplers import a_design, a_ratio


@pytest.mark.parametrize("seed", range(12))
def test_curve_agrees_with_single_regrets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    d, q = a_design(rng, n), a_ratio(rng, n)
    curve = pv.learning_curve(pv.ERM(), d, q=q)
    for k in range(1, n + 1):
        single = pv.worst_case_regret(pv.ERM(), d[:k], q=q)
        assert curve.lower[k - 1] <= single.upper
        assert single.lower <= curve.upper[k - 1]
    assert np.all(curve.upper - curve.lower <= 1e-9 * curve.upper)


@pytest.mark.parametrize(
    "policy",
    [
        pv.KNN(4),
        pv.OrderStatistic(3),
        pv.OrderStatistic(2, k=3),
        pv.OrderStatistic(2, subset=[0, 3, 5]),
        pv.WeightedERM([1, 5, 2, 2, 1, 3, 1, 1], tie_break="1/3"),
        pv.WeightedQuantile([1, 5, 2, 2, 1, 3, 1, 1], 4),
        pv.Exponential(0.8),
        pv.Kernel("triangular", 0.3),
        pv.Mixture([pv.KNN(3), pv.OrderStatistic(1)], ["1/4", "3/4"]),
        pv.NoData(),
    ],
    ids=repr,
)
def test_every_policy_on_prefixes(policy: pv.Policy) -> None:
    d = np.array([0.3, 0.1, 0.2, 0.05, 0.5, 0.01, 0.4, 0.02])
    curve = pv.learning_curve(policy, d, q="0.8")
    for n in range(1, d.size + 1):
        single = pv.worst_case_regret(policy.on_first(n), d[:n], q="0.8")
        assert curve.lower[n - 1] <= single.upper
        assert single.lower <= curve.upper[n - 1]


def test_knn_uses_what_there_is() -> None:
    d = pv.drift(0.05, n=6)
    curve, all_of_them = pv.learning_curve(pv.KNN(3), d, q=0.9), pv.learning_curve(pv.ERM(), d, q=0.9)
    np.testing.assert_allclose(curve.upper[:3], all_of_them.upper[:3], rtol=1e-8)
    assert np.ptp(curve.upper[2:]) == 0  # later contexts are farther and change nothing


def test_pieces_of_work_fit_together() -> None:
    # From 100 contexts on the work is cut up for threads; the brackets must not show where.
    d = np.random.default_rng(3).uniform(0, 0.4, 150)
    curve = pv.learning_curve(pv.ERM(), d, q=0.7)
    for k in (1, 2, 59, 60, 99, 119, 120, 149, 150):
        single = pv.worst_case_regret(pv.ERM(), d[:k], q=0.7)
        assert abs(curve.upper[k - 1] - single.upper) <= 2e-9 * single.upper


def test_evaluations_are_shared_along_the_curve() -> None:
    d = pv.drift(0.001, n=400)
    curve = pv.learning_curve(pv.ERM(), d, q=0.9)
    assert curve.evaluations <= 3.5 * d.size


def test_paper_curve() -> None:
    curve = pv.learning_curve(pv.ERM(), pv.constant(0.1, n=200), q=0.9)
    assert curve.best == 16
    assert curve.indistinguishable == (16,)
    assert curve.upper[15] == pytest.approx(0.051545, abs=5e-7)


def test_money_and_progress() -> None:
    problem = pv.Newsvendor(9, 1, support=(0, 50))
    calls: list[tuple[int, int]] = []
    money = pv.learning_curve(pv.ERM(), pv.drift(0.01, 120), q=problem, progress=lambda *at: calls.append(at))
    plain = pv.learning_curve(pv.ERM(), pv.drift(0.01, 120), q="9/10")
    np.testing.assert_allclose(money.upper, 500 * plain.upper, rtol=1e-12)
    np.testing.assert_allclose(money.percent_of_no_data, plain.percent_of_no_data, rtol=1e-12)
    assert calls[-1] == (120, 120)


# Table 1 of the paper: first n. Where the paper prints 14 (25 %, zeta = 0) it is where the curve stays below.
TABLE_1 = {
    (0.0, "100%"): (3, 3),
    (0.0, "50%"): (5, 5),
    (0.0, "25%"): (7, 14),
    (0.02, "25%"): (16, 31),
    (0.02, "10%"): (None, None),
    (0.04, "50%"): (6, 12),
    (0.04, "25%"): (27, None),
}


@pytest.mark.parametrize(("zeta", "target"), TABLE_1)
def test_samples_needed_table_1(zeta: float, target: str) -> None:
    needed = pv.samples_needed(pv.ERM(), pv.constant(zeta, n=100), q=0.9, target=target)
    assert (needed.first, needed.stays_from) == TABLE_1[zeta, target]
    assert needed.limit == zeta
    assert needed.undecided == ()
    assert ("above" in needed.statement) == (zeta > needed.target)


def test_target_on_the_value_itself_is_undecided_or_reached() -> None:
    # ERM, n = 9, constant 0.22: exactly 0.12, which no bracket can tell from 0.12.
    needed = pv.samples_needed(pv.ERM(), pv.constant(0.22, n=9), q=0.9, target="0.12")
    assert 9 in needed.undecided or needed.first == 9


def test_no_statement_without_a_theorem() -> None:
    needed = pv.samples_needed(pv.ERM(), pv.drift(0.01, n=20), q=0.9, target=0.05)
    assert needed.limit is None
    assert "Nothing" in needed.statement


@pytest.mark.parametrize("target", [0, -1, "0%", "many", "nan"])
def test_bad_target(target: object) -> None:
    with pytest.raises(ValueError, match="target"):
        pv.samples_needed(pv.ERM(), pv.constant(0.1, 5), q=0.9, target=target)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_all_prefixes_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    d, t = rng.uniform(0, 0.6, n), float(rng.uniform(0, 0.6))
    for ranks in (rng.integers(-1, n + 2, n), np.arange(1, n + 1), np.zeros(n, int), -(-9 * np.arange(1, n + 1) // 10)):
        tails, slopes = prefix_slopes(t + d, ranks)
        for k in range(1, n + 1):
            if not 1 <= ranks[k - 1] <= k:
                expected = (float(ranks[k - 1] <= 0), 0.0)
            else:
                single = slope_of(np.sort(d[:k]), int(ranks[k - 1]), t)
                expected = (single.f, single.right)
            np.testing.assert_allclose((tails[k - 1], slopes[k - 1]), expected, rtol=1e-12)
