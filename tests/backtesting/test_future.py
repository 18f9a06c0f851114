"""No decision knows its own demand or a later one, whatever the method, the contexts and the order of the rows."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from provend.backtesting import backtest
from provend.dissimilarity import Drift, Mismatch, calibrate_dissimilarity
from provend.dissimilarity._calibrate import triangular_orders
from provend.tables import read_contexts

START = date(2024, 1, 1)
ROWS, FIRST, EVERY = 42, 30, 6  # two origins
BASELINES = ("static", "rolling", "rolling:9", "same:kind", "same:open", "linear", "gbm", "hgb", "forest")
CERTIFIED = ("minimax", "erm", "knn", "kernel", "exponential")
OPTIONS: dict[str, Any] = {"cu": 3, "co": 1, "test": 0.3, "refit_every": EVERY}


def rich_table(*items: str) -> pl.DataFrame:
    """Items at different levels, with contexts of every kind: text, boolean, code, date, and numbers with gaps."""
    rng = np.random.default_rng(0)
    frames = []
    for item, level in (("dear", 90.0), ("cheap", 20.0)):
        columns = {
            "unique_id": item,
            "ds": [START + timedelta(days=i) for i in range(ROWS)],
            "y": [float(v) for v in rng.poisson([level + 9 * (i % 3) for i in range(ROWS)])],
            "kind": [f"kind {i % 3}" for i in range(ROWS)],
            "open": [i % 5 > 0 for i in range(ROWS)],
            "code": [i % 4 for i in range(ROWS)],
            "rain": [None if i % 11 == 2 else float(rng.uniform()) for i in range(ROWS)],
            "season": [date(2023, 1 + i % 12, 1) for i in range(ROWS)],
        }
        frames += [pl.DataFrame(columns)] if not items or item in items else []
    return pl.concat(frames)


def decided(history: Any, policies: Any, **options: Any) -> pl.DataFrame:
    """All that was decided or promised, in one order whatever that of the rows."""
    orders = backtest(history, policies=policies, **{**OPTIONS, **options}).orders
    return pl.DataFrame(orders).sort("unique_id", "ds", "policy")


@cache
def unchanged(*policies: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A history, of one item where policies are slow, and what is decided on it."""
    history = rich_table("dear") if policies == CERTIFIED else rich_table()
    return history, decided(history, list(policies))


@pytest.mark.slow
@pytest.mark.parametrize("policies", [BASELINES, CERTIFIED], ids=["baselines", "certified"])
def test_demands_from_an_origin_on_change_nothing_that_is_decided_there(policies: tuple[str, ...]) -> None:
    history, before = unchanged(*policies)
    day = START + timedelta(days=FIRST)  # the first day decided: its own demand changes too
    shaken = history.with_columns(y=pl.when(pl.col("ds") >= day).then(7 * (150 - pl.col("y"))).otherwise("y"))
    after = decided(shaken, list(policies))
    first = pl.col("ds") < day + timedelta(days=EVERY)
    kept = ["unique_id", "ds", "policy", "order", "guarantee"]
    assert before.filter(first).height == history["unique_id"].n_unique() * len(policies) * EVERY
    assert before.filter(first).select(kept).equals(after.filter(first).select(kept), null_equal=True)
    for name in set(policies) - {"static"}:  # and the test could have failed: the next origin has seen the change
        mine = ~first & (pl.col("policy") == name)
        assert not before.filter(mine)["order"].equals(after.filter(mine)["order"]), name


@pytest.mark.parametrize("policies", [BASELINES, CERTIFIED], ids=["baselines", "certified"])
def test_contexts_of_later_origins_change_nothing_before(policies: tuple[str, ...]) -> None:
    history, before = unchanged(*policies)
    day = START + timedelta(days=FIRST + EVERY)
    later = pl.col("ds") >= day
    other = history.with_columns(
        kind=pl.when(later).then(pl.lit("kind 9")).otherwise("kind"),
        rain=pl.when(later).then(pl.lit(1e6)).otherwise("rain"),
        code=pl.when(later).then(pl.lit(77)).otherwise("code"),
    )
    after = decided(other, list(policies))
    assert before.filter(~later).equals(after.filter(~later), null_equal=True)


@pytest.mark.slow
def test_the_order_of_the_rows_does_not_matter() -> None:
    history = rich_table()
    mixed = history.sample(fraction=1, shuffle=True, seed=1)
    policies = ["static", "rolling:9", "same:kind", "linear", "gbm", "hgb", "minimax", "kernel"]
    straight, shuffled = (backtest(one, policies=policies, **OPTIONS, groups=["open"]) for one in (history, mixed))
    for table, keys in (("orders", ["unique_id", "ds", "policy"]), ("by_item", ["unique_id", "policy"])):
        one, two = (getattr(result, table).sort(keys) for result in (straight, shuffled))
        assert one.equals(two, null_equal=True), table
    numbers = [result.summary.drop("policy").to_numpy().astype(float) for result in (straight, shuffled)]
    np.testing.assert_allclose(*numbers, rtol=1e-12)  # sums over items in another order


SEEN: list[tuple[list[date], list[float], list[date]]] = []


class Spy:
    """Writes down what it is shown, then spoils it."""

    def fit(self, X: Any, y: Any) -> None:
        self.past = list(X["ds"]), list(y)
        y[:] = -1e9
        if isinstance(X, pd.DataFrame):
            X["rain"] = -1e9

    def predict(self, X: Any) -> list[float]:
        SEEN.append((*self.past, list(X["ds"])))
        return [0.0] * len(X)


