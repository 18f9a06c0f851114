"""The days ahead: a second table with the rows to decide, and one to fill in where there is none yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend.planning import under_its_names
from provend.tables import Sales, read_targets, strangers_among
from provend.web._child import Progress
from provend.web._plain import plain
from provend.web._reading import contexts_of, opened, read
from provend.web._wanted import Upload

Answer = dict[str, Any]

MOST_ROWS = 20_000


def ahead(past: Upload, targets: Upload, sales: Sales) -> pa.Table:
    """The rows to decide, under the column names of the file of past demand."""
    return under_its_names(_rows(past, targets, sales), sales)


def _rows(past: Upload, targets: Upload, sales: Sales) -> pa.Table:
    """The rows to decide; it is for the plan to doubt items without a past."""
    try:
        opened(replace(targets, options=past.options))  # within bounds
        table = read_targets(targets.path, sales, new_items=True, **past.written)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(targets.complaint(error)) from None
    if table.num_rows > MOST_ROWS:
        raise InputError(f"{targets.name}: {table.num_rows:,} rows to decide are too many; send up to {MOST_ROWS:,}")
    _refuse_twice(table, targets.name)
    return table


def _refuse_twice(table: pa.Table, name: str) -> None:
    counts = table.group_by(["unique_id", "ds"]).aggregate([([], "count_all")])
    for row in counts.filter(pc.greater(counts["count_all"], 1)).slice(0, 1).to_pylist():
        raise InputError(
            f"{name}: {row['unique_id']} is to be decided more than once for {row['ds']}; keep one of these rows"
        )


def _strangers(table: pa.Table, sales: Sales) -> Answer:
    """Items without a past: how many, one of them, and the item it looks like, if any does."""
    found = strangers_among(table, sales)
    one, like = next(iter(found.alike.items()), (found.new[0] if found.new else None, None))
    return {"count": len(found.new) + len(found.alike), "one": one, "like": like}


def describe(past: Upload, targets: Upload, progress: Progress) -> Answer:
    """What is to be decided, which contexts count, and which ones cannot."""
    sales = read(past)
    rows = _rows(past, targets, sales)
    table = under_its_names(rows, sales)
    dates = pc.min_max(table[sales.report.names["ds"]]).as_py()
    items = table.select(list(sales.ids)).group_by(list(sales.ids)).aggregate([]).num_rows if sales.ids else 1
    contexts = contexts_of(past, sales)
    answer: Answer = plain(
        {
            "name": targets.name,
            "rows": table.num_rows,
            "items": items,
            "strangers": _strangers(rows, sales),
            "first": dates["min"],
            "last": dates["max"],
            "contexts": [name for name in contexts if name in table.column_names],
            "lacking": [name for name in contexts if name not in table.column_names],
        }
    )
    return answer
