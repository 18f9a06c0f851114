"""Contexts that are made from the demand of their own day are doubted by name; those that move it are not."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import polars as pl
import pytest

from provend.backtesting import Backtest, HindsightWarning, backtest

DAYS, ITEMS = 120, 4
POLICIES = ("static", "linear")


def sales() -> pl.DataFrame:
    """Four items whose demand a promotion doubles and a price lowers."""
    rng, parts = np.random.default_rng(3), []
    dates = [date(2026, 1, 5) + timedelta(days=day) for day in range(DAYS)]
    for item in range(ITEMS):
        promotion, price = rng.random(DAYS) < 0.2, rng.choice([1.99, 2.49, 2.99], DAYS)
        y = rng.poisson(30 * (item + 1) * np.where(promotion, 2.0, 1.0) / price).astype(float)
        columns = {"unique_id": str(item), "ds": dates, "y": y, "promotion": promotion.astype(int), "price": price}
        parts.append(pl.DataFrame(columns))
    return pl.concat(parts)


def made(history: pl.DataFrame, **options: Any) -> Backtest:
    return backtest(history, cu=2, co=1, policies=list(POLICIES), **options)


def test_what_moves_demand_is_not_doubted() -> None:
    table = sales().with_columns(
        capacity=pl.lit(200), temperature=pl.int_range(pl.len()) % 23, y=pl.col("y").clip(0, 90)
    )
    assert [one for one in made(table).messages if "tells the demand" in one] == []


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            pl.col("y") + pl.Series(np.random.default_rng(1).choice([0, 0, 2, 5], DAYS * ITEMS)),
            "demand is never above it",
        ),
        (pl.col("y") * 2.49, "it rises and falls with demand, rank correlation 1.00"),
        (-pl.col("y"), "it rises and falls with demand, rank correlation -1.00"),
    ],
    ids=["stock", "revenue", "negative"],
)
def test_what_is_made_from_demand_is_named(column: pl.Expr, said: str) -> None:
    with pytest.warns(HindsightWarning, match=rf"^Bestand tells the demand of its own day \({said}"):
        found = made(sales().with_columns(Bestand=column.cast(pl.Float64)))
    assert found.messages[0].startswith("Bestand tells the demand of its own day")
    assert len([one for one in found.messages if "tells" in one]) == 1


def test_cheaper_than_hindsight_is_said() -> None:
    with catch_warnings():
        simplefilter("ignore", HindsightWarning)
        found = made(sales().with_columns(takings=pl.col("y") * 2.49))
    assert found.messages[1].startswith("regret below 0: linear cost less than the best orders found with hindsight")
    assert found.messages[1].endswith("thanks to promotion, price, takings, but only if known when you order")


def test_costs_are_per_item_and_day_and_per_date() -> None:
    found = made(sales(), test="0.25")
    row = found.summary.row(0, named=True)
    assert (row["days"], row["dates"]) == (ITEMS * DAYS // 4, DAYS // 4)
    paid = found.orders.filter(pl.col("policy") == "static")
    daily = paid.group_by("ds").agg(pl.col("cost").sum())["cost"].mean()
    assert row["cost_per_date"] == pytest.approx(daily)
    assert row["mean_cost"] == pytest.approx(daily / ITEMS)
    assert "per item and day" in found.note
