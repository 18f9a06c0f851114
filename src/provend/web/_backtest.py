"""Backtest: what each policy would have cost on an uploaded table."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provend._errors import InputError
from provend.backtesting import Backtest
from provend.backtesting import backtest as run
from provend.planning import Style, write_plan
from provend.tables import Table
from provend.web._child import Progress
from provend.web._plain import plain
from provend.web._reading import contexts_of, read, understood
from provend.web._said import backtested
from provend.web._wanted import BacktestWanted

Answer = dict[str, Any]

MOST_ROWS = 100_000
SHOWN = 2000  # most items times policies sent to a page
ORDERS = "orders.parquet"
TABLES = ("summary", "by_item", "orders")


def backtest(wanted: BacktestWanted, folder: Path, progress: Progress) -> Answer:
    """Costs, service, regrets and guarantees; the orders themselves and the files to download stay in the folder."""
    progress(None, "reading the table")
    sales = read(wanted.upload)
    if sales.table.num_rows > MOST_ROWS:
        raise InputError(
            f"{sales.table.num_rows:,} rows are more than the {MOST_ROWS:,} a page can go through; use the command "
            "line (provend backtest), or fewer items"
        )
    contexts = contexts_of(wanted.upload, sales)
    kinds = {name: kind for name, kind in wanted.upload.options.columns if name in contexts}
    try:
        found = run(
            sales.table,
            cu=wanted.cu,
            co=wanted.co,
            contexts=contexts,
            policies=list(wanted.policies) or None,
            columns=kinds or None,
            test=wanted.test,
            refit_every=wanted.refit_every,
            support=wanted.support,
            progress=lambda share: progress(share, f"{share:.0%} of the days are decided"),
        )
    except ImportError as error:
        raise InputError(str(error)) from None
    pq.write_table(pa.table(nw.from_native(found.orders, eager_only=True).to_arrow()), folder / ORDERS)
    _write(found, folder, Style.like(sales))
    items = _rows(found.by_item)
    answer: Answer = plain(
        {
            "reference": found.reference,
            "summary": _rows(found.summary),
            "by_item": items[:SHOWN],
            "items": list(dict.fromkeys(row["unique_id"] for row in items)),
            "groups": found.groups,
            "columns": found.columns,
            "note": found.note,
            "messages": found.messages,
            "what": understood(wanted.upload, sales),
            **backtested(wanted.upload, vars(wanted) | {"contexts": contexts}),
        }
    )
    return answer


def _write(found: Backtest, folder: Path, style: Style) -> None:
    """The tables as their owner's spreadsheet opens them."""
    for name in TABLES:
        table = pa.table(nw.from_native(getattr(found, name), eager_only=True).to_arrow())
        write_plan(folder / f"{name}.csv", table.schema, table.to_batches(), style)


def orders_of(folder: Path, item: str, progress: Progress) -> Answer:
    """Demand and orders of one item, day by day, for a chart."""
    table = pq.read_table(folder / ORDERS)
    mine = table.filter(pc.equal(table["unique_id"].cast(pa.string()), item))
    if not mine.num_rows:
        raise InputError(f"item = {item!r} has no orders; choose another")
    names = mine["policy"].unique().to_pylist()
    first = mine.filter(pc.equal(mine["policy"], names[0]))
    orders = {name: mine.filter(pc.equal(mine["policy"], name)) for name in names}
    days = {"item": item, "dates": first["ds"].to_pylist(), "demand": first["y"].to_pylist()}
    lines = {
        name: {"dates": table["ds"].to_pylist(), "order": table["order"].to_pylist(), "cost": table["cost"].to_pylist()}
        for name, table in orders.items()
    }
    answer: Answer = plain({**days, "policies": lines})
    return answer


def _rows(table: Table) -> list[Answer]:
    rows = nw.from_native(table, eager_only=True).iter_rows(named=True)
    return [{name: None if isinstance(v, float) and isnan(v) else v for name, v in row.items()} for row in rows]
