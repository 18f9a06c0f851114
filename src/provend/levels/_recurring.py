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
UNMISTAKABLE = 8.0  # the same where much else is still to be explained
ROUNDS = 10  # at most, in which calendars learn once more from what the others leave
SETTLED = 0.01  # usual errors: changes that end it
DOUBT = 1.0  # standard errors taken off the share in which errors recur
NORMAL = 1.349  # interquartile range of the normal law, in standard deviations
MOST = 421  # numbers of a calendar
LEAST = 393  # days: a year, and four weeks that are there twice


@dataclass(frozen=True, eq=False)
class Recurring:
    """What is added on each day of a year, and to the ``past`` rows, each by other years.

    ``up`` is -1 where all of it is upside down, below q = 1/2.
    """

    days: tuple[_Day, ...]
    usual: _Usual
    up: int
    past: Floats

    @classmethod
    def of(cls, errors: Floats, time: Floats, q: float, firm: float = FIRM) -> Recurring | None:
        """Learn from the errors of forecasts made without each row; ``None`` if nothing recurs.

        Rows of the same day are one error: their mean.
        """
        dates = np.floor(time).astype(np.int64)
        if np.ptp(dates) < LEAST:
            return None
        days, at = np.unique(dates, return_inverse=True)
        up = 1 if q >= 0.5 else -1
        errors = up * np.bincount(at, errors) / np.bincount(at)
        weekly = median(np.diff(days)) >= WEEK
        usual = _Usual.of(errors, max(q, 1 - q), firm, twice=not weekly)
        numbers = {calendar: calendar(days) for calendar in (OF_WEEKS if weekly else OF_DAYS)}
        apart = _told_apart(numbers, errors, usual._replace(matters=0.0))
        learned = {calendar: _Learned.of(numbers[calendar], left, usual) for calendar, left in apart.items()}
        past = sum((one.past for one in learned.values()), np.zeros(days.size))
        if not past.any():
            return None
        unusual = [_Day.of(calendar, n, one.table, numbers) for calendar, one in learned.items() for n in one.unusual]
        return cls(tuple(unusual), usual, up, up * past[at])

    def at(self, time: Floats) -> Floats:
        """What is added at each time."""
        days = np.floor(time).astype(np.int64)
        numbers = {calendar: calendar(days) for calendar in {calendar for one in self.days for calendar in one.names}}
        added = np.zeros(days.size)
        for one in self.days:
            added += self.usual.either([one.adds * (numbers[calendar] == n) for calendar, n in one.names.items()])
        return self.up * added


class _Day(NamedTuple):
    """A day of the year that is unusual: what it ``adds``, and its number in each calendar that may be meant.

    Those are several as long as the same days had these numbers: in four years in a row the fourth Monday of May may
    also be the last.
    """

    adds: float
    names: dict[Calendar, int]

    @classmethod
    def of(cls, calendar: Calendar, number: int, table: Floats, numbers: dict[Calendar, Days]) -> _Day:
        """The day that one calendar has found, with its names in others."""
        seen = numbers[calendar] == number
        names = {calendar: number}
        for other, theirs in numbers.items():
            name = int(theirs[seen][0])
            if name > 0 and np.count_nonzero(seen) > 1 and np.array_equal(theirs == name, seen):
                names[other] = name
        return cls(float(table[number]), names)


