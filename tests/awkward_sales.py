"""Sales of a few items with awkward names, and how to plan them quickly."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl

import provend as pv

QUICK = ("--cu", "9", "--co", "1", "--policy", "erm", "--dissimilarity", "0.05")
NAMES = ["Brötchen", "=2+3", 'Köln; "Süd"', "-x", "7"]


def sales(names: list[str] = NAMES, days: int = 30) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    dates = [date(2024, 1, 1) + timedelta(days=i) for i in range(days)]
    return pl.concat(
        pl.DataFrame({"unique_id": name, "ds": dates, "y": rng.poisson(12, days).astype(float)}) for name in names
    )


def expected(**options: Any) -> list[dict[str, Any]]:
    """What the library plans for these sales with the options of ``QUICK``."""
    return pv.plan(sales(), cu=9, co=1, policy="erm", dissimilarity=0.05, **options).to_dicts()
