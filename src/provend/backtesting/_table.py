"""The history as it is given, checked, and sorted by item and date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from warnings import catch_warnings, simplefilter

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.backtesting._features import Floats, as_labels, as_numbers, is_category

KEYS = ("unique_id", "ds", "y")
ISO = re.compile(r"\d{4}(-\d{2}|$)")
LATEST, LARGEST = 1e20, 1e100  # what can be squared and summed


@dataclass(frozen=True, eq=False)
class History:
    """A demand table, oldest row of each item first.

    Attributes
    ----------
    frame : DataFrame
        ``unique_id``, ``ds`` as dates or numbers, and the contexts.
    contexts : tuple of str
        Names of the context columns.
    y, when : array
        Demand of each row, and its date as a number of days.
    bounds : array
        Item i is the rows from ``bounds[i]`` to ``bounds[i + 1]``.
    """

    frame: nw.DataFrame[Any]
    contexts: tuple[str, ...]
    y: Floats
    when: Floats
    bounds: NDArray[np.int64]

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.bounds.size - 1

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The contexts that are labels."""
        return tuple(name for name in self.contexts if is_category(self.frame[name]))

    def lacks_demand(self, item: int) -> bool:
        """Whether some row of the item has no demand; contexts may be missing."""
        return not np.isfinite(self.y[self.bounds[item] : self.bounds[item + 1]]).all()

    @cached_property
    def _features(self) -> Any:
        return self.frame.select("ds", *self.contexts).to_native()

    def features(self, start: int, stop: int) -> Any:
        """Dates and contexts of some rows, in the caller's kind of dataframe."""
        whole = self._features
        return whole.iloc[start:stop].copy() if hasattr(whole, "iloc") else whole.slice(start, stop - start)

    def groups(self, columns: Sequence[str]) -> NDArray[np.int64]:
        """A number for each row, equal where item and ``columns`` are."""
        codes = np.repeat(np.arange(self.items), np.diff(self.bounds))
        for name in columns:
            _, labels = np.unique(as_labels(self.frame[name]), return_inverse=True)
            _, codes = np.unique(codes * (labels.max() + 1) + labels, return_inverse=True)
        return codes


def read_history(history: Any, contexts: Sequence[str] | None) -> History:
    """Check the table as a whole; what is wrong with single items is found later."""
    given = _frame(history)
    names = _contexts(given, contexts)
    when, dates = _dates(given["ds"])
    y = read_demand(given["y"])
    for name in names:
        refuse_context(given[name])
    codes = _codes(given["unique_id"])
    order = np.lexsort((when, codes))  # by item and time; no two rows tie, or they are refused below
    codes, when, y = codes[order], when[order], y[order]
    frame = nw.maybe_reset_index(given.select("unique_id", "ds", *names).with_columns(dates)[order.tolist()])
    _refuse_duplicates(frame, codes, when)
    _refuse_negative(frame, y)
    bounds = np.append(np.flatnonzero(np.diff(codes, prepend=-1)), codes.size)
    return History(frame, names, y, when, bounds)


def _frame(history: Any) -> nw.DataFrame[Any]:
    try:
        frame = nw.from_native(history, eager_only=True)
    except TypeError:
        raise TypeError(
            f"history is a {type(history).__name__}; give a pandas, polars or pyarrow table "
            "with columns unique_id, ds and y (collect a lazy one first)"
        ) from None
    absent = [name for name in KEYS if name not in frame.columns]
    if absent:
        raise InputError(f"history lacks the columns {absent}; it has {frame.columns}: rename yours")
    if len(frame) == 0:
        raise InputError("history has no rows; give past demand")
    return nw.maybe_reset_index(frame)


def _contexts(frame: nw.DataFrame[Any], contexts: Sequence[str] | None) -> tuple[str, ...]:
    possible = [name for name in frame.columns if name not in KEYS]
    if contexts is None:
        return tuple(possible)
    if isinstance(contexts, str):
        raise InputError(f"contexts = {contexts!r} is a string; give a list of column names such as [{contexts!r}]")
    for name in contexts:
        if name not in possible:
            raise InputError(f"contexts: {name!r} is not a context column of history; choose among {possible}")
    return tuple(dict.fromkeys(contexts))


