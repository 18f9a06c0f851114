"""What the days of the week do to each item, beyond the forecast that all items share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.tables import Contexts, weekday

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]

DAYS, SATURDAY = 7, 5  # weekdays count from Monday, which is 0
OFF = np.arange(DAYS) >= SATURDAY
FEWEST_DAYS = 8  # that tell weekends from other days: a week, and a day that comes again
FEWEST_ITEMS = 4  # that tell how far items differ
DOUBT = 1.0  # standard errors by which items must differ more than chance would have it
LEAST = 1e-9  # rows: so that nothing is divided by nothing
OWN = 30.0  # rows of an item that say as much about how far its weekdays differ as all items together


@dataclass(frozen=True, eq=False)
class Days:
    """The dated rows of a panel, one line per item: the day and the weekday of each row."""

    panel: Panel
    day: Floats
    weekday: Rows

    @classmethod
    def of(cls, panel: Panel, contexts: Contexts) -> Days | None:
        """``None`` where there are no dates."""
        time = contexts.time
        if time is None or not time.calendar:
            return None
        return cls(panel, np.floor(time.values)[panel.rows], weekday(time.values)[panel.rows])

    @property
    def off(self) -> Flags:
        """Which rows are on a weekend."""
        found: Flags = self.panel.known & OFF[self.weekday]
        return found

    @property
    def share_off(self) -> Floats:
        """The share of each item's rows that are on a weekend."""
        return np.asarray(self.off.sum(axis=1) / self.panel.count, np.float64)

    def sums(self, values: Floats) -> Floats:
        """The sum over each weekday of each item; bit-identical whatever other items there are."""
        known, many = self.panel.known, self.panel.count.size
        cell = (np.arange(many)[:, None] * DAYS + self.weekday)[known]
        return np.asarray(np.bincount(cell, values[known], many * DAYS), np.float64).reshape(many, DAYS)

    def by_kind(self, values: Floats) -> Floats:
        """The sums over other days and over weekends, one column per item."""
        sums = self.sums(values)
        return np.array([sums[:, ~OFF].sum(axis=1), sums[:, OFF].sum(axis=1)])

    def of_its_weekday(self, table: Floats) -> Floats:
        """The entries of a table of weekdays, one line per item, at each row."""
        return np.take_along_axis(table, self.weekday, axis=1)


