"""What columns are taken for, in every kind of table."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from provend._errors import InputError
from provend.backtesting import backtest
from provend.estimators import ContextualNewsvendor
from provend.tables import ColumnWarning, Encoding, codes_and_labels, read_contexts, weekday
from provend.tables.values import as_numbers, as_text


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


def dates_of(texts: list[str]) -> list[str]:
    for table in in_every_kind(texts).values():
        (column,) = read_contexts(table).columns
        assert (column.kind, column.calendar) == ("time", True)
    return [str(day) for day in column.values.astype("datetime64[D]")]


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-11-16", "2026-12-01", "2026-12-01"],
        ["16.11.2026", "1.12.2026", "01.12.2026"],
        ["16.11.26", "01.12.26", "01.12.26"],
        ["16/11/2026", "1/12/2026", "01/12/2026"],
        ["11/16/2026", "12/1/2026", "12/01/2026"],
        ["16-11-2026", "01-12-2026", "01-12-2026"],
        ["2026/11/16", "2026/12/01", "2026/12/01"],
        ["16.11.2026 00:00", "01.12.2026 00:00:00", "1.12.2026T00:00"],
        ["11/16/2026 12:00 AM", "12/1/2026 12:00 am", "12/1/2026 12:00:00 AM"],
    ],
    ids=lambda texts: texts[0],
)
def test_dates_as_people_write_them(texts: list[str]) -> None:
    assert dates_of(texts) == ["2026-11-16", "2026-12-01", "2026-12-01"]


def test_times_of_day_and_centuries() -> None:
    table = pl.DataFrame({"x": ["16.11.2026 18:00", "16.11.69 06:00"]})
    with pytest.raises(InputError, match=r"'16.11.2026 18:00' and '16.11.69 06:00', dates in different formats"):
        read_contexts(table)
    assert dates_of(["16.11.69", "16.11.68"]) == ["1969-11-16", "2068-11-16"]
    halves = read_contexts(pl.DataFrame({"x": ["16.11.2026 18:00", "11.11.2026 06:00:00.5"]})).columns[0].values % 1
    assert halves == pytest.approx([0.75, 0.25 + 0.5 / 86_400])
    assert read_contexts(pl.DataFrame({"x": ["11/16/2026 6:00 pm"] * 2})).columns[0].values % 1 == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["05/06/2026", "06/06/2026"], "'05/06/2026' and the like, in which day and month cannot be told apart"),
        (["05-06-2026"], "day and month cannot be told apart"),
        (
            ["16/11/2026", "11/16/2026"],
            "'16/11/2026' and '11/16/2026', once with the day first and once with",
        ),
        (["16/11/26", "17/11/26"], "'16/11/26', where the year cannot be told from the day"),
        (["16.11.2026", "16/11/2026"], "'16.11.2026' and '16/11/2026', dates in different formats"),
        (["31.01.2026", "31.02.2026"], "'31.02.2026', not a date with the day first"),
        (["11.16.2026"], "'11.16.2026', not a date with the day first"),
        (["16.11.2026 25:00"], "not a date with the day first"),
        (["11/16/2026 13:00 PM"], "not a date with the month first"),
    ],
)
def test_dates_that_would_be_a_guess(texts: list[str], message: str) -> None:
    for table in in_every_kind(texts).values():
        with pytest.raises(InputError, match=f"column 'x' holds .*{message}.*; give ISO dates such as 2026-11-16"):
            read_contexts(table)
        assert read_contexts(table, kinds={"x": "category"}).kinds == {"x": "category"}


@pytest.mark.parametrize(
    "texts", [["10-20-30", "11-12-13"], ["10.20.30", "1.2.3"], ["99/99/99", "a"], ["2024", "2025"], ["16.11.2026", "?"]]
)
def test_texts_that_are_no_dates(texts: list[str]) -> None:
    assert read_contexts(pl.DataFrame({"x": texts})).kinds == {"x": "category"}


def test_dates_to_come_are_read_like_those_of_the_history() -> None:
    past = read_contexts(pl.DataFrame({"x": ["16/11/2026", "01/12/2026"]}))
    for later in ("02/12/2026", "2026-12-02", date(2026, 12, 2)):
        assert read_contexts(pl.DataFrame({"x": [later]}), like=past).columns[0].values == 20_789
    for wrong, message in (("soon", "not a date as in the history"), (3, "dates in the history and numbers here")):
        with pytest.raises(InputError, match=message):
            read_contexts(pl.DataFrame({"x": [wrong]}), like=past)
    with pytest.raises(InputError, match="lacks a date in row 1"):
        read_contexts(pl.DataFrame({"x": ["16/11/2026", None]}))
    with pytest.raises(InputError, match="lacks a date in row 1"):
        read_contexts(pl.DataFrame({"x": ["16/11/2026", " "]}))


def test_texts_that_tell_all_rows_apart_are_warned_about() -> None:
    names = [f"customer {i}" for i in range(40)]
    with pytest.warns(ColumnWarning, match=r"column 'x' holds 40 different texts in 40 rows, such as 'customer 0'"):
        read_contexts(pl.DataFrame({"x": names}))
    with pytest.warns(ColumnWarning):
        read_contexts(pl.DataFrame({"x": [*names[:38], "customer 0", "customer 1"]}))
    read_contexts(pl.DataFrame({"x": names[:35] + names[:5]}))
    read_contexts(pl.DataFrame({"x": names[:19]}))
    read_contexts(pl.DataFrame({"x": names}), kinds={"x": "category"})  # who says so knows


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        ([3, 1, 3], "category", ["3", "1", "3"]),
        ([*range(9)], "number", [*range(9)]),
        ([3, 1, 3], "time", [3, 1, 3]),
        (["3", "1"], "number", [3, 1]),
        ([date(1970, 1, 3)], "number", [2]),
        ([date(1970, 1, 3)], "time", [2]),
    ],
)
def test_kinds_that_are_said(values: list[Any], kind: str, wanted: list[Any]) -> None:
    for table in in_every_kind(values).values():
        read = read_contexts(table, kinds={"x": kind})
        assert (read.kinds, read.columns[0].values.tolist()) == ({"x": kind}, wanted)
        assert read_contexts(table, like=read).columns[0].values.tolist() == wanted


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"y": "number"}, "columns: 'y' is not a column; there are x"),
        ({"x": "date"}, "columns: 'x' cannot be a 'date'; choose one of number, category, time"),
        ({"x": "number"}, "columns: 'x' is called a number but holds 'a', not a number"),
        ({"x": "time"}, "columns: 'x' is called a time but holds 'a', neither a number nor a date"),
        ("x", "columns = 'x' is not a mapping"),
    ],
)
def test_kinds_that_cannot_be(kinds: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_contexts(pl.DataFrame({"x": ["a", "b"]}), kinds=kinds)


def test_dates_of_any_format_order_the_same() -> None:
    """German dates once were a category of as many levels as rows."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=200)
    y = 50 + 0.2 * np.arange(200) + 10 * (np.arange(200) % 7 > 4) + rng.normal(size=200)
    orders = {}
    for form in (None, "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d.%m.%y"):
        X = pd.DataFrame({"when": days if form is None else days.strftime(form)})
        model = ContextualNewsvendor(9, 1).fit(X[:180], y[:180])
        assert model.columns_ == {"when": "time"}
        orders[form] = model.predict(X[180:]).tolist()
    assert all(found == orders[None] for found in orders.values())


