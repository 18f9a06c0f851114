"""Days that had something left: how many of them it takes, above the largest stock and between stock levels."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

import provend as pv
from provend.regret import high_side
from provend.stockouts import _plan, _rules, _unseen
from provend.stockouts._segments import Days, SeenSegment

Floats = np.ndarray


def tail(chances: Floats, needed: int) -> float:
    law = np.ones(1)
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    return float(law[needed:].sum())


@pytest.mark.parametrize("q", ["3/4", "9/10", "1/3"])
@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_witnesses_speak_as_often_as_the_no_data_guarantee_allows(q: str, spread: float) -> None:
    rng, ratio = np.random.default_rng(2), Fraction(q)
    stock, d = rng.choice([1.0, 2, 3], 40), rng.uniform(0, spread, 40)
    found, c, without = _unseen.unseen(stock, d, ratio), float(ratio), float(ratio * (1 - ratio))
    one = found.witness
    assert one is not None
    grid = np.linspace(0, c, 601)

    def high(chances: Floats) -> float:
        return float(np.max((c - grid) * (1 - c + c * chances)))

    speaks, easier = (
        np.array([tail(np.minimum(1, t + d[one.rows]), needed) for t in grid])
        for needed in (one.needed, one.needed - 1)
    )
    assert high(speaks) <= found.upper <= without * (1 + 1 / 1000)
    assert high(easier) > without * (1 + 1 / 1000)  # one day fewer would cost too much


def test_what_a_witness_costs_is_a_binomial_tail_without_shift() -> None:
    q, d = Fraction(3, 4), np.zeros(12)
    (size, needed), upper = _unseen._found(d.tobytes(), q)  # type: ignore[misc]

    def exact(r: int) -> Fraction:
        return max(
            (q - t) * (1 - q + q * sum(comb(size, k) * t**k * (1 - t) ** (size - k) for k in range(r, size + 1)))
            for t in (Fraction(i, 400) for i in range(300))
        )

    assert size == 12
    assert exact(needed) <= upper <= Fraction(3, 16) * (1 + Fraction(1, 1000))
    assert exact(needed - 1) > Fraction(3, 16) * (1 + Fraction(1, 1000))


@pytest.mark.parametrize(("q", "spread"), [("3/4", 0.03), ("9/10", 0.01), ("1/2", 0.1), ("9/10", 0.4)])
def test_the_witness_found_is_the_best_of_all_that_may_speak(q: str, spread: float) -> None:
    """Days at distances of their own: every number of the nearest days, halved and halved, and every number needed."""
    d, ratio = np.sort(np.random.default_rng(4).uniform(0, spread, 24)), Fraction(q)
    most = ratio * (1 - ratio) * (1 + Fraction(1, 1000))

    def affordable(size: int, needed: int) -> bool:
        policy = pv.Mixture([pv.OrderStatistic(0), pv.OrderStatistic(needed)], [1 - ratio, ratio])
        return Fraction(high_side(policy, d[:size], ratio, 1e-6).upper) <= most

    sizes = [24, 12, 6, 3, 1]
    shares = [needed / size for size in sizes for needed in range(1, size + 1) if affordable(size, needed)]
    found, upper = _unseen._found(d.tobytes(), ratio)
    assert (found is None) == (not shares)
    if found is not None:
        assert found[1] / found[0] == min(shares)
        assert affordable(*found)
        assert upper <= most


def group_law(size: int, chance: float) -> Floats:
    return np.array([comb(size, k) * chance**k * (1 - chance) ** (size - k) for k in range(size + 1)])


@pytest.mark.parametrize(("q", "d"), [("9/10", 0.0), ("4/5", 0.0), ("3/4", 0.03), ("1/2", 0.02)])
def test_witnesses_leave_the_promise_of_an_upper_segment_as_it_is(q: str, d: float) -> None:
    """Twenty days saw up to 1/2, four all: the high side of rule or witness on a grid, by binomial tails."""
    stock, ratio = np.array([0.5] * 20 + [1.0] * 4), Fraction(q)
    made = _plan.plan(stock, np.full(24, d), ratio, (0.0, 1.0), None)
    rule = made.segments[1].rule
    assert isinstance(rule, _rules.Rule)
    assert rule.witness is not None
    alone, c = pv.minimax([d] * 4, q=ratio), float(ratio)
    grid = np.linspace(0, c, 400)
    profile = pv.regret_profile(alone.policy, [d] * 4, 1 - grid, q=ratio)

    def high(needed: int) -> float:
        rows = rule.witness.rows.size  # type: ignore[union-attr]
        speaks = np.array([group_law(rows, min(1.0, t + d))[needed:].sum() for t in grid])
        return float(np.max(profile + (c - grid) * speaks))

    allowed = alone.guarantee.upper * 1.01
    assert high(rule.witness.needed) <= float(rule.upper) <= allowed * (1 + 1e-9)
    assert high(rule.witness.needed - 1) > allowed


def test_an_upper_segment_is_not_ordered_for_want_of_days_that_saw_it() -> None:
    """One day in twelve had more than 50; none of the others sold out."""
    stock = np.where(np.arange(60) % 12 == 0, 100.0, 50.0)
    sales = np.full(60, 30.0)
    found = pv.order_with_stockouts(sales, stock, [0.0] * 60, q=0.95, support=(0, 100))
    assert found.order == 30
    five = pv.minimax([0.0] * 5, q=0.95).policy.order([50.0] * 5, [0.0] * 5, q=0.95, support=(50, 100))
    assert five > 60  # what the five days that saw it order by themselves
    out = pv.order_with_stockouts(
        np.where(np.arange(60) % 6 == 1, 50.0, sales), stock, [0.0] * 60, q=0.95, support=(0, 100)
    )
    assert out.order > five - 25
    assert out.upper == found.upper


@pytest.mark.parametrize("seed", range(30))
def test_a_witness_lowers_each_threshold_to_its_limit(seed: int) -> None:
    """What the rule orders on demands cut off at the limit is, threshold by threshold, the lesser of both."""
    rng = np.random.default_rng(seed)
    stock = np.sort(rng.choice([5.0, 10, 20, 40], 24))
    sales, d = np.minimum(rng.integers(0, 15, 24), stock), rng.choice([0.0, 0.02, 0.05], 24)
    made = _plan.plan(stock, d, Fraction(9, 10), (0.0, 50.0), None)
    for one in made.segments:
        if not isinstance(one, SeenSegment) or one.rule.witness is None:
            continue
        rule, within = one.rule, np.where(sales < stock, sales, np.inf)
        limit = np.sort(within[rule.witness.rows])[rule.witness.needed - 1]
        seen = np.clip(sales[rule.rows], one.bottom, one.top)
        assert isinstance(rule.policy, pv.Mixture | pv.WeightedQuantile | pv.OrderStatistic)
        members = rule.policy.policies if isinstance(rule.policy, pv.Mixture) else (rule.policy,)
        shares = rule.policy.probabilities if isinstance(rule.policy, pv.Mixture) else (1,)
        orders = [
            member.order(seen, d[rule.rows], q=Fraction(9, 10), support=(one.bottom, one.top))  # type: ignore[union-attr]
            for member in members
        ]
        lesser = sum(
            float(p) * (max(min(a, limit), one.bottom) - one.bottom) for p, a in zip(shares, orders, strict=True)
        )
        assert float(one.order(Days(sales, stock, d), Fraction(9, 10))) == pytest.approx(lesser, abs=1e-9)


def test_days_with_less_stock_do_not_keep_the_best_stocked_from_speaking() -> None:
    """Fifteen shelves of 0.6 were never emptied, the others, of 0.3, always: nobody asked for more than 0.6."""
    stock = np.where(np.arange(240) < 15, 0.6, 0.3)
    sold = np.where(stock == 0.6, 0.5, stock), stock
    calm, busy = (pv.order_with_stockouts(sales, stock, np.full(240, 0.02), q="0.95") for sales in sold)
    assert [one.segments[-1].order for one in (calm, busy)] == [0.0, pytest.approx(0.95 * 0.4)]
    assert calm.upper == busy.upper
    assert calm.segments[-1].part <= 0.4 * 0.95 * 0.05 * 1.0011
