"""A file as planners write it, read and passed to a plan under its own column names."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend.planning._source import Names
from provend.tables import Sales

AGAIN = 1.2  # rows per date, on average: more are no accident


def as_history(sales: Sales) -> tuple[Names, pa.Table]:
    """The names of the columns, and the table with these names."""
    called = sales.report.names
    rows, dates = sales.table.num_rows, pc.count_distinct(sales.table["ds"]).as_py()
    if not sales.ids and rows > AGAIN * dates:  # several items would be taken for one
        raise InputError(
            f"no column names the items, but {rows:,} rows have {dates:,} dates; name the column of items with item "
            f"(--id) among {', '.join(sales.report.contexts) or 'the others'}, or add the rows of a date up with "
            "duplicates = 'sum' (--duplicates)"
        )
    return Names(sales.ids, called["ds"], called["y"]), under_its_names(sales.table, sales)


def under_its_names(table: pa.Table, sales: Sales) -> pa.Table:
    """A history, or targets read after it, with its columns named as in the file."""
    called = sales.report.names
    kept = table.drop_columns(["unique_id"]) if len(sales.ids) != 1 else table
    new = {"unique_id": sales.ids[0] if sales.ids else "", "ds": called["ds"], "y": called["y"]}
    return kept.rename_columns([new.get(name, name) for name in kept.column_names])
