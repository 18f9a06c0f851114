"""Backtests against tables worked out by hand, plain loops, and what must not change when the future does."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import provend as pv
from histories import SIMPLE, START, policy_rows, random_table, rows, table
from provend.backtesting import EmpiricalQuantile, backtest
from provend.backtesting._regret import bootstrap_interval, date_blocks
from provend.estimators import ContextualNewsvendor


def test_a_table_worked_out_by_hand() -> None:
    history = table([*range(1, 11), 12, 11, 9, 20])
    result = backtest(history, cu=3, co=1, policies=["static", "rolling"], test="2/7", refit_every=2)
    static, rolling = rows(result.summary)
    orders = {name: result.orders.filter(pl.col("policy") == name) for name in ("static", "rolling")}
    assert orders["static"]["order"].to_list() == [8, 8, 8, 8]  # 8 is the 8th of 10, and ceil(0.75 * 10) = 8
    assert orders["rolling"]["order"].to_list() == [8, 8, 9, 9]  # 9 is the 9th of 12
    assert orders["static"]["cost"].to_list() == [12, 9, 3, 36]
    assert orders["rolling"]["cost"].to_list() == [12, 9, 0, 33]
    assert (static["total_cost"], rolling["total_cost"]) == (60, 54)
    assert (static["mean_cost"], rolling["relative_cost"]) == (15, 54 / 60)
    assert (static["service_level"], rolling["service_level"]) == (0, 0.25)
    assert (static["fill_rate"], rolling["fill_rate"]) == (32 / 52, 34 / 52)
    # Best in hindsight is to order 12, the 3rd of 4: 0 + 1 + 3 + 24 = 28.
    assert (static["regret_fixed"], rolling["regret_fixed"]) == (8, 6.5)
    assert static["guarantee"] is None
    assert static["regret_context"] is None  # four days are too few for a group
    assert (static["items"], static["skipped"], static["days"]) == (1, 0, 4)
    assert result.reference == "static"


def slow_quantile(demands: list[float], q: Fraction) -> float:
    return sorted(demands)[ceil(q * len(demands)) - 1]


def slow_orders(history: pl.DataFrame, q: Fraction, test: Fraction, every: int) -> dict[tuple[str, date, str], float]:
    """Row by row: find the last origin, collect what was known then, take the quantile."""
    orders = {}
    for (item,), frame in history.sort("ds").group_by("unique_id"):
        y, day, ds = frame["y"].to_list(), frame["weekday"].to_list(), frame["ds"].to_list()
        first = ceil((1 - test) * len(y))
        for i in range(first, len(y)):
            origin = first + (i - first) // every * every
            same = [y[j] for j in range(origin) if day[j] == day[i]]
            known = {"static": y[:first], "rolling": y[:origin], "rolling:15": y[:origin][-15:], "same:weekday": same}
            orders |= {(item, ds[i], name): slow_quantile(past, q) for name, past in known.items()}
    return orders


@pytest.mark.parametrize("every", [1, 4, 100])
def test_orders_are_those_of_a_plain_loop(every: int) -> None:
    history = random_table()
    result = backtest(history, cu=9, co=1, policies=SIMPLE, test=0.3, refit_every=every)
    expected = slow_orders(history, Fraction(9, 10), Fraction(3, 10), every)
    assert {(r["unique_id"], r["ds"], r["policy"]): r["order"] for r in rows(result.orders)} == expected


def slow_excess(days: list[dict[str, Any]], cu: float, co: float) -> float:
    """Cost beyond the best fixed order, which is one of the demands."""
    demands = [day["y"] for day in days]
    best = min(sum(cu * max(y - a, 0) + co * max(a - y, 0) for y in demands) for a in demands)
    return sum(day["cost"] for day in days) - best


def test_regrets_by_brute_force() -> None:
    history = random_table(rows=150)
    result = backtest(history, cu=4, co=1, policies=SIMPLE, test=0.4)
    summary = policy_rows(result)
    assert result.groups == ("weekday",)
    days = rows(result.orders.join(history.drop("y"), on=["unique_id", "ds"]))
    for name in SIMPLE:
        mine = [day for day in days if day["policy"] == name]
        fixed = sum(slow_excess([d for d in mine if d["unique_id"] == item], 4, 1) for item in ("i0", "i1", "i2"))
        assert summary[name]["regret_fixed"] == pytest.approx(fixed / len(mine))
        groups: dict[Any, list[dict[str, Any]]] = {}
        for day in mine:
            groups.setdefault((day["unique_id"], day["weekday"]), []).append(day)
        assert min(map(len, groups.values())) >= 5
        context = sum(slow_excess(group, 4, 1) for group in groups.values()) / len(mine)
        assert summary[name]["regret_context"] == pytest.approx(context)
        assert summary[name]["regret_context_low"] < context < summary[name]["regret_context_high"]
    assert summary["same:weekday"]["regret_context"] < summary["static"]["regret_context"]


def test_groups_can_be_chosen_and_small_ones_are_left_out() -> None:
    y = [float(i % 5) for i in range(40)]
    history = table(y, big=["x"] * 37 + ["y"] * 3, weekday=["d"] * 40)
    result = backtest(history, cu=1, co=1, policies=["static"], test=0.5, groups=["big"])
    big = [day for day in rows(result.orders) if day["ds"] < START + timedelta(days=37)]
    assert result.groups == ("big",)
    assert rows(result.summary)[0]["regret_context"] == pytest.approx(slow_excess(big, 1, 1) / 17)


ALL = [*SIMPLE, "linear", "gbm", "hgb", "forest"]


@pytest.mark.slow
def test_the_future_does_not_matter() -> None:
    history = random_table(items=1, rows=80).sort("ds")
    change = START + timedelta(days=68)
    later = pl.col("ds") >= change
    other = history.with_columns(
        y=pl.when(later).then(pl.col("y") * 10 + 50).otherwise("y"),
        weekday=pl.when(later).then(pl.lit("new")).otherwise("weekday"),
    )
    options: dict[str, Any] = {"cu": 9, "co": 1, "policies": ALL, "test": 0.2, "refit_every": 8}
    before, after = (backtest(frame, **options).orders.select("ds", "policy", "order") for frame in (history, other))
    early = pl.col("ds") < change
    assert before.filter(early).equals(after.filter(early))
    assert before.filter(early).height == 4 * len(ALL)
    last = pl.col("ds") >= START + timedelta(days=72)  # the second origin, which has seen four changed days
    for name in set(ALL) - {"static"}:
        mine = last & (pl.col("policy") == name)
        assert not before.filter(mine).equals(after.filter(mine)), name


def test_all_dataframes_give_the_same() -> None:
    history = random_table(items=2, rows=40)
    frames = [history, history.to_pandas(), history.to_arrow(), history.with_columns(pl.col("ds").cast(pl.String))]
    frames.append(history.to_pandas().set_index("rain", drop=False))
    policies = [*SIMPLE, "linear"]
    expected, *others = (backtest(f, cu=9, co=1, policies=policies, refit_every=30) for f in frames)
    for frame, result in zip(frames[1:], others, strict=True):
        for name in ("summary", "by_item", "orders", "pooled"):
            made = getattr(result, name)
            assert type(made) is type(frame)
            as_polars = pl.from_pandas(made) if isinstance(made, pd.DataFrame) else pl.DataFrame(made)
            wanted = getattr(expected, name)
            if "ds" in wanted.columns:
                as_polars = as_polars.with_columns(pl.col("ds").cast(pl.Date))
            assert as_polars.equals(wanted, null_equal=True), name


def test_other_dates() -> None:
    history = random_table(items=1, rows=40).sort("ds")
    numbered = history.with_columns(ds=pl.int_range(pl.len()))
    zoned = history.with_columns(pl.col("ds").cast(pl.Datetime("us")).dt.replace_time_zone("Europe/Berlin"))
    objects = history.to_pandas().assign(ds=history["ds"].to_list())
    wanted = backtest(history, cu=2, co=1, policies=[*SIMPLE, "linear"]).orders["order"].to_list()
    texts = history.with_columns(ds=history["ds"].dt.strftime("%d.%m.%Y"))
    compact = history.with_columns(ds=history["ds"].dt.strftime("%Y%m%d").cast(pl.Int64))
    for frame in (numbered, zoned, objects, texts, compact):
        made = backtest(frame, cu=2, co=1, policies=[*SIMPLE, "linear"]).orders["order"].to_list()
        np.testing.assert_allclose(made, wanted, rtol=1e-7)


class Certified:
    """ERM with the guarantee it has if all the past is at dissimilarity 0.1; brackets as objects or as pairs."""

    def __init__(self, bare: bool = False) -> None:
        self.bare = bare
        self.problem = pv.Newsvendor(9, 1, (0, 100))

    def fit(self, X: Any, y: Any) -> None:
        self.y, self.d = y, pv.constant(0.1, len(y))

    def predict(self, X: Any) -> list[float]:
        return [pv.ERM().order(self.y, self.d, q=self.problem)] * len(X)

    def guarantee(self, X: Any) -> list[Any]:
        stated = pv.worst_case_regret(pv.ERM(), self.d, q=self.problem)
        return [(stated.lower, stated.upper) if self.bare else stated] * len(X)


def test_stated_guarantees() -> None:
    history = random_table(items=1, rows=40).drop("weekday", "rain")
    policies = {"quantile": "rolling", "certified": Certified(), "bare": Certified(bare=True)}
    result = backtest(history, cu=9, co=1, policies=policies, test=0.5, refit_every=10)
    summary, problem = policy_rows(result), pv.Newsvendor(9, 1, (0, 100))
    stated = [pv.worst_case_regret(pv.ERM(), pv.constant(0.1, n), q=problem).upper for n in (20, 30)]
    assert summary["certified"]["guarantee"] == pytest.approx(np.mean(stated))
    assert summary["certified"]["percent_of_no_data"] == pytest.approx(100 * np.mean(stated) / problem.no_data_regret)
    assert summary["bare"]["guarantee"] == summary["certified"]["guarantee"]
    assert summary["bare"]["percent_of_no_data"] is None
    told = policy_rows(backtest(history, cu=9, co=1, policies=policies, test=0.5, refit_every=10, support=(0, 100)))
    for name in ("bare", "certified"):
        assert told[name]["percent_of_no_data"] == pytest.approx(summary["certified"]["percent_of_no_data"])
    assert told["quantile"]["percent_of_no_data"] is None
    assert summary["quantile"]["guarantee"] is None
    assert summary["certified"]["relative_cost"] == 1  # ERM at equal dissimilarities is the empirical quantile
    column = result.orders.filter(pl.col("policy") == "certified")["guarantee"].to_list()
    assert column == [stated[0]] * 10 + [stated[1]] * 10


def test_policies_of_this_package_by_name() -> None:
    history = random_table(items=1, rows=40).sort("ds")
    result = backtest(history, cu=9, co=1, policies=["minimax", "erm"], test=0.3, refit_every=6, support=(0, 60))
    X, y = history.select("ds", "weekday", "rain"), history["y"].to_numpy()
    for name in ("minimax", "erm"):
        orders, stated = [], []
        for origin in (28, 34):
            model = ContextualNewsvendor(9, 1, policy=name, support=(0, 60)).fit(X[:origin], y[:origin])
            orders += model.predict(X[origin : origin + 6]).tolist()
            stated += model.guarantee(X[origin : origin + 6]).upper.tolist()
        mine = result.orders.filter(pl.col("policy") == name)
        assert mine["order"].to_list() == orders
        assert mine["guarantee"].to_list() == stated
        percent = 100 * np.mean(stated) / pv.Newsvendor(9, 1, (0, 60)).no_data_regret
        assert policy_rows(result)[name]["percent_of_no_data"] == pytest.approx(percent)


class Moody(EmpiricalQuantile):
    """Fails where demand is high."""

    def fit(self, X: Any, y: Any) -> Moody:
        if max(y) > 1000:
            raise RuntimeError("too much\nfor me")
        super().fit(X, y)
        return self


def test_nothing_is_lost() -> None:
    good = random_table(items=2, rows=40).with_columns(pl.col("y").cast(pl.Float64))
    high = table([2000.0] * 40, weekday=["d"] * 40, rain=[0.0] * 40).with_columns(unique_id=pl.lit("high"))
    short = table([1.0] * 2, weekday=["d"] * 2, rain=[0.0] * 2).with_columns(unique_id=pl.lit("short"))
    blank = table([None] * 40, weekday=["d"] * 40, rain=[0.0] * 40).with_columns(
        unique_id=pl.lit("blank"), y=pl.lit(None, pl.Float64)
    )
    dry = table([None, *[1.0] * 39], weekday=["d"] * 40, rain=[None] + [0.0] * 39).with_columns(unique_id=pl.lit("dry"))
    history = pl.concat([good, high, short, blank, dry])
    result = backtest(history, cu=9, co=1, policies={"static": "static", "moody": Moody(9, 1)})
    status = {(row["unique_id"], row["policy"]): row["status"] for row in rows(result.by_item)}
    assert len(status) == 12
    assert status["short", "static"] == status["short", "moody"] == "too few rows"
    assert status["blank", "static"] == "missing values in 'y'"
    assert status["dry", "moody"] == "ok"  # contexts may be missing, and a demand costs its row
    assert result.note.endswith(f"Of the history, 1 row set aside: row {len(history) - 40}: no demand.")
    assert status["high", "static"] == status["i0", "moody"] == "ok"
    assert status["high", "moody"] == "failed: RuntimeError: too much for me"
    assert {row["unique_id"] for row in rows(result.orders)} == {"i0", "i1", "high", "dry"}
    numbers = {(row["unique_id"], row["policy"]): row["mean_cost"] for row in rows(result.by_item)}
    assert numbers["short", "static"] is numbers["high", "moody"] is None
    summary = policy_rows(result)
    assert (summary["static"]["items"], summary["static"]["skipped"]) == (4, 2)
    assert (summary["moody"]["items"], summary["moody"]["skipped"]) == (3, 3)
    only_good = policy_rows(backtest(good, cu=9, co=1, policies={"static": "static", "moody": Moody(9, 1)}))
    assert summary["moody"]["relative_cost"] == pytest.approx(only_good["moody"]["relative_cost"])
    turned = policy_rows(backtest(history, cu=9, co=1, policies={"moody": Moody(9, 1), "static": "static"}))
    assert turned["static"]["relative_cost"] == pytest.approx(1 / only_good["moody"]["relative_cost"])


def test_a_history_without_a_usable_item_is_still_reported() -> None:
    result = backtest(table([1.0, 2.0]), cu=1, co=1, policies=["static"])
    assert rows(result.by_item)[0]["status"] == "too few rows"
    assert rows(result.summary)[0]["mean_cost"] is None
    assert len(result.orders) == 0


def test_seeds_and_progress() -> None:
    shares: list[float] = []
    options: dict[str, Any] = {"cu": 9, "co": 1, "policies": ["static", "forest"], "refit_every": 60}
    history = random_table(items=1, rows=200)
    first = backtest(history, **options, random_state=1, progress=shares.append)
    again, other = (backtest(history, **options, random_state=seed) for seed in (1, 2))
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert first.summary.equals(again.summary, null_equal=True)
    assert first.orders.equals(again.orders, null_equal=True)
    assert not first.orders.equals(other.orders, null_equal=True)


def test_bootstrap_interval_has_the_width_of_the_normal_theory() -> None:
    rng = np.random.default_rng(4)
    week = rng.normal(size=(200, 1))
    excess = np.repeat(week, 7, axis=0) + 3  # days of a week agree, so 200 weeks count and not 1400 days
    low, high = bootstrap_interval(excess, date_blocks(np.arange(1400.0)), seed=0)[:, 0]
    assert (low + high) / 2 == pytest.approx(excess.mean(), abs=0.03)
    assert high - low == pytest.approx(2 * 1.96 * week.std() / np.sqrt(200), rel=0.1)


def test_files(tmp_path: Path) -> None:
    result = backtest(random_table(), cu=9, co=1, policies=SIMPLE)
    written = result.to_csv(tmp_path / "deep" / "out")
    assert [file.name for file in written] == ["summary.csv", "by_item.csv", "orders.csv", "pooled.csv"]
    assert pl.read_csv(written[0])["total_cost"].to_list() == result.summary["total_cost"].to_list()
    assert len(pl.read_csv(written[2])) == len(result.orders)