class _Usual(NamedTuple):
    """Errors as they mostly are: how wide, how far the order is ``above`` the forecast, and how much that matters.

    Days are unusual if their mean error is more than ``firm`` standard errors, and if they were so in two years where
    ``twice`` is true: a spike, or a Good Friday, is not there on its date again.
    """

    spread: float
    above: float
    matters: float
    firm: float
    twice: bool

    @classmethod
    def of(cls, errors: Floats, q: float, firm: float, *, twice: bool) -> _Usual:
        """Errors of most days, whatever unusual ones there are among them."""
        low, high, above = quantiles(errors, np.array([0.25, 0.75, q])).tolist()
        return cls((high - low) / NORMAL or float(errors.std()), above, 2 * q - 1, firm, twice)

    def higher(self, highest: Floats, mean: Floats) -> Floats:
        """How much higher than its mean a day counts, if it may be so much higher that the order would be too low.

        The more so the more it costs to order too little: years, or calendars, then differ by more than errors do.
        """
        return self.matters * np.maximum(highest - self.above - mean, 0.0)

    def firmly(self, mean: Floats, many: NDArray[np.number]) -> Floats:
        """Means of ``many`` errors: 0 up to some standard errors, and nearly as they are far beyond (Breiman 1995)."""
        noise = np.square(self.firm * self.spread) / np.maximum(many, 1)
        kept: Floats = mean * np.maximum(1 - noise / np.maximum(np.square(mean), 1e-300), 0.0) * (many > 0)
        return kept

    def either(self, said: list[Floats]) -> Floats:
        """What counts where calendars differ that have meant the same days so far."""
        mean: Floats = np.mean(said, axis=0)
        return mean + self.higher(np.max(said, axis=0), mean) if len(said) > 1 else said[0]


class _Learned(NamedTuple):
    """What one calendar says of each of its numbers, and of each day, by other years."""

    table: Floats
    past: Floats

    @property
    def unusual(self) -> list[int]:
        """The numbers of which it says anything."""
        numbers: list[int] = np.flatnonzero(self.table).tolist()
        return numbers

    @classmethod
    def of(cls, number: Days, errors: Floats, usual: _Usual) -> _Learned:
        """Means of errors in the share in which they recur; higher where some year was."""
        numbered = number > 0
        many, total = np.bincount(number, numbered, MOST), np.bincount(number, numbered * errors, MOST)
        mean, others = total / np.maximum(many, 1), (total[number] - errors) / np.maximum(many[number] - 1, 1)
        kept, of_others = usual.firmly(mean, many), usual.firmly(others, many[number] - numbered)
        share = _share(of_others, errors, usual.spread)
        if share == 0:
            return cls(np.zeros(MOST), np.zeros(errors.size))
        unusual = np.bincount(number, of_others != 0, MOST) + (kept != 0) > 0
        some = np.flatnonzero(unusual[number])
        highest, others_highest = _highest(number[some], errors[some])
        if usual.twice:
            kept *= _without_one_year(number, errors, mean, many) > usual.firm * usual.spread
        kept += usual.higher(highest, mean) * (kept != 0)
        of_others[some] += usual.higher(others_highest, others[some]) * (of_others[some] != 0)
        return cls(share * kept, share * of_others)


def _told_apart(numbers: dict[Calendar, Days], errors: Floats, usual: _Usual) -> dict[Calendar, Floats]:
    """For each calendar that explains anything, the errors that all others leave.

    The calendar that explains most comes first, and each one explains what those before it have left. Then each learns
    again and again from what all others leave: the first has taken every Good Friday for a date.
    """
    left, pasts = errors, dict[Calendar, Floats]()
    while (best := _best({one: numbers[one] for one in numbers if one not in pasts}, left, usual)) is not None:
        pasts[best] = _Learned.of(numbers[best], left, usual).past
        left = left - pasts[best]
    for _ in range(ROUNDS):
        before = left
        for calendar, said in pasts.items():
            pasts[calendar] = _Learned.of(numbers[calendar], left + said, usual).past
            left = left + said - pasts[calendar]
        if np.abs(left - before).max() <= SETTLED * usual.spread:
            break
    return {calendar: left + past for calendar, past in pasts.items()}


def _best(numbers: dict[Calendar, Days], errors: Floats, usual: _Usual) -> Calendar | None:
    """The calendar that explains most; ``None`` if none does anything."""
    tried = {calendar: _Learned.of(number, errors, usual).past for calendar, number in numbers.items()}
    explained = {calendar: float(past @ (2 * errors - past)) for calendar, past in tried.items()}
    return max(explained, key=explained.__getitem__) if max(explained.values(), default=0.0) > 0 else None


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
