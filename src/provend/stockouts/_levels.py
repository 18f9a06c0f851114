"""Where segments end: at stock levels, few enough to decide on each. Only stock and distances are used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_SEGMENTS = 24  # up to the largest stock; with 100 or 200 stock levels the guarantee is then 0.6 % higher
MANY, FEW_SEGMENTS = 2000, 12  # with so many days half as many segments cost 0.2 %, and take half the time


def stock_levels(stock: Floats, support: tuple[float, float]) -> Floats:
    """The distinct stock levels inside the support, ascending; a stock above it counts as its top."""
    bottom, top = support
    levels = np.unique(np.minimum(stock, top))
    return levels[levels > bottom]


def fewer_levels(levels: Floats, stock: Floats, d: Floats, bottom: float) -> Floats:
    """At most ``MOST_SEGMENTS`` of the levels, or ``FEW_SEGMENTS``, dropped one by one where that seems to cost least.

    Below a dropped level, down to the previous one, the rows that had exactly that much no longer count. The price is
    estimated from the root of the number of rows, where a row at distance d counts 1 - 2 d. Any choice is valid.
    """
    use = np.maximum(1 - 2 * d, 0)
    seems = np.array([1 / np.sqrt(1 + use[stock >= level].sum()) for level in levels.tolist()] + [1.0])
    kept = np.arange(levels.size)
    most = FEW_SEGMENTS if stock.size > MANY else MOST_SEGMENTS
    while kept.size > most:
        widths = np.diff(levels[kept], prepend=bottom)
        price = widths * np.diff(seems[kept], append=seems[-1])
        kept = np.delete(kept, np.argmin(price))
    return levels[kept]
