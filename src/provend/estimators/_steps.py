"""Changes of level of single items that have lasted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.levels import SHORTEST_STEP, OtherYears, explained, jumps, lasting, latest_step
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def rows_since(left: Floats, y: Floats, panel: Panel, contexts: Contexts, encoding: Encoding) -> Rows:
    """How many rows of each item there are since its latest step, judging by what a forecast leaves of them.

    All of them where there is no step: there is none without a time, where rows of an item share one, or where another
    year or a column explains it. Rows of other years count for that, however old they are.
    """
    since, long = panel.count.copy(), np.flatnonzero(panel.count >= 2 * SHORTEST_STEP)
    if not long.size or contexts.time is None:
        return since
    whole, times = (_whole(lines, panel, long) for lines in (left, panel.lines(contexts.time.values)))
    begins = left.shape[1] - panel.count[long]
    moments = (np.diff(times, axis=1) > 0).sum(axis=1) == panel.count[long] - 1
    for at in np.flatnonzero(moments & jumps(whole, panel.count[long]).any(axis=1)):
        step, item = latest_step(whole[at, begins[at] :]), long[at]
        if step is None or (contexts.time.calendar and not _stays(step[0], item, y, panel, contexts.time.values)):
            continue
        rows = contexts.take(panel.rows[item, begins[at] :])
        if not explained(encoding.matrix(rows)[:, encoding.told(rows)].T, step[0]):
            since[item] -= step[0]
    return since


def _stays(first: int, item: np.intp, y: Floats, panel: Panel, days: Floats) -> bool:
    """Whether a step of an item, ``first`` rows after the first one kept, has lasted, and no other year has it."""
    kept, rows = days[panel.rows[item, -panel.count[item] :]], np.flatnonzero(panel.code == item)
    return lasting(kept[first], kept[-1]) and not OtherYears(days[rows], y[rows]).know(kept[first])


def _whole(lines: Floats, panel: Panel, some: Rows) -> Floats:
    """The lines of some items, in which what comes before the first row is like it."""
    first = np.take_along_axis(lines[some], lines.shape[1] - panel.count[some, None], axis=1)
    return np.where(panel.known[some], lines[some], first)
