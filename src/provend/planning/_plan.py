"""A plan for tables that fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from warnings import warn

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend._rational import Number
from provend.planning._choice import Choice
from provend.planning._decide import decide
from provend.planning._one_by_one import starts
from provend.planning._own_rows import OwnRows
from provend.planning._request import as_asked, open_tables, read_request
from provend.planning._rows import Layout
from provend.planning._schema import ITEM, ROW, TARGET, WHEN, Job
from provend.planning._source import Names, connect, quoted
from provend.planning._supply import Supply
from provend.tables import Table


class PlanWarning(UserWarning):
    """What makes a plan doubtful as a whole, or a problem with the history that no row of it can report."""


BATCH = 256  # items between two progress reports

ORDERED = ", ".join(map(quoted, (ITEM, TARGET, WHEN, ROW)))


def plan(
    history: Table,
    targets: Table | None = None,
    *,
    cu: Number,
    co: Number,
    horizon: int = 1,
    support: tuple[Number, Number] | None = None,
    item: str | Sequence[str] = "unique_id",
    date: str = "ds",
    demand: str = "y",
    contexts: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    model: str = "auto",
    policy: str = "minimax",
    dissimilarity: str | float = "auto",
    pack: Number | None = None,
    minimum: Number | None = None,
    stock: Number | None = None,
    on_order: Number | None = None,
    lead_time: Number | None = None,
    review: Number | None = None,
    stock_seen: str | None = None,
    sold_out: str | None = None,
    new_items: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """What to order of every item on the days to come, with guarantees and the reason in words.

    Parameters
    ----------
    history : dataframe of pandas, polars or pyarrow
        One row per item and date, with its demand and contexts.
    targets : dataframe, optional
        What to decide: items and dates, and the contexts that are to count. By default, the next ``horizon`` dates of
        every item after the last date of the history, at its spacing.
    cu, co : number or str
        Cost of one unit too few and of one too many, or the columns that hold them: in the targets, or else in the
        item's latest row.
    horizon : int
        How many dates to plan ahead; not together with ``targets``.
    support : pair of numbers or str, optional
        Lowest and highest demand possible, or their columns; by default, the range of each item's history. In the
        pooled model it begins at 0, and for items with few rows it ends at the largest demand of others, at their size.
    item, date, demand : str
        The columns; several together may name the item, and an empty list means that there is only one item.
    contexts : list of str, optional
        The contexts that count besides the date; by default, all columns that both tables have.
    columns : mapping, optional
        How to read contexts whose looks deceive: a mapping from names to "number", "category" or "time".
    model : {"auto", "own", "pooled"}
        Who decides: a :class:`~provend.ContextualNewsvendor` for each item on its own rows, or one
        :class:`~provend.PanelNewsvendor` for all, in which short histories borrow. "auto" pools from 30 items on, or
        if some item has fewer than 12 rows, provided that at least 10 items have 12 or more; items with 100 rows or
        more are decided on their own rows nevertheless, unless these are more than 1,000, or a target has something
        that its item has never seen and others have.
    policy, dissimilarity : str, str or number
        As in :class:`~provend.ContextualNewsvendor`; choosing either implies ``model="own"``.
    pack, minimum : number or str, optional
        Units per pack, and the smallest quantity delivered, or their columns. Orders are then drawn among the possible
        ones, seeded by item and date, so that the plan is reproducible; the guarantee is against the best possible
        order.
    stock, on_order : number or str, optional
        Units on hand, and units ordered but not yet delivered, or their columns. ``order`` is then what to buy on top,
        and a further column ``order_up_to`` is the total including it.
    lead_time, review : number or str, optional
        Days from ordering to delivery and from one order to the next (1 if left out), or their columns: an order covers
        the days from its target on until the next one arrives, and ``support`` is that of the demand over all of them.
    stock_seen : str, optional
        Column of the history with the stock on the shelf on each past day, which may have cut off its sales. This stock
        must have been chosen without knowledge of the demands weighed.
    sold_out : str, optional
        Column that says which past days sold out; where ``stock_seen`` is missing on these, it is taken to be what was
        sold.
    new_items : bool
        Whether ``targets`` may be all about items without history. If not, a table is refused that has none of the
        history's items, or fewer of them than names that only look like theirs (1002 where the history has 001002),
        and such a name is not decided.
    progress : callable, optional
        Called with the number of items decided so far and the number of all items.

    Returns
    -------
    dataframe
        Of the same kind as ``history``, with one row per target, by item and date. Columns: ``order``; ``guarantee``,
        the most that ordering in this way costs beyond the best order, in expectation and in money;
        ``percent_of_no_data``, the same relative to deciding without data; ``effective_n``, the equivalent number of
        equally weighted past demands; ``policy``; ``basis``, what the guarantee rests on; ``reason``; ``status``: "ok",
        "rows set aside" (more than a twentieth of the past rows cannot be used, or a date is there twice), "asked for
        twice" (another target has the same item and date, and an order of its own), "stock counted again" (a target
        has the stock that the one before has), "not after its past" (later demands count as if they were known),
        "context never seen" (a category that no past row has, or none of the item's own where these alone decide), "no
        data" (hardly any past: the order that needs none), "pooled: few rows of its own", "pooled: no history of its
        own" (decided from other items, too) or "failed" (no order); and a ``message``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import provend as pv
    >>> days = pv.datasets.load_restaurant()
    >>> history = pa.table({"unique_id": ["steak"] * 100, "ds": days.dates[:100], "y": days.demand["steak"][:100]})
    >>> week = pv.plan(history, cu=9, co=1, horizon=7, support=(0, 100))
    >>> week.num_rows, set(week["status"].to_pylist())
    (7, {'ok'})
    """
    if isinstance(contexts, str):
        raise InputError(f"contexts = {contexts!r} is a string; give a list of column names such as [{contexts!r}]")
    chosen = None if contexts is None else tuple(contexts)
    names = Names((item,) if isinstance(item, str) else tuple(item), date, demand, chosen)
    supply = Supply(pack, minimum, stock, on_order, lead_time, review, stock_seen, sold_out)
    choice = Choice(model, OwnRows(policy, dissimilarity, None if columns is None else dict(columns)), new_items)
    request = read_request((cu, co), names, support=support, horizon=horizon, choice=choice, supply=supply)
    with connect() as connection:
        opened = open_tables(connection, request, history, targets)
        rows = connection.sql(f"SELECT * FROM ({opened.layout.sql}) ORDER BY {ORDERED}").to_arrow_table()
        _doubt(rows)
        for doubt in _doubts(opened.layout):
            warn(doubt, PlanWarning, stacklevel=2)
        found = list(_decided(rows, opened.job, progress))
        connection.register("decisions", pa.concat_tables(found))
        table = as_asked(opened, "decisions", in_kind=True).to_arrow_table()
    backend = nw.from_native(history, eager_only=True).implementation
    return nw.from_arrow(nw.from_native(table, eager_only=True), backend=backend).to_native()


def _decided(rows: pa.Table, job: Job, progress: Callable[[int, int], None] | None) -> Iterator[pa.Table]:
    """Decide some items at a time."""
    begins = starts(rows)
    for first in range(0, len(begins), BATCH):
        stop = begins[first + BATCH] if first + BATCH < len(begins) else rows.num_rows
        yield decide(rows.slice(begins[first], stop - begins[first]), job)
        if progress is not None:
            progress(min(first + BATCH, len(begins)), len(begins))


def _doubts(layout: Layout) -> Iterator[str]:
    """What makes the plan doubtful, contexts that do not count among it."""
    yield from layout.doubts
    if layout.left_out:
        yield (
            f"left out, as not known for the days to come: {', '.join(layout.left_out)}; give them in targets, or say "
            f"contexts = {list(layout.contexts)} if none of them counts"
        )


def _doubt(rows: pa.Table) -> None:
    """Warn of past rows that name no item: no row of the plan can report them."""
    count = pc.sum(pc.and_(pc.is_null(rows[ITEM]), pc.invert(rows[TARGET]))).as_py()
    if count:
        warn(f"{count} past rows name no item and are set aside", PlanWarning, stacklevel=3)
