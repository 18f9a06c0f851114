"""A decider for sales that were cut off by stock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._rational import read_exactly
from provend.certificate import rounded_up
from provend.newsvendor import Newsvendor
from provend.orders import Room
from provend.planning._at_level import FEWEST, Counted, Days
from provend.planning._one_by_one import OneByOne
from provend.planning._own_rows import LEAST, stock_of, undoubting
from provend.planning._reason import amounts, rounded
from provend.planning._schema import DEMAND, OK, Terms, table_of
from provend.planning._shelf import refuse_outside, shelf_of
from provend.planning._without_data import without_data
from provend.stockouts import OrderWithStockouts, StockSegment, order_with_stockouts, value_of_stock
from provend.tables import read_contexts

Floats = NDArray[np.float64]
Day = tuple[Floats, Floats, Floats]  # sales, stock and dissimilarities of past days as they count for one target

LEVELS = ("auto", "split")  # where levels are learned: on the days they move, or on older ones
SHOWN = 10  # percent of a guarantee from which a message says that more on the shelf would lower it
LOOKS = 4  # days with more on the shelf: once a week for a month


@dataclass(frozen=True)
class CutOff(OneByOne):
    """:func:`~provend.order_with_stockouts` on the rows of each item, whose sales are limited by the shelf.

    Attributes
    ----------
    dissimilarity : str or float
        "auto": sales and stock are brought to the target's level, which is learned from the very days that are moved.
        "split": it is learned from the older half of them, and the other half is weighed. A number: the dissimilarity
        of every past day, which is not moved.
    columns : mapping, optional
        How contexts are to be read.
    """

    dissimilarity: str | float = "auto"
    columns: Mapping[str, str] | None = None

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Decide segment by segment, between the stock levels of the past."""
        sales, (ahead, stock) = history[DEMAND].to_numpy(), stock_of(targets)
        if sales.size < LEAST:
            return without_data(sales, ahead[0].to_pylist(), stock, terms)
        problem, counted = self.counted(history, ahead, terms)
        days = list(zip(counted.sales, counted.shelf, counted.d, strict=True))
        found = [order_with_stockouts(*each, q=problem) for each in days]
        have = np.zeros(len(found)) if stock is None else stock
        orders, price = _on_top(np.array([one.order for one in found]), have, problem, terms)
        upper = rounded_up(np.array([one.upper for one in found]) + price)
        each = zip(days, orders + have, amounts(orders, stock, terms), strict=True)
        told = f", once brought to its level; {_sold_out(history)}" if counted.brought else f"; {_sold_out(history)}"
        return table_of(
            order=orders,
            guarantee=upper,
            percent_of_no_data=100 * upper / problem.no_data_regret,
            effective_n=[None] * orders.size,  # the rows that count differ from segment to segment
            policy=["minimax"] * orders.size,
            basis=[_basis(counted, problem)] * orders.size,
            reason=[f"{what}: {_reason(level, *day[:2])}{told}" for day, level, what in each],
            status=[OK] * orders.size,
            message=[_message(one, day, problem, counted) for one, day in zip(found, days, strict=True)],
        )

    def counted(self, history: pa.Table, ahead: pa.Table, terms: Terms) -> tuple[Newsvendor, Counted]:
        """Costs and support, and the latest days as they count for each target."""
        assert terms.support is not None  # refused otherwise
        problem = Newsvendor(terms.cu, terms.co, terms.support)
        refuse_outside(history, problem.support)
        return problem, self._counted(history, ahead, problem)

    def _counted(self, history: pa.Table, ahead: pa.Table, problem: Newsvendor) -> Counted:
        """Past days as they count for each target: set by contexts and stock, and by sales where the basis says so."""
        with undoubting():
            past = read_contexts(history.select(ahead.column_names), kinds=self.columns)
            days = Days(past, history[0], history[DEMAND].to_numpy(), shelf_of(history))
            if not isinstance(self.dissimilarity, str):
                return days.at_one_distance(ahead.num_rows, float(self.dissimilarity))
            split = self.dissimilarity == "split"
            if len(history) // (2 if split else 1) < FEWEST:
                return days.by_weekday(ahead[0])
            q = float(problem.critical_ratio)
            return days.levelled(read_contexts(ahead, like=past), problem.support, q, split=split)


def _basis(counted: Counted, problem: Newsvendor) -> str:
    return (
        f"{counted.basis} Guarantees hold if no Kolmogorov distance is larger, and if past stock was chosen without "
        f"knowledge of the demands weighed here. Support [{problem.support[0]:g}, {problem.support[1]:g}] as given."
    )


def _on_top(wanted: Floats, have: Floats, problem: Newsvendor, terms: Terms) -> tuple[Floats, float | Floats]:
    """What is left to order, rounded to packs, and what rounding costs at most.

    The level less the stock regrets no more than the level itself. A draw would have to round the segments' demands.
    """
    left = np.maximum(wanted - have, 0.0)
    if terms.supply.orders is None:
        return left, 0.0
    room = Room.beyond(have, problem.support, terms.supply.orders)
    q = problem.critical_ratio
    placed = room.placed(np.clip(left, room.low, room.high), None, q)
    return placed, rounded_up(room.allowance(q) * float(read_exactly(problem.cu) + read_exactly(problem.co)))


def _sold_out(history: pa.Table) -> str:
    out = int((history[DEMAND].to_numpy() >= shelf_of(history)).sum())
    return f"{out} of {len(history)} days sold out"


def _reason(level: float, sales: Floats, shelf: Floats) -> str:
    """What was seen of demand around the level."""
    enough, could = int((sales[shelf > level] <= level).sum()), int((shelf > level).sum())
    if not could:
        return f"no day had more than {rounded(level)} on the shelf"
    return f"{enough} of the {could} days with more than {rounded(level)} on the shelf needed at most that"


def _message(found: OrderWithStockouts, day: Day, problem: Newsvendor, counted: Counted) -> str | None:
    """How much of the guarantee is due to never having had more stock, and what it would be worth to try."""
    share = 100 * found.unseen / found.upper
    if share < SHOWN:
        return None
    _, shelf, d = day
    most, more = found.segments[-1].bottom, _more(found.segments[-1], problem)
    new, nearest = np.full(LOOKS, most + more), np.full(LOOKS, d.min())
    worth = value_of_stock(shelf, d, q=problem, new_stock=new, new_d=nearest)
    here = ", brought to this day" if counted.brought else ""
    return (
        f"{share:.0f} % of the guarantee is due to never having had more than {most:.4g} on the shelf{here}; "
        f"{more:.4g} more on {LOOKS} days would lower it by {worth.reduction:.3g}"
    )


def _more(unseen: StockSegment, problem: Newsvendor) -> float:
    """A quarter more than ever before, in round numbers, or up to the largest possible demand."""
    room, quarter = unseen.top - unseen.bottom, (unseen.bottom - problem.support[0]) / 4
    return min(float(f"{quarter:.1g}"), room) or room
