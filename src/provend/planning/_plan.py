"""A plan for tables that fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from warnings import warn

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc

from provend._rational import Number
from provend.planning._decide import decide, items
from provend.planning._own_rows import OwnRows
from provend.planning._request import as_asked, open_tables, read_request
from provend.planning._schema import ITEM, ROW, TARGET, WHEN
from provend.planning._source import Names, connect, quoted
from provend.tables import Table


class PlanWarning(UserWarning):
    """Something about the history that no row of the plan can say."""


BATCH = 64  # items between two signs of progress

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
    policy: str = "minimax",
    dissimilarity: str | float = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> Table:
    """What to order of every item on the days to come, with guarantees and the reason in words.

    Parameters
    ----------
    history : dataframe of pandas, polars or pyarrow
        One row per item and date, with its demand and contexts.
    targets : dataframe, optional
        What to decide: items and dates, and the contexts that are to count. Left out, it is the next ``horizon`` dates
        of every item after the last date of the table, at its spacing.
    cu, co : number or str
        Cost of one unit too few and of one too many, or the column that holds it: in the targets, or else in the latest
        row of the item.
    horizon : int
        How many dates ahead, without ``targets``.
    support : pair of numbers or str, optional
        Lowest and highest demand possible, or their columns; left out, the range of each item's history.
    item, date, demand : str
        The columns; several may name the item together, and an empty list means that there is one item alone.
    contexts : list of str, optional
        The contexts that count besides the date; left out, all columns that both tables have.
    columns : mapping, optional
        What contexts are to be taken for where their looks deceive: names to "number", "category" or "time".
    policy : str
        As in :class:`~provend.ContextualNewsvendor`.
    dissimilarity : str or number
        As in :class:`~provend.ContextualNewsvendor`.
    progress : callable, optional
        Called with the items decided and all there are.

    Returns
    -------
    dataframe
        Of the kind of ``history``: one row per target, by item and date. ``order``; ``guarantee``, the most that
        ordering in this way costs beyond the best, in expectation and in money; ``percent_of_no_data``, the same
        relative to deciding without data; ``effective_n``, so many equally weighted past demands count; ``policy``;
        ``basis``, what the guarantee rests on; ``reason``; ``status``: "ok", "rows set aside" (past rows that cannot be
        used), "no data" (hardly any past: the order that needs none) or "failed" (no order); and a ``message``.

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
    names = Names((item,) if isinstance(item, str) else tuple(item), date, demand)
    decider = OwnRows(policy, dissimilarity, None if columns is None else dict(columns))
    request = read_request((cu, co), names, support=support, horizon=horizon, contexts=contexts, decider=decider)
    with connect() as connection:
        opened = open_tables(connection, request, history, targets)
        rows = connection.sql(f"SELECT * FROM ({opened.layout.sql}) ORDER BY {ORDERED}").to_arrow_table()
        _doubt(rows)
        several = list(items(rows))
        found = []
        for start in range(0, len(several), BATCH):
            found.append(decide(pa.concat_tables(several[start : start + BATCH]), opened.job))
            if progress is not None:
                progress(min(start + BATCH, len(several)), len(several))
        connection.register("decisions", pa.concat_tables(found))
        table = as_asked(opened, "decisions").to_arrow_table()
    backend = nw.from_native(history, eager_only=True).implementation
    return nw.from_arrow(nw.from_native(table, eager_only=True), backend=backend).to_native()


def _doubt(rows: pa.Table) -> None:
    """No row of the plan can tell of past rows that name no item."""
    count = pc.sum(pc.and_(pc.is_null(rows[ITEM]), pc.invert(rows[TARGET]))).as_py()
    if count:
        warn(f"{count} past rows name no item and are set aside", PlanWarning, stacklevel=3)
