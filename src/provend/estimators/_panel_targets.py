"""Rows to order for, many items at once, and which of them are decided by one rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import LONGEST
from provend.estimators._pool import Pool

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

ENOUGH = 30  # rows of its own from which on an item does not look at others
BORROWED = 60  # rows of others that a shorter history is filled up with
SIZES = np.unique(np.concatenate([np.arange(21), np.geomspace(20, LONGEST, 12).round()])).astype(np.intp)


@dataclass(frozen=True)
class Case:
    """How many rows of its own a target is decided on; ``stranger``: an item never seen."""

    own: int
    stranger: bool

    def borrowed(self, pool: Pool) -> int:
        """How many rows of others it looks at."""
        return 0 if self.own >= ENOUGH else min(BORROWED, pool.sizes.size - (not self.stranger))

    def values(self, pool: Pool, targets: Targets) -> Floats:
        """Demands brought to the targets: own rows from the latest on, then one row each of other items."""
        own = pool.errors[targets.item][:, ::-1][:, : self.own]
        lenders = pool.lenders(targets.item, targets.expected, self.borrowed(pool))
        lent = (pool.strangers if self.stranger else pool.errors)[lenders, -1]
        errors = np.hstack([own, lent])
        moved = pool.forecast.power.back(targets.level[:, None] + errors) * targets.size[:, None]
        low, high = targets.support
        return np.clip(moved, low[:, None], high[:, None])


@dataclass(frozen=True, eq=False)
class Targets:
    """Rows to order for: the item (-1: never seen), level, size and expected size of demand, and its support."""

    item: Rows
    count: Rows
    level: Floats
    size: Floats
    expected: Floats
    support: tuple[Floats, Floats]

    def take(self, rows: Rows) -> Targets:
        """Some of them."""
        low, high = self.support
        level, size, expected = (values[rows] for values in (self.level, self.size, self.expected))
        return Targets(self.item[rows], self.count, level, size, expected, (low[rows], high[rows]))

    def cases(self) -> Iterator[tuple[Case, Rows]]:
        """Those that are decided by the same rule, together."""
        own = np.where(self.item >= 0, self.count[self.item], 0)
        own = SIZES[np.searchsorted(SIZES, own, side="right") - 1]
        key = np.where(self.item >= 0, own, -1)
        for one in np.unique(key):
            yield Case(max(int(one), 0), bool(one < 0)), np.flatnonzero(key == one)
