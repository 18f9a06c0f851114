"""Changes of level of single items that have lasted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.levels import SHORTEST_STEP, largest_jumps, latest_step

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

LIKELY = 1.5  # usual errors: without a larger jump of means there is no step, and no need to look for one
NORMAL = 1.128  # mean distance of two normal errors, in standard deviations


def rows_since(left: Floats, panel: Panel) -> Rows:
    """How many rows of each item there are since its latest step, judging by what a forecast leaves of them.

    All of them where there is no step.
    """
    since, long = panel.count.copy(), np.flatnonzero(panel.count >= 2 * SHORTEST_STEP)
    if not long.size:
        return since
    begins = left.shape[1] - panel.count[long]
    first = np.take_along_axis(left[long], begins[:, None], axis=1)
    whole = np.where(panel.known[long], left[long], first)  # what comes before the first row is like it
    usual = np.abs(np.diff(whole, axis=1)).sum(axis=1) / (panel.count[long] - 1) / NORMAL
    for at in np.flatnonzero(largest_jumps(whole) > LIKELY * usual):
        step = latest_step(whole[at, begins[at] :])
        if step is not None:
            since[long[at]] -= step[0]
    return since
