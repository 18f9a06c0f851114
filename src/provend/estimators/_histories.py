"""What belongs to the items of one batch: their sizes, what is left of their demands, and where these end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.estimators._pool import Pool, level_at, recent_misses, shrunk_sizes, up_to_the_row_before
from provend.tables import Contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

ENOUGH = 30  # rows of its own from which on an item does not look at others


@dataclass(frozen=True, eq=False)
class Histories:
    """One line per item, and a last one, at -1, for items never seen.

    Attributes
    ----------
    names : array
        The items, ascending; the last line has no name.
    count : array
        How many rows there are of each.
    sizes : array
        Mean demand, shrunk towards what is to be expected.
    errors : array
        What is left of each row's demand, the latest at the right.
    recent : array
        What the forecasts of the item will miss as they have lately.
    seen : pair of arrays
        The smallest and the largest demand; nan for items never seen.
    ends : pair of arrays
        From 0, or a demand below, to the largest demand, of its own or what the extremes of the pool would be.
    """

    names: NDArray[np.str_]
    count: Rows
    sizes: Floats
    errors: Floats
    recent: Floats
    seen: tuple[Floats, Floats]
    ends: tuple[Floats, Floats]

    @classmethod
    def of(cls, pool: Pool, contexts: Contexts, y: Floats, panel: Panel) -> Histories:
        """The rows of these items by what was learned."""
        expected = pool.scale.at(contexts.take(panel.rows[:, -1]))
        sizes, lines = shrunk_sizes(y, panel, expected), panel.lines(y)
        level = panel.lines(level_at(pool.forecast, contexts))
        missed, means = recent_misses(pool.forecast.power.of(lines / sizes[:, None]) - level, panel)
        low = np.where(panel.known, lines, np.inf).min(axis=1)
        high = np.where(panel.known, lines, -np.inf).max(axis=1)
        bottom, top = (np.where(panel.count < ENOUGH, end * sizes, 0.0) for end in pool.range)
        bottom, top = np.minimum(low, bottom), np.maximum(high, top)
        top = np.where(bottom < top, top, pool.range[1] * sizes)
        return cls(
            panel.names,
            np.append(panel.count, 0),
            np.append(sizes, np.nan),
            np.vstack([missed - pool.share * up_to_the_row_before(means), np.zeros(panel.rows.shape[1])]),
            np.append(pool.share * means[:, -1], 0.0),
            (np.append(low, np.nan), np.append(high, np.nan)),
            (np.append(bottom, np.nan), np.append(top, np.nan)),
        )
