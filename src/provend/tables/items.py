"""Whether a table holds several items although no column was named as theirs."""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress
from warnings import catch_warnings, simplefilter

import narwhals.stable.v2 as nw
import numpy as np

from provend._errors import InputError
from provend.tables.columns import Column, ColumnWarning, is_code, read_column, texts_of
from provend.tables.values import Frame, Table


def items_of(table: Table, known: Set[str] = frozenset()) -> tuple[str, str, str] | None:
    """A column of dates that repeat, the column that seems to name their items, and one of its levels.

    In such a column, every date occurs at most once per level. ``known`` are columns known to be something else.
    """
    frame = nw.from_native(table, eager_only=True)
    columns = _readable(frame)
    for date in columns:
        if date.calendar and np.unique(date.values).size < date.values.size:
            for column in columns:
                if column.name not in known and _could_be_items(column) and _tells_apart(column, date):
                    return date.name, column.name, str(texts_of(column)[0])
    return None


def _readable(frame: Frame) -> list[Column]:
    """The columns that can be read; the others are skipped, as nobody may have asked about them."""
    found = []
    with catch_warnings():
        simplefilter("ignore", ColumnWarning)
        for name in frame.columns:
            with suppress(InputError):
                found.append(read_column(name, frame[name]))
    return found


def _could_be_items(column: Column) -> bool:
    if column.kind == "category":
        return True
    return column.kind == "number" and is_code(column.values, np.unique(column.values).size)


def _tells_apart(column: Column, date: Column) -> bool:
    """Whether no date occurs twice in a level, and levels have at least two dates on average."""
    levels = np.unique(texts_of(column).astype(str), return_inverse=True)[1]
    pairs = np.unique(np.column_stack([levels, date.values]), axis=0)
    return len(pairs) == date.values.size and 2 * (int(levels.max()) + 1) <= date.values.size
