"""Portfolios: sums rounded outwards, and orders under a budget against all histories and the best orders there are."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

import provend as pv
from samplers import a_design

F = Fraction
Law = dict[int, F]
TOP = 4


def cost(order: F, law: Law, cu: F | int, co: F | int) -> F:
    return sum((p * (cu * max(y - order, F(0)) + co * max(order - y, F(0))) for y, p in law.items()), F(0))


def a_law(rng: np.random.Generator) -> Law:
    """Of a few demands, or of the two ends alone."""
    parts = rng.integers(0, 4, TOP + 1) * (rng.integers(0, 2, TOP + 1) if rng.random() < 0.5 else np.arange(5) % 4 == 0)
    parts[rng.integers(TOP + 1)] += 1
    return {y: F(int(part), int(parts.sum())) for y, part in enumerate(parts.tolist()) if part}


def best_within(budget: F, uses: list[F], costs) -> F:
    """Convex and piecewise linear with kinks at whole orders: at most one of the two best orders is not whole."""
    pairs = []
    for i, a in product((0, 1), range(TOP + 1)):
        left = min((budget - uses[i] * a) / uses[1 - i], F(TOP))
        others = [left, *(F(b) for b in range(TOP + 1) if b <= left)] if left >= 0 else []
        pairs += [(F(a), b) if i == 0 else (b, F(a)) for b in others]
    return min(costs(a, b) for a, b in pairs)


@pytest.mark.parametrize("seed", range(60))
def test_never_above_the_statement(seed: int) -> None:
    """Two items whose demands are the same draws, at every budget and price: dependence does no harm."""
    rng = np.random.default_rng(seed)
    law, n = a_law(rng), int(rng.integers(1, 4))
    prices = [(int(rng.integers(1, 9)), int(rng.integers(1, 4))) for _ in range(2)]
    uses = [F(int(rng.integers(1, 4))), F(int(rng.integers(1, 4)))]
    budget, multiplier = F(int(rng.integers(0, 20)), 2), F(int(rng.integers(0, 8)), 3)
    policies = [pv.ERM(), pv.KNN(1), pv.Mixture([pv.OrderStatistic(n), pv.NoData()], ["1/2", "1/2"])]
    chosen = [policies[i] for i in rng.integers(3, size=2)]
    d = np.zeros(n)

    def total(a: F, b: F) -> F:
        return cost(a, law, *prices[0]) + cost(b, law, *prices[1])

    expected, allowed, bound = F(0), F(0), None
    for history in product(law.items(), repeat=n):
        chance = prod(p for _, p in history)
        named = {
            name: pv.BudgetItem(pv.Newsvendor(*c, (0, TOP)), policy, [y for y, _ in history], d, use)
            for name, c, policy, use in zip("ab", prices, chosen, uses, strict=True)
        }
        found = pv.budgeted_orders(named, budget=budget, multiplier=multiplier)
        orders = [F(order) for order in found.orders.tolist()]
        assert sum(use * order for use, order in zip(uses, orders, strict=True)) <= budget
        expected += chance * total(*orders)
        allowed += chance * (multiplier * F(found.unused) + F(found.cut))
        bound = found.guarantee.upper
    assert expected - best_within(budget, uses, total) <= F(bound) + allowed * (1 + F(1, 10**12))


def test_the_statement_is_reached() -> None:
    """Price nothing, room for everything: Bernoulli demands, the same draws for all items, attain the sum."""
    d, problem = [0.1, 0.2, 0.05], pv.Newsvendor(4, 1, support=(0, TOP))
    worst = pv.worst_case_regret(pv.ERM(), d, q=problem).worst_case
    past, mean = [F(float(p)) for p in worst.history], F(worst.mean)
    law, regret = {0: 1 - mean, TOP: mean}, F(0)
    for outcome in product((0, 1), repeat=3):
        chance = prod(p if one else 1 - p for p, one in zip(past, outcome, strict=True))
        items = {name: pv.BudgetItem(problem, pv.ERM(), TOP * np.array(outcome), d) for name in "abc"}
        found = pv.budgeted_orders(items, budget=3 * TOP, multiplier=0)
        regret += chance * sum(cost(F(order), law, 4, 1) for order in found.orders.tolist())
        assert found.cut == 0.0
    regret -= 3 * min(cost(F(order), law, 4, 1) for order in (0, TOP))
    assert float(regret) == pytest.approx(found.guarantee.upper, rel=1e-6)


def test_each_item_decides_at_the_ratio_its_price_leaves() -> None:
    y, d = list(range(1, 11)), np.full(10, 0.01)
    dear = pv.BudgetItem(pv.Newsvendor(9, 1, support=(0, 12)), pv.ERM(), y, d, use=4)
    cheap = pv.BudgetItem(pv.Newsvendor(2, 3, support=(0, 12)), pv.ERM(), y, d, use=2)
    found = pv.budgeted_orders({"dear": dear, "cheap": cheap}, budget=100, multiplier=1)
    assert found.orders.tolist() == [5.0, 0.0]  # (9 - 4) / 10 of the way; the other is not worth its budget
    priced = pv.worst_case_regret(pv.ERM(), d, q=pv.Newsvendor(5, 5, support=(0, 12)))
    assert (found.lower[0], found.upper[0], found.upper[1]) == (priced.lower, priced.upper, 0.0)
    assert (found.used, found.unused, found.cut) == (20.0, 80.0, 0.0)
    assert "plus the expectation of 1 times the unused budget" in found.statement
    assert "this time 80 and 0" in found.statement
    assert found.to_frame()["item"].to_list() == ["dear", "cheap"]


def test_what_does_not_fit_is_cut_where_it_loses_least() -> None:
    y, d = [6, 6, 6], np.zeros(3)
    items = {
        "a": pv.BudgetItem(pv.Newsvendor(9, 1, support=(0, 12)), pv.ERM(), y, d, use=3),  # 9 / 3 per unit of budget
        "b": pv.BudgetItem(pv.Newsvendor(4, 1, support=(0, 12)), pv.ERM(), y, d, use=1),
        "c": pv.BudgetItem(pv.Newsvendor(2, 1, support=(2, 12)), pv.ERM(), y, d, use=1),
    }
    found = pv.budgeted_orders(items, budget=20, multiplier="0.5")
    assert found.wanted.tolist() == [6.0, 6.0, 6.0]
    assert found.orders.tolist() == [4.0, 6.0, 2.0]  # c down to the end of its support, then a
    assert (found.used, found.unused) == (20.0, 0.0)
    assert found.cut == pytest.approx(4 * 1.5 + 2 * 7.5)
    tight = pv.budgeted_orders(items, budget="20.1", multiplier=0)
    assert sum(F(a) * use for a, use in zip(tight.orders.tolist(), (3, 1, 1), strict=True)) <= F("20.1")


def test_a_cut_has_its_price() -> None:
    """No price on the budget, and half too little of it: what is proved without the price of the cut would be false."""
    n, laws = 2000, [{TOP: F(1)}, {0: F(19, 100), TOP: F(81, 100)}]
    sure, likely = (
        np.full(n, TOP),
        np.repeat([0, TOP], [n * 19 // 100, n * 81 // 100]),
    )  # any other history wants the same
    items = {
        "sure": pv.BudgetItem(pv.Newsvendor(5, 1, support=(0, TOP)), pv.ERM(), sure, np.zeros(n)),
        "likely": pv.BudgetItem(pv.Newsvendor("5.1", 1, support=(0, TOP)), pv.ERM(), likely, np.zeros(n)),
    }
    found = pv.budgeted_orders(items, budget=TOP, multiplier=0)
    assert found.wanted.tolist() == [TOP, TOP]
    assert found.orders.tolist() == [0, TOP]
    spent, other = (
        cost(F(a), laws[0], 5, 1) + cost(F(b), laws[1], F("5.1"), 1) for a, b in (found.orders.tolist(), (TOP, 0))
    )
    assert spent - other > 4 * found.guarantee.upper
    assert spent - other <= found.guarantee.upper + found.cut


@pytest.mark.parametrize("seed", range(10))
def test_sums_are_rounded_outwards(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problems = [
        pv.Newsvendor(int(rng.integers(1, 9)), "0.1", support=(0, 10.0 ** rng.integers(-3, 7))) for _ in range(9)
    ]
    found = [pv.worst_case_regret(pv.ERM(), a_design(rng, 5), q=problem) for problem in problems]
    total = pv.total_guarantee(found)
    assert F(total.lower) <= sum(F(one.lower) for one in found)
    assert F(total.upper) >= sum(F(one.upper) for one in found)
    assert total.upper == pytest.approx(sum(one.upper for one in found), rel=1e-14)
    many = pv.total_guarantee([(np.array([one.lower for one in found]), np.array([one.upper for one in found]))])
    assert (many.lower, many.upper) == (total.lower, total.upper)


def test_tenths_are_not_lost() -> None:
    total = pv.total_guarantee([(0.1, 0.1)] * 3)
    assert F(total.lower) <= 3 * F(0.1) <= F(total.upper)
    assert pv.total_guarantee([]).upper == 0.0


@pytest.mark.parametrize("items", [[1, 2], {"a": 3}])
def test_only_items_share_a_budget(items: object) -> None:
    with pytest.raises(TypeError, match="BudgetItem"):
        pv.budgeted_orders(items, budget=3, multiplier=0)


def test_one_guarantee_is_no_list_and_a_ratio_no_problem() -> None:
    with pytest.raises(TypeError, match="is not a list of them"):
        pv.total_guarantee(pv.worst_case_regret(pv.ERM(), [0.1], q=pv.Newsvendor(1, 2)))
    with pytest.raises(TypeError, match=r"problem = 0\.5 is no Newsvendor"):
        pv.BudgetItem(0.5, pv.ERM(), [1], [0])


def test_the_statement_does_not_round_its_price_down() -> None:
    plan = pv.budgeted_orders({"a": ITEM}, budget=20, multiplier="1/3")
    stated = plan.statement.split("the expectation of ")[1].split()[0]
    assert F(stated) == pytest.approx(F(1, 3), rel=1e-14)


D = [0.1, 0.2]
ITEM = pv.BudgetItem(pv.Newsvendor(1, 1, support=(2, 5)), pv.ERM(), [3, 4], D, use=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pv.total_guarantee([pv.worst_case_regret(pv.ERM(), D, q=0.5)]), r"guarantees\[0\] has unit 1"),
        (lambda: pv.total_guarantee([(2.0, 1.0)]), r"guarantees\[0\] = \(2.0, 1.0\) is no bracket"),
        (lambda: pv.total_guarantee([(0.0, np.inf)]), "is no bracket"),
        (lambda: pv.total_guarantee(["much"]), r"guarantees\[0\] = 'much' is no guarantee"),
        (lambda: pv.total_guarantee([(0, 1), 2.0]), r"guarantees\[1\] = 2.0 is no guarantee"),
        (lambda: pv.total_guarantee([(0, 1, 2)]), r"guarantees\[0\] = \(0, 1, 2\) is no guarantee"),
        (lambda: pv.BudgetItem(pv.Newsvendor(1, 1), pv.ERM(), [1], [0], use=0), "use = 0 must be positive"),
        (lambda: pv.budgeted_orders({"a": ITEM}, budget=3, multiplier=0), "budget = 3 for 1 items .* take 4"),
        (lambda: pv.budgeted_orders({}, budget=3, multiplier=0), "budget = 3 for 0 items"),
        (lambda: pv.budgeted_orders({"a": ITEM}, budget=9, multiplier=-1), "multiplier = -1 is negative"),
        (lambda: pv.budgeted_orders({"a": ITEM}, budget="plenty", multiplier=1), "budget = 'plenty' is not"),
    ],
)
def test_what_cannot_be_is_refused(call, message: str) -> None:
    with pytest.raises(pv.InputError, match=message):
        call()