def test_what_methods_are_shown_is_the_past_of_one_item_and_theirs_to_spoil() -> None:
    history = rich_table()
    SEEN.clear()
    found = decided(history.sample(fraction=1, shuffle=True, seed=5), {"spy": Spy(), "again": Spy()})
    wanted = []
    for item in ("cheap", "dear"):
        mine = history.filter(pl.col("unique_id") == item)
        days, y = mine["ds"].to_list(), mine["y"].to_list()
        wanted += [(days[:o], y[:o], days[o : o + EVERY]) for o in range(FIRST, ROWS, EVERY)] * 2
    assert sorted(SEEN) == sorted(wanted)
    asked = history.filter(pl.col("ds") >= START + timedelta(days=FIRST)).sort("unique_id", "ds")
    for name in ("spy", "again"):
        mine = found.filter(pl.col("policy") == name)
        assert mine["y"].to_list() == asked["y"].to_list()
        assert mine["cost"].to_list() == (3 * asked["y"]).to_list()
    spoilt = decided(history.to_pandas(), {"spy": Spy(), "linear": "linear"}).filter(pl.col("policy") == "linear")
    assert spoilt["order"].to_list() == decided(history, ["linear"])["order"].to_list()


class Labelled:
    """Orders the code of each row and promises something else for each: what belongs to whom can be told."""

    def fit(self, X: Any, y: Any) -> None:
        self.rows = len(y)

    def predict(self, X: Any) -> list[float]:
        return [100.0 * self.rows + day.day for day in X["ds"]]

    def guarantee(self, X: Any) -> list[tuple[float, float]]:
        return [(0.0, 1000.0 * self.rows + day.day) for day in X["ds"]]


def test_orders_and_guarantees_stay_with_their_rows_and_origins() -> None:
    blank = rich_table()[:ROWS].with_columns(unique_id=pl.lit("blank"), y=None)  # an item without demand in between
    dear, cheap = rich_table()[:ROWS], rich_table()[ROWS:]
    found = decided(pl.concat([dear, blank, cheap], how="vertical_relaxed"), {"static": "static", "own": Labelled()})
    mine = found.filter(pl.col("policy") == "own").rows(named=True)
    assert [row["unique_id"] for row in mine] == ["cheap"] * (ROWS - FIRST) + ["dear"] * (ROWS - FIRST)
    for row in mine:
        i = (row["ds"] - START).days
        origin = FIRST + (i - FIRST) // EVERY * EVERY
        assert row["order"] == 100 * origin + row["ds"].day
        assert row["guarantee"] == 1000 * origin + row["ds"].day
    assert found.filter(pl.col("policy") == "static")["guarantee"].is_null().all()


@pytest.mark.parametrize(("rows", "status"), [(4, "ok"), (3, "ok"), (2, "too few rows")])
def test_two_rows_to_learn_from_are_enough(rows: int, status: str) -> None:
    found = backtest(rich_table()[:rows], policies=["static"], cu=1, co=1, test="1/3")
    assert found.by_item["status"].to_list() == [status]


def test_hours_that_clocks_show_twice_are_told_apart() -> None:
    start = datetime(2024, 10, 26, 12)
    utc = pl.Series("ds", [start + timedelta(hours=i) for i in range(30)])  # summer time ends after 13 of them
    frame = pl.DataFrame({"unique_id": "a", "ds": utc, "y": [float(i) for i in range(30)]})
    zoned = frame.with_columns(
        pl.col("ds").dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"),
    ).sample(fraction=1, shuffle=True, seed=3)
    options: dict[str, Any] = {"policies": ["rolling:1"], "cu": 1, "co": 1, "test": "2/3", "refit_every": 1}
    assert backtest(zoned, **options).orders["order"].to_list() == [float(i) for i in range(9, 29)]


def test_calibration_decides_again_from_earlier_rows_only() -> None:
    rng = np.random.default_rng(7)
    days = np.arange(60.0)
    kinds = rng.integers(0, 3, 60)
    y = 10 + 4 * kinds + days + rng.normal(size=60)
    past = read_contexts(pl.DataFrame({"day": days, "kind": [f"k{k}" for k in kinds]}))
    for model in (Mismatch("kind", 0.2) + Drift(0.004, "day"), Mismatch("kind", 0.45) + Drift(0.45, "day")):
        d = model(past, past)
        costs = []
        for t in range(30, 60):
            up = np.argsort(y[:t], kind="stable")
            order = triangular_orders(d[t, :t][up][None], y[:t][up], 0.75)[0]
            costs.append(max(0.75 * (y[t] - order), -0.25 * (y[t] - order)))
        found = calibrate_dissimilarity(model, past, y, q=0.75)
        assert found.decisions == 30
        assert found.given_cost == pytest.approx(np.mean(costs), rel=1e-12)


class Tired(Labelled):
    """Fails at the second origin of the dear item."""

    def fit(self, X: Any, y: Any) -> None:
        if len(y) > FIRST and max(y) > 60:
            raise RuntimeError("enough")
        super().fit(X, y)


def test_a_method_that_fails_on_the_way_is_not_charged_for_half_an_item() -> None:
    result = backtest(rich_table(), policies={"static": "static", "tired": Tired()}, **OPTIONS)
    assert result.by_item["status"].to_list() == ["ok", "failed: RuntimeError: enough", "ok", "ok"]
    assert result.orders.filter(pl.col("policy") == "tired")["unique_id"].unique().to_list() == ["cheap"]
    assert result.summary["days"].to_list() == [2 * (ROWS - FIRST), ROWS - FIRST]
