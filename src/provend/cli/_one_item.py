"""One item from a file: its contexts and demands, never those of several items as if they were one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from provend._errors import InputError
from provend.cli._reading import Reading, named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from provend.tables import Sales, SalesReport, Table


def one_item(
    reading: Reading, file: Path, contexts: list[str] | None, item: str | None
) -> tuple[Table, NDArray[np.float64], SalesReport]:
    """Contexts and demands of one item, the contexts under their own names, and how the file was understood."""
    import narwhals.stable.v2 as nw

    sales = _whole(reading, file, contexts)
    names = sales.report.names
    table = nw.from_native(sales.table, eager_only=True)
    if sales.ids:
        table = _rows_of(table, item, file)
    elif item is not None:
        raise InputError(f"--item {item!r} needs a column of items, which {file} lacks; name one with --id")
    if "ds" in names:
        table = table.rename({"ds": names["ds"]})
    possible = [name for name in table.columns if name not in ("unique_id", "y", *sales.ids)]
    chosen = contexts or possible
    if not chosen:
        raise InputError(f"{file}: no column of contexts besides {names['y']!r}; a dissimilarity needs at least one")
    if not sales.ids:
        _refuse_several(table.select(possible), {*(contexts or ())}, file)
    for name in chosen:
        if name not in possible:
            raise InputError(f"--context {name!r} names the items or the demand; choose among {', '.join(possible)}")
        if table[name].is_null().all():
            raise InputError(f"{file}: there is nothing in column {name!r}; choose others with --context")
    return table.select(chosen).to_native(), table["y"].to_numpy(), sales.report


def _whole(reading: Reading, file: Path, contexts: list[str] | None) -> Sales:
    """All columns, whichever were asked for: another one may show that there are several items."""
    from provend.tables import find_roles, read_source, understand

    source = read_source(file, reading.delimiter, reading.encoding)
    names = source.table.column_names
    with named(file):
        roles = find_roles(names, reading.said(contexts or None), dated=False)
        rest = tuple(name for name in names if name not in (*roles.ids, roles.date, roles.demand))
        return understand(source, replace(roles, contexts=rest), reading.choices("keep"))


def _rows_of(table: Table, item: str | None, file: Path) -> Table:
    """The rows of one item, which need not be named if there is only one."""
    import narwhals.stable.v2 as nw

    items = sorted(str(one) for one in table["unique_id"].unique().to_list())
    if item is None and len(items) > 1:
        raise InputError(f"{file}: {len(items)} items, such as {items[0]!r}; choose one with --item")
    chosen = items[0] if item is None else item
    if chosen not in items:
        raise InputError(f"--item {chosen!r} is not in {file}; there are {', '.join(items[:5])} and others")
    return table.filter(nw.col("unique_id").cast(nw.String) == chosen)


def _refuse_several(table: Table, known: set[str], file: Path) -> None:
    """Refuse dates that repeat, but never within a level of some column: they belong to several items.

    A column given as demand or context does not name items.
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
