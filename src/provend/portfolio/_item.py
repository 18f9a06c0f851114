"""An item that shares a budget with others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_exact
from provend.newsvendor import Newsvendor
from provend.policies import DecidingPolicy, check_decides
from provend.regret import worst_case_regret


@dataclass(frozen=True, eq=False)
class BudgetItem:
    """One of several items that share a budget.

    Parameters
    ----------
    problem : Newsvendor
        Costs and support.
    policy : DecidingPolicy
        Decides at the critical ratio that remains once the budget has its price.
    y, d : array
        Past demands, and the dissimilarities of their contexts.
    use : number
        How much of the budget one unit takes: its purchase price, say, or its volume.
    """

    problem: Newsvendor
    policy: DecidingPolicy
    y: ArrayLike
    d: ArrayLike
    use: Number = 1

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Newsvendor):
            raise TypeError(f"problem = {self.problem!r} is no Newsvendor; give one, with costs and support")
        check_decides(self.policy)
        if as_exact(self.use, "use") <= 0:
            raise InputError(f"use = {self.use!r} must be positive; give what one unit takes of the budget")

    def gain(self, multiplier: Fraction) -> Fraction:
        """What a unit saves if it would otherwise be missing, less the price of the budget it takes: cu - lambda v."""
        return as_exact(self.problem.cu, "cu") - multiplier * as_exact(self.use, "use")

    def decided(self, multiplier: Fraction) -> tuple[float, float, float]:
        """The order and a bracket of its regret when the budget has a price; what is not worth it is not ordered."""
        gain = self.gain(multiplier)
        if gain <= 0:
            return self.problem.support[0], 0.0, 0.0
        cu, co = as_exact(self.problem.cu, "cu"), as_exact(self.problem.co, "co")
        priced = Newsvendor(gain, co + cu - gain, self.problem.support)
        found = worst_case_regret(self.policy, self.d, q=priced)
        return self.policy.order(self.y, self.d, q=priced), found.lower, found.upper
