"""A decider for sales that were cut off by stock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._errors import InputError
from provend._rational import read_exactly
from provend.certificate import rounded_up
from provend.newsvendor import Newsvendor
from provend.orders import Room
from provend.planning._one_by_one import OneByOne
from provend.planning._own_rows import LEAST, stock_of
from provend.planning._reason import amounts
from provend.planning._schema import DEMAND, OK, SHELF, SOLD_OUT, Terms, table_of
from provend.planning._without_data import without_data
from provend.stockouts import OrderWithStockouts, order_with_stockouts

Floats = NDArray[np.float64]

OTHER_WEEKDAY, PER_DAY = 0.1, 0.0002  # dissimilarities where nothing is said of them
SHOWN = 10  # percent of a guarantee from which on it is said that more on the shelf would lower it


@dataclass(frozen=True)
class CutOff(OneByOne):
    """:func:`~provend.order_with_stockouts` on the rows of each item, whose sales stop at what was on the shelf.

    Attributes
    ----------
    dissimilarity : float, optional
        Of every past day; left out, days are compared by weekday and age.
    """

    dissimilarity: float | None = None

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Segment by segment, between the stock levels of the past."""
        sales, (ahead, stock) = history[DEMAND].to_numpy(), stock_of(targets)
        if sales.size < LEAST:
            return without_data(sales, ahead[0].to_pylist(), stock, terms)
        assert terms.support is not None  # refused without
        problem = Newsvendor(terms.cu, terms.co, terms.support)
        shelf = _shelf(history)
        found = [
            order_with_stockouts(sales, shelf, d, q=problem)
            for d in _apart(_days(history[0]), _days(ahead[0]), _is_dated(history[0]), self.dissimilarity)
        ]
        have = np.zeros(len(found)) if stock is None else stock
        wanted = np.array([one.order for one in found])
        orders, price = _on_top(wanted, have, problem, terms)
        upper = rounded_up(np.array([one.upper for one in found]) + price)
        why = [_reason(one, level, sales, shelf) for one, level in zip(found, orders + have, strict=True)]
        return table_of(
            order=orders,
            guarantee=upper,
            percent_of_no_data=100 * upper / problem.no_data_regret,
            effective_n=[None] * orders.size,  # rows differ from segment to segment
            policy=["minimax"] * orders.size,
            basis=[self._basis(problem)] * orders.size,
            reason=[f"{what}: {words}" for what, words in zip(amounts(orders, stock, terms), why, strict=True)],
            status=[OK] * orders.size,
            message=[_message(one) for one in found],
        )

    def _basis(self, problem: Newsvendor) -> str:
        apart = (
            f"{OTHER_WEEKDAY:g} for another weekday and {PER_DAY:g} a day of age"
            if self.dissimilarity is None
            else f"{self.dissimilarity:g} for every day"
        )
        return (
            f"Dissimilarities stated, {apart}. Guarantees hold if no Kolmogorov distance is larger, and if past stock "
            "was chosen without knowledge of the demands weighed here. "
            f"Support [{problem.support[0]:g}, {problem.support[1]:g}] as given."
        )


def _shelf(history: pa.Table) -> Floats:
    """What was there on every day; where only that it sold out is known, that is what was sold."""
    sales: Floats = history[DEMAND].to_numpy()
    shelf: Floats = history[SHELF].to_numpy().astype(np.float64)
    dates = history[0].to_pylist()
    if SOLD_OUT in history.column_names:
        out = np.array([flag is True for flag in history[SOLD_OUT].to_pylist()])
        shelf = np.where(out & np.isnan(shelf), sales, shelf)
        for at in np.flatnonzero(out & (sales < shelf))[:1]:
            raise InputError(
                f"{_day(dates[at])} sold out, yet {sales[at]:g} of {shelf[at]:g} were sold; correct either"
            )
    for at in np.flatnonzero(np.isnan(shelf))[:1]:
        raise InputError(
            f"no stock_seen on {_day(dates[at])}; give what was there on every day, inf where nothing limited sales"
        )
    for at in np.flatnonzero(sales > shelf)[:1]:
        raise InputError(f"{_day(dates[at])}: {sales[at]:g} were sold of {shelf[at]:g} in stock; correct either")
    return shelf


def _day(date: object) -> str:
    return str(date).removesuffix(" 00:00:00")


def _is_dated(dates: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_temporal(dates.type))


def _days(dates: pa.ChunkedArray) -> NDArray[np.int64]:
    given: NDArray[Any] = dates.to_numpy()
    return given.astype("datetime64[D]").astype(np.int64) if given.dtype.kind == "M" else given.astype(np.int64)


def _apart(past: NDArray[np.int64], ahead: NDArray[np.int64], dated: bool, given: float | None) -> Floats:
    """Dissimilarities, one row per target: fixed before any sales are looked at."""
    if given is not None:
        return np.full((ahead.size, past.size), given)
    age = np.abs(ahead[:, None] - past)
    other = (age % 7 != 0) if dated else np.zeros(age.shape, bool)
    apart: Floats = np.minimum(OTHER_WEEKDAY * other + PER_DAY * age, 1.0)
    return apart


def _on_top(wanted: Floats, have: Floats, problem: Newsvendor, terms: Terms) -> tuple[Floats, float | Floats]:
    """What is left to order, rounded to packs, and what rounding costs at most.

    The level less the stock regrets no more than the level itself; a draw would have to round the segments' demands.
    """
    left = np.maximum(wanted - have, 0.0)
    if terms.supply.orders is None:
        return left, 0.0
    room = Room.beyond(have, problem.support, terms.supply.orders)
    q = problem.critical_ratio
    placed = room.placed(np.clip(left, room.low, room.high), None, q)
    return placed, rounded_up(room.allowance(q) * float(read_exactly(problem.cu) + read_exactly(problem.co)))


def _reason(found: OrderWithStockouts, level: float, sales: Floats, shelf: Floats) -> str:
    """What was seen of the demand around the level."""
    out = int((sales >= shelf).sum())
    enough, could = int((sales[shelf > level] <= level).sum()), int((shelf > level).sum())
    seen = (
        f"{enough} of the {could} days with more than {level:.6g} on the shelf needed at most that"
        if could
        else (f"no day had more than {level:.6g} on the shelf")
    )
    return f"{seen}; {out} of {sales.size} days sold out"


def _message(found: OrderWithStockouts) -> str | None:
    """How much of the guarantee is due to never having had more."""
    share = 100 * found.unseen / found.upper
    if share < SHOWN:
        return None
    most = found.segments[-1].bottom
    return f"{share:.0f} % of the guarantee is due to never having had more than {most:g} on the shelf"
