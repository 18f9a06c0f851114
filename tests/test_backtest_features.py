"""Columns of every type as numbers, in every kind of table."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

from provend.backtesting._features import as_numbers, is_category


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([date(1970, 1, 3), date(1969, 12, 31)], [2, -1]),
        ([timedelta(days=2), timedelta(hours=-12)], [2, -0.5]),
        ([date(1970, 1, 3), None], [2, np.nan]),
        ([timedelta(days=2), None], [2, np.nan]),
        ([2**62, 1], [2.0**62, 1]),
        ([2**62, None], [2.0**62, np.nan]),
        ([0.5, None], [0.5, np.nan]),
    ],
)
def test_numbers(kind: str, values: list[Any], wanted: list[float]) -> None:
    table = pl.DataFrame({"x": values})
    made = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[kind]
    column = nw.from_native(made, eager_only=True)["x"]
    assert not is_category(column)
    np.testing.assert_array_equal(as_numbers(column), wanted)


def test_times_of_day_are_labels() -> None:
    assert is_category(nw.from_native(pl.DataFrame({"x": [time(12, 30)]}), eager_only=True)["x"])
