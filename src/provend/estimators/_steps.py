"""Changes of level of single items that have lasted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.levels import SHORTEST_STEP, jumps, latest_step

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


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
    for at in np.flatnonzero(jumps(whole, panel.count[long]).any(axis=1)):
        step = latest_step(whole[at, begins[at] :])
        if step is not None:
            since[long[at]] -= step[0]
    return since
