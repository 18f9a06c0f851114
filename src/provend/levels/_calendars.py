"""Ways to number the days of a year from 1 on, so that a holiday has the same number every year in one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.tables import weekday

Days = NDArray[np.int64]

FIRST, LAST = -52, 60  # days from Easter: from the Thursday before carnival to Corpus Christi


def by_date(days: Days) -> Days:
    """Christmas, New Year: the month and the day of it."""
    month, day, _ = _in_month(days)
    return 31 * month + day + 1


def from_first(days: Days) -> Days:
    """Thanksgiving, the fourth Thursday of November: the month, the weekday, and how many of them were before."""
    month, day, _ = _in_month(days)
    number: Days = 35 * month + 5 * weekday(days.astype(np.float64)) + day // 7 + 1
    return number


def from_last(days: Days) -> Days:
    """Bank holidays such as the last Monday of May: the month, the weekday, and how many of them come after."""
    month, _, after = _in_month(days)
    number: Days = 35 * month + 5 * weekday(days.astype(np.float64)) + after // 7 + 1
    return number


def by_week(days: Days) -> Days:
    """Weeks as such: the weekday and its week of the year, numbered as in ISO 8601."""
    day = weekday(days.astype(np.float64))
    thursdays = days - day + 3
    number: Days = (thursdays - _first_of(_year(thursdays))) // 7 * 7 + day + 1
    return number


def from_easter(days: Days) -> Days:
    """Good Friday, Whitsun, carnival: the days from Easter Sunday, before it or after; 0 for days far from it."""
    year = _year(days)
    years = np.arange(year.min(initial=1970), year.max(initial=1970) + 1)
    march = (12 * (years - 1970) + 2).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    apart = days - (march + 21 + _after_equinox(years))[year - years[0]]
    return np.where((apart >= FIRST) & (apart <= LAST), apart - FIRST + 1, 0)


def _in_month(days: Days) -> tuple[Days, Days, Days]:
    """The month from 0 on, and how many days of it come before and after."""
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    last = (months + 1).astype("datetime64[D]") - 1
    return months.astype(np.int64) % 12, (dates - months).astype(np.int64), (last - dates).astype(np.int64)


def _year(days: Days) -> Days:
    years: Days = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    return years


def _first_of(year: Days) -> Days:
    first: Days = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return first


def _after_equinox(year: Days) -> Days:
    """Days from 22 March to Easter Sunday, by the rule of the Gregorian calendar (Butcher's form of 1876)."""
    golden, (century, rest) = year % 19, np.divmod(year, 100)
    leaps, left = np.divmod(century, 4)
    moon = (19 * golden + century - leaps - (8 * century + 13) // 25 + 15) % 30
    sunday = (32 + 2 * left + 2 * (rest // 4) - moon - rest % 4) % 7
    number: Days = moon + sunday - 7 * ((golden + 11 * moon + 22 * sunday) // 451)
    return number
