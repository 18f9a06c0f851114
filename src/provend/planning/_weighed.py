"""What one order was decided on: days with their shares, periods in their classes, or sales between stock levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.newsvendor import Newsvendor
from provend.stockouts import OrderWithStockouts

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weighed:
    """What one order was decided on.

    Attributes
    ----------
    problem : Newsvendor
        Costs and support.
    dates, items : list
        The date of each past demand, and its item.
    demands, brought, shares, d : array
        Each demand as it was and brought to the target, its share of the decision, and its dissimilarity to the target;
        nan where a demand of another item was not kept, or is not weighed.
    price : float
        What is added to guarantees because dissimilarities are bounds that may fail, in units of regret.
    pack : float, optional
        Units per pack, where orders are drawn among what can be ordered.
    """

    problem: Newsvendor
    dates: list[object]
    items: list[str]
    demands: Floats
    brought: Floats
    shares: Floats
    d: Floats
    price: float = 0.0
    pack: float | None = None


@dataclass(frozen=True)
class PeriodClass:
    """Past periods that share no day: how many, the level they order up to, and what that guarantees on its own.

    Where the ``level`` is the stock itself, nothing is to be ordered according to them.
    """

    periods: int
    level: float
    guarantee: float


@dataclass(frozen=True, eq=False, kw_only=True)
class WeighedPeriods(Weighed):
    """The same for an order that covers several days: demands are those of past periods as long as that.

    Attributes
    ----------
    dates : list
        The first day of each period.
    shares : array
        Each period's share of its class, divided by the number of classes.
    days : int
        The length of a period.
    stock : float
        What is in stock or on order; the order comes on top.
    classes : tuple of PeriodClass
        Their levels average to that of the plan, before it is rounded to packs.
    """

    days: int
    stock: float
    classes: tuple[PeriodClass, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class WeighedSales:
    """The same for sales that stock has cut off: no day has a share, as other days count for every segment.

    Attributes
    ----------
    problem : Newsvendor
        Costs and support.
    dates : list
        The date of each past day that is weighed.
    sales, shelf : array
        What was sold, and what was there to be sold.
    brought, brought_shelf : array
        Both brought to the target's level.
    d : array
        Dissimilarity to the target.
    found : OrderWithStockouts
        The level, segment by segment, before stock is subtracted and packs are rounded to.
    pack : float, optional
        Units per pack, where orders are rounded to packs.
    """

    problem: Newsvendor
    dates: list[object]
    sales: Floats
    shelf: Floats
    brought: Floats
    brought_shelf: Floats
    d: Floats
    found: OrderWithStockouts
    pack: float | None = None
