"""Items that lend their errors to items with little history of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Lenders:
    """The items that lend, each with the error of its latest row.

    Attributes
    ----------
    names : array
        The items in ascending order.
    expected : array
        The size to expect, given their attributes.
    errors, strangers : array
        What is left of the demand, given the item's own size and level, and given only what is known of unseen items.
    """

    names: NDArray[np.str_]
    expected: Floats
    errors: Floats
    strangers: Floats

    def nearest(self, listed: Rows, expected: Floats, many: int) -> Rows:
        """For each target, the ``many`` items whose expected sizes are nearest in rank, never the item itself.

        ``listed`` is the target's own place among the lenders, or -1 if it is not one of them.
        """
        order = np.argsort(self.expected, kind="stable")
        place = np.empty(order.size, np.intp)
        place[order] = np.arange(order.size)
        is_one = listed >= 0
        at = np.where(is_one, place[listed], np.searchsorted(self.expected[order], expected))
        first = np.clip(at - many // 2, 0, order.size - many - is_one)
        window = first[:, None] + np.arange(many)
        found: Rows = order[window + (is_one[:, None] & (window >= at[:, None]))]
        return found
