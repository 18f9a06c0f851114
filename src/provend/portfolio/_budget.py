"""Orders under one budget, by putting a price on it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf, nextafter

import numpy as np

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_exact
from provend.certificate import rounded_up
from provend.portfolio._item import BudgetItem
from provend.portfolio._orders import BudgetedOrders


def budgeted_orders(items: Mapping[str, BudgetItem], /, *, budget: Number, multiplier: Number) -> BudgetedOrders:
    r"""Orders within a budget, by putting a price on it that is fixed beforehand.

    With the price :math:`\lambda`, item j decides at the critical ratio
    :math:`q_j = (c_{u,j} - \lambda v_j) / (c_{u,j} + c_{o,j})`. Then, against the best orders inside the supports that
    take at most the budget B,

    .. math:: \mathbb{E}\,\text{cost} - \mathrm{OPT}(B) \le \sum_j G_j(q_j) + \lambda\,\mathbb{E}[\text{unused}]
       + \mathbb{E}[\text{cut}] .

    Where the orders do not fit, those units are cut that lose least per unit of budget; ``cut`` adds up
    :math:`c_{u,j} - \lambda v_j` over them.

    Parameters
    ----------
    items : mapping
        Items by name.
    budget : number
        What all orders together may take.
    multiplier : number
        The price :math:`\lambda \ge 0` of one unit of budget. It must not depend on the demands that are weighed.
    """
    _check_items(items)
    price, room = as_exact(multiplier, "multiplier"), as_exact(budget, "budget")
    if price < 0:
        raise InputError(f"multiplier = {multiplier!r} is negative; give the price of one unit of budget, at least 0")
    least = sum((as_exact(one.use, "use") * Fraction(one.problem.support[0]) for one in items.values()), Fraction(0))
    if not items or least > room:
        raise InputError(
            f"budget = {budget!r} for {len(items)} items whose supports begin at orders that take {float(least):g}; "
            "give items and a budget for the least orders at least"
        )
    decided = [one.decided(price) for one in items.values()]
    wanted, lower, upper = (np.array(column) for column in zip(*decided, strict=True))
    orders = _within(room, list(items.values()), wanted.tolist(), price)
    taken = [as_exact(one.use, "use") * Fraction(order) for one, order in zip(items.values(), orders, strict=True)]
    less = [Fraction(want) - Fraction(order) for want, order in zip(wanted.tolist(), orders, strict=True)]
    lost = sum((one.gain(price) * units for one, units in zip(items.values(), less, strict=True)), Fraction(0))
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


def _check_items(items: object) -> None:
    if not isinstance(items, Mapping):
        raise TypeError(f"items = {items!r} is no mapping; give BudgetItems by name")
    for name, item in items.items():
        if not isinstance(item, BudgetItem):
            raise TypeError(
                f"items[{name!r}] = {item!r} is no BudgetItem; give its costs, policy, demands and use as one"
            )


def _within(room: Fraction, items: list[BudgetItem], wanted: list[float], price: Fraction) -> list[float]:
    """The orders, cut first where a unit of budget loses least; orders that are cut are rounded down."""
    orders, uses = list(wanted), [as_exact(one.use, "use") for one in items]
    excess = sum((use * Fraction(order) for use, order in zip(uses, wanted, strict=True)), Fraction(0)) - room
    for j in sorted(range(len(items)), key=lambda j: items[j].gain(price) / uses[j]):
        if excess <= 0:
            break
        left = max(Fraction(orders[j]) - excess / uses[j], Fraction(items[j].problem.support[0]))
        excess -= (Fraction(orders[j]) - left) * uses[j]
        orders[j] = float(left) if Fraction(float(left)) <= left else nextafter(float(left), -inf)
    return orders
