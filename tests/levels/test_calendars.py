"""Numbers of days against the calendars of other libraries."""

from __future__ import annotations

from calendar import monthcalendar
from datetime import date, timedelta

import numpy as np
import pytest
from dateutil.easter import easter

from provend.levels._calendars import FIRST, LAST, by_date, by_week, from_easter, from_first, from_last

EPOCH = date(1970, 1, 1)
DAYS = np.random.default_rng(0).integers(-130_000, 290_000, 3000)  # 1614 to 2763


def test_by_date() -> None:
    dates = [EPOCH + timedelta(int(day)) for day in DAYS]
    assert by_date(DAYS).tolist() == [31 * (one.month - 1) + one.day for one in dates]


def test_weekdays_of_months() -> None:
    """Counted from either end in lists of all weekdays of the month."""
    for day, first, last in zip(DAYS.tolist(), from_first(DAYS).tolist(), from_last(DAYS).tolist(), strict=True):
        one = EPOCH + timedelta(day)
        weeks = [week[one.weekday()] for week in monthcalendar(one.year, one.month) if week[one.weekday()]]
        start = 35 * (one.month - 1) + 5 * one.weekday() + 1
        assert first == start + weeks.index(one.day)
        assert last == start + weeks[::-1].index(one.day)


def test_by_week() -> None:
    weeks = [(EPOCH + timedelta(int(day))).isocalendar() for day in DAYS]
    assert by_week(DAYS).tolist() == [7 * (one.week - 1) + one.weekday for one in weeks]


def test_from_easter() -> None:
    def number(day: date) -> int:
        apart = (day - easter(day.year)).days
        return apart - FIRST + 1 if FIRST <= apart <= LAST else 0

    assert from_easter(DAYS).tolist() == [number(EPOCH + timedelta(int(day))) for day in DAYS]


@pytest.mark.parametrize("year", range(1900, 2100))
def test_easter_has_one_number(year: int) -> None:
    sunday = (easter(year) - EPOCH).days
    assert from_easter(
        np.array([sunday + FIRST - 1, sunday + FIRST, sunday, sunday + LAST, sunday + LAST + 1])
    ).tolist() == [
        0,
        1,
        1 - FIRST,
        LAST - FIRST + 1,
        0,
    ]
