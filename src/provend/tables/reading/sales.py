"""``read_sales``: a planner's file or dataframe as a long history, and how it was understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.items import items_of
from provend.tables.reading import cleaning
from provend.tables.reading.merging import merge
from provend.tables.reading.refusals import refuse_clashes, refuse_rows
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.report import SalesReport, report_on
from provend.tables.reading.roles import Roles, Said, find_roles
from provend.tables.reading.rules import Choices, Rules, decide_rules
from provend.tables.reading.source import Source
from provend.tables.reading.sources import read_source
from provend.tables.values import Table


@dataclass(frozen=True, eq=False)
class Sales:
    """A long history.

    Attributes
    ----------
    table : pyarrow.Table
        ``unique_id``, ``ds`` (unless there is no date), ``y``, the columns of items if several, and the contexts.
    rows : array
        The number of each row in the file, or its position in the dataframe.
    ids : tuple of str
        The columns that name items, as they were called.
    contexts : tuple of str
        The columns that are contexts.
    report : SalesReport
        How the table was understood.
    day_first : bool, optional
        Whether days or months come first in its dates; ``None`` if neither does.
    """

    table: pa.Table
    rows: NDArray[np.int64]
    ids: tuple[str, ...]
    contexts: tuple[str, ...]
    report: SalesReport
    day_first: bool | None = None


def read_sales(
    source: Table | str | Path,
    /,
    *,
    item: str | Sequence[str] | None = None,
    date: str | None = None,
    demand: str | None = None,
    contexts: Sequence[str] | None = None,
    decimal: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    day_first: bool | None = None,
    negative: str = "refuse",
    duplicates: str = "refuse",
    missing: str = "drop",
) -> Sales:
    """Read past demand from a planner's table; whatever is ambiguous is asked for, whatever is left out is listed.

    Parameters
    ----------
    source : path or dataframe
        A .csv, .tsv, .txt, .csv.gz, .parquet or .xlsx file, or a table of pandas, polars or pyarrow.
    item, date, demand : str, optional
        Names of columns; ``item`` may be several. By default ``unique_id``, ``ds`` and ``y``, or else the only column
        with a usual name such as sku, date or qty. Without an item column, all rows belong to one item.
    contexts : list of str, optional
        The other columns to keep; by default all of them.
    decimal : {".", ","}, optional
        The decimal sign; by default, what all numbers together allow.
    delimiter, encoding : str, optional
        How a text file is written; by default, as its bytes show.
    day_first : bool, optional
        Whether 05/06/2026 is in June; by default, what all dates together allow.
    negative : {"refuse", "clip", "drop"}
        What becomes of demands below zero, such as returns.
    duplicates : {"refuse", "sum", "last", "keep"}
        What becomes of several rows for the same item and date.
    missing : {"drop", "zero", "keep", "refuse"}
        What becomes of rows without a demand: an empty cell, "n/a", "-". If they are kept, their demand is null.

    Returns
    -------
    Sales
        The table, and a report on how it was read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from provend.tables import read_sales
    >>> sales = read_sales(pa.table({"Datum": ["16.11.2026", "17.11.2026"], "Menge": ["1.250,5", "n/a"]}))
    >>> sales.table.to_pylist()
    [{'unique_id': '1', 'ds': datetime.date(2026, 11, 16), 'y': 1250.5}]
    >>> print(sales.report)
    1 row: 1 date x 1 item, 2026-11-16 to 2026-11-16
    no column of items: one item, `Datum` read as day.month.year, demand in `Menge`, decimals after a comma
    1 row set aside: row 1: no demand ('n/a' in `Menge`)
    """
    given = read_source(source, delimiter, encoding)
    choices = Choices(decimal, day_first, negative, duplicates, missing)
    try:
        return understand(given, find_roles(given.table.column_names, Said(item, date, demand, contexts)), choices)
    except InputError as error:
        raise InputError(f"{_what(source)}: {error}") from None


def _what(source: Table | str | Path) -> str:
    return str(source) if isinstance(source, str | Path) else "history"


def understand(given: Source, roles: Roles, choices: Choices) -> Sales:
    """Decide how to read, read every batch, and put the rows together."""
    refuse_clashes(roles)
    rules = decide_rules(given.table, roles, choices)
    table, numbers, remarks = usable(given, rules)
    if table.num_rows == 0:
        raise InputError(f"no row has a demand that can be used; is it in column {roles.demand!r}?")
    if roles.date is not None:
        table, numbers, merged = merge(table, numbers, choices.duplicates, _hint(given, roles))
        remarks.extend(merged)
        table = whole_days(table)
    return Sales(table, numbers, roles.ids, roles.contexts, report_on(table, given, rules, remarks), rules.day_first)


def usable(given: Source, rules: Rules) -> tuple[pa.Table, NDArray[np.int64], Remarks]:
    """The usable rows, their numbers, and remarks on the others, unless the rules refuse what they hold."""
    batches, kept, remarks, start = [], [], Remarks(), 0
    for batch in given.table.to_batches():
        cleaned, found = cleaning.clean(batch, rules)
        numbers = given.numbers[start : start + batch.num_rows]
        remarks.extend(found, numbers.tolist())
        gone = [row for row, stays in zip(found.rows, found.kept, strict=True) if not stays]
        kept.append(np.delete(numbers, gone))
        batches.append(cleaned)
        start += batch.num_rows
    remarks.extend(given.aside)
    refuse_rows(remarks, rules, given.table.num_rows)
    return pa.Table.from_batches(batches), np.concatenate(kept), remarks


def _hint(given: Source, roles: Roles) -> str:
    """A hint at a column that seems to name the items, if the user names none."""
    found = (
        None if roles.ids else items_of(given.table.select([n for n in given.table.column_names if n != roles.demand]))
    )
    return "" if found is None else f"; or name the column of items, such as {found[1]!r}, with item (--id)"


def whole_days(table: pa.Table) -> pa.Table:
    """Dates without times of day if none has one; likewise, numbers without decimals."""
    dates = table["ds"]
    found = dates.cast(pa.date32() if pa.types.is_timestamp(dates.type) else pa.int64(), safe=False)
    if not pc.all(pc.equal(found.cast(dates.type, safe=False), dates)).as_py():
        return table
    return table.set_column(table.column_names.index("ds"), "ds", found)
