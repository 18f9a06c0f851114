"""Orders for many items, and the data they are based on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_targets import Case

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PanelDecisions:
    """The decisions, one entry per target.

    Attributes
    ----------
    orders : array
        How much to order.
    own, borrowed : array
        How many demands of the item itself, and of others, were considered.
    stranger : array
        Whether the item has no history at all.
    counted, enough : array
        How many of the demands have positive weight, and how many of these, brought to the target, the order covers.
    effective_n : array
        The number of equally weighted demands that stand behind the order, in effect.
    highest : array
        The largest possible demand: the end of the support.
    """

    orders: Floats
    own: Integers
    borrowed: Integers
    stranger: NDArray[np.bool_]
    counted: Integers
    enough: Integers
    effective_n: Floats
    highest: Floats

    @classmethod
    def blank(cls, highest: Floats) -> PanelDecisions:
        """Decisions to be filled in, case by case, given the largest possible demands."""
        size = highest.size
        own, borrowed, counted, enough = (np.zeros(size, np.int64) for _ in range(4))
        return cls(np.empty(size), own, borrowed, np.zeros(size, bool), counted, enough, np.empty(size), highest)

    def note(self, case: Case, rows: NDArray[np.intp], values: Floats, shares: Floats) -> None:
        """Record what targets of one case were decided on: the demands brought to them, and the shares of these."""
        self.own[rows], self.borrowed[rows], self.stranger[rows] = case.own, case.borrowed, case.stranger
        self.counted[rows] = int((shares > 0).sum())
        self.enough[rows] = (values[:, shares > 0] <= self.orders[rows, None]).sum(axis=1)
        self.effective_n[rows] = 1 / (shares**2).sum()


@dataclass(frozen=True, eq=False)
class PanelPast:
    """The data behind one order: demands of the item itself, latest first, then those lent by other items.

    Attributes
    ----------
    own : int
        How many demands are of the item itself.
    lenders : array
        The names of the items that lent the others.
    brought, shares, d : array
        Each demand brought to the target, its share of the decision, and its dissimilarity to the target.
    support : pair of floats
        Lowest and highest possible demand of the item.
    """

    own: int
    lenders: NDArray[np.str_]
    brought: Floats
    shares: Floats
    d: Floats
    support: tuple[float, float]
