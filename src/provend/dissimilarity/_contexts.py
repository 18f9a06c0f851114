"""Contexts as they come, in columns that are numbers, categories or a point in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError

Floats = NDArray[np.float64]

DAY = np.timedelta64(1, "D")
MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class Column:
    """One column of contexts.

    Attributes
    ----------
    name : str
        As in the table, or ``x0``, ``x1``, ... where there are no names.
    kind : {"number", "category", "time"}
        Times are numbers too, in days where they were dates.
    values : array
        Floats (nan: missing), or strings for categories.
    calendar : bool
        Whether a time counts days since 1970-01-01, so that weekdays and months follow from it.
    """

    name: str
    kind: Literal["number", "category", "time"]
    values: NDArray[Any]
    calendar: bool = False


@dataclass(frozen=True, eq=False)
class Contexts:
    """A table of contexts, one row per observation or per decision."""

    columns: tuple[Column, ...]
    size: int

    @property
    def time(self) -> Column | None:
        """The first column that is a time."""
        return next((column for column in self.columns if column.kind == "time"), None)

    def take(self, rows: NDArray[Any]) -> Contexts:
        """The rows asked for, in that order."""
        columns = tuple(replace(column, values=column.values[rows]) for column in self.columns)
        return Contexts(columns, np.arange(self.size)[rows].size)

    def at_time(self, moment: float) -> Contexts:
        """The same contexts, all at one point in time."""
        first = self.time
        moved = (replace(c, values=np.full(self.size, moment)) if c is first else c for c in self.columns)
        return Contexts(tuple(moved), self.size)


def read_contexts(X: Any, *, like: Contexts | None = None) -> Contexts:
    """Read a table: any dataframe, or a two-dimensional array.

    Dates are times; so is a column of numbers that only ever rises or falls and hardly repeats a value. Text,
    categories and booleans are categories, other numbers numbers. With ``like`` the kinds are those of that table.
    """
    named = _columns(X)
    if not named:
        raise InputError("X has no columns; give at least one column of contexts")
    size = len(named[0][1])
    if like is None:
        return Contexts(tuple(_column(name, values) for name, values in named), size)
    if len(named) != len(like.columns):
        raise InputError(f"X has {len(named)} columns, the history has {len(like.columns)}; give the same columns")
    pairs = zip(named, like.columns, strict=True)
    return Contexts(tuple(_column(name, values, column) for (name, values), column in pairs), size)


def _columns(X: Any) -> list[tuple[str, NDArray[Any]]]:
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return [(str(column.name), column.to_numpy()) for column in frame.iter_columns()]
    array = np.asarray(X)
    if array.ndim != 2:
        raise InputError(f"X has {array.ndim} dimensions; give a table, one row per context")
    return [(f"x{j}", array[:, j]) for j in range(array.shape[1])]


def _column(name: str, values: NDArray[Any], like: Column | None = None) -> Column:
    if like is not None and like.kind == "category":
        return replace(like, values=_texts(values))
    if values.dtype.kind == "M":
        return Column(name, "time", _days(values, name), calendar=True)
    if values.dtype.kind in "fiu":
        numbers = values.astype(np.float64)
    elif values.dtype.kind == "b" and like is None:
        return Column(name, "category", _texts(values))
    else:
        return _from_objects(name, values, like)
    _reject_infinite(numbers, name)
    if like is not None:
        return replace(like, values=numbers)
    return Column(name, "time" if _runs_on(numbers) else "number", numbers)


def _from_objects(name: str, values: NDArray[Any], like: Column | None) -> Column:
    """Objects: dates if all are, numbers if all are, else categories."""
    if (like is None and np.unique(_texts(values)).size == values.size) or (like is not None and like.calendar):
        try:
            return Column(name, "time", _days(values.astype("datetime64[s]"), name), calendar=True)
        except (ValueError, TypeError):
            if like is not None:
                raise InputError(
                    f"column {name!r} holds {values[0]!r}, which is not a date as in the history"
                ) from None
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        if like is not None:
            raise InputError(f"column {name!r} holds something that is not a number, unlike the history") from None
        return Column(name, "category", _texts(values))
    return _column(name, numbers, like)


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    """Categories as text; 1, 1.0 and "1" are one category, True is "True"."""
    return np.array([_text(value) for value in values.tolist()], dtype=object)


def _text(value: object) -> str:
    if value is None or value != value:  # nan differs from itself
        return MISSING
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _days(values: NDArray[Any], name: str) -> Floats:
    missing = np.isnat(values)
    if missing.any():
        raise InputError(f"column {name!r} lacks a date in row {int(missing.argmax())}; fill it in or drop the row")
    days: Floats = (values - np.datetime64(0, "D")) / DAY
    return days


def _reject_infinite(numbers: Floats, name: str) -> None:
    if np.isinf(numbers).any():
        row = int(np.isinf(numbers).argmax())
        raise InputError(f"Input X contains infinity in column {name!r}, row {row}; correct it or leave it empty (nan)")


def _runs_on(numbers: Floats) -> bool:
    """A counter of days or an age: in order of the rows, and mostly different from row to row."""
    steps = np.diff(numbers)
    if numbers.size < 8 or not np.isfinite(steps).all():
        return False
    return bool(((steps >= 0).all() or (steps <= 0).all()) and 2 * np.unique(numbers).size > numbers.size)


@dataclass(frozen=True, eq=False)
class Encoding:
    """Contexts as a matrix of numbers with mean 0 and variance 1 over the history, for distances and forecasts.

    Categories, and whole numbers of few values, become one indicator per level; a date adds its weekday and, from two
    years on, its month. Levels not seen before have all indicators at 0.
    """

    levels: tuple[tuple[str, ...] | None, ...]
    numeric: tuple[bool, ...]
    months: bool
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, past: Contexts) -> Encoding:
        """Learn levels, means and standard deviations from the history."""
        levels, numeric = [], []
        for column in past.columns:
            found = np.unique(texts_of(column).astype(str))
            few = column.kind == "category" or (column.kind == "number" and is_code(column.values, found.size))
            levels.append(tuple(found.tolist()) if few else None)
            numeric.append(column.kind != "category")
        time = past.time
        months = time is not None and time.calendar and float(np.ptp(time.values)) >= 730
        raw = cls(tuple(levels), tuple(numeric), months, np.zeros(0), np.ones(0))._raw(past)
        centre = np.array([_mean(column) for column in raw.T])
        spread = np.nanstd(np.where(np.isnan(raw), centre, raw), axis=0)
        return cls(tuple(levels), tuple(numeric), months, centre, np.where(spread > 1e-12, spread, np.inf))

    def matrix(self, contexts: Contexts) -> Floats:
        """One row per context; what is missing sits at the mean."""
        raw = self._raw(contexts)
        scaled: Floats = (np.where(np.isnan(raw), self.centre, raw) - self.centre) / self.spread
        return scaled

    def without_time(self, matrix: Floats, contexts: Contexts) -> Floats:
        """The matrix with the times themselves at 0; weekdays and months stay."""
        kept, column = matrix.copy(), 0
        for given, levels, numeric in zip(contexts.columns, self.levels, self.numeric, strict=True):
            if given.kind == "time":
                kept[:, column] = 0.0
            column += numeric + len(levels or ()) + given.calendar * (7 + 12 * self.months)
        return kept

    def _raw(self, contexts: Contexts) -> Floats:
        blocks = []
        for column, levels, numeric in zip(contexts.columns, self.levels, self.numeric, strict=True):
            if numeric:
                blocks.append(column.values[:, None].astype(np.float64))
            if levels is not None:
                blocks.append(texts_of(column)[:, None].astype(str) == np.array(levels))
            if column.calendar:
                blocks.append((column.values.astype(np.int64)[:, None] + 3) % 7 == np.arange(7))
                if self.months:
                    blocks.append(_month(column.values)[:, None] == np.arange(12))
        return np.hstack(blocks).astype(np.float64)


def _mean(column: Floats) -> float:
    known = column[~np.isnan(column)]
    return float(known.mean()) if known.size else 0.0


def texts_of(column: Column) -> NDArray[Any]:
    """The values as text, by which levels are told apart."""
    return column.values if column.kind == "category" else _texts(column.values)


def is_code(values: Floats, levels: int) -> bool:
    """Whether numbers look like codes: whole, of few different values that repeat."""
    known = values[~np.isnan(values)]
    return 3 <= levels <= 31 and values.size >= 3 * levels and bool((known == np.round(known)).all())


def _month(days: Floats) -> NDArray[np.int64]:
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12
