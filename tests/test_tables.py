"""What columns are taken for, in every kind of table."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from provend.tables import read_contexts
from provend.tables.values import as_numbers


def in_every_kind(values: list[Any]) -> dict[str, Any]:
    table = pl.DataFrame({"x": values})
    return {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}


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
    column = nw.from_native(in_every_kind(values)[kind], eager_only=True)["x"]
    np.testing.assert_array_equal(as_numbers(column), wanted)


KINDS: list[tuple[list[Any], str]] = [
    ([time(12, 30), time(9, 0)], "category"),
    ([True, None], "category"),
    (["1", "2"], "category"),  # a dataframe that says text means text
    (["b", None], "category"),
    ([None, None], "category"),
    ([1, None], "number"),
    ([timedelta(days=2), None], "number"),
    ([date(2024, 1, 1), date(2024, 1, 1)], "time"),
    ([datetime(2024, 1, 1, 12), datetime(2024, 1, 2)], "time"),
    ([*range(8)], "time"),
    ([*range(7), 0], "number"),
]


@pytest.mark.parametrize(("values", "wanted"), KINDS, ids=str)
def test_kinds_are_the_same_in_every_kind_of_table(values: list[Any], wanted: str) -> None:
    for name, table in in_every_kind(values).items():
        assert read_contexts(table).kinds == {"x": wanted}, name


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["1", "2"], "number"),  # an array has no types of columns
        ([True, False], "category"),
        ([1.5, None], "number"),
        ([pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01")], "time"),
        ([date(2024, 1, 1), date(2024, 1, 2)], "time"),
        (["a", 1], "category"),
    ],
    ids=str,
)
def test_kinds_in_arrays(values: list[Any], wanted: str) -> None:
    array = np.array([["x", value] for value in values], dtype=object)
    assert read_contexts(array).kinds == {"x0": "category", "x1": wanted}


def test_codes_that_are_said_to_be_categories_are() -> None:
    table = pd.DataFrame({"shop": pd.Categorical([3, 1, 3])})
    assert read_contexts(table).columns[0].values.tolist() == ["3", "1", "3"]


def test_the_clock_of_the_place_tells_the_weekday() -> None:
    moments = pd.to_datetime(["2024-01-01 00:00", "2024-01-08 00:00"]).tz_localize("Europe/Berlin")
    for table in (pd.DataFrame({"ds": moments}), pl.from_pandas(pd.DataFrame({"ds": moments}))):
        assert (read_contexts(table).columns[0].values % 7 == 4).all()  # Mondays: 1970-01-01 was a Thursday
