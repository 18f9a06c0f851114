"""Orders for several days after a change of the daily level that has lasted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import provend as pv
from provend.levels import Power, learn_forecast
from provend.planning._by_period import ByPeriod
from provend.planning._own_rows import OwnRows
from provend.planning._schema import DEMAND, Terms
from provend.planning._supply import Supply
from provend.tables import read_contexts

DAYS = 200


def changed(before: float, since: float, days: int, seed: int = 0) -> pd.DataFrame:
    """Days of one mean, and then so many of another."""
    y = np.random.default_rng(seed).poisson(np.where(np.arange(DAYS) < DAYS - days, before, since))
    return pd.DataFrame({"unique_id": "a", "ds": pd.date_range("2024-01-01", periods=DAYS), "y": y.astype(float)})


@pytest.mark.parametrize(("lead_time", "review"), [(2, 3), (7, 7)])
@pytest.mark.parametrize(("before", "since", "days"), [(100, 3, 20), (100, 3, 50), (20, 60, 30)])
def test_orders_follow_the_daily_level(lead_time: int, review: int, before: int, since: int, days: int) -> None:
    """Classes of windows have one row a period: an order for five days stayed at 470 where 15 were needed."""
    period = lead_time + review
    plan = pv.plan(changed(before, since, days), cu=9, co=1, lead_time=lead_time, review=review)
    wanted = np.quantile(np.random.default_rng(1).poisson(since * period, 20_000), 0.9)
    assert 0.9 * wanted < plan["order"][0] < 1.1 * wanted + 5
    assert "brought to the new one" in plan["basis"][0]
    assert "once brought to its level" in plan["reason"][0]


@pytest.mark.parametrize("dissimilarity", ["split", "certified", 0.01])
def test_demands_stay_where_nothing_may_be_learned_from_them(dissimilarity: str | float) -> None:
    plan = pv.plan(changed(100, 3, 30), cu=9, co=1, lead_time=2, review=3, dissimilarity=dissimilarity)
    assert "brought to the new one" not in plan["basis"][0]
    assert plan["order"][0] > 200


def of_classes(history: pd.DataFrame, support: tuple[float, float] | None) -> tuple[np.ndarray, np.ndarray | None]:
    past = pa.table({"ds": history["ds"], DEMAND: history["y"]})
    ahead = pa.table({"ds": [history["ds"].iloc[-1] + pd.Timedelta(days=1)]})
    terms = Terms(9, 1, support, Supply(lead_time=2, review=3))
    windows = ByPeriod(OwnRows()).of_classes(past, ahead, None, terms).windows
    return windows.sums, windows.brought


@pytest.mark.parametrize("support", [None, (0.0, 430.0)])
def test_days_before_the_change_are_moved_by_its_size_on_the_scale_of_the_forecast(
    support: tuple[float, float] | None,
) -> None:
    history = changed(3, 80, 30)
    y = history["y"].to_numpy()
    forecast = learn_forecast(read_contexts(history[["ds"]]), y, 0.5)
    assert forecast.step is not None
    power = Power(forecast.power.roots)
    unit = 2.0**forecast.power.exponent
    moved = [
        unit * float(power.back(power.of(np.array([one / unit])) + forecast.step.size)[0]) if at < DAYS - 30 else one
        for at, one in enumerate(y)
    ]
    sums, brought = of_classes(history, support)
    assert brought is not None
    assert sums == pytest.approx([sum(y[at : at + 5]) for at in range(DAYS - 4)])
    high = max(sums) if support is None else support[1]
    assert brought == pytest.approx([min(max(sum(moved[at : at + 5]), 0.0), high) for at in range(DAYS - 4)])
    assert (brought == high).any()


def test_without_a_change_nothing_is_moved() -> None:
    assert of_classes(changed(50, 50, 30), None)[1] is None


@pytest.mark.parametrize("days", [25, 40])
def test_demand_that_has_become_rare_is_not_taken_for_small(days: int) -> None:
    """Days moved by one size were all 0 then, and so were orders."""
    rng, n = np.random.default_rng(0), 250 + days
    often = np.where(np.arange(n) < 250, 0.95, 0.2)
    y = np.where(rng.random(n) < often, rng.poisson(20, n), 0).astype(float)
    history = pd.DataFrame({"unique_id": "a", "ds": pd.date_range("2024-01-01", periods=n), "y": y})
    assert of_classes(history, None)[1] is None
    weekly = np.where((np.arange(n) < 250) | (np.arange(n) % 7 == 5), 30.0, 0.0)
    assert of_classes(history.assign(y=weekly), None)[1] is None
