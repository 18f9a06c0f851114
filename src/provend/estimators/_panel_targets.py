"""Rows to order for, many items at once, and which of them are decided by one rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend.estimators._histories import ENOUGH, Histories
from provend.estimators._panel_rows import LONGEST
from provend.estimators._pool import Pool
from provend.orders import Room

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

BORROWED = 60  # rows of others that a shorter history is filled up with
SIZES = np.unique(np.concatenate([np.arange(21), np.geomspace(20, LONGEST, 12).round()])).astype(np.intp)


@dataclass(frozen=True)
class Case:
    """On how many rows of its own and of others a target is decided; ``stranger``: an item never seen."""

    own: int
    borrowed: int
    stranger: bool


@dataclass(frozen=True, eq=False)
class Targets:
    """Rows to order for.

    ``item`` and ``listed`` are the places of the item among the histories and among the lenders, -1 where it is not
    there; then level, size and expected size of its demand, and the support; what is in ``stock``, the ``room`` this
    leaves to order, where that or packs count, and where draws start.
    """

    item: Rows
    listed: Rows
    level: Floats
    size: Floats
    expected: Floats
    support: tuple[Floats, Floats]
    stock: Floats
    room: Room | None
    chance: list[np.random.Generator] | None

    @property
    def width(self) -> Floats:
        """Of the support that is left."""
        return self.support[1] - self.support[0] if self.room is None else self.room.width

    def take(self, rows: Rows) -> Targets:
        """Some of them."""
        low, high = self.support
        level, size, expected = (values[rows] for values in (self.level, self.size, self.expected))
        room = None if self.room is None else self.room.take(rows)
        chance = None if self.chance is None else [self.chance[row] for row in rows.tolist()]
        support = (low[rows], high[rows])
        return Targets(
            self.item[rows], self.listed[rows], level, size, expected, support, self.stock[rows], room, chance
        )

    def needed(self, values: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
        """Demands beyond the stock, as they can be ordered, and the ends of what is ordered."""
        if self.room is None:
            return values, self.support
        return self.room.needed(values, self.chance), (self.room.low, self.room.high)

    def placed(self, wanted: Floats, q: Fraction) -> Floats:
        """Orders as they can be placed."""
        return wanted if self.room is None else self.room.placed(wanted, self.chance, q)

    def allowance(self, q: Fraction) -> Floats:
        """What rounding costs at most, for cu + co = 1; nothing where orders are drawn."""
        return np.zeros(self.item.size) if self.room is None or self.chance is not None else self.room.allowance(q)

    def cases(self, pool: Pool, histories: Histories) -> Iterator[tuple[Case, Rows]]:
        """Those that are decided by the same rule, together."""
        count = histories.count[self.item]
        own = SIZES[np.searchsorted(SIZES, count, side="right") - 1]
        others = np.minimum(BORROWED, pool.lenders.names.size - (self.listed >= 0))
        borrowed = np.where(own >= ENOUGH, 0, others)
        keys, which = np.unique(np.column_stack([own, borrowed, self.item < 0]), axis=0, return_inverse=True)
        for place, (mine, lent, stranger) in enumerate(keys.tolist()):
            yield Case(mine, lent, bool(stranger)), np.flatnonzero(which.ravel() == place)

    def values(self, case: Case, pool: Pool, histories: Histories) -> Floats:
        """Demands brought to targets of one case: own rows from the latest on, then one row each of other items."""
        own = histories.errors[self.item][:, ::-1][:, : case.own]
        lenders = pool.lenders.nearest(self.listed, self.expected, case.borrowed)
        lent = (pool.lenders.strangers if case.stranger else pool.lenders.errors)[lenders]
        errors = np.hstack([own, lent])
        moved = pool.forecast.power.back(self.level[:, None] + errors) * self.size[:, None]
        low, high = self.support
        return np.clip(moved, low[:, None], high[:, None])
