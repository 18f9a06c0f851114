"""The history as it is given, checked, and sorted by item and date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.backtesting._features import Floats, as_labels, as_numbers, is_category

KEYS = ("unique_id", "ds", "y")


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
        return whole.iloc[start:stop] if hasattr(whole, "iloc") else whole.slice(start, stop - start)

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
    y = _demand(given["y"])
    if given["unique_id"].is_null().any():
        raise InputError("history: 'unique_id' has missing values; name the item of every row")
    codes = _codes(given["unique_id"].to_list())
    order = np.lexsort((when, codes))
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
    if given.is_null().any() or (given.dtype.is_float() and given.is_nan().any()):
        raise InputError("history: 'ds' has missing values; date every row")
    if isinstance(given.dtype, nw.Datetime) and given.dtype.time_zone is not None:
        given = given.dt.replace_time_zone(None)
    if not (given.dtype.is_numeric() or given.dtype.is_temporal()):
        values = given.to_list()
        try:
            parsed = np.array([str(value) for value in values], dtype="datetime64[us]")
        except ValueError:
            raise InputError(
                f"history: 'ds' holds {values[0]!r} and the like, which are not dates; give dates, ISO text or integers"
            ) from None
        days = parsed.astype("datetime64[D]")
        given = nw.new_series("ds", days if (days == parsed).all() else parsed, backend=given.implementation)
    return as_numbers(given), given


def _demand(given: nw.Series[Any]) -> Floats:
    if not given.dtype.is_numeric():
        raise InputError(f"history: 'y' is of type {given.dtype}, not numeric; give demands as numbers")
    return as_numbers(given)


def _codes(ids: list[Any]) -> NDArray[np.int64]:
    """0, 1, ... in the order in which items first appear."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in ids], dtype=np.int64)


def _refuse_duplicates(frame: nw.DataFrame[Any], codes: NDArray[np.int64], when: Floats) -> None:
    for i in np.flatnonzero((np.diff(codes) == 0) & (np.diff(when) == 0)).tolist():
        raise InputError(f"history has two rows for {_place(frame, i)}; keep one demand per item and date")


def _refuse_negative(frame: nw.DataFrame[Any], y: Floats) -> None:
    for i in np.flatnonzero(y < 0).tolist():
        raise InputError(f"history: y = {y[i]:g} for {_place(frame, i)} is negative; demand is at least 0")


def _place(frame: nw.DataFrame[Any], row: int) -> str:
    return f"unique_id {frame['unique_id'][row]!r} at ds {str(frame['ds'][row]).removesuffix(' 00:00:00')}"
