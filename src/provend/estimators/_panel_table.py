"""Reading a table of many items: the item of each row, and the other columns."""

from __future__ import annotations

from collections.abc import Mapping

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from provend._errors import InputError
from provend.estimators._panel_rows import Items
from provend.tables import MISSING, Contexts, Table, codes_and_labels, is_lazy, read_contexts


def read_panel(X: Table, item: str, like: Contexts | None, kinds: Mapping[str, str] | None) -> tuple[Items, Contexts]:
    """The item of each row, and the contexts; if ``like`` is given, with its columns in its order."""
    frame = _frame(X, item)
    code, labels = codes_and_labels(frame[item])
    for row in np.flatnonzero(labels[code] == MISSING)[:1] if MISSING in labels else ():
        raise InputError(f"column {item!r} lacks a name in row {row}; complete it or drop the row")
    rest = frame.drop(item)
    if not rest.columns:
        raise InputError(f"X has no column but {item!r}; give the dates, and contexts if there are any")
    if like is not None:
        rest = _in_order(rest, [column.name for column in like.columns])
    return Items.of(code, labels), read_contexts(rest.to_native(), like=like, kinds=kinds)


def _frame(X: Table, item: str) -> nw.DataFrame[Table]:
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError as error:
        raise InputError(f"X names columns twice: {' '.join(str(error).split())}; rename them") from None
    if not isinstance(frame, nw.DataFrame):
        lazy = "collect it first, or " * is_lazy(X)
        raise InputError(f"X is a {type(X).__name__}; {lazy}give a dataframe with the column {item!r} and contexts")
    if item not in frame.columns:
        raise InputError(f"item = {item!r} is not a column of X; there are {', '.join(map(str, frame.columns))}")
    return frame


def _in_order(rest: nw.DataFrame[Table], known: list[str]) -> nw.DataFrame[Table]:
    """The columns in the order of the history, wherever they stand in the table."""
    given = [str(name) for name in rest.columns]
    if set(given) != set(known):
        raise InputError(f"X has the columns {', '.join(given)}, the history has {', '.join(known)}; give the same")
    return rest.select(*(rest.columns[given.index(name)] for name in known))
