"""One order of a plan, taken apart: the past demands that count for it, the values they count with, and how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend._errors import InputError
from provend._validation import as_exact
from provend.estimators import PanelNewsvendor
from provend.newsvendor import Newsvendor
from provend.planning._decide import named
from provend.planning._own_rows import OwnRows, stock_of
from provend.planning._pooled import Pooled
from provend.planning._request import Opened, Request, open_tables
from provend.planning._rows import BETWEEN, readable
from provend.planning._schema import DEMAND, ITEM, ROW, TARGET, WHEN, Job, Terms
from provend.planning._sound import by_terms, sound
from provend.planning._source import connect, literal, quoted
from provend.tables import Table

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


class Explainer:
    """Explains the plan that a request makes of a history; what was learned is kept from one order to the next."""

    def __init__(self, request: Request, history: Table, targets: Table | None = None) -> None:
        self.opened: Opened = open_tables(connect(), request, history, targets)

    def weighed(self, ids: tuple[str, ...], when: object) -> Weighed:
        """What the order of an item at a date was decided on; ``ids`` are the values in the columns that name it."""
        job = self.opened.job
        past, target = self._rows(BETWEEN.join(ids) if ids else "all", when)
        ((terms, _),) = by_terms(past, target, job.terms)
        if isinstance(terms, str):
            raise InputError(terms)
        return weighed(job, past, target, terms)

    def _rows(self, item: str, when: object) -> tuple[pa.Table, pa.Table]:
        """The sound past rows of an item, oldest first, and the one to decide."""
        order = ", ".join(map(quoted, (WHEN, ROW)))
        rows = self.opened.connection.sql(
            f"SELECT * FROM ({self.opened.layout.sql}) WHERE {quoted(ITEM)} = {literal(item)} ORDER BY {order}"
        ).to_arrow_table()
        targets = rows.filter(rows[TARGET])
        dates = [str(one).removesuffix(" 00:00:00") for one in targets[WHEN].to_pylist()]
        if str(when) not in dates:
            raise InputError(f"there is no order of {item!r} on {when}; choose one of the plan")
        return sound(rows.filter(pc.invert(rows[TARGET])))[0], targets.slice(dates.index(str(when)), 1)


def weighed(job: Job, past: pa.Table, target: pa.Table, terms: Terms) -> Weighed:
    """What the order for one target was decided on, given the sound past rows of its item, oldest first."""
    history, asked = named(past, target, job)
    asked, _ = stock_of(asked)
    if isinstance(job.decider, OwnRows):
        return _own(job.decider, history, asked, terms)
    if isinstance(job.decider, Pooled):
        return _pooled(job.decider.model_at(history, terms), history, asked, terms)
    raise InputError(f"orders of {job.decider!r} cannot be taken apart; choose the model own or pooled")


def _own(decider: OwnRows, history: pa.Table, target: pa.Table, terms: Terms) -> Weighed:
    """Decided on the item's own rows."""
    past, y = history.drop_columns([ITEM, DEMAND]), history[DEMAND].to_numpy()
    model, asked = decider.fitted(past, y, terms), target.drop_columns([ITEM])
    return Weighed(
        problem=model.newsvendor_,
        dates=past[0].to_pylist(),
        items=[readable(item) for item in history[ITEM].to_pylist()],
        demands=y,
        brought=model.brought(asked)[0],
        shares=model.get_weights(asked)[0],
        d=model.dissimilarities(asked)[0],
        price=model.price_,
        pack=_pack(terms),
    )


def _pooled(model: PanelNewsvendor, history: pa.Table, target: pa.Table, terms: Terms) -> Weighed:
    """Decided on the item's latest rows, and on what other items lent."""
    found = model.past_of(target)
    latest = np.arange(history.num_rows)[::-1][: found.own]
    lent = found.lenders.size
    mine = history.take(latest)
    return Weighed(
        problem=Newsvendor(terms.cu, terms.co, found.support),
        dates=mine[1].to_pylist() + [None] * lent,
        items=[readable(item) for item in (*mine[ITEM].to_pylist(), *found.lenders.tolist())],
        demands=np.append(mine[DEMAND].to_numpy(), np.full(lent, np.nan)),
        brought=found.brought,
        shares=found.shares,
        d=found.d,
        pack=_pack(terms),
    )


def _pack(terms: Terms) -> float | None:
    possible = terms.supply.orders
    return None if possible is None else float(as_exact(possible.pack, "pack"))
