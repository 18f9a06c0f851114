"""Orders within a budget, and what is proved about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._display import Shown, Tabular
from provend.certificate import Bracket, Frozen
from provend.portfolio._total import total_guarantee

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class BudgetedOrders(Shown, Tabular, Frozen):
    """Orders of many items that fit into a budget, and what is proved about the rule that made them.

    Attributes
    ----------
    items : tuple of str
        Names of the items.
    orders : array
        What to order, within the budget.
    wanted : array
        What the policies ordered at the price of the budget; more than ``orders`` where it did not fit.
    lower, upper : array
        Brackets of each policy's worst-case regret at that price, in money.
    budget, used : float
        The budget available, and what the orders take of it.
    multiplier : float
        The price of the budget.
    cut : float
        What cutting units can cost beyond the price of the budget they would take, in money; 0 where nothing was cut.
    """

    items: tuple[str, ...]
    orders: Floats
    wanted: Floats
    lower: Floats
    upper: Floats
    budget: float
    used: float
    multiplier: float
    cut: float

    @property
    def guarantee(self) -> Bracket[float]:
        """The sum of the policies' guarantees."""
        return total_guarantee([(low, high) for low, high in zip(self.lower, self.upper, strict=True)])

    @property
    def unused(self) -> float:
        """What is left of the budget."""
        return self.budget - self.used

    @property
    def statement(self) -> str:
        """What is proved, in words."""
        most = self.guarantee.upper * (1 + 6e-6)  # so that rounding to six digits does not understate it
        return (
            "the expected cost exceeds that of the best orders within the budget by at most "
            f"{most:.6g}, plus the expectation of {self.multiplier:.15g} times the unused budget and of "
            f"the price of cuts (this time {self.multiplier * self.unused:.6g} and {self.cut:.6g}), if the multiplier "
            "was fixed before the demands were seen"
        )

    def _facts(self) -> dict[str, object]:
        facts = {"upper": self.guarantee.upper, "budget": self.budget, "used": self.used, "cut": self.cut}
        return {"items": len(self.items), **facts, "multiplier": self.multiplier}

    def _columns(self) -> dict[str, Iterable[object]]:
        bracket = {"lower": self.lower, "upper": self.upper}
        return {"item": self.items, "order": self.orders, "wanted": self.wanted, **bracket}
