"""A long table of many items (``unique_id``, ``ds``, ``y``), checked as a whole and sorted by item and date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.columns import Column, read_column, runs_on
from provend.tables.encoding import weekday
from provend.tables.labels import as_labels
from provend.tables.native import frame_of
from provend.tables.reading import (
    COMPACT_FORM,
    NO_DEMAND,
    Choices,
    Remarks,
    Roles,
    decide_rules,
    on_rows,
    read_source,
    usable,
)
from provend.tables.values import Array, Frame, Series, Table, as_numbers

Floats = NDArray[np.float64]

KEYS = ("unique_id", "ds", "y")
LATEST = 1e20  # for a date given as a number
WEEKDAY = "weekday"  # of the date, as the name of a column that need not be there


@dataclass(frozen=True, eq=False)
class History:
    """A demand table, with the oldest row of each item first.

    Attributes
    ----------
    frame : DataFrame
        ``unique_id``, ``ds`` as dates or numbers, and the contexts, with dates written as text read as dates.
    contexts : tuple of str
        Names of the context columns.
    kinds : mapping
        What ``ds`` and the contexts are taken for.
    y, when : array
        Demand of each row, and its date as a number of days.
    bounds : array
        Item i consists of the rows from ``bounds[i]`` up to ``bounds[i + 1]``.
    remarks : Remarks
        Rows that were set aside, by position in the table, and why.
    """

    frame: Frame
    contexts: tuple[str, ...]
    kinds: dict[str, str]
    y: Floats
    when: Floats
    bounds: NDArray[np.int64]
    remarks: Remarks

    @property
    def items(self) -> int:
        """The number of items."""
        return self.bounds.size - 1

    @property
    def categories(self) -> tuple[str, ...]:
        """The contexts that are labels."""
        return tuple(name for name in self.contexts if self.kinds[name] == "category")

    @property
    def dated(self) -> bool:
        """Whether ``ds`` holds dates, not numbers."""
        return self.frame["ds"].dtype.is_temporal()

    @cached_property
    def weekdays(self) -> NDArray[np.int64] | None:
        """The weekday of each row; ``None`` if there is only one, dates are numbers, or a category tells it."""
        if not self.dated:
            return None
        days = weekday(self.when)
        pairs = (self._codes_of(name) * 7 + days for name in self.categories)
        told = any(np.unique(pair).size == np.unique(pair // 7).size for pair in pairs)
        return None if told or (days == days[0]).all() else days

    @property
    def alike(self) -> tuple[str, ...]:
        """What makes rows alike: the categories, and the weekday where none of them tells it."""
        return self.categories if self.weekdays is None else (*self.categories, WEEKDAY)

    def lacks_demand(self, item: int) -> bool:
        """Whether any row of the item has no demand; contexts may be missing."""
        return not np.isfinite(self.y[self.bounds[item] : self.bounds[item + 1]]).all()

    @property
    def set_aside(self) -> str:
        """Which rows of the table are not used, and why."""
        return "".join(on_rows(self.remarks.table(), "set aside"))

    @cached_property
    def _features(self) -> Table:
        return self.frame.select("ds", *self.contexts).to_native()

    def features(self, start: int, stop: int) -> Table:
        """Dates and contexts of some rows, in the caller's kind of dataframe."""
        whole = self._features
        return whole.iloc[start:stop].copy() if hasattr(whole, "iloc") else whole.slice(start, stop - start)

    def groups(self, columns: Sequence[str]) -> NDArray[np.int64]:
        """A number for each row, equal where the item and ``columns`` are equal."""
        codes = np.repeat(np.arange(self.items), np.diff(self.bounds))
        for name in columns:
            labels = self._codes_of(name)
            _, codes = np.unique(codes * (labels.max() + 1) + labels, return_inverse=True)
        return codes

    def _codes_of(self, name: str) -> NDArray[np.int64]:
        if name == WEEKDAY and name not in self.contexts:
            return weekday(self.when)
        return np.unique(as_labels(self.frame[name]).astype(str), return_inverse=True)[1]


def read_history(
    history: Table, contexts: Sequence[str] | None = None, kinds: Mapping[str, str] | None = None
) -> History:
    """Check the table as a whole; faults in single items are found later."""
    given = _frame(history)
    names = _contexts(given, contexts)
    for name in kinds or {}:
        if name not in names:
            raise InputError(f"columns: {name!r} is not a context; there are {', '.join(names)}")
    given, y, remarks = _used(given)
    when, dates = _dates(given["ds"])
    read = [read_column(name, given[name], kind=(kinds or {}).get(name)) for name in names]
    codes = _codes(given["unique_id"])
    order = np.lexsort((when, codes))  # by item and time; ties are refused below
    codes, when, y = codes[order], when[order], y[order]
    told = [dates, *(_as_told(given[column.name], column, kinds or {}) for column in read)]
    frame = nw.maybe_reset_index(given.select("unique_id", "ds", *names).with_columns(*told)[order.tolist()])
    _refuse_duplicates(frame, codes, when)
    bounds = np.append(np.flatnonzero(np.diff(codes, prepend=-1)), codes.size)
    found = {c.name: c.kind if c.calendar or c.name in (kinds or {}) else _kind(c, order, bounds) for c in read}
    return History(frame, names, {"ds": "time"} | found, y, when, bounds, remarks)


