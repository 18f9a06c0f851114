"""The dates to come: found from the past ones, or asked for."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from provend import InputError
from provend.planning._calendar import next_dates


def days(dates: list[date]) -> np.ndarray:
    return np.array(dates, "datetime64[D]").astype("datetime64[us]")


def every(step: int, count: int, start: date = date(2024, 1, 1)) -> list[date]:
    return [start + timedelta(days=step * i) for i in range(count)]


def month(number: int, day: int) -> date:
    return date(2024 + (number - 1) // 12, (number - 1) % 12 + 1, day)


def month_end(number: int) -> date:
    return month(number + 1, 1) - timedelta(days=1)


CASES = {
    "daily": (every(1, 30), [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 2)]),
    "daily, with gaps": (every(1, 10) + every(1, 10, date(2024, 1, 15)), [date(2024, 1, 25), date(2024, 1, 26)]),
    "daily, of a few days": (every(1, 3), [date(2024, 1, 4), date(2024, 1, 5), date(2024, 1, 6), date(2024, 1, 7)]),
    "daily, but not on Sundays": (
        [day for day in every(1, 41) if day.weekday() != 6],  # the last is Saturday, 10 February
        [date(2024, 2, 12), date(2024, 2, 13), date(2024, 2, 14)],
    ),
    "weekly, on Mondays": (every(7, 9), [date(2024, 3, 4), date(2024, 3, 11)]),
    "weekly, on Mondays, with gaps": ([*every(14, 5), *every(7, 3, date(2024, 3, 4))], [date(2024, 3, 25)]),
    "every 2 weeks, on Mondays": (every(14, 9), [date(2024, 5, 6), date(2024, 5, 20)]),
    "every 2 weeks, on Mondays, with gaps": (
        [*every(14, 9), *every(14, 3, date(2024, 6, 3))],
        [date(2024, 7, 15), date(2024, 7, 29)],
    ),
    "every 3 weeks, on Mondays": (every(21, 6), [date(2024, 5, 6), date(2024, 5, 27)]),
    "every 4 weeks, on Mondays": (every(28, 14), [date(2025, 1, 27), date(2025, 2, 24)]),
    "monthly, on day 1": ([month(i, 1) for i in range(1, 13)], [date(2025, 1, 1), date(2025, 2, 1)]),
    "monthly, on day 15": ([month(i, 15) for i in range(1, 13)], [date(2025, 1, 15), date(2025, 2, 15)]),
    "monthly, on the last day": (
        [month_end(i) for i in range(1, 13)],
        [date(2025, 1, 31), date(2025, 2, 28), date(2025, 3, 31)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_spacings(name: str) -> None:
    past, expected = CASES[name]
    found = next_dates(days(past), len(expected))
    assert found.dates.tolist() == expected
    assert found.spacing == name.removesuffix(", with gaps").removesuffix(", of a few days")


def test_a_month_without_that_day() -> None:
    past = [month(i, 30) if i != 2 else date(2024, 2, 29) for i in range(1, 14)]
    assert next_dates(days(past), 1).dates.tolist() == [date(2025, 2, 28)]


def test_days_that_are_all_stamped_alike() -> None:
    six = np.timedelta64(6, "h")
    found, plain = next_dates(days(every(1, 30)) + six, 2), next_dates(days(every(1, 30)), 2)
    assert ((found.dates - six == plain.dates).all(), found.spacing) == (True, plain.spacing)


def test_numbers() -> None:
    found = next_dates(np.array([10, 14, 16, 20]), 2)
    assert (found.dates.tolist(), found.spacing) == ([22, 24], "numbers, 2 apart")
    assert next_dates(np.arange(202390, 202420), 1).dates.tolist() == [202420]  # a month 90 there is not


@pytest.mark.parametrize(
    ("past", "said"),
    [
        (days(every(3, 10)), "3 days apart"),
        (days([day for day in every(7, 60) if day.day <= 7]), "28 days apart"),  # the first Monday of each month
        (days(every(1, 1)), "history: a single date shows no spacing"),
        (days(every(1, 5)) + np.arange(5) * np.timedelta64(3, "h"), "times of day"),
        (days([*every(1, 5), date(9999, 12, 31)]), "9999-12-31, is .* days after any other"),
        (np.array([0.5, 1.5]), "not whole"),
        (np.array([202311, 202312, 202401]), "202311 and the like may be months or weeks.*such as 2024-01 for a month"),
        (np.array([202351.0, 202352.0, 202401.0]), "202351 and the like may be months or weeks"),
    ],
)
def test_what_is_not_found_is_asked_for(past: np.ndarray, said: str) -> None:
    with pytest.raises(InputError, match=f"{said}.*name the dates to come in a table of targets"):
        next_dates(past, 1)
