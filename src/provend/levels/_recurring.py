"""Days that are unusual year after year: what a forecast has missed on the same days of other years."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import median
from provend.levels._calendars import Days, by_date, by_week, from_easter, from_first, from_last
from provend.levels._quantiles import quantiles

Floats = NDArray[np.float64]
Calendar = Callable[[Days], Days]

OF_DAYS: tuple[Calendar, ...] = by_date, from_easter, from_first, from_last
OF_WEEKS: tuple[Calendar, ...] = by_date, from_easter, by_week
WEEK = 7  # days from one to the next, in the median, from which on they stand for weeks
FIRM = 2.5  # standard errors that the mean error of a day must exceed to count at all
DOUBT = 1.0  # standard errors taken off the share in which errors recur
NORMAL = 1.349  # interquartile range of the normal law, in standard deviations
MOST = 421  # numbers of a calendar
LEAST = 393  # days: a year, and four weeks that are there twice


@dataclass(frozen=True, eq=False)
class Recurring:
    """What is added on each day of a year, a table for each calendar, and to the ``past`` rows, each by other years."""

    tables: tuple[tuple[Calendar, Floats], ...]
    past: Floats

    @classmethod
    def of(cls, errors: Floats, time: Floats, q: float) -> Recurring | None:
        """Learn from the errors of forecasts made without each row; ``None`` if nothing recurs.

        The calendar that explains most comes first, and each one explains what those before it have left. Rows of the
        same day are one error: their mean. Below q = 1/2 everything is upside down.
        """
        days, at = np.unique(np.floor(time).astype(np.int64), return_inverse=True)
        if days[-1] - days[0] < LEAST:
            return None
        up = 1 if q >= 0.5 else -1
        whole = left = up * np.bincount(at, errors) / np.bincount(at)
        usual, tables = _Usual.of(left, max(q, 1 - q)), list[tuple[Calendar, Floats]]()
        calendars = OF_WEEKS if median(np.diff(days)) >= WEEK else OF_DAYS
        numbers = {calendar: calendar(days) for calendar in calendars}
        while numbers:
            tried = {calendar: _Learned.of(number, left, usual) for calendar, number in numbers.items()}
            best = min(tried, key=lambda calendar: float(np.square(left - tried[calendar].past).sum()))
            if not tried[best].past.any():
                break
            tables.append((best, up * tried[best].table))
            left = left - tried[best].past
            del numbers[best]
        return cls(tuple(tables), up * (whole - left)[at]) if tables else None

    def at(self, time: Floats) -> Floats:
        """What is added at each time."""
        days = np.floor(time).astype(np.int64)
        found: Floats = np.array([table[calendar(days)] for calendar, table in self.tables]).sum(axis=0)
        return found


class _Usual(NamedTuple):
    """Errors as they mostly are: how wide, how far the order is ``above`` the forecast, and how much that matters."""

    spread: float
    above: float
    matters: float

    @classmethod
    def of(cls, errors: Floats, q: float) -> _Usual:
        """Errors of most days, whatever unusual ones there are among them."""
        low, high, above = quantiles(errors, np.array([0.25, 0.75, q])).tolist()
        return cls((high - low) / NORMAL or float(errors.std()), above, 2 * q - 1)


class _Learned(NamedTuple):
    """What one calendar says of each of its numbers, and of each day, by other years."""

    table: Floats
    past: Floats

    @classmethod
    def of(cls, number: Days, errors: Floats, usual: _Usual) -> _Learned:
        """Means of errors in the share in which they recur.

        Where some year was so far above the mean of a day that the order would have been too low, years differ by more
        than errors usually do: the day counts as higher, the more so the more it costs to order too little.
        """
        numbered = number > 0
        many, total = np.bincount(number, numbered, MOST), np.bincount(number, numbered * errors, MOST)
        mean, others = total / np.maximum(many, 1), (total[number] - errors) / np.maximum(many[number] - 1, 1)
        kept, of_others = _firmly(mean, many, usual.spread), _firmly(others, many[number] - numbered, usual.spread)
        share = _share(of_others, errors, usual.spread)
        if share == 0:
            return cls(np.zeros(MOST), np.zeros(errors.size))
        unusual = np.bincount(number, of_others != 0, MOST) + (kept != 0) > 0
        some = np.flatnonzero(unusual[number])
        highest, others_highest = _highest(number[some], errors[some])
        missed, others_missed = highest - usual.above - mean, others_highest - usual.above - others[some]
        kept += usual.matters * np.maximum(missed, 0.0) * (kept != 0)
        of_others[some] += usual.matters * np.maximum(others_missed, 0.0) * (of_others[some] != 0)
        return cls(share * kept, share * of_others)


def _highest(number: Days, errors: Floats) -> tuple[Floats, Floats]:
    """The highest error of each number, and of each day's number in other years: any error, if there are none."""
    order = np.lexsort((errors, number))
    last = np.flatnonzero(np.diff(number[order], append=MOST))
    highest = np.zeros(MOST)
    highest[number[order[last]]] = errors[order[last]]
    others = highest[number]
    others[order[last]] = errors[order[last - 1]]
    return highest, others


def _firmly(mean: Floats, many: NDArray[np.number], spread: float) -> Floats:
    """Means of ``many`` errors: 0 up to some standard errors, and nearly as they are far beyond (Breiman 1995)."""
    noise = np.square(FIRM * spread) / np.maximum(many, 1)
    kept: Floats = mean * np.maximum(1 - noise / np.maximum(np.square(mean), 1e-300), 0.0) * (many > 0)
    return kept


def _share(others: Floats, errors: Floats, spread: float) -> float:
    """The share of what other years say that recurs, less its standard error: between 0 and 1.

    That error is the larger of two: errors may be as wide as they mostly are, or as those of the days in question.
    """
    square = float(others @ others)
    if square == 0:
        return 0.0
    share = float(others @ errors) / square
    missed = others * (errors - min(share, 1.0) * others)
    doubt = max(spread * np.sqrt(square), float(np.linalg.norm(missed))) / square
    return float(np.clip(share - DOUBT * doubt, 0.0, 1.0))