def test_histories_with_dates_as_people_write_them() -> None:
    days = pd.DatetimeIndex([*pd.date_range("2024-01-01", periods=60), *pd.date_range("2024-04-01", periods=9)])
    table = pd.DataFrame({"unique_id": ["a"] * 60 + ["b"] * 9, "ds": days, "y": np.arange(69.0) % 9})
    table["due"] = days + pd.Timedelta("3D")  # those of b are ambiguous by themselves
    wanted = backtest(table, cu=3, co=1, policies=["static", "linear"], refit_every=5).orders
    for form in ("%d.%m.%Y", "%d/%m/%Y", "%Y/%m/%d"):
        text = table.assign(ds=days.strftime(form), due=table["due"].dt.strftime(form))
        found = backtest(pl.from_pandas(text), cu=3, co=1, policies=["static", "linear"], refit_every=5)
        assert found.orders["order"].to_list() == wanted["order"].tolist()
        assert found.orders["ds"].to_list() == wanted["ds"].dt.date.tolist()
        assert found.columns == {"ds": "time", "due": "time"}
    with pytest.raises(InputError, match=r"column 'ds' holds '01/01/2024' and the like, in which day and month cannot"):
        backtest(table[:9].assign(ds=days[:9].strftime("%d/%m/%Y")), cu=3, co=1)


