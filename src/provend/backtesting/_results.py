"""What a backtest returns: four tables in the caller's kind of dataframe."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend._display import Shown
from provend._files import defused, write_all
from provend.backtesting._policies import Method
from provend.backtesting._report import Columns, Ledger, by_item, pooled, summary
from provend.tables import USUAL, History, Style, Table

FILES = ("summary.csv", "by_item.csv", "orders.csv", "pooled.csv")
NOTE = (
    "Costs, regrets and guarantees are money per item and day. regret_context compares with the best order for each "
    "group of equal contexts, found with hindsight: that benchmark is flattered, the more so the fewer days a group "
    "has, and the realised regret overstated. A guarantee bounds the expected regret; compare it with means, not with "
    "days. "
    "Where no support was given, it holds if demand stays in the range of the history before each fit. It counts as "
    "exceeded where the mean expected regret of the orders, given the past they were made from, is above it at 95% "
    "confidence."
)


@dataclass(frozen=True, eq=False, repr=False)
class Backtest(Shown):
    """Past performance of several policies on the same days.

    Attributes
    ----------
    summary : dataframe
        One row per policy: ``policy``, ``items`` it got through, ``skipped`` ones, and over their test ``days`` (rows:
        every item counts its own) and ``dates`` (of the calendar) ``total_cost``, ``mean_cost`` per item and day,
        ``cost_per_date`` of all items together, ``relative_cost`` (to ``reference``, on the items both got through),
        ``service_level`` (share of days fully served), ``fill_rate`` (share of demand served), ``regret_fixed`` (mean
        cost beyond the best fixed order of each item), ``regret_context`` (beyond the best fixed order of each group of
        equal contexts, with a 95% bootstrap interval ``regret_context_low`` to ``regret_context_high``), ``guarantee``
        (mean of the stated worst-case regrets) and its ``percent_of_no_data``. ``regret_at_least`` is a lower
        confidence limit (95%) of the mean expected regret of the orders, given the past they were made from, by
        comparison with the other policies, which have no hindsight; ``exceeded`` says whether even that is above the
        guarantee, False where none is stated.
    by_item : dataframe
        The same for each ``unique_id`` and policy, with a ``status``: "ok", or the reason why numbers are missing.
    orders : dataframe
        Every ``order`` with ``unique_id``, ``ds``, ``policy``, the demand ``y``, its ``cost`` and ``guarantee``.
    pooled : dataframe
        One row per policy, relative to the static quantile (of an item's demands before its test part, whether
        "static" is among the policies or not): ``items`` that could be compared, ``mean_of_items`` (the mean of their
        relative costs, all items counting alike, cheap or dear), ``ratio_of_totals`` (items weighted by their cost) and
        ``share_cheaper`` (the share of items that cost less). An item that costs the static quantile nothing is left
        out of all but the totals.
    reference : str
        The policy ``relative_cost`` refers to.
    groups : tuple of str
        Two days that agree in these columns have the same context.
    columns : dict
        What ``ds`` and the contexts are taken for: "number", "category" or "time".
    note : str
        How to read the regrets, and which rows of the history were not used.
    messages : tuple of str
        What makes the numbers doubtful: contexts that seem to be made from the demand of their own day, policies that
        were cheaper than hindsight.
    """

    summary: Any
    by_item: Any
    orders: Any
    pooled: Any
    reference: str
    groups: tuple[str, ...]
    columns: dict[str, str]
    note: str = NOTE
    messages: tuple[str, ...] = ()

    def _facts(self) -> dict[str, object]:
        total = nw.from_native(self.summary, eager_only=True)
        costs = {str(row["policy"]): row["relative_cost"] for row in total.iter_rows(named=True)}
        return {"policies": len(costs), "reference": self.reference, "groups": self.groups} | costs

    def to_csv(self, folder: str | Path, /, *, style: Style = USUAL) -> list[Path]:
        """Write ``summary.csv``, ``by_item.csv``, ``orders.csv`` and ``pooled.csv`` into a folder.

        The folder is made if need be. Text that a spreadsheet would run as a formula gets a leading apostrophe.
        Files are written whole or not at all; where the folder cannot be written, an ``OSError`` says in which
        temporary folder they are instead. ``style`` is how: :meth:`provend.planning.Style.like` a file that was read.
        """
        return write_all(Path(folder), {file: _csv(getattr(self, file.removesuffix(".csv")), style) for file in FILES})


def _csv(table: Table, style: Style) -> str:
    frame = nw.from_native(table, eager_only=True)
    stream = StringIO()
    stream.write("\ufeff")  # without the byte order mark, spreadsheets lose umlauts
    writer = csv.writer(stream, delimiter=style.delimiter, lineterminator="\n")
    writer.writerow(map(defused, frame.columns))
    writer.writerows(zip(*(_cells(frame[name], style) for name in frame.columns), strict=True))
    return stream.getvalue()


def _cells(column: nw.Series[Any], style: Style) -> list[object]:
    """A column as it is written; moments that are all midnight are days."""
    values: list[Any] = [None if isinstance(value, float) and value != value else value for value in column.to_list()]
    if column.dtype.is_temporal() and all(isinstance(one, datetime) and one == _midnight(one) for one in values):
        values = [one.date() for one in values]
    if column.dtype.is_numeric() or column.dtype.is_temporal():
        return [style.cell(value) for value in values]
    texts = [str(value).lower() if isinstance(value, bool) else value for value in values]
    return [None if text is None else defused(str(text)) for text in texts]


def _midnight(moment: datetime) -> datetime:
    return datetime(moment.year, moment.month, moment.day)


def package(history: History, methods: list[Method], ledger: Ledger, groups: tuple[str, ...], seed: int) -> Backtest:
    """The four tables."""
    items, whole = np.repeat(history.bounds[:-1], len(methods)), summary(ledger, methods, seed)
    return Backtest(
        summary=_table(history, None, whole),
        by_item=_table(history, ("unique_id",), by_item(ledger, methods, seed), items),
        orders=_orders(history, methods, ledger),
        pooled=_table(history, None, pooled(ledger, methods)),
        reference=methods[0].name,
        groups=groups,
        columns=history.kinds,
        note=f"{NOTE} Of the history, {history.set_aside}." if history.set_aside else NOTE,
        messages=_cheaper(history, whole),
    )


def _cheaper(history: History, whole: Columns) -> tuple[str, ...]:
    """That policies beat the best orders in hindsight, which contexts that are numbers can explain, or give away."""
    numbers = [name for name in history.contexts if history.kinds[name] == "number"]
    names = ", ".join(whole["policy"][whole["regret_context_high"] < 0].tolist())
    if not numbers or not names:
        return ()
    return (
        f"regret below 0: {names} cost less than the best orders found with hindsight for days of equal context. That "
        f"can be so thanks to {', '.join(numbers)}, but only if known when you order",
    )


def _orders(history: History, methods: list[Method], ledger: Ledger) -> Table:
    row, column = np.nonzero(np.isfinite(ledger.found.orders))
    cells = {
        "order": ledger.found.orders,
        "y": np.broadcast_to(ledger.y[:, None], ledger.costs.shape),
        "cost": ledger.costs,
        "guarantee": ledger.found.guarantees,
    }
    names = np.array([method.name for method in methods])[column]
    columns = {"policy": names} | {name: values[row, column] for name, values in cells.items()}
    return _table(history, ("unique_id", "ds"), columns, ledger.found.rows[row])


def _table(
    history: History, keys: tuple[str, ...] | None, columns: Columns, rows: NDArray[np.int64] | None = None
) -> Table:
    """Columns of numbers beside key columns of the history, nan as the backend's missing value."""
    backend = history.frame.implementation
    made = [nw.new_series(name, values, backend=backend) for name, values in columns.items()]
    if keys is None or rows is None:
        table = made[0].to_frame().with_columns(*made[1:])
    else:
        table = nw.maybe_reset_index(history.frame.select(*keys)[rows.tolist()]).with_columns(*made)
    floats = [name for name, values in columns.items() if values.dtype.kind == "f"]
    return table.with_columns(nw.when(~nw.col(name).is_nan()).then(nw.col(name)) for name in floats).to_native()
