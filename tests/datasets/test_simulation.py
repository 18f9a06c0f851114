"""Simulated sales: reproducible, streamed, and distributed as they say."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from provend import InputError
from provend.datasets import World, simulate_sales
from provend.tables import read_sales


def drawn(items: int, days: int, **options: Any) -> pl.DataFrame:
    return pl.DataFrame(simulate_sales(items, days, **{"seed": 1, "truth": True, **options}).read_all())


def test_a_seed_means_the_same_sales_however_many_items_there_are() -> None:
    few, many = drawn(70, 20), drawn(200, 20)
    assert many.filter(pl.col("unique_id").is_in(few["unique_id"].unique().implode())).equals(few)
    assert not drawn(70, 20, seed=2).equals(few)
    without = pl.DataFrame(simulate_sales(70, 20, seed=1).read_all())
    assert without.equals(few.select("unique_id", "ds", "y", "category", "promotion"))


def test_a_stream_without_end_starts_at_once_and_holds_one_block() -> None:
    stream = simulate_sales(10**9, 30, seed=0)
    before = pa.total_allocated_bytes()
    sizes = [stream.read_next_batch().num_rows for _ in range(50)]
    assert max(sizes) <= 64 * 30
    assert pa.total_allocated_bytes() - before < 10 * 64 * 30 * 60  # bytes of a few batches, not of fifty


def test_demand_is_distributed_as_the_truth_says() -> None:
    table = drawn(640, 200)
    mean, r, x = (table[name].to_numpy() for name in ("mean", "dispersion", "demand"))
    variance = mean + mean**2 / r
    z = (x - mean) / np.sqrt(variance)
    n = len(table)
    assert abs(z.mean()) < 5 / np.sqrt(n)  # five standard errors
    assert abs((z**2).mean() - 1) < 5 * np.std(z**2) / np.sqrt(n)


def test_stockouts_promotions_weeks_and_new_items() -> None:
    table = drawn(640, 200, world=World(stockouts=0.1, promotions=0.2, new_items=0.3, uplift=3))
    assert (table["y"] <= table["demand"]).all()
    assert (table["stockout"] == (table["y"] < table["demand"])).all()
    n = len(table)
    assert 0.08 < table["stockout"].mean() <= 0.1 + 5 * np.sqrt(0.09 / n)
    assert table["promotion"].mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.16 / n))
    starts = table.group_by("unique_id").agg(pl.col("ds").min())["ds"]
    assert (starts > date(2024, 1, 1)).mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 640))
    on, off = (table.filter(pl.col("promotion") == flag)["mean"].mean() for flag in (True, False))
    assert on / off == pytest.approx(3, rel=0.1)
    days = table.group_by("category", pl.col("ds").dt.weekday()).agg(pl.col("mean").mean()).group_by("category")
    assert (days.agg(pl.col("mean").max() / pl.col("mean").min())["mean"] > 1.2).all()
    quiet = drawn(64, 50, world=World(stockouts=0, promotions=0, new_items=0, drift=0))
    assert len(quiet) == 64 * 50
    assert not quiet["stockout"].any()
    assert not quiet["promotion"].any()


def test_simulated_sales_are_read_as_a_history() -> None:
    sales = read_sales(simulate_sales(5, 30, seed=3, world=World(new_items=0)).read_all())
    assert (sales.report.items, sales.report.dates, sales.report.rows) == (5, 30, 150)
    assert sales.contexts == ("category", "promotion")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stockouts": 2}, "stockouts = 2 is not a share"),
        ({"drift": float("nan")}, "drift = nan must be finite"),
        ({"categories": 0}, "categories = 0 must be an integer of at least 1"),
    ],
)
def test_worlds_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        World(**options)
    with pytest.raises(InputError, match="items = 0"):
        simulate_sales(0, 3, seed=0)