def _dates(given: nw.Series[Any]) -> tuple[Floats, nw.Series[Any]]:
    """The dates as numbers, and as a column of dates; text is read as ISO 8601."""
    if _has_missing(given):
        raise InputError("history: 'ds' has missing values; date every row")
    if isinstance(given.dtype, nw.Datetime) and given.dtype.time_zone is not None:
        # Clocks that are put back show an hour twice: what came first is known in universal time only.
        universal, local = (one.dt.replace_time_zone(None) for one in (given.dt.convert_time_zone("UTC"), given))
        return as_numbers(universal), local
    if isinstance(given.dtype, nw.Time | nw.Duration):
        raise InputError(f"history: 'ds' is of type {given.dtype}, not dates; give dates, ISO text or integers")
    if not (given.dtype.is_numeric() or given.dtype.is_temporal()):
        parsed = _read_dates([str(value) for value in given.to_list()])
        days = parsed.astype("datetime64[D]")
        given = nw.new_series("ds", days if (days == parsed).all() else parsed, backend=given.implementation)
    when = as_numbers(given)
    _refuse_beyond(when, "ds", LATEST)
    return when, given


def _read_dates(texts: list[str]) -> NDArray[np.datetime64]:
    try:
        if not all(map(ISO.match, texts)):
            raise ValueError("numpy would read 'today' and 'NaT' as well")
        with catch_warnings():  # numpy's, where text has a time zone; it converts to universal time, as it should
            simplefilter("ignore", UserWarning)
            return np.array(texts, dtype="datetime64[us]")
    except ValueError:
        wrong = next((text for text in texts if not ISO.match(text)), texts[0])
        raise InputError(
            f"history: 'ds' holds {wrong!r} and the like, which are not dates; give dates, ISO text or integers"
        ) from None


def read_demand(given: nw.Series[Any]) -> Floats:
    """Demands as numbers; nan where there is none."""
    if not given.dtype.is_numeric():
        raise InputError(f"history: {given.name!r} is of type {given.dtype}, not numeric; give demands as numbers")
    demand = as_numbers(given)
    _refuse_beyond(demand[np.isfinite(demand)], given.name, LARGEST)
    return demand


def _codes(ids: nw.Series[Any]) -> NDArray[np.int64]:
    """0, 1, ... in the order in which items first appear."""
    if _has_missing(ids):
        raise InputError("history: 'unique_id' has missing values; name the item of every row")
    known: dict[Any, int] = {}
    try:
        return np.array([known.setdefault(name, len(known)) for name in ids.to_list()], dtype=np.int64)
    except TypeError:  # a list cannot be looked up
        raise InputError(f"history: 'unique_id' is of type {ids.dtype}; give names or numbers") from None


def _has_missing(given: nw.Series[Any]) -> bool:
    return bool(given.is_null().any() or (given.dtype.is_float() and given.is_nan().any()))


def refuse_context(given: nw.Series[Any]) -> None:
    """Raise an error for a column that cannot be compared, or not be computed with."""
    if given.dtype.is_nested():
        raise InputError(f"history: {given.name!r} is of type {given.dtype}; a context is a number, a date or a text")
    if not is_category(given):
        numbers = as_numbers(given)
        _refuse_beyond(numbers[~np.isnan(numbers)], given.name, LARGEST)


def _refuse_beyond(numbers: Floats, name: str, most: float) -> None:
    for value in numbers[~(np.abs(numbers) <= most)][:1]:
        raise InputError(f"history: {name!r} holds {value:g}, beyond {most:g}; correct it or change the unit")


def _refuse_duplicates(frame: nw.DataFrame[Any], codes: NDArray[np.int64], when: Floats) -> None:
    for i in np.flatnonzero((codes[1:] == codes[:-1]) & (when[1:] == when[:-1])).tolist():
        raise InputError(f"history has two rows for {_place(frame, i)}; keep one demand per item and date")


def _refuse_negative(frame: nw.DataFrame[Any], y: Floats) -> None:
    for i in np.flatnonzero(y < 0).tolist():
        raise InputError(f"history: y = {y[i]:g} for {_place(frame, i)} is negative; demand is at least 0")


def _place(frame: nw.DataFrame[Any], row: int) -> str:
    return f"unique_id {frame['unique_id'][row]!r} at ds {str(frame['ds'][row]).removesuffix(' 00:00:00')}"
