"""One demand per item and date, and the dates an item lacks: what cannot be seen in a single batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.encoding import weekday
from provend.tables.reading.remarks import Remarks

SELDOM = 0.02  # share of the dates below which a weekday is one on which the shop is closed
PASSED = 14  # days that a table spans before it can say so
ADDED, REPLACED = "added to a later row of the same item and date", "replaced by a later row of the same item and date"


@dataclass(frozen=True)
class Gaps:
    """Dates that items lack between their first and last dates, which are usually ``step`` days apart."""

    step: float
    missing: int
    items: int
    example: str


def sorted_keys(table: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The order by item, date and row; then items as numbers and dates as days, sorted in that order."""
    ids = pc.dictionary_encode(table["unique_id"]).combine_chunks()
    codes = np.asarray(ids.indices if isinstance(ids, pa.DictionaryArray) else ids.chunk(0).indices, dtype=np.int64)
    when = as_days(table["ds"])
    order = np.lexsort((when, codes))
    return order, codes[order], when[order]


def as_days(dates: pa.ChunkedArray) -> NDArray[np.float64]:
    """Dates as days since 1970, numbers as they are."""
    if pa.types.is_temporal(dates.type):
        return np.asarray(dates.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy()) / 86_400e6
    return np.asarray(dates.to_numpy(), dtype=np.float64)


def merge(
    table: pa.Table, numbers: NDArray[np.int64], how: str, hint: str
) -> tuple[pa.Table, NDArray[np.int64], Remarks]:
    """The table with one row per item and date, the numbers of its rows, and what became of the others.

    A sum is placed in the last row of its item and date, and has that row's contexts.
    """
    order, codes, when = sorted_keys(table)
    same = (codes[1:] == codes[:-1]) & (when[1:] == when[:-1])
    if how == "keep" or not same.any():
        return table, numbers, Remarks()
    if how == "refuse":
        at = int(np.flatnonzero(same)[0])
        one, other = (int(numbers[order[k]]) for k in (at, at + 1))
        raise InputError(
            f"two rows for {place(table, int(order[at]))}, rows {one} and {other}; add them or keep the last with "
            f"duplicates = 'sum' or 'last' (of read_sales; --duplicates){hint}"
        )
    last = np.append(~same, True)
    y = np.asarray(table["y"].to_numpy())
    if how == "sum":
        starts = np.flatnonzero(np.insert(~same, 0, True))
        y = y.copy()
        y[order[last]] = np.add.reduceat(y[order], starts)
    keep = np.zeros(len(y), dtype=bool)
    keep[order[last]] = True
    gone = np.flatnonzero(~keep)
    remarks = Remarks()
    values = [str(one) for one in table["y"].take(pa.array(gone)).to_pylist()]
    remarks.add(numbers[gone].tolist(), "", values, ADDED if how == "sum" else REPLACED)
    merged = table.set_column(table.column_names.index("y"), "y", pa.array(y, from_pandas=True))
    return merged.filter(pa.array(keep)), numbers[keep], remarks


def place(table: pa.Table, row: int) -> str:
    """The item and date of a row, in words."""
    when = str(table["ds"][row].as_py()).removesuffix(" 00:00:00")
    return f"{table['unique_id'][row].as_py()!r} on {when}"


def find_gaps(table: pa.Table) -> Gaps | None:
    """The dates missing where the step between two consecutive dates of an item exceeds the usual step."""
    order, codes, when = sorted_keys(table)
    within = codes[1:] == codes[:-1]
    steps = np.diff(when)[within]
    steps = steps[steps > 0]
    if not steps.size:
        return None
    values, counts = np.unique(steps, return_counts=True)
    usual = float(values[counts.argmax()])
    if usual == 1 and pa.types.is_temporal(table["ds"].type):
        between = _open_days(when)
    else:
        between = np.round(np.diff(when) / usual).astype(np.int64) - 1
    lacking = np.where(within, between, 0)
    wide = np.flatnonzero(lacking > 0)
    if not wide.size:
        return None
    example = place(table, int(order[wide[0]])).replace(" on ", " after ")
    return Gaps(usual, int(lacking[wide].sum()), int(np.unique(codes[wide]).size), example)


def _open_days(when: NDArray[np.float64]) -> NDArray[np.int64]:
    """The days between one date and the next, but for weekdays that hardly ever occur: shops are closed then."""
    occurs = np.bincount(weekday(when), minlength=7) >= SELDOM * when.size
    is_open = occurs | (when.max() - when.min() < PASSED)
    before = np.append(0, np.cumsum(is_open))  # open days of a week before each weekday
    day = np.floor(when).astype(np.int64)
    week = (day - weekday(when)) // 7
    seen = week * before[7] + before[weekday(when)]
    found: NDArray[np.int64] = np.diff(seen) - is_open[weekday(when[:-1])]
    return found
