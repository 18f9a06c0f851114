"""Many items: guarantees added up, and orders under one budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, nextafter
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_exact
from provend.certificate import Bracket, Frozen, Guarantee, rounded_down, rounded_up
from provend.newsvendor import Newsvendor
from provend.policies import DecidingPolicy, check_decides
from provend.regret import worst_case_regret

Floats = NDArray[np.float64]


class _HasEnds(Protocol):
    """A bracket of one number or of many, in money."""

    @property
    def lower(self) -> float | Floats: ...
    @property
    def upper(self) -> float | Floats: ...


def total_guarantee(guarantees: Iterable[_HasEnds | tuple[float, float]], /) -> Bracket[float]:
    """What many orders together can cost at worst beyond the best orders: the sum, however demands depend.

    Parameters
    ----------
    guarantees : iterable
        Brackets in one currency: a :class:`Guarantee` of a policy with a :class:`Newsvendor`, anything else with
        ``lower`` and ``upper``, for one order or many, or pairs of these.

    Examples
    --------
    >>> import provend as pv
    >>> bread, milk = pv.Newsvendor(3, 1, support=(0, 40)), pv.Newsvendor(9, 1, support=(0, 120))
    >>> d = pv.constant(0.1, n=16)
    >>> total = total_guarantee(pv.worst_case_regret(pv.ERM(), d, q=item) for item in (bread, milk))
    >>> print(f"at most {total.upper:.2f}")
    at most 72.73
    """
    lower, upper = [0.0], [0.0]
    for i, given in enumerate(guarantees):
        if isinstance(given, Guarantee) and given.unit == 1:
            raise InputError(
                f"guarantees[{i}] has unit 1, as one without a Newsvendor has; pass a Newsvendor as q, or, if a unit "
                "of regret is one unit of money, the pair (lower, upper)"
            )
        ends = given if isinstance(given, tuple) else (given.lower, given.upper)
        low, high = (np.ravel(np.asarray(end, np.float64)) for end in ends)
        if not ((low >= 0) & (low <= high) & np.isfinite(high)).all():
            raise InputError(f"guarantees[{i}] = {given!r} is no bracket; it takes 0 <= lower <= upper, both finite")
        lower += low.tolist()
        upper += high.tolist()
    return Bracket(rounded_down(fsum(lower)), rounded_up(fsum(upper)))


@dataclass(frozen=True, eq=False)
class BudgetItem:
    """One of several items that share a budget.

    Parameters
    ----------
    problem : Newsvendor
        Costs and support.
    policy : DecidingPolicy
        Decides, at the critical ratio that is left once the budget has its price.
    y, d : array
        Past demands, and the dissimilarities of their contexts.
    use : number
        What one unit takes of the budget: its purchase price, its volume.
    """

    problem: Newsvendor
    policy: DecidingPolicy
    y: ArrayLike
    d: ArrayLike
    use: Number = 1

    def __post_init__(self) -> None:
        check_decides(self.policy)
        if as_exact(self.use, "use") <= 0:
            raise InputError(f"use = {self.use!r} must be positive; give what one unit takes of the budget")

    def _gain(self, multiplier: Fraction) -> Fraction:
        """What a unit saves when it is missing, less the price of its budget: cu - lambda v."""
        return as_exact(self.problem.cu, "cu") - multiplier * as_exact(self.use, "use")

    def _decided(self, multiplier: Fraction) -> tuple[float, float, float]:
        """Order, and bracket of its regret, where the budget has a price; what is not worth it is not ordered."""
        gain = self._gain(multiplier)
        if gain <= 0:
            return self.problem.support[0], 0.0, 0.0
        cu, co = as_exact(self.problem.cu, "cu"), as_exact(self.problem.co, "co")
        priced = Newsvendor(gain, co + cu - gain, self.problem.support)
        found = worst_case_regret(self.policy, self.d, q=priced)
        return self.policy.order(self.y, self.d, q=priced), found.lower, found.upper


@dataclass(frozen=True, eq=False, repr=False)
class BudgetedOrders(Shown, Tabular, Frozen):
    """Orders of many items that fit into a budget, and what is proved about the rule that made them.

    Attributes
    ----------
    items : tuple of str
        Their names.
    orders : array
        What to order, within the budget.
    wanted : array
        What the policies ordered at the price of the budget; more than ``orders`` where that did not fit.
    lower, upper : array
        Brackets of each policy's worst-case regret at that price, in money.
    budget, used : float
        What there is, and what the orders take.
    multiplier : float
        The price of the budget.
    cut : float
        What the units cut can have cost beyond their share of the budget, in money; 0 where nothing was cut.
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
        """The policies' guarantees added up."""
        return total_guarantee([(low, high) for low, high in zip(self.lower, self.upper, strict=True)])

    @property
    def unused(self) -> float:
        """What is left of the budget."""
        return self.budget - self.used

    @property
    def statement(self) -> str:
        """What is proved, in words."""
        most = self.guarantee.upper * (1 + 6e-6)  # so that six digits are not too few
        return (
            "the expected cost exceeds that of the best orders within the budget by at most "
            f"{most:.6g}, plus the expectation of {self.multiplier:.6g} times the unused budget and of "
            f"the price of cuts (this time {self.multiplier * self.unused:.6g} and {self.cut:.6g}), if the multiplier "
            "was fixed before the demands were seen"
        )

    def _facts(self) -> dict[str, object]:
        facts = {"upper": self.guarantee.upper, "budget": self.budget, "used": self.used, "cut": self.cut}
        return {"items": len(self.items), **facts, "multiplier": self.multiplier}

    def _columns(self) -> dict[str, Iterable[object]]:
        bracket = {"lower": self.lower, "upper": self.upper}
        return {"item": self.items, "order": self.orders, "wanted": self.wanted, **bracket}


