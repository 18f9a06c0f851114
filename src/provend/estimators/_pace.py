"""How far ahead a target is of the latest row of an item, in rows: demand drifts on where nothing is seen of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.tables import Contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

# Rows beyond the next one are rounded up to these, so that few rules do: by a quarter at most from a week on.
AHEAD = np.append([0, 1, 3], np.ceil(7 * 2 ** (np.arange(100) / 3)).astype(np.int64))
ROUNDING = 1e-9  # of times, in rows


class Pace(NamedTuple):
    """The time of the latest row, and the mean time from one row to the next; one line per item."""

    latest: Floats
    gap: Floats

    @classmethod
    def of(cls, panel: Panel, contexts: Contexts) -> Pace:
        """Items with a single row have the usual gap; without a time, every target is the next row."""
        if contexts.time is None:
            return cls(np.zeros(panel.count.size), np.full(panel.count.size, np.inf))
        times = contexts.time.values[panel.rows]
        first = times[np.arange(len(times)), times.shape[1] - panel.count]
        gap = (times[:, -1] - first) / np.maximum(panel.count - 1, 1)
        return cls(times[:, -1], np.where(gap > 0, gap, np.median(gap[gap > 0]) if gap.any() else 1.0))

    def together(self) -> Pace:
        """The latest row of all items, at their usual pace."""
        return Pace(self.latest.max(initial=-np.inf, keepdims=True), np.median(self.gap, keepdims=True))

    def ahead(self, item: Rows, contexts: Contexts) -> Rows:
        """How many rows beyond the next one of its item each target is."""
        time = np.zeros(item.size) if contexts.time is None else contexts.time.values
        beyond = (time - self.latest[item]) / self.gap[item] - 1
        place = np.searchsorted(AHEAD, np.ceil(beyond - ROUNDING))
        found: Rows = AHEAD[np.minimum(place, AHEAD.size - 1)]  # so far ahead nothing is known of demand anyway
        return found
