"""Rows made ready for use, batch by batch: a pure function of the rows and the rules."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.columns import LARGEST
from provend.tables.reading.moments import read_moment
from provend.tables.reading.numbers import is_nothing, read_number
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.rules import Rules, is_text

NO_ITEM, NO_DATE, NO_DEMAND = "no item", "no date", "no demand"
A_TOTAL, NOT_A_DATE, NOT_A_NUMBER = "a total, not an item", "not a date", "not a number"
BELOW, CLIPPED, FILLED = "below zero", "below zero, taken as 0", "no demand, taken as 0"
UNREADABLE = (NO_ITEM, NO_DATE, NOT_A_DATE, NOT_A_NUMBER)
ONE = "1"  # what the only item is called


class _Rows:
    """The rows of a batch that are still in use, and the remarks made on rows."""

    def __init__(self, size: int) -> None:
        self.keep = np.ones(size, dtype=bool)
        self.remarks = Remarks()

    def mark(self, mask: NDArray[np.bool_], column: str, given: pa.Array, reason: str, kept: bool = False) -> None:
        """Make a remark on the masked rows that are still in use."""
        rows = np.flatnonzero(mask & self.keep)
        if rows.size:
            values = ["" if one is None else str(one) for one in given.take(pa.array(rows)).to_pylist()]
            self.remarks.add(rows.tolist(), column, values, reason, kept)
            self.keep[rows] = kept


def clean(batch: pa.RecordBatch, rules: Rules) -> tuple[pa.RecordBatch, Remarks]:
    """The usable rows, and remarks on the others by position in the batch."""
    whole, keep, remarks = read_rows(batch, rules)
    return whole.filter(pa.array(keep)), remarks


def read_rows(batch: pa.RecordBatch, rules: Rules) -> tuple[pa.RecordBatch, NDArray[np.bool_], Remarks]:
    """All rows as ``unique_id``, ``ds``, ``y``, item columns if several, and contexts; and which rows are usable."""
    rows, roles = _Rows(batch.num_rows), rules.roles
    columns = {"unique_id": _items(batch, rules, rows)}
    if roles.date is not None:
        columns["ds"] = _dates(batch.column(roles.date), rules, rows)
    columns["y"] = _demands(batch.column(roles.demand), rules, rows)
    if len(roles.ids) > 1:
        columns |= {name: _trimmed(batch.column(name)) for name in roles.ids}
    columns |= {name: _context(batch.column(name), rules, name) for name in roles.contexts}
    return pa.RecordBatch.from_pydict(columns), rows.keep, rows.remarks


def _items(batch: pa.RecordBatch, rules: Rules, rows: _Rows) -> pa.Array:
    """The item of each row: a single id as it is, several ids joined into one text."""
    ids = rules.roles.ids
    if not ids:
        return pa.array([ONE] * batch.num_rows, pa.string())
    parts = []
    for name in ids:
        given = _trimmed(batch.column(name))
        if is_text(given.type):
            rows.mark(np.asarray(pc.is_in(given, pa.array(sorted(rules.totals), pa.string()))), name, given, A_TOTAL)
            rows.mark(np.asarray(pc.equal(pc.fill_null(given, ""), "")), name, given, NO_ITEM)
        else:
            rows.mark(_is_null(given), name, given, NO_ITEM)
        parts.append(given)
    return parts[0] if len(parts) == 1 else joined(parts)


def joined(parts: list[pa.Array]) -> pa.Array:
    r"""Several names as one, ``a/b``; a slash or backslash inside a name is written ``\/`` or ``\\``."""
    texts = [part.cast(pa.string()) for part in parts]
    plain = [pc.replace_substring(pc.replace_substring(text, "\\", "\\\\"), "/", "\\/") for text in texts]
    return pc.binary_join_element_wise(*plain, "/", null_handling="replace", null_replacement="")


def _dates(given: pa.Array, rules: Rules, rows: _Rows) -> pa.Array:
    """Dates in local time, or numbers."""
    name = rules.roles.date or ""
    if rules.dates is None:
        rows.mark(_is_null(given), name, given, NO_DATE)
        zone = getattr(given.type, "tz", None)
        local = pc.local_timestamp(given) if zone is not None else given
        return local.cast(pa.timestamp("us"), safe=False)
    form = rules.dates
    texts = given.cast(pa.string())
    rows.mark(np.asarray(pc.fill_null(_each(texts, is_nothing, pa.bool_()), True)), name, texts, NO_DATE)
    kind = pa.float64() if form.order == "number" else pa.timestamp("us")
    found = _each(texts, lambda text: read_moment(text, form), kind)
    rows.mark(_is_null(found), name, texts, NOT_A_DATE)
    return found


def _demands(given: pa.Array, rules: Rules, rows: _Rows) -> pa.Array:
    name, missing = rules.roles.demand, rules.choices.missing
    texts = given.cast(pa.string()) if is_text(given.type) else None
    if texts is None:
        found = _numbers(given, name)
        absent = _is_null(found)
    else:
        found = _each(texts, lambda text: read_number(text, rules.decimal), pa.float64())
        absent = np.asarray(pc.fill_null(_each(texts, is_nothing, pa.bool_()), True))
    y = np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.float64)
    if missing == "zero":
        rows.mark(absent, name, given, FILLED, kept=True)
        y = np.where(absent, 0.0, y)
    elif missing != "keep":
        rows.mark(absent, name, given, NO_DEMAND)
    rows.mark(~np.isfinite(y) & ~absent, name, given, NOT_A_NUMBER)
    rows.mark(y < 0, name, given, *((CLIPPED, True) if rules.choices.negative == "clip" else (BELOW,)))
    for value in y[rows.keep & (y > LARGEST)][:1]:
        raise InputError(f"column {name!r} holds {value:g}, beyond {LARGEST:g}; correct it or change the unit")
    return pa.array(np.maximum(y, 0.0) + 0.0, from_pandas=True)  # no minus zero; missing values are null


def _numbers(given: pa.Array, name: str) -> pa.Array:
    kind = given.type
    if not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind)
    ):
        raise InputError(
            f"column {name!r} is of type {kind}, not numeric; name the column of demand with demand (--demand)"
        )
    found = given.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_nan(found), pa.scalar(None, pa.float64()), found)


def _context(given: pa.Array, rules: Rules, name: str) -> pa.Array:
    if not is_text(given.type):
        return given
    texts = _trimmed(given)
    if name in rules.numbers:
        return _each(texts, lambda text: read_number(text, rules.decimal), pa.float64())
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def _trimmed(given: pa.Array) -> pa.Array:
    return pc.utf8_trim_whitespace(given.cast(pa.string())) if is_text(given.type) else given


def _each(texts: pa.Array, read: Callable[[str], object], kind: pa.DataType) -> pa.Array:
    """The result of ``read`` for every text, called once per distinct text."""
    coded = texts.dictionary_encode()
    values = pa.array([read(text) for text in coded.dictionary.to_pylist()], kind)
    return values.take(coded.indices)


def _is_null(given: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(given.is_null(nan_is_null=True))
