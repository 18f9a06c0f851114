"""One order of a plan, taken apart: the past demands that count for it, the values they count with, and how much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend._validation import as_exact
from provend.estimators import PanelNewsvendor
from provend.newsvendor import Newsvendor
from provend.planning._by_length import ByLength
from provend.planning._by_period import ByPeriod, OfClass
from provend.planning._cut_off import CutOff
from provend.planning._decide import named
from provend.planning._own_rows import LEAST, OwnRows, stock_of
from provend.planning._pooled import Pooled
from provend.planning._position import with_position
from provend.planning._request import Opened, Request, open_tables
from provend.planning._rows import readable
from provend.planning._schema import BETWEEN, DEMAND, ITEM, ROW, TARGET, WHEN, Job, Terms, day
from provend.planning._shelf import shelf_of
from provend.planning._sound import by_terms, sound
from provend.planning._source import connect, literal, quoted
from provend.planning._weighed import Floats, PeriodClass, Weighed, WeighedPeriods, WeighedSales
from provend.stockouts import order_with_stockouts
from provend.tables import Table

WITHOUT_DATA = "the order was decided without data, as the item has hardly any past; choose one with past demands"


class Explainer:
    """Explains the plan that a request makes of a history; what was learned is kept from one order to the next."""

    def __init__(self, request: Request, history: Table, targets: Table | None = None) -> None:
        self.opened: Opened = open_tables(connect(), request, history, targets)

    def weighed(self, ids: tuple[str, ...], when: object) -> Weighed | WeighedSales:
        """What the order of an item at a date was decided on; ``ids`` are the values in the columns that name it."""
        job = self.opened.job
        past, target = self._rows(BETWEEN.join(ids) if ids else "all", when)
        target = with_position(past, target, job.terms.supply)
        ((terms, _),) = by_terms(past, target, job.terms)
        if isinstance(terms, str):
            raise InputError(terms)
        if isinstance(job.decider, CutOff):
            return _cut_off(job.decider, *named(past, target, job), terms)
        return weighed(job, past, target, terms)

    def _rows(self, item: str, when: object) -> tuple[pa.Table, pa.Table]:
        """The sound past rows of an item, oldest first, and the one to decide."""
        order = ", ".join(map(quoted, (WHEN, ROW)))
        rows = self.opened.connection.sql(
            f"SELECT * FROM ({self.opened.layout.sql}) WHERE {quoted(ITEM)} = {literal(item)} ORDER BY {order}"
        ).to_arrow_table()
        targets = rows.filter(rows[TARGET])
        dates = [day(one) for one in targets[WHEN].to_pylist()]
        if str(when) not in dates:
            raise InputError(f"there is no order of {item!r} on {when}; choose one of the plan")
        return sound(rows.filter(pc.invert(rows[TARGET])))[0], targets.slice(dates.index(str(when)), 1)


def weighed(job: Job, past: pa.Table, target: pa.Table, terms: Terms) -> Weighed:
    """What the order for one target was decided on, given the sound past rows of its item, oldest first."""
    history, asked = named(past, target, job)
    decider = job.decider.of(history, asked) if isinstance(job.decider, ByLength) else job.decider
    if isinstance(decider, ByPeriod):
        return _by_period(decider, history, asked, terms)
    asked, _ = stock_of(asked)
    if isinstance(decider, OwnRows):
        return _own(decider, history, asked, terms)
    if isinstance(decider, Pooled):
        return _pooled(decider.model_at(history, terms), history, asked, terms)
    raise InputError(f"orders of {decider!r} cannot be taken apart; choose the model own or pooled")


def _own(decider: OwnRows, history: pa.Table, target: pa.Table, terms: Terms) -> Weighed:
    """Decided on the item's own rows."""
    _refuse_too_few(history)
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


def _by_period(decider: ByPeriod, history: pa.Table, target: pa.Table, terms: Terms) -> WeighedPeriods:
    """Decided on periods, class by class."""
    (asked, stock), item = stock_of(target), target[ITEM][0].as_py()
    ahead = asked.drop_columns([ITEM])
    found = decider.of_classes(history.drop_columns([ITEM]), ahead, stock, terms.of_item(item))
    if not found.classes:
        raise InputError(WITHOUT_DATA)
    have = 0.0 if stock is None else float(stock[0])
    rows = np.concatenate([one.rows for one in found.classes])
    oldest = np.argsort(rows, kind="stable")
    size = len(found.classes)

    def joined(each: Callable[[OfClass], Floats]) -> Floats:
        return np.concatenate([each(one) for one in found.classes])[oldest]

    return WeighedPeriods(
        problem=found.classes[0].model.newsvendor_,
        dates=found.windows.starts[0].take(rows[oldest]).to_pylist(),
        items=[readable(item)] * rows.size,
        demands=found.windows.sums[rows[oldest]],
        brought=joined(lambda one: one.brought[0]),
        shares=joined(lambda one: one.weights[0] / size),
        d=joined(lambda one: one.model.dissimilarities(ahead)[0]),
        price=float(np.mean([one.model.price_ for one in found.classes])),
        pack=_pack(terms),
        days=found.days,
        stock=have,
        classes=tuple(
            PeriodClass(one.rows.size, have + float(one.orders[0]), float(one.upper[0])) for one in found.classes
        ),
    )


def _cut_off(decider: CutOff, history: pa.Table, target: pa.Table, terms: Terms) -> WeighedSales:
    """Decided on sales and stock, segment by segment."""
    _refuse_too_few(history)
    past, (asked, _) = history.drop_columns([ITEM]), stock_of(target)
    problem, counted = decider.counted(past, asked.drop_columns([ITEM]), terms)
    latest = past.slice(past.num_rows - counted.sales.shape[1])
    return WeighedSales(
        problem=problem,
        dates=latest[0].to_pylist(),
        sales=latest[DEMAND].to_numpy(),
        shelf=shelf_of(latest),
        brought=counted.sales[0],
        brought_shelf=counted.shelf[0],
        d=counted.d[0],
        found=order_with_stockouts(counted.sales[0], counted.shelf[0], counted.d[0], q=problem),
        pack=_pack(terms),
    )


def _refuse_too_few(history: pa.Table) -> None:
    if history.num_rows < LEAST:
        raise InputError(WITHOUT_DATA)


def _pack(terms: Terms) -> float | None:
    possible = terms.supply.orders
    return None if possible is None else float(as_exact(possible.pack, "pack"))
