"""Levels learned from sales that stock has cut off."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from provend.levels import learn_forecast, learn_from_sales
from provend.levels._cut_off import beyond
from provend.tables import Contexts, read_contexts


def redistributed(values: list[float], cut_off: list[bool]) -> list[float]:
    """Efron: the weight of what was cut off goes to all that is to its right, in equal parts."""
    size = len(values)
    order = sorted(range(size), key=lambda i: (values[i], cut_off[i]))
    seen = [not cut_off[i] for i in order[:-1]] + [True]
    weight, found = [1 / size] * size, list(values)
    for at in range(size):
        right = range(at + 1, size)
        if not seen[at]:
            for other in right:
                weight[other] += weight[at] / len(right)
            weight[at] = 0.0
    for at in range(size):
        right = range(at + 1, size)
        if not seen[at]:
            total = sum(weight[i] for i in right)
            found[order[at]] = sum(weight[i] * values[order[i]] for i in right) / total
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_mean_beyond_is_that_of_weights_moved_to_the_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 10))
    values, cut_off = rng.integers(0, 6, size).astype(float), rng.random(size) < 0.4
    assert beyond(values, cut_off) == pytest.approx(redistributed(values.tolist(), cut_off.tolist()))


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