def budgeted_orders(items: Mapping[str, BudgetItem], /, *, budget: Number, multiplier: Number) -> BudgetedOrders:
    r"""Orders within a budget, by a price on it that is fixed beforehand.

    With the price :math:`\lambda`, item j decides at the critical ratio
    :math:`q_j = (c_{u,j} - \lambda v_j) / (c_{u,j} + c_{o,j})`. Then, against the best orders inside the supports that
    take at most the budget B,

    .. math:: \mathbb{E}\,\text{cost} - \mathrm{OPT}(B) \le \sum_j G_j(q_j) + \lambda\,\mathbb{E}[\text{unused}]
       + \mathbb{E}[\text{cut}] .

    Where the orders do not fit, units are cut that lose least per unit of budget; ``cut`` adds up
    :math:`c_{u,j} - \lambda v_j` over them.

    Parameters
    ----------
    items : mapping
        Items by name.
    budget : number
        What all orders together may take.
    multiplier : number
        The price :math:`\lambda \ge 0` of one unit of budget. It must not be chosen by the demands that are weighed.
    """
    price, room = as_exact(multiplier, "multiplier"), as_exact(budget, "budget")
    if price < 0:
        raise InputError(f"multiplier = {multiplier!r} is negative; give the price of one unit of budget, at least 0")
    least = sum((as_exact(one.use, "use") * Fraction(one.problem.support[0]) for one in items.values()), Fraction(0))
    if not items or least > room:
        raise InputError(
            f"budget = {budget!r} for {len(items)} items whose supports begin at orders that take {float(least):g}; "
            "give items and a budget for the least orders at least"
        )
    decided = [one._decided(price) for one in items.values()]
    wanted, lower, upper = (np.array(column) for column in zip(*decided, strict=True))
    orders = _within(room, list(items.values()), wanted.tolist(), price)
    taken = [as_exact(one.use, "use") * Fraction(order) for one, order in zip(items.values(), orders, strict=True)]
    less = [Fraction(want) - Fraction(order) for want, order in zip(wanted.tolist(), orders, strict=True)]
    lost = sum((one._gain(price) * units for one, units in zip(items.values(), less, strict=True)), Fraction(0))
    return BudgetedOrders(
        items=tuple(items),
        orders=np.array(orders),
        wanted=wanted,
        lower=lower,
        upper=upper,
        budget=float(room),
        used=float(sum(taken, Fraction(0))),
        multiplier=float(price),
        cut=rounded_up(float(lost)),
    )


def _within(room: Fraction, items: list[BudgetItem], wanted: list[float], price: Fraction) -> list[float]:
    """The orders, those cut first where a unit of budget loses least; what is cut is rounded down."""
    orders, uses = list(wanted), [as_exact(one.use, "use") for one in items]
    excess = sum((use * Fraction(order) for use, order in zip(uses, wanted, strict=True)), Fraction(0)) - room
    for j in sorted(range(len(items)), key=lambda j: items[j]._gain(price) / uses[j]):
        if excess <= 0:
            break
        left = max(Fraction(orders[j]) - excess / uses[j], Fraction(items[j].problem.support[0]))
        excess -= (Fraction(orders[j]) - left) * uses[j]
        orders[j] = float(left) if Fraction(float(left)) <= left else nextafter(float(left), -inf)
    return orders
