"""Small tables of past demand, and the rows of a backtest's results."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from provend.backtesting import Backtest

START = date(2024, 1, 1)
SIMPLE = ["static", "rolling", "rolling:15", "same:weekday"]


def table(y: list[float], **contexts: Any) -> pl.DataFrame:
    days = [START + timedelta(days=i) for i in range(len(y))]
    return pl.DataFrame({"unique_id": "a", "ds": days, "y": y, **contexts})


def random_table(items: int = 3, rows: int = 60, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frames = []
    for item in range(items):
        n = rows + 7 * item
        weekday = [f"day {i % 7}" for i in range(n)]
        y = rng.poisson([5 + 3 * (i % 7) for i in range(n)]).astype(float)
        frames.append(
            table(y.tolist(), weekday=weekday, rain=rng.uniform(size=n)).with_columns(unique_id=pl.lit(f"i{item}"))
        )
    return pl.concat(frames).sample(fraction=1, shuffle=True, seed=seed)


def rows(frame: Any) -> list[dict[str, Any]]:
    return list(nw.from_native(frame, eager_only=True).iter_rows(named=True))


def policy_rows(result: Backtest) -> dict[str, dict[str, Any]]:
    return {row["policy"]: row for row in rows(result.summary)}