@dataclass(frozen=True, eq=False)
class Week:
    """How weekends differ from other days for all items, and how far items, and their weekdays, differ.

    Attributes
    ----------
    common : float
        Weekends less other days, shrunk by how much such days differ among themselves.
    day, without : array
        The days it was learned from, ascending, and what it would be without each of them.
    worth : float
        How many rows of an item say as much about its own difference; infinite if items do not differ.
    noise : float
        The variance of a row around its kind of day; 0 where nothing is known of weekdays.
    of_day : float
        The variance of what single weekdays add for an item, as far as it is not chance: the mean over items.
    """

    common: float = 0.0
    day: Floats = field(default_factory=lambda: np.zeros(0))
    without: Floats = field(default_factory=lambda: np.zeros(0))
    worth: float = inf
    noise: float = 0.0
    of_day: float = 0.0

    @classmethod
    def of(cls, missed: Floats, days: Days | None) -> Week:
        """Learn from what the forecast has missed."""
        if days is None:
            return cls()
        known = days.panel.known
        day, at = np.unique(days.day[known], return_inverse=True)
        off = OFF[weekday(day)]
        if day.size < FEWEST_DAYS or min(off.sum(), (~off).sum()) < 2:
            return cls()
        means = np.bincount(at, missed[known]) / np.bincount(at)
        shared = cls(*_difference(means, off, day))
        alone = np.zeros_like(missed)
        alone[known] = missed[known] - means[at]  # without what a day did to all items
        return shared._with_items(alone, missed, days)

    def _with_items(self, alone: Floats, missed: Floats, days: Days) -> Week:
        """The same with how far items differ, beyond what chance makes of so many rows."""
        many = days.by_kind(np.ones_like(alone))
        some = many.min(axis=0) > 1
        if not some.any():
            return self
        free = float((many.sum(axis=0) - 2)[some].sum())
        noise, chance = (float(_within(values, days, many)[some].sum()) / free for values in (missed, alone))
        apart = _apart(many[:, some], days.by_kind(alone)[:, some])
        between = _clear(apart**2 - chance * (1 / many[:, some]).sum(axis=0))
        worth = max(noise / between, LEAST) if between > 0 else inf
        of_day = _of_days(alone, days)
        return replace(self, worth=worth, noise=noise, of_day=_clear(of_day[~np.isnan(of_day)]))

    def effects(self, missed: Floats, days: Days | None) -> tuple[Floats, Floats]:
        """What each weekday adds to the level of each item, and to each past row, judging by the item's other rows.

        How far the weekdays of an item differ at all is judged by all of its rows.
        """
        if days is None:
            return np.zeros((len(missed), DAYS)), np.zeros_like(missed)
        known, share = days.panel.known, days.share_off[:, None]
        common, past = self.common * (OFF - share), self.for_all(days) * (days.off - share)
        left = np.where(known, missed - past, 0.0)
        own, own_past = self._own(left, days)
        rows, total = days.sums(np.ones_like(left)), days.sums(left)
        others, their_total = np.maximum(days.of_its_weekday(rows) - 1, 0.0), days.of_its_weekday(total) - left
        every, count = total.sum(axis=1)[:, None], days.panel.count[:, None]  # what sets an item apart is no weekday's
        mean, mean_past = every / count, (every - left + own_past) / np.maximum(count - 1, 1)
        worth = self._worth_of_day(left, days)[:, None]
        of_day = (total - rows * (own + mean)) / (rows + worth)
        of_day_past = (their_total - others * (own_past + mean_past)) / (others + worth)
        return common + own + of_day, np.where(known, past + own_past + of_day_past, 0.0)

    def for_all(self, days: Days) -> Floats:
        """The common difference at each row: without its day, if that was learned from."""
        if not self.day.size:
            return np.zeros_like(days.day)
        at = np.minimum(np.searchsorted(self.day, days.day), self.day.size - 1)
        return np.where(self.day[at] == days.day, self.without[at], self.common)

    @property
    def of_any_item(self) -> Floats:
        """What each weekday adds to the level of an item never seen."""
        found: Floats = self.common * (OFF - OFF.mean())
        return found

    @property
    def described(self) -> str:
        """What it adds to a forecast, in words; nothing if no weekday differs."""
        if self.noise > 0:
            return " and the week of each item"
        return " and weekends" if self.common else ""

    def of_strangers(self, days: Days | None) -> Floats | float:
        """What it would have added to each past row, had its item never been seen."""
        return 0.0 if days is None else self.for_all(days) * (days.off - OFF.mean())

    def _worth_of_day(self, left: Floats, days: Days) -> Floats:
        """How many rows of one weekday are worth as much as the other days of its kind, item by item.

        Some shops are closed on one day, of others all days are alike: what all items say of that is not enough.
        """
        if not self.noise:
            return np.full(len(left), inf)
        rows, sums, count = days.sums(np.ones_like(left)), days.sums(left), days.panel.count
        around = (days.sums(left**2) - sums**2 / np.maximum(rows, 1.0)).sum(axis=1)
        noise = (OWN * self.noise + np.maximum(around, 0.0)) / (OWN + count - (rows > 0).sum(axis=1))
        own = _of_days(left, days)
        seen = np.where(np.isnan(own), 0, count)
        variance = (OWN * self.of_day + seen * np.nan_to_num(own)) / (OWN + seen)
        return np.where(variance > 0, np.maximum(noise / np.maximum(variance, 1e-300), LEAST), inf)

    def _own(self, left: Floats, days: Days) -> tuple[Floats, Floats]:
        """What weekends do to an item beyond the common difference: by weekday, and at each row, given all others."""
        share, off = days.share_off[:, None], days.off
        many, sums = days.by_kind(np.ones_like(left))[:, :, None], days.by_kind(left)[:, :, None]
        here = np.array([days.panel.known & ~off, off])
        table = self._shrunk(many, sums) * (OFF - share)
        return table, self._shrunk(many - here, sums - here * left) * (off - share)

    def _shrunk(self, many: Floats, sums: Floats) -> Floats:
        """The difference of means, as far as it is not chance; none where there is only one kind of days."""
        chance = self.worth * (1 / np.maximum(many, 1.0)).sum(axis=0)
        return np.where(many.min(axis=0) > 0, _apart(many, sums) / (1 + chance), 0.0)


