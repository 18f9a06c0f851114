"""Packs and stock in the estimators: law and regret of what is drawn, by enumeration, and what may not matter."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import provend as pv
from oracle import kappa_of
from provend.estimators import ContextualNewsvendor, PanelNewsvendor
from samplers import a_ratio

F = Fraction
Law = dict[int, F]

GRIDS = {(3, 0): [0, 3, 6, 9], (2, 4): [0, 4, 6, 8], (1, 0): list(range(8)), (4, 7): [0, 8]}
TOP = 7


def neighbours(grid: list[int], y: F) -> dict[int, F]:
    """The two possible orders around y with the probabilities that keep its mean."""
    for below, above in pairwise(grid):
        if below <= y <= above:
            share = (y - below) / F(above - below)
            return {order: p for order, p in ((below, 1 - share), (above, share)) if p}
    raise AssertionError(y)


def law_of_orders(policy: pv.Policy, y: tuple[int, ...], d: list[float], q: F, grid: list[int], stock: int) -> Law:
    """By enumeration: demands beyond the stock are drawn, the policy averages, the average is drawn."""
    top = min(one for one in grid if one >= TOP - stock)
    kappa, found = kappa_of(policy, d, q), dict[int, F]()
    for history in product(*(neighbours(grid, F(max(one - stock, 0))).items() for one in y)):
        seen, average = tuple(a for a, _ in history), F(0)
        for low, high in pairwise(sorted({0, top, *seen})):
            average += (high - low) * (1 - F(kappa(tuple(int(one <= low) for one in seen))))
        for order, p in neighbours(grid, average).items():
            found[order] = found.get(order, F(0)) + p * prod(p for _, p in history)
    return found


def fitted(policy: pv.Policy, y: tuple[int, ...], costs: tuple[int, int], **options: Any) -> ContextualNewsvendor:
    """All rows at 0.1, targets told apart by a column that counts for nothing but chance."""
    model = ContextualNewsvendor(*costs, policy=policy, dissimilarity=0.1, support=(0, TOP), level=None, **options)
    return model.fit(pd.DataFrame({"place": np.arange(len(y)) * 0.37 % 1}), np.array(y, float))


@pytest.mark.parametrize(("pack", "minimum"), GRIDS)
@pytest.mark.parametrize("stock", [0, 2])
def test_what_is_drawn_has_the_law_that_was_proved(pack: int, minimum: int, stock: int) -> None:
    policy, y, size = pv.Mixture([pv.OrderStatistic(2), pv.NoData()], ["2/3", "1/3"]), (1, 4, 6), 1500
    model = fitted(policy, y, (1, 1), orders=pv.Orders(pack, minimum))
    orders = model.predict(pd.DataFrame({"place": np.arange(size) + 0.5}), stock=stock)
    exact = law_of_orders(policy, y, [0.1] * 3, F(1, 2), GRIDS[pack, minimum], stock)
    assert set(orders.tolist()) <= set(exact)
    for order, p in exact.items():
        assert abs(np.mean(orders == order) - float(p)) < 5 * (float(p * (1 - p)) / size) ** 0.5 + 1e-12


def cost(level: F, law: Law, q: F) -> F:
    return sum((p * (q * max(y - level, F(0)) + (1 - q) * max(level - y, F(0))) for y, p in law.items()), F(0))


def apart(one: Law, other: Law) -> float:
    gaps = (sum((one.get(y, F(0)) - other.get(y, F(0)) for y in range(at + 1)), F(0)) for at in range(TOP + 1))
    return float(np.nextafter(float(max(map(abs, gaps))), 2))


def a_law(rng: np.random.Generator, near: Law | None) -> Law:
    """Any law, or one near another: part of it put elsewhere, most often at one end."""
    if near is None:
        parts = rng.integers(0, 5, TOP + 1) * (rng.random(TOP + 1) < 0.6)
        parts[rng.integers(TOP + 1)] += 1
        return {y: F(int(part), int(parts.sum())) for y, part in enumerate(parts.tolist()) if part}
    share, to = F(int(rng.integers(0, 4)), 10), int(rng.choice([0, TOP, rng.integers(TOP + 1)]))
    found = {y: p * (1 - share) for y, p in near.items()}
    found[to] = found.get(to, F(0)) + share
    return found


@pytest.mark.parametrize("seed", range(30))
def test_never_above_the_guarantee(seed: int) -> None:
    """Laws of several values, packs and stock: expected regret against the best possible order on top of the stock."""
    rng = np.random.default_rng(seed)
    n, stock = int(rng.integers(1, 4)), int(rng.integers(0, TOP))
    (pack, minimum), grid = list(GRIDS.items())[rng.integers(len(GRIDS))]
    q = a_ratio(rng, n)
    ranks = [pv.OrderStatistic(int(rank)) for rank in rng.integers(0, n + 2, 2)]
    policy = [pv.ERM(), pv.KNN(1), pv.Mixture(ranks, ["1/3", "2/3"])][rng.integers(3)]
    future = a_law(rng, None)
    past = [a_law(rng, future) for _ in range(n)]
    d = [apart(law, future) for law in past]
    expected = F(0)
    for history in product(*(law.items() for law in past)):
        drawn = law_of_orders(policy, tuple(y for y, _ in history), d, q, grid, stock)
        chance = prod(p for _, p in history)
        expected += chance * sum(p * cost(F(stock + order), future, q) for order, p in drawn.items())
    best = min(cost(F(stock + order), future, q) for order in grid)
    table = {"place": np.arange(n) * 0.37 % 1}
    model = ContextualNewsvendor(
        q.numerator, q.denominator - q.numerator, policy=policy, support=(0, TOP), level=None,
        dissimilarity=lambda past, targets: np.tile(d, (len(targets), 1)), orders=pv.Orders(pack, minimum),
    ).fit(pd.DataFrame(table), np.zeros(n))  # fmt: skip
    promised = model.guarantee(pd.DataFrame({"place": [0.5]}), stock=stock).upper[0]
    assert (expected - best) * q.denominator <= F(promised)
    width = min(order for order in grid if order >= TOP - stock)
    bound = pv.worst_case_regret(policy, d, q=q).upper * q.denominator * width
    assert promised == pytest.approx(bound, rel=2e-3)  # and no more than the theorem has it


def days(size: int = 40) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(5)
    return pd.DataFrame({"place": rng.random(size)}), rng.uniform(3, 40, size)


@pytest.mark.parametrize("policy", ["minimax", "kernel"])
def test_orders_are_possible_repeatable_and_nobody_elses_business(policy: str) -> None:
    X, y = days(12)  # so few that chance is seen in the orders
    options = {"policy": policy, "dissimilarity": 0.05, "support": (3, 40), "orders": pv.Orders(6, minimum=12)}
    model = ContextualNewsvendor(3, 1, **options).fit(X, y)
    targets, stock = X + 0.01, np.arange(12.0)
    found = model.predict(targets, stock=stock)
    assert set(found.tolist()) <= set(model.orders.possible((0, 60)).tolist())
    again = clone(model).fit(X, y)
    assert again.predict(targets[::-1], stock=stock[::-1]).tolist() == found[::-1].tolist()
    assert again.predict(targets[3:4], stock=3.0).tolist() == found[3:4].tolist()
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert other.predict(targets, stock=stock).tolist() != found.tolist()
    assert other.guarantee(targets, stock=stock).upper.tolist() == model.guarantee(targets, stock=stock).upper.tolist()
    free = clone(model).set_params(orders=None).fit(X, y)
    assert (np.abs(found - free.predict(targets, stock=stock)) <= 12).all()
    assert model.newsvendor_.support == (0, 42)
    assert "to [0, 42]" in model.basis_


def test_without_draws_the_guarantee_grows_by_the_allowance() -> None:
    X, y = days()
    trays = pv.Orders(6)
    plain = ContextualNewsvendor(3, 1, dissimilarity=0.05, support=(0, 42)).fit(X, y)
    model = clone(plain).set_params(orders=trays, random_state=None).fit(X, y)
    targets = X[:5] + 0.01
    assert model.predict(targets).tolist() == trays.rounded(plain.predict(targets), q="3/4", support=(0, 42)).tolist()
    more = trays.allowance(q=pv.Newsvendor(3, 1, (0, 42)))
    assert model.guarantee(targets).upper == pytest.approx(plain.guarantee(targets).upper + more)


def test_stock_is_what_need_not_be_ordered() -> None:
    X, y = days()
    model = ContextualNewsvendor(3, 1, policy="erm", dissimilarity=0.05, support=(0, 40)).fit(X, y)
    targets = X[:3] + 0.01
    level, promised = model.predict(targets), model.guarantee(targets).upper
    stock = np.array([0.0, 10.0, 50.0])
    assert model.predict(targets, stock=stock) == pytest.approx(np.maximum(level - stock, 0))
    left = model.guarantee(targets, stock=stock)
    assert left.upper == pytest.approx(promised * [1, 0.75, 0])  # in proportion to the support that is left
    assert left.percent_of_no_data[2] == 0


@pytest.mark.parametrize("low", [0, 10])
def test_whole_orders_on_top_of_stock_are_never_beyond_need(low: int) -> None:
    """Demand less stock lies below the support: no order may be moved into it."""
    X, y = np.zeros((3, 1)), low + np.array([2.0, 5.0, 7.0])
    free = ContextualNewsvendor(3, 2, policy="erm", dissimilarity=0.0, support=(low, low + 10)).fit(X, y)
    model = clone(free).set_params(integer=True).fit(X, y)
    for stock in (0, 2, 8.25, 12, 30):
        assert model.predict(X[:1], stock=stock) == np.rint(free.predict(X[:1], stock=stock))


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize(("low", "grid"), [(-4, [-4, -1, 0, 3]), (-7, [-7, -5, -1])])
def test_demand_may_be_negative_where_nothing_is_in_stock(low: int, grid: list[int], drawn: bool) -> None:
    """More is returned than sold: Bernoulli demands at the ends of the support, all histories, no shift."""
    X, costs, q = pd.DataFrame({"place": [0.1, 0.7]}), (3, 2), F(3, 5)
    options = {"policy": pv.ERM(), "dissimilarity": 0.0, "level": None, "support": (grid[0], grid[-1])}
    ends, mean = (grid[0], grid[-1]), F(3, 10)
    regret = F(0)
    for history in product((0, 1), repeat=2):
        y = np.array([ends[bit] for bit in history], float)
        state = 0 if drawn else None
        model = ContextualNewsvendor(*costs, orders=pv.Orders(among=grid), random_state=state, **options).fit(X, y)
        order = F(model.predict(X[:1])[0])
        assert order == ends[max(history)]  # of two at q = 3/5 the larger
        over = (1 - mean) * 2 * (order - ends[0]) + mean * 3 * (ends[1] - order)
        regret += prod(mean if bit else 1 - mean for bit in history) * over
    best = min((1 - mean) * 2 * (order - ends[0]) + mean * 3 * (ends[1] - order) for order in grid)
    assert q * mean < regret - best <= F(model.guarantee(X[:1]).upper[0])
    assert low == model.newsvendor_.support[0]


BAD = {
    "does not say what is possible": ({"orders": 6}, None),
    "Orders() alone means whole units": ({"orders": pv.Orders(), "integer": True}, None),
    "random_state = -1": ({"orders": pv.Orders(), "random_state": -1}, None),
    "leaves only one possible order": ({"orders": pv.Orders(among=[50, 60])}, None),
    "stock[0] = -1.0 is not a stock": ({}, -1),
    "stock has shape (2,) for 3 targets": ({}, [1, 2]),
}


@pytest.mark.parametrize("said", BAD)
def test_what_cannot_be_is_refused(said: str) -> None:
    options, stock = BAD[said]
    X, y = days()
    with pytest.raises(pv.InputError) as error:
        ContextualNewsvendor(dissimilarity=0.1, support=(0, 40), **options).fit(X, y).predict(X[:3], stock=stock)
    assert said in str(error.value)


@pytest.fixture(scope="module")
def panel() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    dates, names = pd.date_range("2024-01-01", periods=40), [f"item {i}" for i in range(6)]
    X = pd.DataFrame({"unique_id": np.repeat(names, 40), "ds": np.tile(dates, 6)})
    return X, rng.poisson(np.repeat(np.arange(5, 35, 5), 40)).astype(float)


def test_panels_order_packs_on_top_of_stock(panel: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = panel
    free = PanelNewsvendor(9, 1, support=(0, 60)).fit(X, y)
    targets = pd.DataFrame({"unique_id": [f"item {i}" for i in (0, 2, 5)] + ["new"], "ds": pd.Timestamp("2024-02-10")})
    stock = np.array([3.0, 0, 500, 1])
    packed = clone(free).set_params(orders=pv.Orders(6, minimum=12)).fit(X, y)
    found = packed.predict(targets, stock=stock)
    assert set(found.tolist()) <= set(pv.Orders(6, 12).possible((0, 60)).tolist())
    assert (np.abs(found - free.predict(targets, stock=stock)) <= 12).all()
    assert found[2] == packed.guarantee(targets, stock=stock).upper[2] == 0
    assert packed.predict(targets[1:2], stock=stock[1:2]) == found[1]
    share = packed.guarantee(targets, stock=stock).percent_of_no_data
    assert share[:2] == pytest.approx(free.guarantee(targets).percent_of_no_data[:2])
    rounded = packed.set_params(random_state=None).with_items(X, y)
    wanted = free.predict(targets, stock=stock)
    assert rounded.predict(targets, stock=stock) == pytest.approx(
        pv.Orders(6, 12).rounded(wanted, q="9/10", support=(0, 60))
    )
    price = rounded.guarantee(targets).upper - free.guarantee(targets).upper
    assert price == pytest.approx(pv.Orders(6, 12).allowance(q=pv.Newsvendor(9, 1, (0, 60))))