@pytest.mark.slow
def test_what_is_said_of_columns_holds_in_backtests() -> None:
    rng = np.random.default_rng(0)
    days, code = pd.date_range("2024-01-01", periods=80), np.arange(80) % 5
    table = pd.DataFrame({"unique_id": "a", "ds": days, "y": 10.0 * (code * 3 % 5) + rng.random(80), "code": code})
    found = backtest(table, cu=3, co=1, columns={"code": "category"}, refit_every=24)
    assert found.columns == {"ds": "time", "code": "category"}
    assert found.groups == ("code", "weekday")
    assert "same:code" in found.summary["policy"].tolist()
    options: dict[str, Any] = {"cu": 3, "co": 1, "refit_every": 24, "policies": ["static", "linear", "erm"]}
    plain = backtest(table, **options)
    assert plain.columns == {"ds": "time", "code": "number"}
    cost = {name: one.summary.set_index("policy")["mean_cost"]["linear"] for name, one in (("c", found), ("n", plain))}
    assert cost["c"] < 0.5 * cost["n"]  # a category has no order
    text = table.assign(code=code.astype(str))
    for one in (text, pl.from_pandas(text)):
        again = backtest(one, **options, columns={"code": "number"})
        assert again.columns == plain.columns
        assert list(again.orders["order"]) == plain.orders["order"].tolist()
    with pytest.raises(InputError, match=r"columns: 'kind' is not a context; there are code"):
        backtest(table, cu=3, co=1, columns={"kind": "category"})


def test_the_estimator_says_what_columns_are_and_can_be_told() -> None:
    X = pd.DataFrame({"weekday": np.arange(40) % 7, "n": np.arange(40), "kind": ["a", "b"] * 20})
    y = np.arange(40.0) % 6
    assert ContextualNewsvendor().fit(X, y).columns_ == {"weekday": "number", "n": "time", "kind": "category"}
    told = ContextualNewsvendor(columns={"weekday": "category", "n": "number"}).fit(X, y)
    assert told.columns_ == {"weekday": "category", "n": "number", "kind": "category"}
    assert ContextualNewsvendor().fit(X.to_numpy(), y).columns_ == {"x0": "number", "x1": "time", "x2": "category"}
    with pytest.raises(InputError, match="columns: 'day' is not a column"):
        ContextualNewsvendor(columns={"day": "time"}).fit(X, y)


def test_a_column_like_another_of_a_different_kind_is_refused() -> None:
    days = pd.date_range("2024-01-01", periods=9)
    past = read_contexts(pd.DataFrame({"day": days, "price": np.arange(9) % 4 * 1.5}))
    for day, price, message in (
        (["2024-01-01", "soon"], [1, 2], "holds 'soon', which is not a date"),
        ([1, 2], [1, 2], "'day' holds dates in the history and numbers here"),
        (days[:2], days[:2], "'price' holds numbers in the history and dates here"),
    ):
        with pytest.raises(InputError, match=message):
            read_contexts(pd.DataFrame({"day": day, "price": price}), like=past)
    with pytest.raises(InputError, match="X names columns twice"):
        read_contexts(pd.DataFrame(np.zeros((3, 2)), columns=["a", "a"]))


@pytest.mark.parametrize("kind", ["str", "category", "object"])
def test_labels_of_frames_that_were_put_together(kind: str) -> None:
    """Their columns come in chunks, each with a dictionary of its own."""
    parts = [pd.DataFrame({"item": names}).astype({"item": kind}) for names in (["b", "a"], ["c", "b"])]
    together = pd.concat(parts).astype({"item": kind})
    code, labels = codes_and_labels(nw.from_native(together)["item"])
    assert labels[code].tolist() == ["b", "a", "c", "b"]
    assert len(set(labels.tolist())) == labels.size == 3


def test_weekdays_in_text_with_a_time_zone_are_local() -> None:
    texts = [f"2026-11-{day:02}T00:30:00+02:00" for day in range(2, 30)]
    local = pd.to_datetime([text[:10] for text in texts])
    found, plain = (read_contexts(pd.DataFrame({"ds": column})).time for column in (texts, local))
    assert found is not None
    assert plain is not None
    assert np.allclose(found.values - plain.values, 0.5 / 24)
    moments = pd.to_datetime(texts).tz_convert("Europe/Athens")
    zoned = read_contexts(pd.DataFrame({"ds": moments})).time
    assert zoned is not None
    assert (found.values == zoned.values).all()


