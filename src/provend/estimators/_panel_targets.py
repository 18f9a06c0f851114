"""The rows to order for, many items at once, grouped by the rule that decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend.estimators._histories import ENOUGH, Histories
from provend.estimators._lenders import BORROWED
from provend.estimators._pace import AHEAD
from provend.estimators._panel_rows import LONGEST
from provend.estimators._pool import Pool
from provend.orders import Room

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SIZES = np.unique(np.concatenate([np.arange(21), np.geomspace(20, LONGEST, 12).round()])).astype(np.intp)


@dataclass(frozen=True)
class Case:
    """How many own and borrowed rows a target is decided on; ``stranger`` is 1 for an item never seen.

    The target is ``ahead`` rows further than the one after the item's latest, and ``lent_ahead`` rows further than the
    one after the latest of all that lend.
    """

    own: int
    borrowed: int
    ahead: int
    lent_ahead: int
    stranger: int


@dataclass(frozen=True, eq=False)
class Targets:
    """Rows to order for.

    ``item`` and ``listed`` are the places of the item among the histories and among the lenders, -1 if it is not
    there, and ``ahead`` says how far the target is from their latest rows. ``level``, ``size`` and ``expected`` (size)
    describe its demand. ``room`` is the room for orders that
    ``stock`` leaves, where stock or packs matter, and ``chance`` holds the random generators of the draws.
    """

    item: Rows
    listed: Rows
    ahead: tuple[Rows, Rows]
    level: Floats
    size: Floats
    expected: Floats
    support: tuple[Floats, Floats]
    stock: Floats
    room: Room | None
    chance: list[np.random.Generator] | None

    @property
    def width(self) -> Floats:
        """The width of the support that is left."""
        return self.support[1] - self.support[0] if self.room is None else self.room.width

    def take(self, rows: Rows) -> Targets:
        """Some of the targets."""
        low, high = self.support
        level, size, expected = (values[rows] for values in (self.level, self.size, self.expected))
        room = None if self.room is None else self.room.take(rows)
        chance = None if self.chance is None else [self.chance[row] for row in rows.tolist()]
        ahead, support = (self.ahead[0][rows], self.ahead[1][rows]), (low[rows], high[rows])
        return Targets(
            self.item[rows], self.listed[rows], ahead, level, size, expected, support, self.stock[rows], room, chance
        )

    def needed(self, values: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
        """The demands beyond the stock, as they can be ordered, and the smallest and largest order."""
        if self.room is None:
            return values, self.support
        return self.room.needed(values, self.chance), (self.room.low, self.room.high)

    def placed(self, wanted: Floats, q: Fraction) -> Floats:
        """Orders as they can be placed."""
        return wanted if self.room is None else self.room.placed(wanted, self.chance, q)

    def allowance(self, q: Fraction) -> Floats:
        """The most that rounding can cost, for cu + co = 1; nothing if orders are drawn."""
        return np.zeros(self.item.size) if self.room is None or self.chance is not None else self.room.allowance(q)

    def cases(self, pool: Pool, histories: Histories) -> Iterator[tuple[Case, Rows]]:
        """The targets grouped by case: those of one case are decided by the same rule."""
        count = histories.count[self.item]
        own = SIZES[np.searchsorted(SIZES, count, side="right") - 1]
        lenders, unseen = pool.lenders, self.item < 0
        others = np.where(unseen, lenders.others(self.listed, stranger=True), lenders.others(self.listed))
        borrowed = np.where(own >= ENOUGH, 0, np.minimum(BORROWED, others))
        ahead, lent_ahead = np.where(own > 0, self.ahead[0], 0), np.where(borrowed > 0, self.ahead[1], 0)
        keys = (((own * (BORROWED + 1)) + borrowed) * 2 + unseen) * AHEAD.size**2
        keys += np.searchsorted(AHEAD, ahead) * AHEAD.size + np.searchsorted(AHEAD, lent_ahead)
        rows = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.diff(keys[rows], prepend=-1))
        for some in np.split(rows, begins[1:]) if rows.size else ():
            first = tuple(int(each[some[0]]) for each in (own, borrowed, ahead, lent_ahead, unseen))
            yield Case(*first), some

    def values(self, case: Case, pool: Pool, histories: Histories) -> Floats:
        """Demands brought to targets of one case: own rows, latest first, then those of lenders."""
        own = histories.errors[self.item][:, ::-1][:, : case.own]
        at = pool.lenders.nearest(self.listed, self.expected, case.borrowed, stranger=bool(case.stranger))
        lent = (pool.lenders.strangers if case.stranger else pool.lenders.errors)[at] * histories.widths[self.item][
            :, None
        ]
        errors = np.hstack([own, lent])
        moved = pool.forecast.power.back(self.level[:, None] + errors) * self.size[:, None]
        low, high = self.support
        return np.clip(moved, low[:, None], high[:, None])
