"""One item out of a file: its contexts and demands, never those of several items as if they were one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from provend._errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from provend.tables import Table

ITEMS = "unique_id"


def one_item(
    file: Path, contexts: list[str] | None, demand: str, id_column: str | None, item: str | None
) -> tuple[Table, NDArray[np.float64]]:
    """Contexts and demands of one item."""
    import narwhals.stable.v2 as nw

    from provend.tables import read_demand, read_file

    table = nw.from_native(read_file(file), eager_only=True)
    for name in (demand, *(contexts or ()), *([] if id_column is None else [id_column])):
        if name not in table.columns:
            raise InputError(f"{file}: there is no column {name!r}; the columns are {', '.join(table.columns)}")
    items = id_column or (ITEMS if ITEMS in table.columns else None)
    if items is not None:
        table = _rows_of(table, items, item, file)
    elif item is not None:
        raise InputError(f"--item {item!r} needs a column unique_id, which {file} lacks; name another with --id")
    else:
        _refuse_several(table, {demand, *(contexts or ())}, file)
    names = contexts or [name for name in table.columns if name not in (items, demand)]
    if not names:
        raise InputError(f"{file}: no column of contexts besides {demand!r}; a dissimilarity needs at least one")
    for name in names:
        if table[name].is_null().all():
            raise InputError(f"{file}: there is nothing in column {name!r}; choose others with --context")
    return table.select(names).to_native(), read_demand(table[demand])


def _rows_of(table: Table, column: str, item: str | None, file: Path) -> Table:
    """The rows of one item, which need not be named where there is but one."""
    import narwhals.stable.v2 as nw

    if table[column].dtype.is_nested():
        raise InputError(f"{file}: {column} is of type {table[column].dtype}; give names or numbers")
    items = sorted(str(one) for one in table[column].unique().to_list())
    if item is None and len(items) > 1:
        raise InputError(f"{file}: {len(items)} items, such as {items[0]!r}; choose one with --item")
    chosen = items[0] if item is None else item
    if chosen not in items:
        raise InputError(f"--item {chosen!r} is not in {file}; there are {', '.join(items[:5])} and others")
    return table.filter(nw.col(column).cast(nw.String) == chosen)


def _refuse_several(table: Table, known: set[str], file: Path) -> None:
    """Dates that repeat, but never within the levels of some column, are those of several items.

    A column that was named as demand or context is none that names items.
    """
    from provend.tables import items_of

    found = items_of(table, known)
    if found is None:
        return
    date, column, example = found
    raise InputError(
        f"{file}: dates in {date!r} repeat, once for each {column!r}, as if these were items; choose one with "
        f"--id {column} --item {example!r}, or name {column!r} as a --context"
    )
