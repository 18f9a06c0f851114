"""Rules: a policy taken apart into weighted quantiles, and what becomes of it when rows are moved or weighed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv
from provend.estimators._rules import CELLS, Part, Rule, as_integers, decode

F = Fraction
Q = F(2, 3)
D = np.array([0.1, 0.0, 0.3, 0.0, 0.2])
SUPPORT = (-1.0, 2.0)
POLICIES = {
    "all": pv.ERM(),
    "nearest": pv.KNN(3),
    "rank": pv.OrderStatistic(2, k=4),
    "some rows": pv.OrderStatistic(2, subset=[4, 0, 2]),
    "weights": pv.WeightedERM([3, 0, 1, 2, 3]),
    "no data": pv.NoData(),
    "mixture": pv.Mixture([pv.KNN(2), pv.WeightedERM([1, 2, 3, 4, 5]), pv.NoData()], ["1/2", "1/3", "1/6"]),
}


def ordered(rule: Rule, y: np.ndarray) -> Fraction:
    """What the rule orders, from the definition of its parts: the smallest demand that covers the weight needed."""
    low, high = map(F, SUPPORT)
    total = rule.bottom * low + rule.top * high
    for part in rule.parts:
        covered = [a for a in sorted(y) if part.weights[y <= a].sum() >= part.needed]
        total += part.probability * (low if part.needed <= 0 else F(covered[0]) if covered else high)
    return total


@pytest.mark.parametrize("name", POLICIES)
def test_the_parts_are_the_policy(name: str) -> None:
    rule = decode(POLICIES[name], D, Q)
    for seed in range(20):
        y = np.random.default_rng(seed).integers(0, 4, D.size) / 4
        exact = float(ordered(rule, y))
        assert POLICIES[name].order(y, D, q=Q, support=SUPPORT) == pytest.approx(exact, abs=1e-15)
        assert rule.policy.order(y, D, q=Q, support=SUPPORT) == pytest.approx(exact, abs=1e-15)


@pytest.mark.parametrize("name", POLICIES)
def test_what_is_certified_is_what_is_executed(name: str) -> None:
    rule = decode(POLICIES[name], D, Q)
    stated, executed = (pv.worst_case_regret(policy, D, q=Q) for policy in (POLICIES[name], rule.policy))
    assert stated.lower <= executed.upper
    assert executed.lower <= stated.upper


def test_a_policy_that_weighs_nothing_is_refused() -> None:
    counting = pv.Counting(lambda b: int(b[0] and (b[1] or b[2])))
    with pytest.raises(TypeError, match="is not a weighted quantile with integer weights; choose another"):
        decode(counting, D[:3], Q)


def test_importance_leaves_the_share_to_cover() -> None:
    erm = Part(F(1), np.array([1, 1, 1]), 2)  # 2/3 of three rows, to the last unit
    weighed = erm.weighed(np.array([1.0, 0.5, 0.0]), Q)
    assert weighed.weights.tolist() == [CELLS, CELLS // 2, 0]
    assert weighed.needed == CELLS
    other = Part(F(1), np.array([2, 1, 1]), 1).weighed(np.array([1.0, 2.0, 2.0]), Q)  # of levels in (0, 1/4], 1/8
    assert other.weights.tolist() == [2, 2, 2]
    assert other.needed == 1
    for blind in (Part(F(1), np.array([1, 1]), 0), Part(F(1), np.array([1, 1]), 3)):
        assert blind.weighed(np.array([1.0, 0.5]), Q) is blind


def test_importance_that_is_all_alike_changes_no_order() -> None:
    rule = decode(POLICIES["mixture"], D, Q)
    weighed = rule.weighed(np.full(D.size, 0.7))
    for seed in range(20):
        y = np.random.default_rng(seed).integers(0, 4, D.size) / 4
        assert ordered(weighed, y) == ordered(rule, y)


@pytest.mark.parametrize("name", ["all", "weights", "mixture"])
def test_a_rule_in_another_place_decides_on_the_rows_there(name: str) -> None:
    rule, at = decode(POLICIES[name], D, Q), np.array([6, 2, 0, 5, 3, 1, 4])
    placed = rule.placed(at, at.size)
    for seed in range(20):
        y = np.random.default_rng(seed).integers(0, 4, at.size) / 4
        assert ordered(placed, y) == ordered(rule, y[at[: D.size]])


def test_shares_by_hand() -> None:
    halves = Rule(Q, 3, (Part(F(1, 2), np.array([3, 1, 0]), 2), Part(F(1, 4), np.array([0, 0, 5]), 5)), top=F(1, 4))
    assert halves.shares(4) == pytest.approx([1 / 2, 1 / 6, 1 / 3, 0])
    assert decode(pv.NoData(), D, Q).shares(5).tolist() == [0.2] * 5


def test_integers_stay_and_others_are_rounded() -> None:
    whole = np.array([[0.0, 7.0, CELLS], [0.0, 0.0, 0.0]])
    assert (as_integers(whole) == whole).all()
    real = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, CELLS + 1.0]])
    exact = [[CELLS * F(x) / F(max(row)) for x in row] for row in real.tolist()]
    errors = [
        abs(int(x) - y) for row, ys in zip(as_integers(real), exact, strict=True) for x, y in zip(row, ys, strict=True)
    ]
    assert max(errors) <= F(1, 2) + F(1, 10**9)


RULES = {name: decode(policy, D, Q) for name, policy in POLICIES.items()} | {
    "the top": Rule(Q, 5, (Part(F(1, 2), np.array([1, 2, 0, 0, 3]), 4), Part(F(1, 4), np.ones(5, int), 6)), F(1, 4)),
    "the bottom": Rule(Q, 5, (Part(F(1, 2), np.ones(5, int), 2), Part(F(1, 6), np.ones(5, int), 0)), bottom=F(1, 3)),
}


@pytest.mark.parametrize("name", RULES)
def test_a_supported_rule_stays_within_the_demands(name: str) -> None:
    """The ends of the support become the largest and the smallest demand; nothing else changes."""
    rule = RULES[name]
    supported = rule.supported(7)
    assert sum(part.probability for part in supported.parts) == 1
    assert supported.top == supported.bottom == 0
    for seed in range(20):
        y = np.random.default_rng(seed).integers(1, 8, 7 if name == "no data" else 5) / 8
        found = ordered(supported, y)
        assert min(y) <= found <= max(y)
        if name == "no data":
            assert found == sorted(y)[4]  # 2/3 of 7 are 5
            continue
        low, high = map(F, (min(y), max(y)))
        by_hand = rule.bottom * low + rule.top * high
        for part in rule.parts:
            covered = [a for a in sorted(y) if part.weights[y <= a].sum() >= part.needed]
            by_hand += part.probability * F(covered[0] if covered else high)
        assert found == by_hand
        assert supported.policy.order(y, D, q=Q, support=SUPPORT) == pytest.approx(float(found), abs=1e-15)


def test_coarser_weights_cover_the_same_share() -> None:
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 145, 300)
    needed = int(np.ceil(0.9 * weights.sum()))
    rule = Rule(F(9, 10), 300, (Part(F(1), weights, needed),)).coarser(24)
    (part,) = rule.parts
    assert part.weights.max() == 24
    assert np.abs(part.weights - weights * (24 / weights.max())).max() <= 0.5
    assert part.needed == np.ceil(F(9, 10) * int(part.weights.sum()))
    fine = Rule(F(9, 10), 300, (Part(F(1), np.minimum(weights, 48), needed),))
    assert (fine.coarser(24).parts[0].weights == np.minimum(weights, 48)).all()  # not more than twice as many units
