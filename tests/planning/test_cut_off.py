"""Stock-outs in a plan: levels learned from sales that were cut off, one map for sales and stock, and what is said."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import provend as pv
from provend.levels import Forecast, learn_from_sales
from provend.planning import CutOff, Terms
from provend.planning._schema import DEMAND, SHELF
from provend.tables import Contexts, read_contexts

Floats = np.ndarray
START, SIZE = datetime(2024, 1, 1), 84
TERMS, PROBLEM = Terms(3, 1, (0.0, 150.0)), pv.Newsvendor(3, 1, (0, 150))


def days(size: int = SIZE) -> pl.DataFrame:
    """Weekends at twice the level, promotions at one and a half, and the day to come."""
    promo = np.arange(size + 1) % 5 == 0
    return pl.DataFrame(
        {"ds": [START + timedelta(days=i) for i in range(size + 1)], "promo": np.where(promo, "yes", "no")}
    )


def sold(size: int = SIZE, seed: int = 0) -> tuple[Floats, Floats]:
    """Sales and stock."""
    rng, index = np.random.default_rng(seed), np.arange(size)
    level = 20.0 * np.where(index % 7 > 4, 2, 1) * np.where(index % 5 == 0, 1.5, 1)
    shelf = rng.choice([20.0, 30.0, 60.0], size)
    return np.minimum(rng.poisson(level), shelf), shelf


def decided(how: str | float, sales: Floats, shelf: Floats, ahead: pl.DataFrame | None = None) -> dict[str, Any]:
    history = days(sales.size)[:-1].with_columns(pl.Series(DEMAND, sales), pl.Series(SHELF, shelf)).to_arrow()
    target = (days(sales.size)[-1:] if ahead is None else ahead).to_arrow()
    (row,) = CutOff(how).decide(history, target, TERMS).to_pylist()
    return dict(row)


def by_hand(level: Forecast, own: tuple[Floats, Floats], target: Contexts, y: Floats) -> Floats:
    """T_0^-1 (T_i (y)), cut off at the ends of the support."""
    levels, widths = own
    moved = level.at(target) + level.widths(target) * (level.power.of(y) - levels) / widths
    return np.clip(level.power.back(moved), 0, 150)


@pytest.mark.parametrize("how", ["auto", "split"])
def test_one_map_brings_sales_and_stock_to_the_level_of_the_target(how: str) -> None:
    sales, shelf = sold()
    half = SIZE // 2 if how == "split" else 0
    past, target = read_contexts(days()[:-1]), read_contexts(days()[-1:], like=read_contexts(days()[:-1]))
    learned, weighed = np.arange(half or SIZE), np.arange(half, SIZE)
    level = learn_from_sales(past.take(learned), sales[learned], (sales == shelf)[learned], 0.75)
    assert level.learned
    some = past.take(weighed)
    own = (level.at(some), level.widths(some)) if half else (level.past, np.ones(SIZE) * level.past_widths)
    moved = [by_hand(level, own, target, each[weighed]) for each in (sales, shelf)]
    expected = pv.order_with_stockouts(*moved, np.full(weighed.size, 0.02), q=PROBLEM)
    row = decided(how, sales, shelf)
    assert row["order"] == pytest.approx(expected.order, rel=1e-12)
    assert row["guarantee"] == pytest.approx(expected.upper, rel=1e-12)
    assert ("42 older days that are not weighed" if half else "the very days it moves") in row["basis"]
    assert "once brought to its level; " in row["reason"]


def test_a_split_guarantee_does_not_depend_on_the_demands_weighed() -> None:
    sales, shelf = sold()
    other = sales.copy()
    other[SIZE // 2 :] = np.minimum(np.random.default_rng(1).integers(0, 60, SIZE // 2), shelf[SIZE // 2 :])
    first, second = decided("split", sales, shelf), decided("split", other, shelf)
    assert first["guarantee"] == second["guarantee"]
    assert first["order"] != second["order"]


def test_days_to_come_differ_by_their_contexts() -> None:
    sales, shelf = sold(280)
    ahead = days(280)[-1:]
    plain, promoted = (
        decided("auto", sales, shelf, ahead.with_columns(promo=pl.lit(promo)))["order"] for promo in ("no", "yes")
    )
    assert promoted > 1.2 * plain


def test_contexts_of_targets_count_in_a_plan() -> None:
    sales, shelf = sold(140)
    history = days(140)[:-1].with_columns(pl.Series("y", sales), pl.Series("shelf", shelf), unique_id=pl.lit("a"))
    orders = [
        pv.plan(
            history,
            days(140)[-1:].with_columns(promo=pl.lit(promo), unique_id=pl.lit("a")),
            cu=3,
            co=1,
            support=(0, 150),
            stock_seen="shelf",
        )["order"][0]
        for promo in ("no", "yes")
    ]
    assert orders[1] > 1.2 * orders[0]


def test_few_days_are_compared_by_weekday_and_age() -> None:
    sales, shelf = sold(11)
    row, ages = decided("auto", sales, shelf), np.arange(11, 0, -1)
    expected = pv.order_with_stockouts(sales, shelf, 0.1 * (ages % 7 != 0) + 0.0002 * ages, q=PROBLEM)
    assert (row["order"], row["guarantee"]) == (expected.order, pytest.approx(expected.upper))
    assert "0.1 for another weekday" in row["basis"]


def test_of_long_histories_the_latest_days_are_weighed() -> None:
    sales, shelf = sold(300)
    row = decided("auto", sales, shelf)
    assert row["reason"].endswith("of 300 days sold out")
    assert int(row["reason"].split(" of the ")[1].split(" ")[0]) <= 250


def test_contexts_that_say_nothing_leave_days_as_they_are() -> None:
    rng = np.random.default_rng(0)
    shelf = rng.choice([20.0, 30.0, 60.0], SIZE)
    sales = np.minimum(rng.poisson(25, SIZE), shelf)
    row = decided("auto", sales, shelf)
    expected = pv.order_with_stockouts(sales, shelf, np.full(SIZE, 0.02), q=PROBLEM)
    assert row["order"] == expected.order
    assert "paid on the very days that are weighed, all days count as alike" in row["basis"]
    split = decided("split", sales, shelf)
    assert f"paid on {SIZE // 2} older days that are not weighed, all days count as alike" in split["basis"]


def test_numbers_for_dates_have_no_weekdays() -> None:
    sales, shelf = sold(11)
    history = pl.DataFrame({"ds": range(11), DEMAND: sales, SHELF: shelf}).to_arrow()
    (row,) = CutOff("auto").decide(history, pl.DataFrame({"ds": [11]}).to_arrow(), TERMS).to_pylist()
    expected = pv.order_with_stockouts(sales, shelf, 0.0002 * np.arange(11, 0, -1), q=PROBLEM)
    assert row["order"] == expected.order
    assert row["basis"].startswith("Dissimilarities stated, 0.0002 a step of age. ")


@pytest.mark.parametrize("how", ["auto", "split", 0.1])
def test_sales_outside_the_support_are_refused_before_they_are_moved(how: str | float) -> None:
    sales, shelf = sold()
    sales[5] = shelf[5] = 151
    with pytest.raises(pv.InputError, match=r"151 sold on 2024-01-06 lies outside the support .* widen it"):
        decided(how, sales, shelf)


def test_what_more_on_the_shelf_would_be_worth_is_said() -> None:
    rng = np.random.default_rng(0)
    shelf = rng.choice([20.0, 30.0, 60.0], SIZE)
    sales = np.minimum(rng.poisson(25, SIZE), shelf)
    worth = pv.value_of_stock(shelf, [0.02] * SIZE, q=PROBLEM, new_stock=[80] * 4, new_d=[0.02] * 4)
    said = decided("auto", sales, shelf)["message"]
    assert said.endswith(
        f"never having had more than 60 on the shelf; 20 more on 4 days would lower it by {worth.reduction:.3g}"
    )
    assert worth.reduction > 1


def test_days_without_a_limit_are_days_whose_demand_is_known() -> None:
    """Stock of inf everywhere: the plain answer, on the level that demand itself would teach."""
    sales, _ = sold()
    row = decided("auto", sales, np.full(SIZE, np.inf))
    past, target = read_contexts(days()[:-1]), read_contexts(days()[-1:], like=read_contexts(days()[:-1]))
    level = learn_from_sales(past, sales, np.zeros(SIZE, bool), 0.75)
    moved = by_hand(level, (level.past, np.ones(SIZE) * level.past_widths), target, sales)
    plain = pv.minimax([0.02] * SIZE, q=PROBLEM)
    assert row["order"] == pytest.approx(plain.policy.order(moved, [0.02] * SIZE, q=PROBLEM), rel=1e-12)
    assert row["guarantee"] == pytest.approx(plain.guarantee.upper, rel=1e-9)
    assert row["message"] is None
