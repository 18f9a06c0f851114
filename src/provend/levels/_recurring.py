"""Days that are unusual year after year: what a forecast has missed on the same days of other years."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.levels._calendars import by_date, by_week, from_easter
from provend.levels._quantiles import quantiles

Floats = NDArray[np.float64]

CALENDARS = by_date, from_easter, by_week
FIRM = 2.5  # standard errors that the mean error of a day must exceed to count at all
DOUBT = 1.0  # standard errors taken off the share in which errors recur
QUARTILES = np.array([0.25, 0.75])
NORMAL = 1.349  # interquartile range of the normal law, in standard deviations
MOST = 400  # days of a year, however they are numbered
LEAST = 393  # days: a year, and four weeks that are there twice


@dataclass(frozen=True, eq=False)
class Recurring:
    """What is added on each day of a year, a table for each calendar, and to the ``past`` rows, each by other years."""

    added: Floats
    past: Floats

    @classmethod
    def of(cls, errors: Floats, time: Floats) -> Recurring | None:
        """Learn from the errors of forecasts made without each row; ``None`` if nothing recurs.

        One calendar explains what the last one has left. Rows of the same day are one error: their mean.
        """
        days, at = np.unique(np.floor(time).astype(np.int64), return_inverse=True)
        if days[-1] - days[0] < LEAST:
            return None
        left = np.bincount(at, errors) / np.bincount(at)
        spread, whole = _spread(left), left
        added = np.zeros((len(CALENDARS), MOST))
        for table, calendar in zip(added, CALENDARS, strict=True):
            number = calendar(days)
            total, many = np.bincount(number, left, minlength=MOST), np.bincount(number, minlength=MOST)
            total[0] = many[0] = 0  # days without a number
            others = _firmly(total[number] - left, many[number] - 1, spread)
            share = _share(others, left, spread)
            table += share * _firmly(total, many, spread)
            left = left - share * others
        return cls(added, (whole - left)[at]) if added.any() else None

    def at(self, time: Floats) -> Floats:
        """What is added at each time."""
        days = np.floor(time).astype(np.int64)
        found: Floats = sum(table[calendar(days)] for table, calendar in zip(self.added, CALENDARS, strict=True))
        return found


def _spread(errors: Floats) -> float:
    """The standard deviation of most errors, whatever unusual days there are among them."""
    low, high = quantiles(errors, QUARTILES)
    return float(high - low) / NORMAL or float(errors.std())


def _firmly(total: NDArray[np.number], many: NDArray[np.intp], spread: float) -> Floats:
    """Means of ``many`` errors: 0 up to some standard errors, and nearly as they are far beyond (Breiman 1995)."""
    mean = total / np.maximum(many, 1)
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
