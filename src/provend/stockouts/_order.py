"""The order itself, and what it consists of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from provend._display import Shown, Tabular
from provend._validation import as_critical_ratio, as_dissimilarities, as_sales, as_stock, as_support, as_unit
from provend.certificate import Bracket, Promise, rounded_up
from provend.newsvendor import Ratio
from provend.policies import DecidingPolicy
from provend.stockouts._plan import Plan, plan
from provend.stockouts._segments import Days


@dataclass(frozen=True, repr=False)
class StockSegment(Shown):
    """The demand between two stock levels.

    Attributes
    ----------
    bottom, top : float
        Where it begins and ends.
    rows : int
        How many past days had at least ``top`` in stock: only these say anything about the segment.
    order : float
        How much of it is ordered, between 0 and ``top - bottom``.
    part : float
        What it adds to the guarantee.
    """

    bottom: float
    top: float
    rows: int
    order: float
    part: float


@dataclass(frozen=True, eq=False, repr=False)
class OrderWithStockouts(Promise, Shown, Tabular):
    """An order from sales that stock has cut off, and what it consists of.

    Attributes
    ----------
    order : float
        How much to order.
    guarantee : Bracket
        Contains the worst-case regret: ``upper`` is proved for this order, and no order from such sales, however it is
        decided, can promise less than ``lower``. In money where a :class:`~provend.Newsvendor` was given.
    segments : tuple of StockSegment
        From the bottom of the support to its top; their orders add up to ``order``, their parts to the guarantee.
    q : Fraction
        The critical ratio.
    unit : float
        Money per unit of regret; 1 unless a newsvendor was given.
    """

    order: float
    guarantee: Bracket[float]
    segments: tuple[StockSegment, ...]
    q: Fraction
    unit: float = 1.0

    @property
    def lower(self) -> float:
        """No policy can promise less."""
        return self.guarantee.lower

    @property
    def upper(self) -> float:
        """The regret is at most this, whatever the distributions."""
        return self.guarantee.upper

    @property
    def unseen(self) -> float:
        """The part of the guarantee that is due to never having had more stock."""
        return sum(segment.part for segment in self.segments if segment.rows == 0)

    def _facts(self) -> dict[str, object]:
        bracket: dict[str, object] = {"order": self.order, "lower": self.lower, "upper": self.upper}
        return bracket | {"percent_of_no_data": self.percent_of_no_data, "unseen": self.unseen}

    def _columns(self) -> dict[str, list[object]]:
        names = ("bottom", "top", "rows", "order", "part")
        return {name: [getattr(segment, name) for segment in self.segments] for name in names}


def order_with_stockouts(
    sales: ArrayLike,
    stock: ArrayLike,
    d: ArrayLike,
    /,
    *,
    q: Ratio,
    support: tuple[float, float] = (0, 1),
    policy: DecidingPolicy | None = None,
) -> OrderWithStockouts:
    """What to order when past demand was seen only up to what was in stock, with a guarantee.

    The demand between two stock levels is decided by the days that had at least the upper one, whether they sold out or
    not. Above the largest stock ever held, the no-data share q is ordered, unless so many days had something left that
    there is no need to. The order is the sum over the segments, and the regret is at most the sum of their parts.
    Beyond 24 stock levels, or 12 where there are more than 2,000 days, some are passed over: fewer days then count for
    the demand just below these, which the guarantee takes into account.

    Parameters
    ----------
    sales : array
        What was sold: demand, or the stock where that was less.
    stock : array
        What was available for sale, on *every* day; ``inf`` where demand is known whatever the stock. It must have been
        chosen without knowledge of the demands given here: by a plan, or from demands before the first of them.
    d : array
        Dissimilarity of each past context to the one being decided.
    q : number or Newsvendor
        Critical ratio; with a :class:`~provend.Newsvendor`, which brings its own support, the guarantee is in money.
    support : pair of numbers
        Lowest and highest demand possible.
    policy : policy, optional
        Who decides within each segment; by default the best one, :func:`~provend.minimax`.

    Examples
    --------
    >>> import provend as pv
    >>> problem = pv.Newsvendor(cu=3, co=1, support=(0, 100))
    >>> found = pv.order_with_stockouts([40, 31, 60, 52, 40, 60], [40, 40, 60, 60, 40, 60], [0.05] * 6, q=problem)
    >>> [(segment.top, segment.rows, round(segment.order, 1)) for segment in found.segments]
    [(40.0, 6, 40.0), (60.0, 3, 20.0), (100.0, 0, 30.0)]
    """
    ratio, dissimilarities, bounds = as_critical_ratio(q), as_dissimilarities(d), as_support(support, q)
    levels = as_stock(stock, dissimilarities.size)
    sold = as_sales(sales, levels, bounds)
    made = plan(levels, dissimilarities, ratio, bounds, policy)
    days = Days(sold, levels, dissimilarities)
    orders = [segment.order(days, ratio) for segment in made.segments]
    unit = as_unit(q)
    return OrderWithStockouts(
        order=float(Fraction(bounds[0]) + sum(orders, Fraction(0))),
        guarantee=made.guarantee.scaled(unit),
        segments=_segments(made, orders, unit),
        q=ratio,
        unit=unit,
    )


def _segments(made: Plan, orders: list[Fraction], unit: float) -> tuple[StockSegment, ...]:
    pairs = zip(made.segments, orders, strict=True)
    return tuple(
        StockSegment(one.bottom, one.top, one.rows, float(order), rounded_up(float(made.part(one)) * unit))
        for one, order in pairs
    )
