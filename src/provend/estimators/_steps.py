"""Changes of level of single items that have lasted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.levels import SHORTEST_STEP, jumps, lasting, latest_step
from provend.tables import Contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def rows_since(left: Floats, panel: Panel, contexts: Contexts) -> Rows:
    """How many rows of each item there are since its latest step, judging by what a forecast leaves of them.

    All of them where there is no step: there is none without a time, or where rows of an item share one.
    """
    since, long = panel.count.copy(), np.flatnonzero(panel.count >= 2 * SHORTEST_STEP)
    if not long.size or contexts.time is None:
        return since
    whole, times = (_whole(lines, panel, long) for lines in (left, panel.lines(contexts.time.values)))
    begins = left.shape[1] - panel.count[long]
    moments = (np.diff(times, axis=1) > 0).sum(axis=1) == panel.count[long] - 1
    for at in np.flatnonzero(moments & jumps(whole, panel.count[long]).any(axis=1)):
        step = latest_step(whole[at, begins[at] :])
        if step is not None and (not contexts.time.calendar or lasting(times[at, begins[at] + step[0]], times[at, -1])):
            since[long[at]] -= step[0]
    return since


def _whole(lines: Floats, panel: Panel, some: Rows) -> Floats:
    """The lines of some items, in which what comes before the first row is like it."""
    first = np.take_along_axis(lines[some], lines.shape[1] - panel.count[some, None], axis=1)
    return np.where(panel.known[some], lines[some], first)
