"""Dates that do not look like dates: whole numbers, categories of dates, periods."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from provend._errors import InputError
from provend.backtesting import backtest
from provend.estimators import ContextualNewsvendor, PanelNewsvendor
from provend.tables import read_contexts

DAYS = pd.date_range("2024-01-01", periods=120)
NUMBERS = DAYS.strftime("%Y%m%d").astype(np.int64)
DEMAND = 20.0 + 30 * (DAYS.day_of_week.to_numpy() > 4) + np.arange(120) % 5
AS_DAYS = (DAYS - pd.Timestamp(0)).days.to_numpy(dtype=np.float64)


def weekly() -> Any:
    return DAYS.to_period("W")


@pytest.mark.parametrize(
    "given",
    [
        NUMBERS,
        NUMBERS.astype(np.int32),
        NUMBERS.astype(np.uint64),
        NUMBERS.astype(np.float64),
        pd.array(NUMBERS, dtype="Int64"),
        NUMBERS.astype(str),
        NUMBERS.astype(object),
        pd.Categorical(DAYS),
        pd.Categorical(DAYS.date),
        pd.Categorical(DAYS.tz_localize("Europe/Berlin")),
        DAYS.to_period("D"),
        pd.Categorical(DAYS.to_period("D")),
        DAYS.to_period("D").astype(object),
    ],
    ids=lambda given: f"{type(given).__name__} {given.dtype}"[:60],
)
def test_days_are_days_however_they_are_kept(given: Any) -> None:
    (column,) = read_contexts(pd.DataFrame({"day": given})).columns
    assert (column.kind, column.calendar, column.values.tolist()) == ("time", True, AS_DAYS.tolist())


def test_days_in_other_tables_and_arrays() -> None:
    dictionary = pa.table({"day": pa.array(DAYS).dictionary_encode()})
    for table in (pl.DataFrame({"day": NUMBERS.to_numpy().astype(np.uint32)}), pa.table({"day": NUMBERS}), dictionary):
        assert read_contexts(table).columns[0].values.tolist() == AS_DAYS.tolist()
    mixed = pd.DataFrame({"day": NUMBERS, "shop": "a"}).to_numpy()
    assert read_contexts(mixed).columns[0].values.tolist() == AS_DAYS.tolist()


@pytest.mark.parametrize("freq", ["W", "M"])
def test_periods_are_their_first_day(freq: str) -> None:
    periods = DAYS.to_period(freq)
    wanted = (periods.start_time - pd.Timestamp(0)).days.tolist()
    for given in (periods, pd.Categorical(periods), periods.astype(object)):
        past = read_contexts(pd.DataFrame({"when": given}))
        assert past.columns[0].values.tolist() == wanted
        later = read_contexts(pd.DataFrame({"when": periods[-1:].start_time}), like=past)
        assert later.columns[0].values.tolist() == wanted[-1:]


@pytest.mark.parametrize(
    "values",
    [
        [20240101, 20240230],  # no such day
        [20240101, 20240101],  # one value alone may be anything
        [20240101.5, 20240102.0],
        [18991231, 18991230],  # out of the centuries that files are read by
        [45292, 45293],  # days as spreadsheets count them
        [20230001, 20230002],
    ],
    ids=str,
)
def test_numbers_that_stay_numbers(values: list[float]) -> None:
    assert read_contexts(pl.DataFrame({"x": values})).kinds == {"x": "number"}


def test_what_is_said_of_days_in_numbers_holds() -> None:
    table = pd.DataFrame({"day": NUMBERS})
    number = read_contexts(table, kinds={"day": "number"})
    assert (number.kinds, number.columns[0].values.tolist()) == ({"day": "number"}, NUMBERS.tolist())
    assert read_contexts(table[:1], like=number).columns[0].values.tolist() == [20240101]
    said = read_contexts(table[:1], kinds={"day": "time"})
    assert (said.columns[0].calendar, said.columns[0].values.tolist()) == (True, AS_DAYS[:1].tolist())


def test_days_to_come_are_read_like_the_history() -> None:
    numbers, dates = (read_contexts(pd.DataFrame({"day": given})) for given in (NUMBERS, DAYS))
    for past in (numbers, dates):
        for later in (20240501, "2024-05-01", pd.Timestamp("2024-05-01"), "20240501"):
            found = read_contexts(pd.DataFrame({"day": [later]}), like=past).columns[0]
            assert found.values.tolist() == [19844]
    with pytest.raises(InputError, match="column 'day' holds 20240231, which is not a date as in the history"):
        read_contexts(pd.DataFrame({"day": [20240230 - 1, 20240231]}), like=numbers)
    with pytest.raises(InputError, match=r"column 'day' lacks a date in row 1; fill it in or drop the row"):
        read_contexts(pd.DataFrame({"day": [20240101, None, 20240103]}))


def test_both_estimators_and_backtests_see_the_week() -> None:
    X = pd.DataFrame({"unique_id": "a", "day": DAYS})
    for model, table in ((ContextualNewsvendor(9, 1), X[["day"]]), (PanelNewsvendor(9, 1), X)):
        wanted = model.fit(table[:100], DEMAND[:100]).predict(table[100:114])
        for given in (NUMBERS, pd.Categorical(DAYS), DAYS.to_period("D")):
            same = table.assign(day=given)
            assert (model.fit(same[:100], DEMAND[:100]).predict(same[100:114]) == wanted).all()
    past = pd.DataFrame({"unique_id": "a", "ds": DAYS, "y": DEMAND, "due": NUMBERS})
    found = backtest(past, cu=9, co=1, policies=["static"], refit_every=50)
    assert found.columns == {"ds": "time", "due": "time"}
    same = backtest(past.assign(ds=pd.Categorical(DAYS)), cu=9, co=1, policies=["static"], refit_every=50)
    assert same.orders["ds"].tolist() == found.orders["ds"].tolist()
    with pytest.raises(InputError, match=r"column 'ds' holds periods, not dates; give .* by \.dt\.to_timestamp\(\)"):
        backtest(past.assign(ds=DAYS.to_period("D")), cu=9, co=1)
    assert nw.from_native(past)["due"].dtype == nw.Int64  # the caller's table stays as it was


def test_numbers_that_may_be_days_are_the_time_only_where_there_is_no_other() -> None:
    """The day of launch, or a number of an article, in front of the dates."""
    launch, days = [20200101, 20200201, 20200301], pd.date_range("2024-01-01", periods=3)
    found = read_contexts(pd.DataFrame({"launch": launch, "ds": days})).time
    assert found is not None
    assert found.name == "ds"
    alone = read_contexts(pd.DataFrame({"launch": launch, "x": [1.0, 2.0, 1.0]})).time
    assert alone is not None
    assert alone.name == "launch"
