"""Columns of months: which ones are taken for months, and what forecasts see of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from provend import ContextualNewsvendor
from provend.tables import Encoding, read_contexts
from provend.tables.columns import Column
from provend.tables.months import NAMES, holds_months, month_named, months_of

GERMAN = "Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez."
DATES = pd.Series(pd.date_range("2021-01-01", periods=500))
SPELLED = {
    "names": DATES.dt.month_name(),
    "short": DATES.dt.month_name().str[:3].str.upper(),
    "German": DATES.dt.month.map(dict(enumerate(GERMAN.split(), 1))),
    "month": DATES.dt.month,
}


def read(values: object, name: str = "m") -> Column:
    return read_contexts(pd.DataFrame({name: values})).columns[0]


def test_names_in_several_languages() -> None:
    assert [month_named(name) for name in ("JAN", "Février", "März", "mrz.", "out", "Dic", "monday", "")] == [
        1, 2, 3, 3, 10, 12, None, None,
    ]  # fmt: skip
    assert len(NAMES) == 12
    words = " ".join(NAMES).split()
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("spelling", SPELLED)
def test_months_however_they_are_spelled(spelling: str) -> None:
    column = read(SPELLED[spelling], spelling)
    assert holds_months(column)
    assert months_of(column).tolist() == DATES.dt.month.tolist()


@pytest.mark.parametrize(
    ("name", "values", "are"),
    [
        ("shop", range(1, 13), False),  # numbers may be anything
        ("Month", range(1, 13), True),
        ("sales_month", range(1, 13), True),
        ("months", range(1, 13), False),  # a duration, perhaps
        ("month", range(12), False),  # nobody knows which is January
        ("month", [1.5, 2.0, 3.0], False),
        ("first", ["Mar", "Jun", "Ed"], False),
        ("who", ["April", "June", "May"], True),
    ],
)
def test_what_is_taken_for_a_month(name: str, values: list[object], are: bool) -> None:
    assert holds_months(read([*values, *values], name)) == are


def encoded(months: object, years: object = None, rows: int = 500) -> tuple[Encoding, np.ndarray]:
    table = pd.DataFrame({"month": months} | ({} if years is None else {"year": years}))[:rows]
    return Encoding.fitted(read_contexts(table))


def test_names_and_numbers_are_encoded_alike() -> None:
    """By a number and by two waves a year; seen twice, months have no effects of their own yet."""
    matrices = [encoded(SPELLED[spelling], DATES.dt.year)[1] for spelling in SPELLED]
    for matrix in matrices[1:]:
        assert np.array_equal(matrix, matrices[0])
    number, *waves = matrices[0].T[:5]
    assert np.corrcoef(number, DATES.dt.month)[0, 1] == pytest.approx(1)
    for wave, turn in zip(waves, [np.sin, np.sin, np.cos, np.cos], strict=True):
        fits = [np.corrcoef(wave, turn(2 * np.pi * k * DATES.dt.month / 12))[0, 1] for k in (1, 2)]
        assert max(fits) == pytest.approx(1)


@pytest.mark.parametrize(("days", "years", "apart"), [(960, True, False), (1010, True, True), (500, False, True)])
def test_months_have_effects_of_their_own_once_they_were_seen_often(days: int, years: bool, apart: bool) -> None:
    """Nearly three times, by the column of years; where there is none, nobody knows."""
    dates = pd.Series(pd.date_range("2021-01-01", periods=days))
    _, matrix = encoded(dates.dt.month, dates.dt.year if years else None, days)
    january = (dates.dt.month == 1).to_numpy(np.float64)
    assert any(abs(np.corrcoef(one, january)[0, 1]) > 0.999 for one in matrix.T if one.any()) == apart


@pytest.mark.parametrize("every", [2, 500, 501])
def test_names_and_numbers_are_encoded_alike_if_months_are_told_apart(every: int) -> None:
    """Whatever is missing, which for numbers would be one value too many."""
    names, numbers = SPELLED["names"].astype(object), SPELLED["month"].astype(float)
    names[every - 1 :: every], numbers[every - 1 :: every] = None, np.nan
    (_, one), (_, other) = encoded(names), encoded(numbers)
    assert one.shape == (500, 12 + 5)
    assert np.array_equal(one, other)


@pytest.mark.parametrize("spelling", ["names", "month"])
def test_what_is_missing_or_no_year_shows_no_month_once_more(spelling: str) -> None:
    """16 or 17 months were seen, however many rows do not say which month it was, or say 1999.5."""
    months, years = SPELLED[spelling].astype(object), DATES.dt.year.astype(float)
    assert not encoded(months.where(DATES.index % 7 > 0, None), years)[0].months
    assert not encoded(months, years.where(DATES.index % 7 > 0, np.nan))[0].months
    table = pd.DataFrame({"month": months.infer_objects(), "year": years, "price": 1950 + np.sin(DATES.index)})
    assert not Encoding.of(read_contexts(table)).months


def test_a_few_months_have_no_season() -> None:
    assert encoded(SPELLED["names"], rows=270)[1].shape[1] == 9
    assert encoded(SPELLED["names"], rows=280)[1].shape[1] == 12 + 5


def test_a_month_not_seen_before_has_its_place_in_the_year() -> None:
    """Between its neighbours; a name that is no month, and a missing one, are in the middle."""
    ten = DATES[DATES.dt.month.between(2, 11)].reset_index(drop=True)
    past = read_contexts(pd.DataFrame({"month": ten.dt.month_name()}))
    encoding = Encoding.of(past)
    target = read_contexts(pd.DataFrame({"month": ["January", "December", "Easter", None]}), like=past)
    number, *_ = encoding.matrix(target).T
    assert number[0] < encoding.matrix(past)[:, 0].min()
    assert number[1] > encoding.matrix(past)[:, 0].max()
    assert number[2:].tolist() == [0.0, 0.0]
    assert np.isfinite(encoding.matrix(target)).all()


@pytest.mark.parametrize("missing", range(1, 9))
def test_missing_months_are_exactly_in_the_middle(missing: int) -> None:
    rows = np.arange(0, 500, 7 * missing)
    names, numbers = SPELLED["names"].astype(object), SPELLED["month"].astype(float)
    names[rows], numbers[rows] = None, np.nan
    for spelled in (names, numbers):
        assert not encoded(spelled)[1][rows, 0].any()


def test_a_regression_sees_waves_and_trees_the_number() -> None:
    contexts = read_contexts(pd.DataFrame({"price": np.sin(DATES.index), "month": SPELLED["names"]}))
    encoding, matrix = Encoding.fitted(contexts)
    timeless = encoding.without_time(matrix, contexts)
    (gone,) = np.nonzero((timeless != matrix).any(axis=0))
    assert gone.tolist() == [1]


def test_orders_do_not_depend_on_the_spelling() -> None:
    rng = np.random.default_rng(0)
    y = 50 + 20 * np.sin(2 * np.pi * DATES.dt.month / 12) + rng.normal(0, 5, DATES.size)
    orders = [
        ContextualNewsvendor(3, 1, support=(0, 100)).fit(table[:400], y[:400]).predict(table[400:])
        for table in (pd.DataFrame({"month": one, "year": DATES.dt.year}) for one in SPELLED.values())
    ]
    for other in orders[1:]:
        assert np.array_equal(other, orders[0])
