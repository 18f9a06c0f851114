"""Items that lend their errors to items with little history of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

BORROWED = 60  # rows borrowed from others to fill up a short history
OLDEST = 14  # rows back from its latest, up to which an item lends


@dataclass(frozen=True, eq=False)
class Lenders:
    """The items that lend, each a few of its latest errors: one row each if there are many items.

    Which rows an item lends is a matter of its place among the names alone. They are of different ages: what one day
    has done to all items would otherwise pass for what happens every day.

    Attributes
    ----------
    names : array
        The items in ascending order.
    expected : array
        The size to expect, given their attributes.
    lent : array
        How many rows each item lends.
    errors : array
        What is left of the demand of each row lent, item by item, given the item's own size and level.
    strangers : array
        What is left of the first of these rows, one of each item, given only what is known of unseen items.
    """

    names: NDArray[np.str_]
    expected: Floats
    lent: Rows
    errors: Floats
    strangers: Floats

    @property
    def whose(self) -> Rows:
        """The item of each of the ``errors``."""
        return np.repeat(np.arange(self.lent.size), self.lent)

    def others(self, listed: Rows, *, stranger: bool = False) -> Rows:
        """How many rows each target can borrow; ``listed`` as for :meth:`nearest`."""
        lent = self._lent(stranger)
        found: Rows = lent.sum() - np.where(listed >= 0, lent[listed], 0)
        return found

    def nearest(self, listed: Rows, expected: Floats, many: int, *, stranger: bool = False) -> Rows:
        """For each target, ``many`` rows of items whose expected sizes are nearest in rank, never of the item itself.

        They are places in ``errors``, or for targets never seen in ``strangers``. ``listed`` is the target's own place
        among the lenders, or -1 if it is not one of them.
        """
        lent = self._lent(stranger)
        order = np.argsort(self.expected, kind="stable")
        place = np.empty(order.size, np.intp)
        place[order] = np.arange(order.size)
        begins = np.append(0, np.cumsum(lent[order]))  # of the items by expected size, each with its rows
        is_one = listed >= 0
        at = begins[np.where(is_one, place[listed], np.searchsorted(self.expected[order], expected))]
        skipped = np.where(is_one, lent[listed], 0)
        first = np.clip(at - many // 2, 0, begins[-1] - many - skipped)
        window = first[:, None] + np.arange(many)
        rows = np.argsort(place[np.repeat(np.arange(lent.size), lent)], kind="stable")
        found: Rows = rows[window + np.where(window >= at[:, None], skipped[:, None], 0)]
        return found

    def _lent(self, stranger: bool) -> Rows:
        return np.ones_like(self.lent) if stranger else self.lent


def ages_lent(count: Rows) -> tuple[Rows, Rows]:
    """How many rows each item lends, and the ages of all of them, item by item; 0 is its latest."""
    recent = np.minimum(count, OLDEST)
    wanted = -(-BORROWED // max(count.size - 1, 1))  # so that all others together lend enough
    lent = np.minimum(recent, wanted)
    item = np.repeat(np.arange(count.size), lent)
    within = np.arange(item.size) - np.repeat(np.cumsum(lent) - lent, lent)
    return lent, (item + within * (recent // lent)[item]) % recent[item]