def test_codes_are_told_apart_as_numbers_as_they_were_as_texts() -> None:
    """Missing codes are a level of their own; a number not seen before, whole or not, has none."""
    past = read_contexts(pd.DataFrame({"code": [1.0, 2.0, 10.0, np.nan] * 9}))
    ahead = read_contexts(pd.DataFrame({"code": [10.0, 2.5, np.nan, -0.0, 1.0]}), like=past)
    part = Encoding.of(past).parts[0]
    assert part.levels == ("(missing)", "1", "10", "2")
    expected = [[as_text(value) == level for level in part.levels] for value in (10.0, 2.5, "(missing)", -0.0, 1.0)]
    assert part.indicators(ahead.columns[0]).tolist() == expected


def test_a_year_counts_from_its_beginning_on() -> None:
    """So that what came with a year is still there in the years to come, which nobody has seen."""
    past = read_contexts(pd.DataFrame({"year": [2021, 2023, 2022] * 9}))
    ahead = read_contexts(pd.DataFrame({"year": [2020.0, 2022.0, 2024.0, np.nan]}), like=past)
    part = Encoding.of(past).parts[0]
    assert part.levels == ("2021", "2022", "2023")
    assert part.indicators(ahead.columns[0]).astype(int).tolist() == [[0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]


def test_counts_are_numbers_and_months_are_told_apart() -> None:
    """Indicators of a count, such as the demand of a week ago, only add noise to a regression on it."""
    months, counts = ([*range(most)] * 12 for most in (12, 13))
    assert Encoding.of(read_contexts(pd.DataFrame({"x": months}))).parts[0].levels is not None
    assert Encoding.of(read_contexts(pd.DataFrame({"x": counts}))).parts[0].levels is None


def test_days_before_1970_have_their_weekday_at_any_hour() -> None:
    moments = pd.date_range("1969-12-01", "1970-02-01", freq="7h")
    time = read_contexts(pd.DataFrame({"ds": moments})).time
    assert time is not None
    assert (weekday(time.values) == moments.day_of_week).all()


@pytest.mark.parametrize("most", [30, 50, 99])
def test_rows_without_a_time_are_drawn_whatever_takes_turns_in_them(most: int) -> None:
    turns = read_contexts(pl.DataFrame({"shop": ["a", "b"] * 50}))
    some = turns.latest(most)
    assert np.unique(some).size == some.size == most
    assert np.array_equal(some, np.sort(some))
    assert abs(float((some % 2).mean()) - 0.5) < 0.25
    assert np.array_equal(turns.latest(100), np.arange(100))


def test_numbers_with_a_stray_text_among_them_are_warned_about() -> None:
    prices: list[Any] = [9.5 + at % 7 for at in range(99)]
    mixed = pd.DataFrame({"price": [*prices[:40], "n/a", *prices[40:]]})
    told = "holds numbers but for 1 of 100 rows, such as 'n/a' in row 40: as a category .* leave them empty"
    for table, name in ((mixed, "price"), (mixed.astype(str).to_numpy(object), "x0")):
        with pytest.warns(ColumnWarning, match=f"column '{name}' {told}"):
            assert read_contexts(table).columns[0].kind == "category"
    few: list[Any] = [*prices[:18], "n/a"]
    read_contexts(pd.DataFrame({"price": few}))
    read_contexts(pd.DataFrame({"price": ["a", "b", *prices[:18]] * 5}, dtype=object))  # no accident
    read_contexts(mixed, kinds={"price": "category"})


def test_flags_are_the_same_flags_as_numbers() -> None:
    """A file of targets often has 1 and 0 where the history has True and False; other labels stay what they are."""
    flags = read_contexts(pl.DataFrame({"promo": [True, False, None]}))
    wanted = flags.columns[0].values.tolist()
    for values in (
        [1, 0, None],
        [1.0, 0.0, None],
        ["True", "False", None],
        ["true", "false", None],
        ["TRUE", "FALSE", None],
    ):
        for like in (flags, flags.schema):
            read = read_contexts(pl.DataFrame({"promo": values}), like=like)
            assert read.columns[0].values.tolist() == wanted
    names = read_contexts(pl.DataFrame({"shop": ["True", "1", "0"]}))
    assert read_contexts(pl.DataFrame({"shop": [1, 0]}), like=names).columns[0].values.tolist() == ["1", "0"]
