"""Contexts as matrices of numbers, for distances, forecasts and regressions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from provend.tables.columns import Column, is_code
from provend.tables.contexts import Contexts
from provend.tables.labels import MISSING, as_labels
from provend.tables.months import holds_months, months_of
from provend.tables.values import Array

Floats = NDArray[np.float64]

YEAR = 365.25  # days
MOST_LEVELS = 12  # of a number whose values are told apart: months, not counts such as the demand of a week ago
YEARS = 1900, 2100  # whole numbers that are taken for years
WAVES = 2  # per year
SEASONS = 300  # days of history from which on the day of the year can be told from a trend
MONTHS = 1000  # days of history, with every month seen nearly three times, from which on months are told apart
FEWEST_MONTHS = 10  # of twelve, from which on a column of months has seasons: as many as there are in 300 days


@dataclass(frozen=True)
class Part:
    """How one column becomes numbers.

    Attributes
    ----------
    name : str
        The column.
    numeric : bool
        Whether it is a number or a time, taken as is.
    levels : tuple of str, optional
        The values told apart: categories, and whole numbers with at most 12 distinct values. Of months, all twelve are
        told apart, or none.
    mean : float
        What stands in for missing numbers.
    month : bool
        Whether it is the month of a year, by number or by name.
    """

    name: str
    numeric: bool
    levels: tuple[str, ...] | None
    mean: float = 0.0
    month: bool = False

    @classmethod
    def of(cls, column: Column) -> Part:
        """Learn the part from a column of the history."""
        month = _has_seasons(column)
        if column.kind == "category":
            levels = tuple(sorted(column.coded[0]))
            return cls(column.name, False, levels, _mean(months_of(column)) if month else 0.0, month)
        missing = np.isnan(column.values)
        known = np.sort(column.values[~missing])
        distinct = int(np.count_nonzero(known[1:] > known[:-1])) + (known.size > 0) + bool(missing.any())
        few = column.kind == "number" and _is_code(column.values, distinct)
        codes = tuple(sorted(set(as_labels(np.unique(column.values)).tolist()))) if few else None
        return cls(column.name, True, codes, float(known.mean()) if known.size else 0.0, month)

    def width(self, months: bool) -> int:
        """How many features it has, where ``months`` says whether months are told apart."""
        return 1 + 2 * WAVES + 12 * months if self.month else self.numeric + len(self.levels or ())

    def features(self, column: Column, months: bool) -> list[Array]:
        """Numbers and levels; of months the number, waves and, by number, however they are spelled, levels."""
        if self.month:
            known = months_of(column)[:, None]
            apart, missing = [known == np.arange(1, 13)] if months else [], np.isnan(known)
            waves = np.where(missing, 0.0, _waves(known[:, 0] / 12, WAVES))
            return [np.where(missing, self.mean, known), waves, *apart]
        numbers = [self.numbers(column)] if self.numeric else []
        return numbers if self.levels is None else [*numbers, self.indicators(column)]

    def numbers(self, column: Column) -> Floats:
        """The column as numbers; missing ones are set to the mean."""
        values = column.values.astype(np.float64)
        return np.where(np.isnan(values), self.mean, values)[:, None]

    def indicators(self, column: Column) -> NDArray[np.bool_]:
        """One column per level, which a level not seen before has none of; a year has those of all years before it.

        What the years have changed so far then lasts in the year to come, of which nothing else is known.
        """
        if column.kind == "category":
            place = {level: at for at, level in enumerate(self.levels or ())}
            texts, code = column.coded
            codes = np.array([place.get(text, -1) for text in texts], np.intp)[code]
            alike: NDArray[np.bool_] = codes[:, None] == np.arange(len(place))
            return alike
        known = np.array([np.nan if level == MISSING else float(level) for level in self.levels or ()])
        numbers = column.values[:, None]
        alike = (numbers >= known) if _are_years(known) else (numbers == known)
        found: NDArray[np.bool_] = alike | (np.isnan(numbers) & np.isnan(known))
        return found

    def ranks(self, column: Column) -> NDArray[np.int64]:
        """The rank of each value's level in sorted order, -1 if it was not seen before; of months 0 to 11, or -1."""
        if self.month:
            return (np.nan_to_num(months_of(column)).astype(np.int64) - 1)[:, None]
        seen, texts = np.array(self.levels), column.values.astype(str)
        at = np.minimum(np.searchsorted(seen, texts), seen.size - 1)
        return np.where(seen[at] == texts, at, -1)[:, None]


