"""A decider for all items: one model, learned once from some of them, that decides whole batches."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from provend.estimators import ColumnWarning, PanelDecisions, PanelNewsvendor, SupportWarning
from provend.planning._own_rows import refuse_outside, stock_of
from provend.planning._reason import amounts, at_the_top, by_chance, rounded
from provend.planning._schema import DEMAND, FEW, ITEM, NONE, OK, Terms, contexts_in, is_number, table_of

Floats = NDArray[np.float64]

POLICY = "minimax"


@dataclass(frozen=True)
class Pooled:
    """:class:`~provend.PanelNewsvendor`, learned before the items to decide are seen.

    Attributes
    ----------
    model : PanelNewsvendor
        What was learned.
    seen : mapping
        The values of each context among the rows learned from; of numbers, two at most.
    """

    model: PanelNewsvendor
    seen: Mapping[str, pa.Array] = field(default_factory=dict)

    @classmethod
    def learned(cls, history: pa.Table, costs: tuple[float, float], columns: dict[str, str] | None) -> Pooled:
        """Learned from the sound past rows of some items, laid out as for :meth:`decide_many`."""
        model = PanelNewsvendor(*costs, item=ITEM, columns=columns)
        with threadpool_limits(1), catch_warnings():  # the same bits on any number of cores
            simplefilter("ignore", ColumnWarning)
            model.fit(history.drop_columns([DEMAND]), history[DEMAND].to_numpy())
        seen = {name: pc.unique(history[name]) for name in contexts_in(history)}
        return cls(model, {name: some.slice(0, 2) if is_number(some.type) else some for name, some in seen.items()})

    def knows(self, values: pa.ChunkedArray, name: str) -> NDArray[np.bool_]:
        """Whether the rows learned from say anything about values of a context: categories they have, or numbers."""
        seen = self.seen.get(name)
        if seen is None or is_number(seen.type):
            return np.full(len(values), seen is not None and len(seen) > 1)
        return np.asarray(pc.is_in(values.cast(pa.string()), value_set=seen.cast(pa.string())))

    @property
    def fingerprint(self) -> str:
        """A hash of what was learned, for comparison."""
        pool = self.model.pool_
        lent = pool.lenders
        parts = (
            lent.expected,
            lent.errors,
            lent.strangers,
            pool.forecast.past,
            [pool.prior, pool.share, pool.distance],
        )
        return blake2b(b"".join(np.asarray(part).tobytes() for part in parts), digest_size=16).hexdigest()

    def model_at(self, history: pa.Table, terms: Terms) -> PanelNewsvendor:
        """The model for these items, on these terms."""
        model: PanelNewsvendor = copy(self.model).set_params(
            cu=terms.cu, co=terms.co, support=terms.support, orders=terms.supply.orders
        )
        return model.with_items(history.drop_columns([DEMAND]), history[DEMAND].to_numpy())

    def decide_many(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Order and certify all targets at once."""
        ahead, stock = stock_of(targets)
        refuse_outside(history[DEMAND].to_numpy(), history[1], terms)
        model = self.model_at(history, terms)
        with catch_warnings():
            simplefilter("ignore", SupportWarning)  # the basis says so
            simplefilter("ignore", ColumnWarning)  # the status does
            found, promised = model.certified(ahead, stock=stock)
        columns: dict[str, Any] = {
            "order": found.orders,
            "guarantee": promised.upper,
            "percent_of_no_data": promised.percent_of_no_data,
            "effective_n": found.effective_n,
            "policy": POLICY,
            "basis": model.basis_,
            "reason": _reasons(found, stock, promised.upper, terms),
            "status": _statuses(found),
            "message": _messages(found),
        }
        return table_of(**columns)


def _reasons(found: PanelDecisions, stock: Floats | None, upper: Floats, terms: Terms) -> list[str]:
    """How many of the demands that count, once brought to the target, are at most the stock including the order."""
    levels = found.orders if stock is None else found.orders + stock
    said = amounts(found.orders, stock, terms)
    top = np.where(found.stranger | (found.enough < found.counted), np.inf, found.highest)  # others may have seen more
    notes = zip(by_chance(upper, terms), at_the_top(levels, top, terms), strict=True)
    facts = zip(said, levels.tolist(), found.enough.tolist(), found.counted.tolist(), notes, strict=True)
    return [
        f"{what}: {enough} of {size} demands, brought to this day, are at most {rounded(level)}{''.join(more)}"
        for what, level, enough, size, more in facts
    ]


def _statuses(found: PanelDecisions) -> str | list[str]:
    """A single status if all are alike."""
    if not found.stranger.any() and not found.borrowed.any():
        return OK
    return list(np.where(found.stranger, NONE, np.where(found.borrowed > 0, FEW, OK)).tolist())


def _messages(found: PanelDecisions) -> list[str | None]:
    if not found.borrowed.any():
        return [None] * found.borrowed.size
    return [
        f"decided on {own} past {'demand' if own == 1 else 'demands'} of its own and {lent} of other items"
        if lent
        else None
        for own, lent in zip(found.own.tolist(), found.borrowed.tolist(), strict=True)
    ]