def _kind(column: Column, order: NDArray[np.intp], bounds: NDArray[np.int64]) -> str:
    """The kind of a column; numbers count as a time if they run on within each item."""
    if column.kind == "category":
        return column.kind
    items = np.split(column.values[order], bounds[1:-1])
    return "time" if all(map(runs_on, items)) else "number"


def _frame(history: Table) -> Frame:
    frame = frame_of(history, "history", " with columns unique_id, ds and y")
    absent = [name for name in KEYS if name not in frame.columns]
    if absent:
        raise InputError(f"history lacks the columns {absent}; it has {frame.columns}: rename yours")
    if len(frame) == 0:
        raise InputError("history has no rows; give past demand")
    return nw.maybe_reset_index(frame)


def _contexts(frame: Frame, contexts: Sequence[str] | None) -> tuple[str, ...]:
    possible = [name for name in frame.columns if name not in KEYS]
    if contexts is None:
        return tuple(possible)
    if isinstance(contexts, str):
        raise InputError(f"contexts = {contexts!r} is a string; give a list of column names such as [{contexts!r}]")
    for name in contexts:
        if name not in possible:
            raise InputError(f"contexts: {name!r} is not a context column of history; choose among {possible}")
    return tuple(dict.fromkeys(contexts))


def _used(given: Frame) -> tuple[Frame, Floats, Remarks]:
    """The usable rows, dates in text read as dates; an item without any demand stays, to be reported."""
    if given["unique_id"].dtype.is_nested():
        raise InputError(f"history: 'unique_id' is of type {given['unique_id'].dtype}; give names or numbers")
    try:
        source = read_source(given.select(*KEYS).to_native())
        rules = decide_rules(source.table, Roles(("unique_id",), "ds", "y", ()), Choices(missing="keep"))
        table, rows, remarks = usable(source, rules)
    except InputError as error:
        raise InputError(f"history: {error}") from None
    used = given[rows.tolist()]
    kind = used["ds"].dtype
    if not (kind.is_temporal() or kind.is_numeric()) or rules.dates == COMPACT_FORM:
        used = used.with_columns(_of_dates("ds", table["ds"].to_numpy(), used["ds"]))
    y, codes = table["y"].to_numpy(), _codes(used["unique_id"])
    keep = np.isfinite(y) | ~np.isin(codes, codes[np.isfinite(y)])
    remarks.add(rows[~keep].tolist(), "y", [""] * int((~keep).sum()), NO_DEMAND)
    return nw.maybe_reset_index(used[np.flatnonzero(keep).tolist()]), y[keep], remarks


def _dates(given: Series) -> tuple[Floats, Series]:
    """The dates as numbers, and as a column of dates."""
    if isinstance(given.dtype, nw.Datetime) and given.dtype.time_zone is not None:
        # A clock that is put back shows an hour twice; only universal time tells which came first.
        return as_numbers(given.dt.convert_time_zone("UTC")), given.dt.replace_time_zone(None)
    when = as_numbers(given)
    _refuse_beyond(when, "ds", LATEST)
    return when, given


def _of_dates(name: str, moments: Array, like: Series) -> Series:
    """A series of dates (without times of day if there are none) or of numbers."""
    if moments.dtype.kind == "f":
        return nw.new_series(name, moments, backend=like.implementation)
    days = moments.astype("datetime64[D]")
    return nw.new_series(name, days if (days == moments).all() else moments, backend=like.implementation)


def _as_told(given: Series, column: Column, kinds: Mapping[str, str]) -> Series:
    """The column as every policy should see it: dates in text as dates, and a column of a stated kind as that kind."""
    if column.form is not None:
        moments = np.round(column.values * 86_400e6).astype("datetime64[us]")
        return _of_dates(column.name, moments, given)
    if column.name not in kinds or column.calendar:
        return given
    dtype = nw.String if column.kind == "category" else nw.Float64
    return nw.new_series(column.name, column.values.tolist(), dtype, backend=given.implementation)


def _codes(ids: Series) -> NDArray[np.int64]:
    """0, 1, ... in the order in which items first appear."""
    if _has_missing(ids):
        raise InputError("history: 'unique_id' has missing values; name the item of every row")
    known: dict[Any, int] = {}
    try:
        return np.array([known.setdefault(name, len(known)) for name in ids.to_list()], dtype=np.int64)
    except TypeError:  # a list cannot be looked up
        raise InputError(f"history: 'unique_id' is of type {ids.dtype}; give names or numbers") from None


def _has_missing(given: Series) -> bool:
    return bool(given.is_null().any() or (given.dtype.is_float() and given.is_nan().any()))


def _refuse_beyond(numbers: Floats, name: str, most: float) -> None:
    for value in numbers[~(np.abs(numbers) <= most)][:1]:
        raise InputError(f"history: {name!r} holds {value:g}, beyond {most:g}; correct it or change the unit")


def _refuse_duplicates(frame: Frame, codes: NDArray[np.int64], when: Floats) -> None:
    for i in np.flatnonzero((codes[1:] == codes[:-1]) & (when[1:] == when[:-1])).tolist():
        raise InputError(f"history has two rows for {_place(frame, i)}; keep one demand per item and date")


def _place(frame: Frame, row: int) -> str:
    return f"unique_id {frame['unique_id'][row]!r} at ds {str(frame['ds'][row]).removesuffix(' 00:00:00')}"
