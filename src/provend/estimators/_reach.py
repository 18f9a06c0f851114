"""How far the demand of many items reaches, but for the few that are unlike all others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ITEMS, ROWS = 0.9, 0.99  # shares of the items, and of all rows, that stay within
FEWEST = 5  # items, of which one alone may be unlike the others


class Reach(NamedTuple):
    """How far demand reaches in units of size, from 0, or less, to 0, or more; and how high a level came with that."""

    low: float
    high: float
    level: float

    @classmethod
    def of(cls, relative: Floats, level: Floats, known: Flags) -> Reach:
        """From demands in units of size and their levels, one line per item."""
        low, high = -_highest(-relative, known), _highest(relative, known)
        return cls(min(low, 0.0), max(high, 0.0), _highest(level, known))

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends, in units of size."""
        return self.low, self.high


def usual(each: Floats) -> float:
    """The largest of the items' values, but for those of a tenth of the items, or of one if they are few."""
    ascending = np.sort(each)
    if each.size < FEWEST:
        return float(ascending[-1])
    return float(min(np.quantile(ascending, ITEMS, method="inverted_cdf"), ascending[-2]))


def _highest(values: Floats, known: Flags) -> float:
    """The largest value that is usual, or that a hundredth of the rows exceed if two items at least reach it."""
    each = np.sort(np.where(known, values, -np.inf).max(axis=1))
    rows = float(np.quantile(values[known], ROWS, method="inverted_cdf"))
    return max(usual(each), min(rows, float(each[-2:][0])))
