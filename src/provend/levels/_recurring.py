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
ALIKE = 0.9  # of what the best calendar explains
ROUNDS = 2  # in which calendars learn once more from what the others leave
DOUBT = 1.0  # standard errors taken off the share in which errors recur
NORMAL = 1.349  # interquartile range of the normal law, in standard deviations
MOST = 421  # numbers of a calendar
LEAST = 393  # days: a year, and four weeks that are there twice


@dataclass(frozen=True, eq=False)
class Recurring:
    """What is added on each day of a year, and to the ``past`` rows, each by other years.

    Calendars, each with a table, come in groups that explain the past ``alike``: in three years in a row the fourth
    Thursday of November may also be the last. ``up`` is -1 where all of it is upside down, below q = 1/2.
    """

    alike: tuple[dict[Calendar, Floats], ...]
    usual: _Usual
    up: int
    past: Floats

    @classmethod
    def of(cls, errors: Floats, time: Floats, q: float) -> Recurring | None:
        """Learn from the errors of forecasts made without each row; ``None`` if nothing recurs.

        The calendar that explains most comes first, and each one explains what those before it have left. Then each
        learns once more from what all others leave: the first has taken every Good Friday for a date. Rows of the same
        day are one error: their mean.
        """
        dates = np.floor(time).astype(np.int64)
        if np.ptp(dates) < LEAST:
            return None
        days, at = np.unique(dates, return_inverse=True)
        up = 1 if q >= 0.5 else -1
        whole = left = up * np.bincount(at, errors) / np.bincount(at)
        weekly = median(np.diff(days)) >= WEEK
        usual, groups = _Usual.of(left, max(q, 1 - q), twice=not weekly), list[_Group]()
        numbers = {calendar: calendar(days) for calendar in (OF_WEEKS if weekly else OF_DAYS)}
        while numbers and (found := _Group.best(numbers, left, usual)) is not None:
            groups.append(found)
            left = left - found.past
            numbers = {calendar: number for calendar, number in numbers.items() if calendar not in found.numbers}
        for _ in range(ROUNDS):
            for i, group in enumerate(groups):
                groups[i] = _Group.of(group.numbers, left + group.past, usual)
                left = left + group.past - groups[i].past
        tables = tuple(group.tables for group in groups if group.past.any())
        return cls(tables, usual, up, up * (whole - left)[at]) if tables else None

    def at(self, time: Floats) -> Floats:
        """What is added at each time."""
        days = np.floor(time).astype(np.int64)
        said = [self.usual.either([table[calendar(days)] for calendar, table in one.items()]) for one in self.alike]
        found: Floats = self.up * np.sum(said, axis=0)
        return found


class _Usual(NamedTuple):
    """Errors as they mostly are: how wide, how far the order is ``above`` the forecast, and how much that matters.

    ``twice`` if a day must have been unusual in two years: a spike, or a Good Friday, is not there on its date again.
    """

    spread: float
    above: float
    matters: float
    twice: bool

    @classmethod
    def of(cls, errors: Floats, q: float, *, twice: bool) -> _Usual:
        """Errors of most days, whatever unusual ones there are among them."""
        low, high, above = quantiles(errors, np.array([0.25, 0.75, q])).tolist()
        return cls((high - low) / NORMAL or float(errors.std()), above, 2 * q - 1, twice)

    def higher(self, highest: Floats, mean: Floats) -> Floats:
        """How much higher than its mean a day counts, if it may be so much higher that the order would be too low.

        The more so the more it costs to order too little: years, or calendars, then differ by more than errors do.
        """
        return self.matters * np.maximum(highest - self.above - mean, 0.0)

    def either(self, said: list[Floats]) -> Floats:
        """What calendars say that have explained the past alike."""
        mean: Floats = np.mean(said, axis=0)
        return mean + self.higher(np.max(said, axis=0), mean) if len(said) > 1 else said[0]


class _Group(NamedTuple):
    """Calendars that explain errors alike: the numbers of the days, the tables, and what they add to each day."""

    numbers: dict[Calendar, Days]
    tables: dict[Calendar, Floats]
    past: Floats

    @classmethod
    def best(cls, numbers: dict[Calendar, Days], errors: Floats, usual: _Usual) -> _Group | None:
        """The calendar that explains most, and those that explain nearly as much; ``None`` if none does anything."""
        tried = {calendar: _Learned.of(number, errors, usual).past for calendar, number in numbers.items()}
        explained = {calendar: float(past @ (2 * errors - past)) for calendar, past in tried.items()}
        if (most := max(explained.values())) <= 0:
            return None
        alike = {calendar: number for calendar, number in numbers.items() if explained[calendar] >= ALIKE * most}
        return cls.of(alike, errors, usual)

    @classmethod
    def of(cls, numbers: dict[Calendar, Days], errors: Floats, usual: _Usual) -> _Group:
        """What these calendars say together."""
        learned = {calendar: _Learned.of(number, errors, usual) for calendar, number in numbers.items()}
        tables = {calendar: one.table for calendar, one in learned.items()}
        return cls(numbers, tables, usual.either([one.past for one in learned.values()]))


class _Learned(NamedTuple):
    """What one calendar says of each of its numbers, and of each day, by other years."""

    table: Floats
    past: Floats

    @classmethod
    def of(cls, number: Days, errors: Floats, usual: _Usual) -> _Learned:
        """Means of errors in the share in which they recur; higher where some year was."""
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
        if usual.twice:
            kept *= _without_one_year(number, errors, mean, many) > FIRM * usual.spread
        kept += usual.higher(highest, mean) * (kept != 0)
        of_others[some] += usual.higher(others_highest, others[some]) * (of_others[some] != 0)
        return cls(share * kept, share * of_others)


def _without_one_year(number: Days, errors: Floats, mean: Floats, many: NDArray[np.number]) -> Floats:
    """How unusual each day is without the year that speaks most for it, in standard errors times the spread."""
    way, most = np.sign(mean), np.zeros(MOST)
    np.maximum.at(most, number, way[number] * errors)
    found: Floats = (many * np.abs(mean) - most) / np.sqrt(np.maximum(many - 1, 1)) * (many > 1)
    return found


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
