"""Items that lend what is left of their demands to items with little past of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Lenders:
    """One error each, of the latest row.

    Attributes
    ----------
    names : array
        The items, ascending.
    expected : array
        The size that their attributes make one expect.
    errors, strangers : array
        What is left of the demand, by the item's own size and level, and by what would be known of an item never seen.
    """

    names: NDArray[np.str_]
    expected: Floats
    errors: Floats
    strangers: Floats

    def nearest(self, listed: Rows, expected: Floats, many: int) -> Rows:
        """For each target so many items whose expected size is nearest in rank; never the item itself.

        ``listed`` is the target's own place among the lenders, -1 where it is none of them.
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
