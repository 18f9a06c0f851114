"""Guarantees that were surely exceeded: the limit by a plain loop, how often it errs, and what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, log1p, sqrt

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from histories import policy_rows, random_table, rows
from provend.backtesting import backtest
from provend.backtesting._schedule import Orders
from provend.backtesting._sure import CONFIDENCE, NEAR, SCALES, Contest

Floats = NDArray[np.float64]
CU, CO = 9.0, 1.0


def cost(order: float, demand: float) -> float:
    return CU * max(demand - order, 0) + CO * max(order - demand, 0)


def contest(orders: Floats, y: Floats, items: Sequence[int], dates: Sequence[float], first: int) -> Contest:
    """``orders`` with one column per method; the first rows of each item are decided before any demand."""
    item = np.array(items)
    place = np.array([i - items.index(one) for i, one in enumerate(items)])
    found = Orders(np.arange(y.size), orders, orders, orders, place < first, [])
    costs = np.array([[cost(a, d) for a in row] for row, d in zip(orders, y, strict=True)])
    return Contest.of(costs, found, item, np.array(dates, float), (CU, CO))


def slow_limit(
    orders: Floats, y: Floats, items: Sequence[int], dates: Sequence[float], first: int, method: int
) -> float:
    """Row by row, with the formulas of the docs."""
    by_date: dict[float, list[float]] = {}
    squares, known = 0.0, set()
    for i, day in enumerate(dates):
        earlier = [j for j in range(i) if items[j] == items[i]]
        others = [m for m in range(orders.shape[1]) if m != method]
        rival = min(others, key=lambda m: (sum(cost(orders[j, m], y[j]) for j in earlier), m))
        a, b = orders[i, method], orders[i, rival]
        x, u = cost(a, y[i]) - cost(b, y[i]), CU * (a - b) if a > b else CO * (b - a)
        sums = by_date.setdefault(day, [0.0, 0.0, 0.0])
        for k, value in enumerate((x, u, (CU + CO) * abs(a - b))):
            sums[k] += value
        if len(earlier) < first and dates[items.index(items[i])] == min(dates):
            squares += sum((a - orders[i, m]) ** 2 for m in others) / len(others)
            known.add(day)
    expected = sqrt(CU * CO * squares / len(known))
    budget = log(len(SCALES) / (1 - CONFIDENCE))
    limits = [0.0]
    for scale in SCALES:
        rate = sqrt(2 * budget / len(by_date)) / (scale * expected)
        price = 0.0
        for x, u, w in by_date.values():
            if u == 0:
                continue
            near = rate * u <= NEAR
            price += x * x * (-log1p(-rate * u) - rate * u) / u**2 if near else (rate * w) ** 2 / 8
        limits.append(sum(x for x, _, _ in by_date.values()) - (budget + price) / rate)
    return max(limits) / len(y)


def test_the_limit_is_that_of_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    items, dates = [0] * 60 + [1] * 50, [*range(60), *range(10, 60)]
    y = rng.integers(0, 10, 110).astype(float)
    orders = np.column_stack([np.full(110, 2.0), rng.integers(7, 10, 110), rng.integers(6, 9, 110)])
    found = contest(orders, y, items, dates, 20).at_least(np.arange(110), np.full(3, 110))
    slow = [slow_limit(orders, y, items, dates, 20, method) for method in range(3)]
    np.testing.assert_allclose(found, slow, rtol=1e-9)
    assert found[0] > 1
    assert found.argmax() == 0


def test_every_step_has_a_mean_of_at_most_one() -> None:
    """Of exp(lambda (x - m) - p) for demands that are below both orders, above both, or in between."""
    for up, down in ((CO, CU), (CU, CO), (1.0, 1.0)):
        for rate in (0.01, 0.05, NEAR / down, 2 / down):
            for chances in np.random.default_rng(0).dirichlet([0.3] * 4, 200):
                x = np.array([up, -down, up / 3 - down / 2, 0.0])
                near = rate * down <= NEAR + 1e-12
                fan = x**2 * (-log1p(-rate * down) - rate * down) / down**2 if near else 0
                price = fan if near else (rate * (up + down)) ** 2 / 8
                assert float(chances @ np.exp(rate * (x - chances @ x) - price)) <= 1 + 1e-12


def test_the_limit_errs_rarely() -> None:
    """Orders that follow the past against others, on demands whose law is known: so is the expected regret."""
    rng, beyond, runs, days = np.random.default_rng(2), 0, 300, 60
    law = np.array([0.3, 0.1, 0.5, 0.1])  # of 0, 1, 2, 9
    values = np.array([0.0, 1.0, 2.0, 9.0])
    expected = {a: float(law @ [cost(a, v) for v in values]) for a in values}
    limits = []
    for _ in range(runs):
        y = rng.choice(values, days, p=law)
        mine = np.r_[[0.0] * 10, np.where(y[:-10] > 1, 9.0, 0.0)]  # chases, ten days late
        orders = np.column_stack([mine, np.full(days, 2.0), np.full(days, 9.0)])
        regret = np.mean([expected[a] for a in mine]) - min(expected.values())
        limits.append(contest(orders, y, [0] * days, range(days), 10).at_least(np.arange(days), np.full(3, days))[0])
        beyond += limits[-1] > regret
    assert beyond <= runs * (1 - CONFIDENCE)
    assert max(limits) > 0  # it says something


class Promise:
    """One order, one guarantee."""

    def __init__(self, order: float, regret: float) -> None:
        self.order, self.regret = order, regret

    def fit(self, X: object, y: object) -> None: ...

    def predict(self, X: Sequence[object]) -> list[float]:
        return [self.order] * len(X)

    def guarantee(self, X: Sequence[object]) -> list[tuple[float, float]]:
        return [(0.0, self.regret)] * len(X)


def test_a_broken_promise_is_flagged_and_a_kept_one_is_not() -> None:
    history = random_table(items=2, rows=300)
    policies = {"static": "static", "broken": Promise(2, 3.0), "kept": Promise(2, 200.0), "good": Promise(22, 20.0)}
    result = backtest(history, cu=9, co=1, policies=policies)
    summary = policy_rows(result)
    assert [name for name, row in summary.items() if row["exceeded"]] == ["broken"]
    assert {row["policy"] for row in rows(result.by_item) if row["exceeded"]} == {"broken"}
    assert summary["broken"]["regret_at_least"] > 3
    assert summary["kept"]["regret_at_least"] == pytest.approx(summary["broken"]["regret_at_least"], rel=0.1)
    dearer = summary["broken"]["mean_cost"] - min(row["mean_cost"] for row in summary.values())
    assert summary["broken"]["regret_at_least"] < dearer
    alone = policy_rows(backtest(history, cu=9, co=1, policies={"broken": Promise(2, 3.0)}))
    assert (alone["broken"]["regret_at_least"], alone["broken"]["exceeded"]) == (0, False)


def test_pooled_costs_by_hand() -> None:
    """Two items, one of them dear: every item alike, and by money."""
    cheap, dear = [1.0, 2, 1, 2, 1, 2, 1, 2, 1, 1], [10.0, 30, 10, 30, 10, 30, 10, 30, 20, 20]
    still = [5.0] * 10  # which the static quantile serves for nothing
    frames = [
        pl.DataFrame({"unique_id": name, "ds": range(10), "y": y})
        for name, y in {"cheap": cheap, "dear": dear, "still": still}.items()
    ]
    policies = {"mine": Promise(1, 9.0), "static": "static"}
    result = backtest(pl.concat(frames), cu=1, co=1, policies=policies, test=0.2)
    mine, static = rows(result.pooled)
    # Static orders 1, 10 and 5: costs 0 and 0, 10 and 10, 0 and 0; mine orders 1: 0, 19 + 19, 4 + 4.
    assert (mine["items"], mine["mean_of_items"], mine["share_cheaper"]) == (1, 38 / 20, 0)
    assert mine["ratio_of_totals"] == 46 / 20
    assert (static["items"], static["mean_of_items"], static["ratio_of_totals"]) == (1, 1, 1)
    other = backtest(pl.concat(frames).with_columns(pl.col("y") + pl.col("ds") % 3), cu=3, co=1, policies=policies)
    relative = {row["unique_id"]: row for row in rows(other.by_item) if row["policy"] == "mine"}
    cost_of = {row["unique_id"]: row["total_cost"] for row in rows(other.by_item) if row["policy"] == "static"}
    shares = [row["total_cost"] / cost_of[name] for name, row in relative.items()]
    assert rows(other.pooled)[0]["mean_of_items"] == pytest.approx(np.mean(shares))
