"""Sales cut off by stock: worlds enumerated and drawn, decisions layer by layer, and where the promise would break."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

import provend as pv
from provend.stockouts import _levels, _plan, _rules, _unseen
from provend.stockouts._segments import Days, SeenSegment
from soundness.supply import judge_levelled_stock_outs, judge_stock_outs

Floats = np.ndarray


class Enumerated:
    """All histories of demands on a few points, what is ordered after each, and the regret in any world on them."""

    def __init__(self, stock: list[float], d: list[float], q: str, policy: pv.DecidingPolicy | None = None) -> None:
        self.q, self.d, levels = float(Fraction(q)), np.array(d), np.array(stock, float)
        inner = np.unique(np.clip([0.0, *stock, 1.0], 0, 1))
        self.points = np.unique(np.concatenate([inner, (inner[1:] + inner[:-1]) / 2]))
        self.ends = np.flatnonzero(np.isin(self.points, inner))  # of the segments
        self.histories = np.array(list(product(range(self.points.size), repeat=len(stock))))
        sales = np.minimum(self.points[self.histories], levels)
        self.plan = _plan.plan(levels, self.d, Fraction(q), (0.0, 1.0), policy)
        known: dict[tuple[float, ...], float] = {}
        for key in set(map(tuple, sales.tolist())):
            days = Days(np.array(key), levels, self.d)
            known[key] = float(sum(one.order(days, Fraction(q)) for one in self.plan.segments))
        self.costs = self._costs(np.array([known[tuple(row)] for row in sales.tolist()]))
        self.least = self._costs(self.points)

    def _costs(self, orders: Floats) -> Floats:
        over = orders[:, None] - self.points
        return np.maximum(-self.q * over, (1 - self.q) * over)

    def regret(self, law: Floats, past: Floats) -> float:
        """``past[i]`` is the law of demand i on the points, ``law`` that of the demand to come."""
        chances = np.prod([past[i][self.histories[:, i]] for i in range(self.d.size)], axis=0)
        return float(chances @ self.costs @ law - np.min(self.least @ law))

    def shifted(self, law: Floats, signs: Floats) -> Floats:
        """Past laws as far from ``law`` as allowed, up or down."""
        cdf = np.cumsum(law)[:-1]
        moved = np.clip(cdf + (signs * self.d)[:, None], 0, 1)
        return np.diff(moved, axis=1, prepend=0, append=1)


DESIGNS = [
    ([0.3, 0.6, 1.0], [0, 0, 0], "9/10"),
    ([0.5, 0.5, 0.8], [0.1, 0, 0.05], "3/4"),
    ([0.2, 0.5, 0.5], [0.02, 0.3, 0.1], "1/2"),
    ([0.4, 0.4, 0.4], [0, 0.05, 0.6], "3/4"),
    ([1.0, 1.0, 0.3], [0.05, 0.05, 0], "1/5"),
    ([0.25, 0.75], [0.2, 0], "9/10"),
    ([0.25, 0.75, 0.9, 0.6], [0, 0, 0.01, 0], "3/5"),
    ([0.0, 0.7, 2.0], [0, 0.1, 0.1], "4/5"),
]


@pytest.mark.parametrize(("stock", "d", "q"), DESIGNS)
@pytest.mark.parametrize("policy", [None, pv.ERM()])
def test_no_world_costs_more_than_promised(
    stock: list[float], d: list[float], q: str, policy: pv.DecidingPolicy | None
) -> None:
    world, rng = Enumerated(stock, d, q, policy), np.random.default_rng(1)
    upper, size = world.plan.guarantee.upper, world.points.size
    for _ in range(400):
        two = rng.choice(size, 2)
        bernoulli = np.bincount(two, [p := rng.random(), 1 - p], size)
        for law in (bernoulli, rng.dirichlet(np.full(size, rng.choice([0.1, 0.5, 2])))):
            signs = rng.choice([np.full(len(d), -1.0), np.ones(len(d)), rng.uniform(-1, 1, len(d))])
            assert world.regret(law, world.shifted(law, signs)) <= upper


def climbed(world: Enumerated) -> float:
    """The worst of the worlds on the ends of segments, without shift, that a simplex search finds."""
    from scipy.optimize import minimize

    def loss(x: Floats) -> float:
        law = np.zeros(world.points.size)
        law[world.ends] = np.exp(x - x.max())
        return -world.regret(law / law.sum(), np.tile(law / law.sum(), (world.d.size, 1)))

    starts = np.random.default_rng(0).normal(0, 2, (12, world.ends.size))
    return max(-minimize(loss, x, method="Nelder-Mead", options={"maxiter": 3000, "fatol": 1e-10}).fun for x in starts)


def test_the_sum_is_attained_by_a_few_days_at_a_high_ratio() -> None:
    world = Enumerated([1 / 3, 2 / 3, 1], [0, 0, 0], "9/10")
    at_bottom = np.eye(world.points.size)[0]  # demand never comes, and the order is what few days cannot rule out
    worst = world.regret(at_bottom, np.tile(at_bottom, (3, 1)))
    parts = [pv.minimax([0] * n, q=0.9).guarantee.upper for n in (3, 2, 1)]
    assert world.plan.guarantee.upper == pytest.approx(sum(parts) / 3, rel=1e-12)
    assert worst == pytest.approx(world.plan.guarantee.upper, rel=1e-6)


def test_elsewhere_it_is_a_few_percent_above_the_truth() -> None:
    world = Enumerated([0.5, 1, 1], [0, 0, 0], "7/10", pv.ERM())
    assert world.plan.guarantee.upper == pytest.approx(0.0545267, abs=1e-7)
    assert 0.0499 < climbed(world) < world.plan.guarantee.upper
    best = Enumerated([0.5, 0.75, 1], [0, 0, 0], "4/5")
    assert best.plan.guarantee.lower < 0.0513 < climbed(best) < best.plan.guarantee.upper < 0.05498


@pytest.mark.parametrize("seed", range(40))
def test_the_order_is_the_decision_layer_by_layer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, top = int(rng.integers(1, 12)), 20
    stock = rng.choice(np.arange(0, 2 * top), n).astype(float)
    sales = np.minimum(rng.integers(0, top + 1, n), stock)
    q = Fraction(int(rng.integers(1, 10)), 10)
    found = pv.order_with_stockouts(sales, stock, np.zeros(n), q=q, support=(0, top), policy=pv.ERM())
    stocked = 0
    for y in range(top):
        seen = [s for s, c in zip(sales, stock, strict=True) if c > y]
        stocked += bool(seen) and sum(s <= y for s in seen) < q * len(seen)
    assert sum(one.order for one in found.segments if one.rows) == stocked
    assert found.order == pytest.approx(sum(one.order for one in found.segments), rel=1e-12)
    for one in found.segments:
        assert one.rows == sum(c >= one.top for c in stock)


@pytest.mark.parametrize("stock", [[np.inf] * 6, [100.0] * 6, [100, 200, 150, np.inf, 100, 101]])
def test_with_enough_stock_it_is_the_plain_answer(stock: list[float]) -> None:
    sales, d = [10, 80, 30, 55, 100, 20], [0.0, 0.02, 0.1, 0.1, 0.3, 0.05]
    problem = pv.Newsvendor(9, 1, support=(0, 100))
    found, plain = pv.order_with_stockouts(sales, stock, d, q=problem), pv.minimax(d, q=problem)
    assert found.order == plain.policy.order(sales, d, q=problem)
    assert found.upper == pytest.approx(plain.guarantee.upper, rel=1e-12)
    assert found.upper >= plain.guarantee.upper
    assert len(found.segments) == 1
    assert found.unseen == 0


def test_all_sold_out_at_one_level_leaves_the_no_data_share_of_the_rest() -> None:
    found = pv.order_with_stockouts([40.0] * 30, [40.0] * 30, [0.0] * 30, q=0.9, support=(0, 100))
    assert found.order == pytest.approx(40 + 0.9 * 60)
    assert found.unseen == pytest.approx(0.6 * 0.09, rel=1e-3)
    left = pv.order_with_stockouts([39.0] * 30, [40.0] * 30, [0.0] * 30, q=0.9, support=(0, 100))
    assert left.order == 39
    assert left.upper == found.upper


def test_empty_shelves_and_far_days_say_nothing() -> None:
    for stock, d in (([0.0, 0.0], [0.0, 0.1]), ([10.0, 10.0], [0.6, 1.0])):
        found = pv.order_with_stockouts([0.0, 0.0], stock, d, q=0.75, support=(0, 10))
        assert found.order == pytest.approx(7.5)
        assert found.upper == pytest.approx(0.1875, rel=2e-3)
        assert found.lower == pytest.approx(0.1875, rel=1e-12)


def test_the_guarantee_does_not_depend_on_sales_nor_on_the_order_of_the_days() -> None:
    rng = np.random.default_rng(3)
    stock, d = rng.choice([20.0, 35, 50, 80], 25), rng.uniform(0, 0.2, 25)
    sales = np.minimum(rng.uniform(0, 100, 25), stock)
    found = pv.order_with_stockouts(sales, stock, d, q=0.8, support=(0, 100))
    again = rng.permutation(25)
    same = pv.order_with_stockouts(sales[again], stock[again], d[again], q=0.8, support=(0, 100))
    assert same.order == pytest.approx(found.order)
    assert same.upper == pytest.approx(found.upper)
    assert pv.order_with_stockouts(0 * sales, stock, d, q=0.8, support=(0, 100)).upper == found.upper


def test_money_and_other_units() -> None:
    args = np.array([2.0, 3, 1]), np.array([2.0, 4, 4]), [0.1, 0.0, 0.05]
    plain = pv.order_with_stockouts(*args, q=0.75, support=(0, 10))
    money = pv.order_with_stockouts(*args, q=pv.Newsvendor(6, 2, support=(0, 10)))
    moved = pv.order_with_stockouts(args[0] + 5, args[1] + 5, args[2], q=0.75, support=(5, 15))
    assert money.order == plain.order == moved.order - 5
    assert money.upper == pytest.approx(80 * plain.upper)
    assert money.lower == pytest.approx(80 * plain.lower)
    assert money.percent_of_no_data == pytest.approx(plain.percent_of_no_data)
    assert moved.upper == pytest.approx(plain.upper)


# --- many levels -----------------------------------------------------------------------------------------------------


def test_hundreds_of_levels_become_few_segments_at_a_small_price(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    stock, d = rng.uniform(10, 90, 100), rng.uniform(0, 0.05, 100)
    few = _plan.plan(stock, d, Fraction(3, 4), (0.0, 100.0), None)
    assert len(few.segments) == _levels.MOST_SEGMENTS + 1
    tops = [one.top for one in few.segments]
    assert set(tops[:-1]) <= set(stock.tolist())
    assert tops == sorted(tops)
    monkeypatch.setattr(_levels, "MOST_SEGMENTS", 1000)
    every = _plan.plan(stock, d, Fraction(3, 4), (0.0, 100.0), None)
    assert len(every.segments) == 101
    assert every.guarantee.upper < few.guarantee.upper < 1.01 * every.guarantee.upper


def test_a_day_counts_only_where_it_had_enough_for_the_whole_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_levels, "MOST_SEGMENTS", 2)
    stock = np.array([10.0, 20, 30, 40])
    made = _plan.plan(stock, np.zeros(4), Fraction(3, 4), (0.0, 50.0), None)
    assert len(made.segments) == 3
    for one in made.segments:
        assert one.rows == np.count_nonzero(stock >= one.top)
        if isinstance(one, SeenSegment):
            assert np.all(stock[one.rule.rows[~one.rule.idle]] >= one.top)


def test_rules_are_shared_where_only_idle_days_leave_and_are_still_the_best() -> None:
    near, far = [0.01] * 5, [0.4, 0.45, 0.48]
    d, stock = np.array(near + far), np.array([9.0] * 5 + [3, 5, 7])
    made = _plan.plan(stock, d, Fraction(9, 10), (0.0, 9.0), None)
    rules = [one.rule for one in made.segments]
    assert len(rules) == 4
    assert len(set(map(id, rules))) == 1
    for one in made.segments:
        alone = pv.minimax(d[stock >= one.top], q=0.9)
        assert float(one.upper) == pytest.approx(alone.guarantee.upper, rel=2e-3)


# --- above the largest stock -----------------------------------------------------------------------------------------


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


# --- where it would break --------------------------------------------------------------------------------------------


def test_stock_that_follows_the_demands_it_is_weighed_with_breaks_the_promise() -> None:
    """After a good day nothing is stocked: then whether the second day counts says what the first one was."""
    q, mean = 0.5, 0.24
    regret, promised = 0.0, 0.0
    for first, second in product((0, 1), repeat=2):
        stock = [1.0, 0.0 if first else 1.0]
        found = pv.order_with_stockouts(np.minimum([first, second], stock), stock, [0, 0], q=q)
        chance = (mean if first else 1 - mean) * (mean if second else 1 - mean)
        regret += chance * (1 - q - mean) * found.order
        promised = max(promised, found.upper)
    assert regret > 1.3 * promised


def test_flags_alone_would_break_it() -> None:
    """Days that did not sell out taken for days of unlimited stock: sold-out days drop out above what they had."""
    q, rng, n = 0.75, np.random.default_rng(0), 40
    costs, promised = [], 0.0
    for _ in range(20):
        demand, shelf = rng.choice([0.0, 1.0], n, p=[0.7, 0.3]), np.full(n, 0.5)
        stock = np.where(demand > shelf, shelf, np.inf)
        found = pv.order_with_stockouts(np.minimum(demand, stock), stock, np.zeros(n), q=q)
        costs.append(0.05 * (1 - found.order))  # F = 0.7 < q: all that is left out costs 0.05
        promised = max(promised, found.upper)
    assert np.mean(costs) > 1.5 * promised


@pytest.mark.parametrize(
    ("sales", "stock", "d", "message"),
    [
        ([1.0], [True], [0.1], r"stock holds flags: .* give the stock of every day"),
        ([1, 2], [3], [0.1, 0.1], r"stock has 1 entries for 2 dissimilarities; give the stock of every past day"),
        ([1], [3, 3], [0.1, 0.1], r"sales has 1 entries and stock has 2; give both"),
        ([1.0], [np.nan], [0.1], r"stock\[0\] = nan is not a stock; give what was there to be sold, inf where"),
        ([1.0], [-np.inf], [0.1], r"stock\[0\] = -inf is not a stock"),
        ([3, 5], [3, 4], [0, 0], r"sales\[1\] = 5.0 exceeds stock\[1\] = 4.0; correct one"),
        ([np.nan], [4], [0], r"sales\[0\] is missing; give what was sold, or leave the day out"),
        ([-1], [4], [0], r"sales\[0\] = -1.0 lies outside the support \[0, 10\]"),
        ([11], [np.inf], [0], r"sales\[0\] = 11.0 lies outside the support \[0, 10\]; correct the sales or widen"),
    ],
)
def test_what_cannot_be_is_said(sales: list[float], stock: list[float], d: list[float], message: str) -> None:
    with pytest.raises(pv.InputError, match=message):
        pv.order_with_stockouts(sales, stock, d, q=0.5, support=(0, 10))


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_exploring_is_worth_the_difference_of_two_guarantees() -> None:
    stock, d, problem = [40, 40, 60], [0.05] * 3, pv.Newsvendor(3, 1, support=(0, 100))
    worth = pv.value_of_stock(stock, d, q=problem, new_stock=[80, 80], new_d=[0.1, 0.1])
    now = pv.order_with_stockouts([0] * 3, stock, d, q=problem)
    then = pv.order_with_stockouts([0] * 5, [*stock, 80, 80], [*d, 0.1, 0.1], q=problem)
    assert (worth.now.upper, worth.then.upper) == (now.upper, then.upper)
    assert worth.reduction == now.upper - then.upper > 0
    assert then.unseen < now.unseen
    with pytest.raises(pv.InputError, match=r"new_stock has 1 entries"):
        pv.value_of_stock(stock, d, q=problem, new_stock=[80], new_d=[0.1, 0.1])


def test_repr_and_frame_show_the_parts() -> None:
    found = pv.order_with_stockouts([2, 4], [3, 4], [0, 0], q=0.75, support=(0, 10))
    assert repr(found).startswith("OrderWithStockouts(order=")
    assert "unseen=0.1125" in repr(found)
    frame = found.to_frame()
    assert list(frame.columns) == ["bottom", "top", "rows", "order", "part"]
    assert list(frame["rows"]) == [2, 1, 0]
    assert sum(frame["part"]) == pytest.approx(found.upper)


# --- days with less stock as witnesses between stock levels ----------------------------------------------------------


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


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_days_in_groups_keep_the_promise_exactly(block: int) -> None:
    """Shops with many days, tied, empty or endless stock: all histories, by how many of a group had which demand."""
    closest = 0.0
    for case in range(12 * block, 12 * block + 12):
        verdict = judge_stock_outs([11, case, 1])
        assert verdict.finding is None, verdict.finding
        closest = max(closest, verdict.closest)
    assert closest > 0.8  # the laws are bad enough for this to mean something


def test_plans_with_levels_keep_their_promises() -> None:
    verdict = judge_levelled_stock_outs([7, 0, 1])
    assert verdict.finding is None
    assert verdict.drawn
