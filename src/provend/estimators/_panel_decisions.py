"""Orders for many items, and what they were decided on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_targets import Case

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PanelDecisions:
    """One entry per target.

    Attributes
    ----------
    orders : array
        How much to order.
    own, borrowed : array
        How many demands of the item itself and of others were looked at.
    stranger : array
        Whether there is no past of the item at all.
    counted, enough : array
        How many of them have a weight, and how many of these, brought to the target, are at most the order.
    effective_n : array
        So many equally weighted demands stand behind the order.
    """

    orders: Floats
    own: Integers
    borrowed: Integers
    stranger: NDArray[np.bool_]
    counted: Integers
    enough: Integers
    effective_n: Floats

    @classmethod
    def blank(cls, size: int) -> PanelDecisions:
        """To be filled in, case by case."""
        own, borrowed, counted, enough = (np.zeros(size, np.int64) for _ in range(4))
        return cls(np.empty(size), own, borrowed, np.zeros(size, bool), counted, enough, np.empty(size))

    def note(self, case: Case, rows: NDArray[np.intp], values: Floats, shares: Floats) -> None:
        """What targets of one case were decided on: demands brought to them, and the shares these have."""
        self.own[rows], self.borrowed[rows], self.stranger[rows] = case.own, case.borrowed, case.stranger
        self.counted[rows] = int((shares > 0).sum())
        self.enough[rows] = (values[:, shares > 0] <= self.orders[rows, None]).sum(axis=1)
        self.effective_n[rows] = 1 / (shares**2).sum()


@dataclass(frozen=True, eq=False)
class PanelPast:
    """What one order was decided on: demands of the item from the latest on, then those that other items lent.

    Attributes
    ----------
    own : int
        How many are of the item itself.
    lenders : array
        The names of the others.
    brought, shares, d : array
        Each demand brought to the target, its share of the decision, and its dissimilarity to the target.
    support : pair of floats
        Lowest and highest demand of the item.
    """

    own: int
    lenders: NDArray[np.str_]
    brought: Floats
    shares: Floats
    d: Floats
    support: tuple[float, float]
