"""Levels learned from sales that stock has cut off."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from provend.levels import learn_forecast, learn_from_sales
from provend.levels._cut_off import completed
from provend.tables import Contexts, read_contexts


def weeks(size: int) -> Contexts:
    return read_contexts(pl.DataFrame({"ds": [datetime(2024, 1, 1) + timedelta(days=i) for i in range(size)]}))


def test_levels_of_days_that_sell_out_are_not_those_of_their_sales() -> None:
    """Weekends at twice the level, of which stock has cut most off."""
    rng, size = np.random.default_rng(0), 350
    weekend = np.arange(size) % 7 > 4
    demand = rng.poisson(np.where(weekend, 60, 30)).astype(float)
    shelf = rng.choice([25.0, 45.0, 55.0, 90.0], size)
    sales = np.minimum(demand, shelf)

    def share(level: object) -> float:
        power, past = level.power, level.past  # type: ignore[attr-defined]
        typical = power.back(past)
        return float(typical[weekend].mean() / typical[~weekend].mean())

    taken = share(learn_forecast(weeks(size), sales, 0.75))
    found = share(learn_from_sales(weeks(size), sales, sales == shelf, 0.75))
    assert taken < 1.65
    assert 1.8 < found < 2.2


def test_where_nothing_sold_out_it_is_the_forecast() -> None:
    y = np.random.default_rng(0).poisson(20, 60).astype(float)
    first, second = learn_forecast(weeks(60), y, 0.9), learn_from_sales(weeks(60), y, np.zeros(60, bool), 0.9)
    assert (first.past == second.past).all()


def test_levels_that_no_stock_has_reached() -> None:
    """Weekends at 80, when there were at most 70: their errors seen end where stock did, a normal tail does not."""
    rng, size = np.random.default_rng(1), 350
    weekend = np.arange(size) % 7 > 4
    demand = np.where(weekend, 80, 40) * np.exp(rng.normal(0, 0.25, size))
    shelf = rng.choice([30.0, 50.0, 70.0], size)
    sales = np.minimum(demand, shelf)
    level = learn_from_sales(weeks(size), sales, sales == shelf, 0.9)
    assert (sales == shelf)[weekend].mean() > 0.75
    assert sales[weekend].mean() < 55
    assert level.power.back(level.past)[weekend].mean() == pytest.approx(80, rel=0.12)
    assert level.power.back(level.past)[~weekend].mean() == pytest.approx(40, rel=0.05)


def test_completed_demand_is_spread_like_demand() -> None:
    """With means in the place of what was cut off, most of what makes days differ would be gone."""
    rng, size = np.random.default_rng(2), 400
    demand = 100 * np.exp(rng.normal(0, 0.2, size))
    shelf = rng.choice([70.0, 90.0, 110.0], size)
    sales = np.minimum(demand, shelf)
    found = completed(weeks(size), sales, sales == shelf)
    assert (found[sales < shelf] == sales[sales < shelf]).all()
    assert (found >= sales).all()
    out = sales == shelf
    assert np.log(found[out]).mean() == pytest.approx(np.log(demand[out]).mean(), abs=0.02)
    assert np.log(found[out]).std() == pytest.approx(np.log(demand[out]).std(), rel=0.15)


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_whatever_the_unit_completed_demand_is_finite(unit: float) -> None:
    shelf = np.random.default_rng(0).choice([20.0, 30.0, 60.0], 40)
    for out in (np.ones(40, bool), np.arange(40) % 3 == 0):
        once, found = completed(weeks(40), shelf, out), completed(weeks(40), shelf * unit, out)
        assert found == pytest.approx(once * unit, rel=1e-9)
        assert once.max() < 10 * shelf.max()


@pytest.mark.parametrize("value", [0.0, 20.0])
def test_equal_sales_say_nothing_about_what_is_beyond(value: float) -> None:
    found = completed(weeks(40), np.full(40, value), np.ones(40, bool))
    assert found == pytest.approx(np.full(40, value), rel=1e-6, abs=1e-6)
