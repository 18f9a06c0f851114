"""Rows of a stream and rows of the same item and date, against the slow way of going through them one by one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provend.tables import read_sales
from provend.tables.reading import Choices, Roles, clean, decide_rules

FIRST = date(2026, 11, 1)


def table_of(rows: list[tuple[str, int, float]]) -> pa.Table:
    ids, days, demands = zip(*rows, strict=True)
    return pa.table({"unique_id": ids, "ds": [FIRST + timedelta(day) for day in days], "y": demands})


rows = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(0, 99)), min_size=1, max_size=40)


@settings(deadline=None)
@given(rows=rows, how=st.sampled_from(["sum", "last"]))
def test_rows_of_the_same_item_and_date(rows: list[tuple[str, int, float]], how: str) -> None:
    wanted: dict[tuple[str, int], float] = {}
    for item, day, y in rows:
        wanted[item, day] = y + (wanted.get((item, day), 0) if how == "sum" else 0)
    sales = read_sales(table_of(rows), duplicates=how)
    found = {(row["unique_id"], (row["ds"] - FIRST).days): row["y"] for row in sales.table.to_pylist()}
    assert found == wanted
    assert sales.table.num_rows == len(wanted)
    last = {(item, day): i for i, (item, day, _) in enumerate(rows)}
    assert sorted(last.values()) == sales.rows.tolist()
    assert sales.report.set_aside["row"].to_pylist() == [i for i in range(len(rows)) if i not in last.values()]


@settings(deadline=None)
@given(items=st.dictionaries(st.sampled_from("abc"), st.sets(st.integers(0, 30), min_size=20, max_size=31), min_size=1))
def test_gaps_are_the_days_between_the_first_and_the_last_that_are_not_there(items: dict[str, set[int]]) -> None:
    sales = read_sales(table_of([(item, day, 1.0) for item, days in items.items() for day in days]))
    seen = [day % 7 for days in items.values() for day in days]
    closed = {day for day in range(31) if seen.count(day % 7) < 0.02 * len(seen)}
    lacking = {item: set(range(min(days), max(days))) - days - closed for item, days in items.items()}
    gaps = sales.report.gaps
    assert (0 if gaps is None else gaps.missing) == sum(map(len, lacking.values()))
    assert (0 if gaps is None else gaps.items) == sum(map(bool, lacking.values()))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_stream_is_cleaned_as_the_whole_is(size: int) -> None:
    rng = np.random.default_rng(0)
    odd: list[Any] = ["n/a", "", None, "closed", "-3", "1.234,5"]
    demands = [odd[i // 9 % 6] if i % 9 == 0 else str(rng.integers(50)) for i in range(200)]
    days = [f"{1 + i % 28:02d}.{1 + i // 28:02d}.2026" if i % 31 else "soon" for i in range(200)]
    table = pa.table({"sku": [" a ", "b"] * 100, "when": days, "qty": demands, "price": ["2,5"] * 200})
    rules = decide_rules(table, Roles(("sku",), "when", "qty", ("price",)), Choices(negative="clip"))
    whole, remarks = clean(table.to_batches()[0], rules)
    parts, found, start = [], [], 0
    for batch in table.to_batches(max_chunksize=size):
        part, some = clean(batch, rules)
        parts.append(part)
        found += [
            (row + start, reason, kept) for row, reason, kept in zip(some.rows, some.reasons, some.kept, strict=True)
        ]
        start += batch.num_rows
    assert pa.Table.from_batches(parts).equals(pa.Table.from_batches([whole]))
    assert sorted(found) == sorted(zip(remarks.rows, remarks.reasons, remarks.kept, strict=True))
    assert {reason for _, reason, _ in found} == {"no demand", "not a number", "not a date", "below zero, taken as 0"}
    assert whole["y"].null_count == 0
    assert 1234.5 in whole["y"].to_pylist()
    assert whole["price"].to_pylist() == [2.5] * whole.num_rows


def test_days_as_spreadsheets_count_them_are_dates(read: Any) -> None:
    """Day 1 is the first of 1900, and 1900 has a 29th of February there: 45292 is 2024-01-01."""
    found = read("ds,y\n45292,1\n45293,2\n45351,3\n")
    assert [str(day) for day in found.table["ds"].to_pylist()] == [
        "2024-01-01",
        "2024-01-02",
        "2024-02-29",
    ]
    assert "days counted as in spreadsheets" in str(found.report)
    for text in ("ds,y\n1,1\n2,2\n", "ds,y\n36525,1\n36526,2\n", "ds,y\n45292.5,1\n45293,2\n"):
        assert "read as numbers" in str(read(text).report)


def test_cells_written_as_formulas_of_text_are_text(read: Any) -> None:
    found = read('item,ds,y\n="007",2024-01-01,="12"\n="007",2024-01-02,"=""13"""\n="008",2024-01-01,5\n')
    assert found.table["unique_id"].to_pylist() == ["007", "007", "008"]
    assert found.table["y"].to_pylist() == [12.0, 13.0, 5.0]


def test_days_on_which_a_shop_is_closed_are_not_missing() -> None:
    """Mondays to Fridays, and one Wednesday that is not there."""
    days = [date(2024, 1, 1) + timedelta(days=k) for k in range(60)]
    opened = [day for day in days if day.weekday() < 5]
    assert read_sales(pa.table({"ds": opened, "y": [1] * len(opened)})).report.gaps is None
    lacking = [day for day in opened if day != date(2024, 1, 17)]
    gaps = read_sales(pa.table({"ds": lacking, "y": [1] * len(lacking)})).report.gaps
    assert gaps is not None
    assert (gaps.missing, gaps.example) == (1, "'1' after 2024-01-16")
    short = [day for day in opened if day <= date(2024, 1, 12)]  # one weekend may be an accident
    gaps = read_sales(pa.table({"ds": short, "y": [1] * len(short)})).report.gaps
    assert gaps is not None
    assert gaps.missing == 2
