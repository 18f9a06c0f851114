"""Past days as they count for targets: sales and stock brought to the target's level by the same increasing map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend.levels import Brought, Forecast, learn_from_sales
from provend.tables import Contexts

Floats = NDArray[np.float64]

AT_LEVEL = 0.02  # dissimilarity of every day unless one is given
OTHER_WEEKDAY, PER_DAY = 0.1, 0.0002  # when there are too few days to learn a level from
FEWEST = 12  # days needed to learn a level
MOST = 250  # latest days that are weighed: older ones are hardly that near


@dataclass(frozen=True, eq=False)
class Counted:
    """Sales, stock and dissimilarities of the weighed days, each with a row per target, and what they rest on."""

    sales: Floats
    shelf: Floats
    d: Floats
    basis: str
    brought: bool = False


@dataclass(frozen=True, eq=False)
class Days:
    """The past of an item, oldest first."""

    contexts: Contexts
    dates: pa.ChunkedArray
    sales: Floats
    shelf: Floats

    def at_one_distance(self, targets: int, d: float) -> Counted:
        """All days at the given dissimilarity, which refers to demand as it is."""
        return self._as_they_are(np.full((targets, self.sales.size), d), f"{d:g} for every day.")

    def by_weekday(self, ahead: pa.ChunkedArray) -> Counted:
        """Dissimilarities by weekday and age."""
        age = np.abs(_numbers(ahead)[:, None] - _numbers(self.dates))
        if not pa.types.is_temporal(self.dates.type):  # numbers have no weekdays
            return self._as_they_are(np.minimum(PER_DAY * age, 1.0), f"{PER_DAY:g} a step of age.")
        d = np.minimum(OTHER_WEEKDAY * (age % 7 != 0) + PER_DAY * age, 1.0)
        return self._as_they_are(d, f"{OTHER_WEEKDAY:g} for another weekday and {PER_DAY:g} a day of age.")

    def levelled(self, ahead: Contexts, support: tuple[float, float], q: float, *, split: bool) -> Counted:
        """Brought to the targets' levels, which are learned from these days or, if ``split``, from their older half.

        What was cut off stays cut off: a day's sales and stock are moved by the same map.
        """
        size, half = self.sales.size, self.sales.size // 2
        older, recent = self._take(slice(0, half if split else size)), self._take(slice(half if split else 0, size))
        level = learn_from_sales(older.contexts, older.sales, older.sales >= older.shelf, q)
        latest = recent._take(slice(-MOST, None))
        d = np.full((ahead.size, latest.sales.size), AT_LEVEL)
        if not level.learned:
            judged = f"on {half:,} older days that are not weighed" if split else "on the very days that are weighed"
            why = f"no forecast would clearly have paid {judged}, all days count as alike."
            return latest._as_they_are(d, f"{AT_LEVEL:g} for every day: {why}")
        moved = _maps(level, latest.contexts) if split else _maps_of_its_own(level, d.shape[1])
        sales, shelf = (replace(moved, y=each).at(ahead, support) for each in (latest.sales, latest.shelf))
        whence = f"{half:,} older days that are not weighed" if split else "the very days it moves"
        basis = (
            f"Dissimilarities stated, {AT_LEVEL:g} for every day, once sales and stock are brought to the target by "
            f"{level.described}, learned from {whence}."
        )
        return Counted(sales, shelf, d, basis, brought=True)

    def _as_they_are(self, d: Floats, basis: str) -> Counted:
        """Sales and stock that are not moved."""
        sales, shelf = (np.broadcast_to(each, d.shape) for each in (self.sales, self.shelf))
        return Counted(sales, shelf, d, f"Dissimilarities stated, {basis}")

    def _take(self, rows: slice) -> Days:
        return Days(
            self.contexts.take(np.arange(self.sales.size)[rows]), self.dates, self.sales[rows], self.shelf[rows]
        )


def _maps(level: Forecast, contexts: Contexts) -> Brought:
    """Maps from the levels of these contexts, on which ``level`` was not learned."""
    return Brought(np.zeros(contexts.size), level, level.at(contexts), level.widths(contexts))


def _maps_of_its_own(level: Forecast, latest: int) -> Brought:
    """Maps from the levels of the latest rows that ``level`` was learned on, each forecast without that row."""
    whole = Brought(np.zeros(level.past.size), level, level.past, level.past_widths)
    return whole.take(np.arange(level.past.size)[-latest:])


def _numbers(dates: pa.ChunkedArray) -> NDArray[np.int64]:
    given: NDArray[Any] = dates.to_numpy()
    return given.astype("datetime64[D]").astype(np.int64) if given.dtype.kind == "M" else given.astype(np.int64)