@dataclass(frozen=True, eq=False)
class Encoding:
    """How the columns of a history become numbers. Missing numbers are set to the mean everywhere.

    :meth:`matrix` has mean 0 and variance 1 over the history, for distances and forecasts: categories, and whole
    numbers with few values, become one indicator per level, years one per year from which on they count; a date adds
    its weekday, from 300 days of history on the day of the year, as a number and as sines and cosines, and from 1,000
    days on one indicator per month; a column of months has its number, sines and cosines, and the same indicators, if
    months were seen as often or nobody knows how often. :meth:`one_hot` and :meth:`ordinal` are for the regressions of
    other libraries: first the columns taken as they are, and what a date adds, then the categories.
    """

    parts: tuple[Part, ...]
    waves: int
    months: bool
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, past: Contexts) -> Encoding:
        """Learn levels, means and standard deviations from the history."""
        return cls.fitted(past)[0]

    @classmethod
    def fitted(cls, past: Contexts) -> tuple[Encoding, Floats]:
        """The encoding of the history, and its :meth:`matrix` there."""
        parts, time = tuple(Part.of(column) for column in past.columns), past.time
        span = float(np.ptp(time.values)) if time is not None and time.calendar else 0.0
        waves = WAVES if span >= SEASONS else 0
        unscaled = cls(parts, waves, _tells_months(parts, past, span), np.zeros(0), np.ones(0))
        raw = unscaled._raw(past)
        ascending = np.sort(raw.T, axis=1)  # sums that do not depend on the order of the rows, to the last bit
        means = ascending.mean(axis=1)
        centre, spread = unscaled._centre(means, past), _deviations(ascending, means)
        scaled = replace(unscaled, centre=centre, spread=np.where(spread > 1e-12, spread, np.inf))
        return scaled, scaled._standardised(raw)

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The levels seen in each of the other columns, sorted."""
        return {part.name: part.levels or () for part in self.parts if not part.numeric}

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """The same without months: one not seen before still has a season."""
        return {part.name: part.levels or () for part in self.parts if not (part.numeric or part.month)}

    def matrix(self, contexts: Contexts) -> Floats:
        """The standardised matrix, one row per context."""
        return self._standardised(self._raw(contexts))

    def _standardised(self, raw: Floats) -> Floats:
        scaled: Floats = (raw - self.centre) / self.spread
        return scaled

    def without_time(self, matrix: Floats, contexts: Contexts) -> Floats:
        """The matrix as lines and waves can use it: times and the numbers of days and months are set to 0."""
        kept, starts = matrix.copy(), self._starts(contexts)
        months = [at for (at, _), part in zip(starts, self.parts, strict=True) if part.month]
        days = [at + self._of_date for at, column in starts if column.calendar and self.waves]
        kept[:, self.times(contexts) + months + days] = 0.0
        return kept

    def times(self, contexts: Contexts) -> list[int]:
        """The positions of the times themselves in the matrix."""
        return [at for at, column in self._starts(contexts) if column.kind == "time"]

    def told(self, contexts: Contexts) -> list[int]:
        """The positions of what neither is a time nor follows from one; of a number, that of the number alone.

        An indicator of a month changes once, on the day on which a step may begin.
        """
        starts = self._starts(contexts)
        ends = [*(at for at, _ in starts[1:]), self.centre.size]
        each = zip(starts, ends, self.parts, strict=True)
        told = ((at, at + 1 if part.numeric or part.month else end) for (at, c), end, part in each if c.kind != "time")
        return [place for first, last in told for place in range(first, last)]

    def one_hot(self, contexts: Contexts) -> Floats:
        """One indicator per category, for linear models; an unseen category has none of them."""
        added = [feature for days in self._days(contexts) for feature in self._calendar(days)]
        return self._beside(contexts, added, [part.indicators(column) for part, column in self._categories(contexts)])

    def ordinal(self, contexts: Contexts) -> Floats:
        """The ranks of categories, for trees; -1 if unseen. The categorical columns come last, weekdays at the end."""
        days = self._days(contexts)
        seasons = [one[:, None] % YEAR for one in days if self.waves]
        ranks = [part.ranks(column) for part, column in self._categories(contexts)]
        return self._beside(contexts, seasons, ranks + [weekday(one)[:, None] for one in days])

    def kinds(self, contexts: Contexts) -> int:
        """How many of the columns of :meth:`ordinal`, the last ones, are ranks of categories and weekdays."""
        return len(self._categories(contexts)) + len(self._days(contexts))

    def _centre(self, means: Floats, past: Contexts) -> Floats:
        """The means; for numbers, those of the known values, so that missing ones end up exactly at 0."""
        centre = means.copy()
        for (at, _), part in zip(self._starts(past), self.parts, strict=True):
            if part.numeric or part.month:
                centre[at] = part.mean
        return centre

    def _starts(self, contexts: Contexts) -> list[tuple[int, Column]]:
        """The columns, with the positions in the matrix at which they begin."""
        widths = [
            part.width(self.months) + column.calendar * self._of_date
            for part, column in zip(self.parts, contexts.columns, strict=True)
        ]
        return list(zip(accumulate([0, *widths[:-1]]), contexts.columns, strict=True))

    @property
    def _of_date(self) -> int:
        """How many features a date adds: weekdays, waves, months, and the number of the day in the year."""
        return 7 + 2 * self.waves + 12 * self.months + (self.waves > 0)

    def _categories(self, contexts: Contexts) -> list[tuple[Part, Column]]:
        return [pair for pair in zip(self.parts, contexts.columns, strict=True) if not pair[0].numeric]

    def _days(self, contexts: Contexts) -> list[Floats]:
        return [column.values for column in contexts.columns if column.calendar]

    def _calendar(self, days: Floats) -> list[Array]:
        """Weekdays, waves and months."""
        months = [_month(days)[:, None] == np.arange(12)] if self.months else []
        return [weekday(days)[:, None] == np.arange(7), _waves(days / YEAR, self.waves), *months]

    def _beside(self, contexts: Contexts, added: list[Array], encoded: list[Array]) -> Floats:
        both = zip(self.parts, contexts.columns, strict=True)
        plain = [part.numbers(column) for part, column in both if part.numeric]
        return np.hstack([*plain, *added, *encoded]).astype(np.float64)

    def _raw(self, contexts: Contexts) -> Floats:
        blocks: list[Array] = []
        for part, column in zip(self.parts, contexts.columns, strict=True):
            blocks += part.features(column, self.months)
            if column.calendar:
                blocks += self._calendar(column.values)
            if column.calendar and self.waves:
                blocks.append(column.values[:, None] % YEAR)
        return np.hstack(blocks, dtype=np.float64)


def weekday(days: Floats) -> NDArray[np.int64]:
    """The weekday of days since 1970-01-01, with Monday as 0."""
    return (np.floor(days).astype(np.int64) + 3) % 7


def _is_code(values: Floats, levels: int) -> bool:
    """Whether the values of a number are told apart."""
    return levels <= MOST_LEVELS and is_code(values, levels)


def _are_years(levels: Floats) -> bool:
    """Whether all known numbers are years."""
    known = levels[~np.isnan(levels)]
    within = (known >= YEARS[0]) & (known <= YEARS[1]) & (known == np.rint(known))
    return bool(known.size and within.all())


def _month(days: Floats) -> NDArray[np.int64]:
    """The month of days since 1970-01-01, with January as 0."""
    months: NDArray[np.int64] = np.floor(days).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12
    return months


def _has_seasons(column: Column) -> bool:
    """Whether a column holds the month of a year, and so many months that seasons show."""
    if not holds_months(column):
        return False
    months = months_of(column)
    return np.unique(months[~np.isnan(months)]).size >= FEWEST_MONTHS


def _tells_months(parts: tuple[Part, ...], past: Contexts, span: float) -> bool:
    """Whether months have been seen so often that each has an effect of its own: by a date, or by columns.

    With no date, and no column of years, nobody can tell, and months are told apart.
    """
    month = next((column for part, column in zip(parts, past.columns, strict=True) if part.month), None)
    if span or month is None:
        return span >= MONTHS
    years = [column.values for column in past.columns if column.kind == "number" and _are_years(column.values)]
    code = months_of(month)
    for year in years:
        code = 1000 * code + (year - YEARS[0])  # nan where one of them is missing
    seen = set(code[~np.isnan(code)].tolist())
    return not years or len(seen) * YEAR / 12 >= MONTHS


def _deviations(rows: Floats, means: Floats) -> Floats:
    """What ``rows.std(axis=1)`` says, to the last bit, where the means are known."""
    apart = rows - means[:, None]
    found: Floats = np.sqrt((apart * apart).sum(axis=1) / rows.shape[1])
    return found


def _mean(values: Floats) -> float:
    known = np.sort(values[~np.isnan(values)])
    return float(known.mean()) if known.size else 0.0


def _waves(years: Floats, count: int) -> Floats:
    """Sines and cosines of the season, with time in years."""
    turns = 2 * np.pi * years[:, None] * np.arange(1, count + 1)
    return np.hstack([np.sin(turns), np.cos(turns)])
