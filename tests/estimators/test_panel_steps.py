"""Items of a panel whose level has changed: what they sold before does not count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from provend import PanelNewsvendor
from provend.estimators._panel_rows import Items, Panel
from provend.estimators._steps import rows_since
from provend.levels import latest_step
from provend.tables import Encoding, read_contexts

DAYS = pd.date_range("2024-01-01", periods=81)


def panel_of(demands: dict[str, np.ndarray]) -> pd.DataFrame:
    tables = [pd.DataFrame({"unique_id": name, "ds": DAYS[80 - y.size : 80], "y": y}) for name, y in demands.items()]
    return pd.concat(tables, ignore_index=True)


def usual(seed: int, items: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"i{k:02d}": rng.poisson(rng.uniform(10, 120), 80).astype(float) for k in range(items)}


@pytest.mark.parametrize(("before", "since", "days"), [(100, 3, 20), (30, 0, 30), (20, 60, 12)])
def test_orders_follow_an_item_to_its_new_level(before: int, since: int, days: int) -> None:
    """An item that is sold no more was ordered like one that is, by a third."""
    rng = np.random.default_rng(days)
    changed = np.concatenate([rng.poisson(before, 80 - days), rng.poisson(since, days)]).astype(float)
    table = panel_of({**usual(1), "changed": changed})
    model = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"])
    target = pd.DataFrame({"unique_id": ["changed"], "ds": DAYS[80:]})
    wanted = float(np.quantile(rng.poisson(since, 10_000), 0.9))
    assert abs(model.predict(target)[0] - wanted) < 3 + 0.15 * since
    assert model.decide(target).own[0] <= days
    assert model.histories_.seen[1][model.histories_.names.tolist().index("changed")] == changed.max()


def test_items_that_stay_are_decided_as_if_there_were_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    table = panel_of(usual(2))
    targets = pd.DataFrame({"unique_id": sorted(usual(2)), "ds": DAYS[80]})
    orders = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"]).predict(targets)
    monkeypatch.setattr("provend.estimators._histories.rows_since", lambda missed, y, panel, *others: panel.count)
    assert np.array_equal(PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"]).predict(targets), orders)


@pytest.mark.parametrize("factor", [3.0, 8.0])
def test_a_step_that_others_have_taken_counts_once(factor: float) -> None:
    """Half of the items: the forecast for all contains a part of it, and so did the size of those that took it."""
    rng = np.random.default_rng(0)
    means, factors = rng.uniform(20, 60, 20), np.where(np.arange(20) % 2, factor, 1.0)
    y = rng.poisson(means[:, None] * np.where(np.arange(80) >= 60, factors[:, None], 1.0)).astype(float)
    names = [f"i{k:02d}" for k in range(20)]
    table = panel_of(dict(zip(names, y, strict=True)))
    model = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"])
    orders = model.predict(pd.DataFrame({"unique_id": names, "ds": DAYS[80]}))
    assert 1.0 < np.median((orders / (means * factors))[1::2]) < 1.35


def test_without_a_time_and_with_several_rows_a_day_there_is_no_step() -> None:
    changed = np.where(np.arange(80) < 60, 100.0, 20.0) + np.random.default_rng(0).normal(size=80)
    table = panel_of({**usual(3, 12), "changed": changed})
    found = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"]).histories_
    at = found.names.tolist().index("changed")
    assert found.count[at] == 20
    twice = table.assign(ds=table["ds"].dt.floor("2D"))
    timeless = table.assign(ds=np.resize(["a", "b"], len(table)))
    for other in (twice, timeless):
        assert PanelNewsvendor(9, 1).fit(other[["unique_id", "ds"]], other["y"]).histories_.count[at] == 80


def test_a_first_promotion_of_one_item_is_no_step() -> None:
    """It is over once the column says so, even where promotions of others teach the forecast something else."""
    rng, days = np.random.default_rng(0), np.arange(80)
    often = {name: (rng.random(80) < 0.2, 1.1) for name in usual(4)} | {"changed": (days >= 66, 4.0)}
    y = {name: rng.poisson(np.where(on, 30 * factor, 30)).astype(float) for name, (on, factor) in often.items()}
    past = panel_of(y).assign(promotion=np.concatenate([on for on, _ in often.values()]))
    for told, rows in ((past["promotion"], 80), (False, 14)):
        table = past.assign(promotion=told)
        found = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds", "promotion"]], table["y"]).histories_
        assert found.count[found.names.tolist().index("changed")] == rows


def test_a_day_of_hours_is_no_step() -> None:
    rng, hours = np.random.default_rng(0), pd.date_range("2024-01-01", periods=150, freq="h")
    y = {
        f"i{k:02d}": rng.poisson(np.where((np.arange(150) >= 125) & (k == 0), 90, 20)).astype(float) for k in range(12)
    }
    for times, rows in ((hours, 150), (pd.date_range("2024-01-01", periods=150), 25)):
        table = pd.concat([pd.DataFrame({"unique_id": name, "ds": times, "y": each}) for name, each in y.items()])
        found = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"]).histories_
        assert found.count[found.names.tolist().index("i00")] == rows


@pytest.mark.parametrize("seed", range(4))
def test_against_one_item_at_a_time(seed: int) -> None:
    """Lines of all lengths, of which some have no step that a look at all of them would find."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 90, 60)
    code = np.repeat(np.arange(60), lengths)
    contexts = read_contexts(pd.DataFrame({"t": np.concatenate([np.arange(n) for n in lengths])}), kinds={"t": "time"})
    panel = Panel.of(Items(np.array([f"{j:02d}" for j in range(60)]), code), contexts)
    values = rng.normal(size=code.size)
    for j, n in enumerate(lengths):
        values[code == j] += rng.choice([0, 2, 4, 30]) * (np.arange(n) >= rng.integers(0, n + 1))
    found = rows_since(panel.lines(values), values, panel, contexts, Encoding.of(contexts))
    steps = [latest_step(values[code == j]) for j in range(60)]
    assert found.tolist() == [n - (0 if step is None else step[0]) for n, step in zip(lengths, steps, strict=True)]
    assert 5 < sum(step is not None for step in steps) < 55
    kept = panel.latest(found)
    assert kept.count.tolist() == found.tolist()
    assert np.array_equal(kept.known.sum(axis=1), found)
    assert np.array_equal(kept.rows[kept.known], panel.rows[kept.known])


@pytest.mark.parametrize("closing", [1, 15])
def test_a_closure_of_last_year_is_remembered_though_its_rows_do_not_count(closing: int) -> None:
    """Rows older than the latest 200 of an item say that Christmas comes every year; before, one unit was ordered."""
    days = pd.date_range("2024-01-01", "2025-12-24")
    closed, rng = (days.month == 12) & (days.day <= 24), np.random.default_rng(0)
    shut = {f"i{k:02d}": rng.poisson(np.where(closed & (k < closing), 0, 40)).astype(float) for k in range(15)}
    table = pd.concat([pd.DataFrame({"unique_id": name, "ds": days, "y": y}) for name, y in shut.items()])
    model = PanelNewsvendor(9, 1).fit(table[["unique_id", "ds"]], table["y"])
    assert model.pool_.forecast.step is None
    assert model.histories_.count[0] == 200
    never = table.assign(y=np.where(table["ds"] < "2025-01-01", 40.0, table["y"]))
    model = PanelNewsvendor(9, 1).fit(never[["unique_id", "ds"]], never["y"])
    assert (model.histories_.count[0] == 24) == (closing == 1)
    assert (model.pool_.forecast.step is not None) == (closing == 15)
