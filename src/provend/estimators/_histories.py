"""What is known about the items of one batch: their sizes, their errors, and the ends of their supports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._pace import Pace
from provend.estimators._panel_rows import Panel
from provend.estimators._pool import Pool, level_at, recent_misses, shrunk_sizes, up_to_the_row_before
from provend.estimators._steps import rows_since
from provend.estimators._weeks import Days
from provend.tables import Contexts, weekday

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

ENOUGH = 30  # rows of its own that an item needs in order not to borrow from others
GUESS = 1.0  # where nothing was ever sold: the end of the support, unless others sell less
CLEARLY = 0.1  # of the width of an item's errors: by so much a level is above others that is not one of them


@dataclass(frozen=True, eq=False)
class Histories:
    """One line per item, plus a last one, at index -1, for items never seen.

    Attributes
    ----------
    names : array
        The items in ascending order; the last line has no name.
    count : array
        How many rows of each item are kept: its latest 200, if it has more, or those since a change of level.
    sizes : array
        Mean demand, shrunk towards the size to expect.
    errors : array
        What is left of each row's demand once the forecast is taken away, with the latest on the right.
    recent : array
        How much the item's forecasts are expected to miss, judging by their recent misses, and since a change of level.
    seen : pair of arrays
        The smallest and the largest demand of all rows, including those not kept; nan for items never seen.
    ends : pair of arrays
        The ends of the support: from 0, or a lower demand, to the largest demand of the item itself or, for short
        histories, as far as demand in the pool reaches at its size, if that is more; where all are 0, 1 at least, or as
        far as demand in the pool reaches at the size to expect.
    highest : array
        The highest level of all rows, judging by their contexts, and a tenth of the width of errors, as dates move on;
        for short histories and items never seen at least the one that comes with the reach of the pool.
    widths : array
        How wide the error to come is, in units of those lent; 1 for items never seen, who are lent other errors.
    week : array
        What each weekday adds to the level, one column per weekday.
    pace : Pace
        When the items have had their rows; what is to come of items never seen is their next row.
    """

    names: NDArray[np.str_]
    count: Rows
    sizes: Floats
    errors: Floats
    recent: Floats
    seen: tuple[Floats, Floats]
    ends: tuple[Floats, Floats]
    highest: Floats
    widths: Floats
    week: Floats
    pace: Pace

    @classmethod
    def of(cls, pool: Pool, contexts: Contexts, y: Floats, panel: Panel) -> Histories:
        """The histories of these items, seen through what the pool has learned.

        Rows before a change of level that has lasted are not kept, as if the item were that short.
        """
        pace = Pace.of(panel, contexts)
        level, expected = level_at(pool.forecast, contexts), pool.scale.at(contexts.take(panel.rows[:, -1]))
        sizes, week, missed = _seen(pool, contexts, y, panel, level, expected)
        since, offset = rows_since(missed, y, panel, contexts, pool.forecast.encoding), np.zeros(panel.count.size)
        if (stepped := since < panel.count).any():
            panel = panel.latest(since)
            sizes, week, missed = _seen(pool, contexts, y, panel, level, expected)
            # Where others have taken the same step, the forecast contains it, and so does the size.
            offset = np.where(stepped, np.where(panel.known, missed, 0.0).sum(axis=1) / panel.count, 0.0)
            missed = missed - offset[:, None]
        missed, means = recent_misses(missed, panel)
        low, high = -panel.largest(-y), panel.largest(y)
        short, highest = panel.count < ENOUGH, panel.largest(level + _of_weekdays(week, panel.code, contexts))
        bottom, top = (np.where(short, end * sizes, 0.0) for end in pool.reach.ends)
        bottom, top = np.minimum(low, bottom), np.maximum(high, top)
        others = pool.unseen.ends[1] * expected
        guess = np.where(others > 0, np.minimum(others, GUESS), GUESS)
        top = np.where((low == 0) & (high == 0), np.maximum(top, guess), top)
        errors = missed - pool.share * up_to_the_row_before(means)
        widths = pool.spread.ahead(errors, panel, sizes)
        highest = np.where(short, np.maximum(highest, pool.reach.level), highest) + CLEARLY * widths
        return cls(
            panel.names,
            np.append(panel.count, 0),
            np.append(sizes, np.nan),
            np.vstack([errors, np.zeros(panel.rows.shape[1])]),
            np.append(offset + pool.share * means[:, -1], 0.0),
            (np.append(low, np.nan), np.append(high, np.nan)),
            (np.append(bottom, np.nan), np.append(top, np.nan)),
            np.append(highest, pool.unseen.level),
            np.append(widths, 1.0),
            np.vstack([week, pool.week.of_any_item]),
            Pace(np.append(pace.latest, 0.0), np.append(pace.gap, np.inf)),
        )

    def level(self, pool: Pool, item: Rows, contexts: Contexts) -> Floats:
        """The level of each item in a context, whatever its forecasts have missed lately."""
        return level_at(pool.forecast, contexts) + _of_weekdays(self.week, item, contexts)

    def support(self, pool: Pool, item: Rows, size: Floats, level: Floats) -> tuple[Floats, Floats]:
        """The ends of the support of each target: a level clearly above all before takes the upper one along."""
        ends = zip(self.ends, pool.unseen.ends, strict=True)
        low, high = (np.where(item >= 0, own[item], end * size) for own, end in ends)
        high, higher = np.where(low < high, high, GUESS), level - self.highest[item]
        moved = pool.forecast.power.back(pool.forecast.power.of(high / size) + higher) * size
        return low, np.where(higher > 0, moved, high)


def _seen(
    pool: Pool, contexts: Contexts, y: Floats, panel: Panel, level: Floats, expected: Floats
) -> tuple[Floats, Floats, Floats]:
    """The size and the week of each item, and what the forecast misses of each row that is kept."""
    sizes = shrunk_sizes(y, panel, expected, pool.prior)
    left = pool.forecast.power.of(panel.lines(y) / sizes[:, None]) - panel.lines(level)
    week, past = pool.week.effects(left, Days.of(panel, contexts))
    return sizes, week, left - past


def _of_weekdays(week: Floats, item: Rows, contexts: Contexts) -> Floats:
    """What the weekday of each context adds to the level of an item."""
    time = contexts.time
    if time is None or not time.calendar:
        return np.zeros(contexts.size)
    return week[item, weekday(time.values)]