def _difference(means: Floats, off: Flags, day: Floats) -> tuple[float, Floats, Floats]:
    """Weekends less other days, shrunk as far as days of one kind differ; the days, and the same without each."""
    groups = [means[~off], means[off]]
    apart = float(groups[1].mean() - groups[0].mean())
    free = means.size - 2
    noise = sum(float(((one - one.mean()) ** 2).sum()) for one in groups) / free * sum(1 / one.size for one in groups)
    kept = max(0.0, 1 - free / (free - 2) * noise / max(apart**2, 1e-300))
    without = np.empty(means.size)
    for turn, sign in ((off, 1.0), (~off, -1.0)):
        some, rest = means[turn], means[~turn]
        without[turn] = sign * ((some.sum() - some) / (some.size - 1) - rest.mean())
    return kept * apart, day, kept * without


def _apart(many: Floats, sums: Floats) -> Floats:
    """The mean on weekends less that on other days."""
    found: Floats = sums[1] / np.maximum(many[1], 1.0) - sums[0] / np.maximum(many[0], 1.0)
    return found


def _of_days(left: Floats, days: Days) -> Floats:
    """The variance of what single weekdays do to each item, less what is chance; nan where no weekday comes again.

    These are products of two rows of one weekday, less products of rows of two weekdays of the same kind. Rows count
    less the mean of their kind, so that what sets a whole item apart, or its weekends, is in neither.
    """
    ones = np.ones_like(left)
    mean = days.by_kind(left) / np.maximum(days.by_kind(ones), 1.0)
    apart = left - np.where(days.off, mean[1][:, None], mean[0][:, None])
    rows, sums, squares = (days.sums(values) for values in (ones, apart, apart**2))
    total, weight = np.zeros(len(left)), np.zeros(len(left))
    for kind in (~OFF, OFF):
        n, square = rows[:, kind], (sums[:, kind] ** 2).sum(axis=1)
        alike, others = (n * (n - 1)).sum(axis=1), n.sum(axis=1) ** 2 - (n**2).sum(axis=1)
        some = (alike > 0) & (others > 0)
        # Products of rows of one weekday, and of all others, which add up to minus those and the squares.
        total += np.where(some, square - squares[:, kind].sum(axis=1) + alike * square / np.maximum(others, 1.0), 0.0)
        weight += np.where(some, alike, 0.0)
    return np.where(weight > 0, total / np.maximum(weight, 1.0), np.nan)


def _within(values: Floats, days: Days, many: Floats) -> Floats:
    """The sum of squares around the means of weekends and of other days, item by item."""
    between = days.by_kind(values) ** 2 / np.maximum(many, 1.0)
    left: Floats = np.maximum(days.by_kind(values**2) - between, 0.0).sum(axis=0)
    return left


def _clear(variances: Floats) -> float:
    """The mean of estimated variances, less what may be chance; 0 if they are few, or nothing is left."""
    if variances.size < FEWEST_ITEMS:
        return 0.0
    return max(float(variances.mean() - DOUBT * variances.std(ddof=1) / np.sqrt(variances.size)), 0.0)
