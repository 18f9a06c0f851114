"""Dates that are whole numbers: days where all of them are, and never counted on as if they were not."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import provend as pv
from commands import run

DAYS = [date(2024, 1, 3) + timedelta(days=day) for day in range(28)]
TERMS: dict[str, Any] = {"cu": 9, "co": 1, "policy": "erm", "dissimilarity": 0.0}


def sales(dates: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"unique_id": "a", "ds": dates, "y": [float(7 * day % 11) for day in range(len(dates))]})


def number(day: date) -> int:
    return int(day.strftime("%Y%m%d"))


@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64])
def test_numbers_that_are_days(kind: Any) -> None:
    past = sales([*map(number, DAYS)]).cast({"ds": kind})
    found, plain = pv.plan(past, horizon=2, **TERMS), pv.plan(sales(DAYS), horizon=2, **TERMS)
    assert found["ds"].to_list() == [date(2024, 1, 31), date(2024, 2, 1)]  # not 20240131 and 20240132
    assert found.equals(plain)


def test_numbers_that_are_days_in_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sales([*map(number, DAYS)]).write_parquet(tmp_path / "sales.parquet")
    code, said, _ = run(capsys, "plan", tmp_path / "sales.parquet", "--cu", "9", "--co", "1", "--horizon", "2")
    assert (code, "2024-02-01" in said, "dates to come: daily" in said) == (0, True, True)


def test_a_number_that_is_no_day_is_a_row_with_its_problem() -> None:
    days = [20240201, 20240230, 2024021, 20240228]
    ahead = pl.DataFrame({"unique_id": "a", "ds": days})
    found = pv.plan(sales([*map(number, DAYS)]), ahead, **TERMS)
    known = {row["ds"]: row["message"] for row in found.to_dicts() if row["status"] == "ok"}
    assert [*known] == [date(2024, 2, 1), date(2024, 2, 28)]
    assert {row["message"] for row in found.to_dicts() if row["status"] == "failed"} == {
        "'20240230' is no date",
        "'2024021' is no date",
    }


def test_tables_may_write_days_in_two_ways() -> None:
    ahead = pl.DataFrame({"unique_id": ["a"], "ds": [20240201]})
    expected = pv.plan(sales([*map(number, DAYS)]), ahead, **TERMS)
    assert pv.plan(sales(DAYS), ahead, **TERMS).equals(expected)
    assert pv.plan(sales([*map(number, DAYS)]), ahead.with_columns(ds=date(2024, 2, 1)), **TERMS).equals(expected)
    with pytest.raises(pv.InputError, match="column 'ds': moments in the history, numbers in the targets"):
        pv.plan(sales(DAYS), ahead.with_columns(ds=5), **TERMS)


def test_days_and_other_numbers_do_not_go_together() -> None:
    mixed = sales([*map(number, DAYS[:20]), *range(20)])
    with pytest.raises(pv.InputError, match="column 'ds' holds '0' and '20240103', dates in different formats"):
        pv.plan(mixed, **TERMS)


def test_numbers_of_months_are_not_counted_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    past = sales([100 * year + month for year in (2022, 2023) for month in range(1, 13)])
    with pytest.raises(pv.InputError, match="202201 and the like may be months or weeks"):
        pv.plan(past, **TERMS)
    past.write_csv(tmp_path / "sales.csv")
    code, _, error = run(capsys, "plan", tmp_path / "sales.csv", "--cu", "9", "--co", "1")
    assert (code, "202201 and the like may be months or weeks" in error) == (2, True)
    named = pv.plan(past, pl.DataFrame({"unique_id": ["a"], "ds": [202401]}), **TERMS)
    assert named["status"].to_list() == ["ok"]


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_plan_can_be_joined_to_its_targets(unit: Any) -> None:
    """Timestamps stay what they are; a plan of dates is one of dates."""
    ahead = pl.DataFrame({"unique_id": ["a"], "ds": [date(2024, 2, 1)]})
    assert pv.plan(sales(DAYS), ahead, **TERMS)["ds"].to_list() == [date(2024, 2, 1)]
    past, asked = (table.cast({"ds": pl.Datetime(unit)}) for table in (sales(DAYS), ahead))
    assert pv.plan(past, asked, **TERMS).join(asked, on=["unique_id", "ds"]).height == 1
    of_pandas = pv.plan(past.to_pandas(), asked.to_pandas(), **TERMS)
    assert len(of_pandas.merge(asked.to_pandas(), on=["unique_id", "ds"])) == 1
    assert pv.plan(sales(DAYS), asked, **TERMS).join(asked, on=["unique_id", "ds"]).height == 1
    assert pv.plan(past, ahead, **TERMS).join(ahead, on=["unique_id", "ds"]).height == 1


def test_periods_are_refused_as_dates() -> None:
    past = pd.DataFrame({"unique_id": "a", "ds": pd.period_range("2024-01-03", periods=28, freq="D"), "y": range(28)})
    with pytest.raises(pv.InputError, match=r"history: 'ds' is of type .*period.*, not dates; give dates"):
        pv.plan(past, **TERMS)
    days = past.assign(ds=past["ds"].dt.to_timestamp())
    with pytest.raises(pv.InputError, match=r"targets: 'ds' is of type .*period.*, not dates; give dates"):
        pv.plan(days, past.tail(1), **TERMS)
