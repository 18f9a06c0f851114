"""What to order for a service, how it grows with data, and how many samples it takes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv
from provend.service import _choice, _weighted


def by_trying_all(d: np.ndarray, target: float, confidence: float | None) -> tuple[float, set[tuple[int, int]]]:
    """The least expected service at best among rules that meet the target, and the rules that have it."""
    found = {}
    for k in range(1, d.size + 1):
        for rank in range(k + 1):
            rule = pv.OrderStatistic(rank, k)
            if pv.service_level(rule, d, confidence=confidence).worst.lower >= target - 1e-9:
                found[k, rank] = pv.service_level(rule, d).best.upper
    least = min(found.values())
    return least, {rule for rule, best in found.items() if best < least + 1e-11}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("confidence", [None, 0.7])
def test_the_rule_is_the_best_of_all(seed: int, confidence: float | None) -> None:
    rng = np.random.default_rng(seed)
    d = np.round(rng.random(9) * 0.2, 3) if seed else np.zeros(9)
    target = float(rng.choice([0.3, 0.5, 0.6]))
    found = pv.order_for_service(d, target=target, confidence=confidence)
    least, rules = by_trying_all(d, target, confidence)
    assert found.service.worst.lower >= target - 1e-9
    best = pv.service_level(found.policy, d).best.upper
    if isinstance(found.policy, pv.OrderStatistic):
        assert (found.policy.k, found.policy.rank) in rules
        assert best == pytest.approx(least, abs=1e-11)
    else:
        assert best < least - 1e-6


def test_ties_with_the_target_are_met() -> None:
    found = pv.order_for_service(np.zeros(19), target="95%")
    assert (found.policy.rank, found.policy.k, found.target) == (19, 19, Fraction(19, 20))
    assert found.service.worst.lower == pytest.approx(0.95, abs=1e-12)


@pytest.mark.parametrize("confidence", [None, 0.8])
def test_weights_overshoot_less_where_few_are_near(confidence: float | None) -> None:
    d = np.random.default_rng(0).permutation(np.linspace(0.01, 0.06, 8) ** 1.5 * 4)
    target = 0.7 if confidence is None else 0.5
    found = pv.order_for_service(d, target=target, confidence=confidence)
    assert isinstance(found.policy, pv.WeightedQuantile)
    assert by_trying_all(d, target, confidence)[0] > pv.service_level(found.policy, d).best.upper + 1e-6
    assert found.service.worst.lower >= target - 1e-9
    less = pv.WeightedQuantile(found.policy.weights, found.policy.threshold - 1)
    assert pv.service_level(less, d, confidence=confidence).worst.upper < target


def test_every_candidate_is_what_it_says() -> None:
    d = np.array([0.04, 0.01, 0.3, 0.02, 0.02, 0.11])
    candidates = _weighted.weighted_candidates(d, 0.4, None)
    assert len({one.weights.tobytes() for one in candidates}) == 4
    for one in candidates:
        level = pv.service_level(one.policy, d)
        assert level.worst.lower >= 0.4
        assert level.best.lower - 1e-12 <= one.best <= level.best.upper + 1e-12
    assert _weighted.weighted_candidates(np.zeros(4), 0.4, None) == []
    assert _weighted.weighted_candidates(np.array([0.1]), 0.4, None) == []


def test_the_table_of_all_ranks_agrees_with_each() -> None:
    d = np.sort(np.random.default_rng(5).random(15) ** 3)
    table = _choice.expected_services(d)
    for k in range(1, 16):
        for rank in range(k + 2):
            level = pv.service_level(pv.OrderStatistic(rank, k), d)
            assert level.worst.lower - table.error <= table.worst[k, rank] <= level.worst.upper + table.error
            assert level.best.lower - table.error <= table.best[k, rank] <= level.best.upper + table.error


def test_more_than_the_data_can_promise_is_said() -> None:
    d = pv.drift(0.001, 100)
    most = pv.service_level(pv.OrderStatistic(100), d).worst.lower
    message = (
        r"target = 0.97: these data cannot promise more than 96.0 %, by the largest of the 100 demands; .*top of the"
    )
    with pytest.raises(pv.InputError, match=message):
        pv.order_for_service(d, target=0.97)
    assert 0.960 <= most < 0.961
    assert pv.order_for_service(d, target=most).service.worst.lower >= most - 1e-9
    with pytest.raises(pv.InputError, match=r"more than 92.3 % with confidence 0.95"):
        pv.order_for_service(d, target=0.95, confidence=0.95)
    with pytest.raises(pv.InputError, match="target = 95 must lie strictly between 0 and 1"):
        pv.order_for_service(d, target=95)


@pytest.mark.parametrize(("n", "zeta", "most"), [(19, 0, "95.0"), (19, 0.05, "90.0"), (1, 0, "50.0"), (9, 0.2, "70.0")])
def test_a_round_share_that_can_be_promised_is_said_to_be(n: int, zeta: float, most: str) -> None:
    d = pv.constant(zeta, n)  # the largest of n promises n / (n + 1) - zeta
    assert pv.order_for_service(d, target=f"{most}%").policy.rank == n
    with pytest.raises(pv.InputError, match=f"cannot promise more than {most} %"):
        pv.order_for_service(d, target=float(most) / 100 + 1e-3)


def test_next_to_nothing_is_met_by_the_bottom_of_the_support() -> None:
    found = pv.order_for_service([0.1, 0.2], target=1e-10)
    assert found.policy.rank == 0
    assert found.service.best.upper == 0


def test_beyond_the_ranks_tried_the_largest_of_as_many_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_choice, "MOST_NEIGHBOURS", 10)
    monkeypatch.setattr(_weighted, "MOST_NEIGHBOURS", 10)
    d = np.random.default_rng(0).permutation(np.linspace(0, 1e-4, 60))
    found = pv.order_for_service(d, target=0.97)
    assert found.policy.rank == found.policy.k == 33  # 33 / 34 is above 0.97, 32 / 33 is not
    assert found.service.worst.lower >= 0.97


@pytest.mark.parametrize(("zeta", "needed"), [(0, 59), (0.005, 66), (0.01, 74), (0.02, 99)])
def test_samples_until_the_largest_covers_95_with_95(zeta: float, needed: int) -> None:
    d = pv.constant(zeta, 120)
    assert pv.samples_for_service(d, target=0.95, confidence=0.95) == needed
    assert pv.order_for_service(d[:needed], target=0.95, confidence=0.95).policy.rank == needed
    with pytest.raises(pv.InputError, match="cannot promise"):
        pv.order_for_service(d[: needed - 1], target=0.95, confidence=0.95)


def test_samples_for_an_expected_service() -> None:
    assert pv.samples_for_service(np.zeros(40), target=0.95) == 19
    assert pv.samples_for_service(pv.constant(0.05, 40), target=0.9) == 19
    assert pv.samples_for_service(pv.constant(0.05, 10_000), target=0.96) is None


def test_the_curve_is_the_level_of_every_prefix() -> None:
    d = pv.drift(0.01, 12)
    done: list[tuple[int, int]] = []
    curve = pv.service_curve(pv.KNN(4), d, q=0.9, confidence=0.5, progress=lambda *step: done.append(step))
    assert done[-1] == (12, 12)
    for n in (1, 4, 12):
        level = pv.service_level(pv.KNN(min(n, 4)), d[:n], q=0.9, confidence=0.5)
        assert (curve.worst.lower[n - 1], curve.best.upper[n - 1]) == (level.worst.lower, level.best.upper)
    assert curve.to_frame().shape == (12, 5)
    assert f"most={curve.worst.lower.max():.6g}" in repr(curve)


def test_conformal_is_the_rank_of_split_conformal_prediction() -> None:
    y = np.random.default_rng(1).random(30)
    for target, n, rank in ((0.9, 30, 28), ("95%", 19, 19), (Fraction(1, 2), 9, 5)):
        policy = pv.Conformal(target)
        assert policy.order(y[:n], np.zeros(n), q=0.5) == np.sort(y[:n])[rank - 1]
    assert pv.Conformal(0.95).order(y[:18], np.zeros(18), q=0.5) == 1.0
    with pytest.raises(pv.InputError, match="target = 1 must lie strictly"):
        pv.Conformal(1)
