"""Columns that limit demand: what was there to be sold, which nobody knows of a day to come before it is ordered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.tables.values import Array

Floats = NDArray[np.float64]

LEAST = 20  # rows; with fewer, much is equal by chance
NEARLY = 0.99  # share of the rows in which a limit holds
OFTEN = 0.1  # share of the rows in which it is reached, and in which it is another than in the row before


def share_at_limit(x: Floats, y: Floats, item: Array) -> float | None:
    """In which share of the rows demand ``y`` reaches ``x``; ``None`` if that does not look like a limit.

    What can be served at most is the same every day, and known; stock changes from row to row of an item.
    """
    usable = np.isfinite(x) & np.isfinite(y)
    if usable.sum() < LEAST:
        return None
    x, y, item = x[usable], y[usable], item[usable]
    reached, same = float(((y == x) & (y > 0)).mean()), item[1:] == item[:-1]
    changes = same.any() and (x[1:] != x[:-1])[same].mean() > OFTEN
    return reached if (y > x).mean() <= 1 - NEARLY and reached >= OFTEN and changes else None
