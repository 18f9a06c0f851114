"""The dates to come, spaced as in the history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables import weekday

Dates = NDArray[Any]  # datetime64 or numbers
Days = NDArray[Any]  # datetime64[D]

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOSTLY = 0.9  # share of the gaps that must be weeks, or months
USUAL = 0.02  # share of the dates from which a weekday counts as usual
PASSED = 2  # times a weekday must have passed before the shop can count as closed on it
MONTH = 30  # days, as a rule
LONGEST = 366  # days between the last two dates; with more, the last one is probably a slip of the pen
MONTHS = (190001, 219953)  # what numbers are that have a year and a month, or a week, in them
REMEDY = "name the dates to come in a table of targets"


@dataclass(frozen=True)
class Ahead:
    """The next dates, how they were found, in words, and the days or numbers from one to the next, as a rule."""

    dates: Dates
    spacing: str
    step: int


def next_dates(past: Dates, horizon: int) -> Ahead:
    """The ``horizon`` dates after the last of the past dates, which are distinct and ascending."""
    if past.size < 2:
        dates = "a single date shows" if past.size else "no dates show"
        raise InputError(f"history: {dates} no spacing; {REMEDY}")
    if past.dtype.kind != "M":
        return _numbers(past, horizon)
    days = past.astype("datetime64[D]")
    clock = past - days
    if (clock != clock[0]).any():
        raise InputError(
            f"history: the dates have times of day; add the rows of a day up first, in a column of days, or {REMEDY}"
        )
    found = _next_days(days, horizon)
    return replace(found, dates=found.dates + clock[0]) if clock[0] else found


def _next_days(days: Days, horizon: int) -> Ahead:
    gaps = np.diff(days).astype(np.int64)
    if gaps[-1] > LONGEST:
        raise InputError(
            f"history: its last date, {days[-1]}, is {gaps[-1]:,} days after any other; correct it, or {REMEDY}"
        )
    monthly = _share((gaps >= 28) & (gaps <= 31)) >= MOSTLY
    if monthly and np.unique(days - days.astype("datetime64[M]")).size == 1:  # February has four weeks
        return _months(days, horizon)
    if (step := _weeks(gaps)) is not None:
        how = "weekly" if step == 7 else f"every {step // 7} weeks"
        return Ahead(days[-1] + step * np.arange(1, horizon + 1), f"{how}, on {DAYS[_weekdays(days[-1:])[0]]}s", step)
    if monthly:
        return _months(days, horizon)
    if np.median(gaps) == 1:
        return _open_days(days, horizon)
    raise InputError(
        f"history: dates are {np.median(gaps):g} days apart as a rule, neither daily nor weekly nor monthly; {REMEDY}"
    )


def _weeks(gaps: NDArray[np.int64]) -> int | None:
    """The days from one date to the next where these are whole weeks; some dates may be missing."""
    usual = np.median(gaps)
    steps = [int(usual)] if usual % 7 == 0 else []
    steps += [7] if (gaps == 7).any() else []  # many weeks may be missing
    return next((step for step in steps if _share(gaps % step == 0) >= MOSTLY), None)


def _share(true: NDArray[np.bool_]) -> float:
    return float(true.mean())


def _numbers(past: Dates, horizon: int) -> Ahead:
    if not np.isfinite(past).all() or (past != np.round(past)).any():
        raise InputError(f"history: the dates are numbers that are not whole; {REMEDY}")
    months = (past >= MONTHS[0]) & (past <= MONTHS[1]) & (past % 100 >= 1) & (past % 100 <= 53)
    if _share(months) >= MOSTLY:
        raise InputError(
            f"history: {past[months][0]:.0f} and the like may be months or weeks, which are not spaced like numbers; "
            f"give dates, such as 2024-01 for a month, or {REMEDY}"
        )
    step = gcd(*np.diff(past).astype(np.int64).tolist())
    return Ahead(past[-1] + step * np.arange(1, horizon + 1, dtype=past.dtype), f"numbers, {step} apart", step)


def _open_days(days: Days, horizon: int) -> Ahead:
    """Daily, except on weekdays that hardly ever occur, when the shop is closed."""
    shares = np.bincount(_weekdays(days), minlength=7) / days.size
    weeks = np.bincount(_weekdays(np.arange(days[0], days[-1])), minlength=7)
    usual = (shares >= USUAL) | (weeks < PASSED)
    ahead = days[-1] + np.arange(1, 7 * horizon + 8)
    closed = [name for name, is_usual in zip(DAYS, usual, strict=True) if not is_usual]
    spacing = "daily" if not closed else f"daily, but not on {' and '.join(f'{name}s' for name in closed)}"
    return Ahead(ahead[usual[_weekdays(ahead)]][:horizon], spacing, 1)


def _months(days: Days, horizon: int) -> Ahead:
    """The same day of each of the next months, or their last day."""
    months = days.astype("datetime64[M]")
    ahead = months[-1] + np.arange(1, horizon + 1)
    last = (ahead + 1).astype("datetime64[D]") - 1
    if ((days + 1).astype("datetime64[M]") > months).all():
        return Ahead(last, "monthly, on the last day", MONTH)
    day = (days - months.astype("datetime64[D]")).max()
    return Ahead(
        np.minimum(ahead.astype("datetime64[D]") + day, last), f"monthly, on day {int(day.astype(int)) + 1}", MONTH
    )


def _weekdays(days: Days) -> NDArray[np.int64]:
    return weekday(days.astype(np.float64))
