"""Changes of level of single items that have lasted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.levels import SHORTEST_STEP, explained, jumps, lasting, latest_step
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def rows_since(left: Floats, panel: Panel, contexts: Contexts, encoding: Encoding) -> Rows:
    """How many rows of each item there are since its latest step, judging by what a forecast leaves of them.

    All of them where there is no step: there is none without a time, where rows of an item share one, or where a column
    explains it.
    """
    since, long = panel.count.copy(), np.flatnonzero(panel.count >= 2 * SHORTEST_STEP)
    if not long.size or contexts.time is None:
        return since
    whole, times = (_whole(lines, panel, long) for lines in (left, panel.lines(contexts.time.values)))
    begins = left.shape[1] - panel.count[long]
    moments = (np.diff(times, axis=1) > 0).sum(axis=1) == panel.count[long] - 1
    for at in np.flatnonzero(moments & jumps(whole, panel.count[long]).any(axis=1)):
        step = latest_step(whole[at, begins[at] :])
        if step is None:
            continue
        first, rows = step[0], contexts.take(panel.rows[long[at], begins[at] :])
        long_ago = not contexts.time.calendar or lasting(times[at, begins[at] + first], times[at, -1])
        told = encoding.matrix(rows)[:, encoding.told(rows)]
        if long_ago and not explained(told, np.arange(rows.size) >= first):
            since[long[at]] -= first
    return since


def _whole(lines: Floats, panel: Panel, some: Rows) -> Floats:
    """The lines of some items, in which what comes before the first row is like it."""
    first = np.take_along_axis(lines[some], lines.shape[1] - panel.count[some, None], axis=1)
    return np.where(panel.known[some], lines[some], first)
