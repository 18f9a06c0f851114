"""Contexts as given, in columns of numbers, categories or points in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.columns import Column, read_column
from provend.tables.dates import COMPACT_FORM
from provend.tables.labels import as_labels, codes_of
from provend.tables.native import Native, as_frame, columns_of
from provend.tables.values import Array, Floats, Table


@dataclass(frozen=True, eq=False)
class Contexts:
    """A table of contexts, one row per observation or per decision.

    Attributes
    ----------
    columns : tuple of Column
        The columns that were read.
    size : int
        The number of rows.
    native : Native
        The same rows as they were given.
    """

    columns: tuple[Column, ...]
    size: int
    native: Native

    @cached_property
    def time(self) -> Column | None:
        """The first column that is a time; numbers that may be days, such as 20261116, only where there is no other."""
        times = [column for column in self.columns if column.kind == "time"]
        return next((column for column in times if column.form != COMPACT_FORM), times[0] if times else None)

    @property
    def kinds(self) -> dict[str, str]:
        """What each column is taken for."""
        return {column.name: column.kind for column in self.columns}

    @property
    def schema(self) -> Contexts:
        """The columns without any rows, to read other tables like this one."""
        return replace(self.take(np.arange(0)), native=Native(None))

    @property
    def codes(self) -> NDArray[np.intp]:
        """A whole number from 0 for each row, the same for rows that agree in every column."""
        code, *others = (codes_of(column.values) for column in self.columns)
        for further in others:
            code = codes_of(code * (int(further.max(initial=0)) + 1) + further)
        return code

    def take(self, rows: Array) -> Contexts:
        """The given rows, in that order."""
        columns = tuple(column.holding(column.values[rows]) for column in self.columns)
        return Contexts(columns, np.arange(self.size)[rows].size, self.native.take(rows))

    @cached_property
    def _said(self) -> dict[Callable[[Contexts], Floats], Floats]:
        return {}

    def once(self, ask: Callable[[Contexts], Floats]) -> Floats:
        """What a function says of these rows; whoever asks again gets the same array, as long as the contexts live."""
        if ask not in self._said:
            self._said[ask] = ask(self)
        return self._said[ask]

    def latest(self, most: int) -> NDArray[np.intp]:
        """Positions of up to ``most`` rows, ascending: the latest ones, or drawn ones if there is no time.

        Evenly spaced ones would be those of one shop alone where two shops take turns.
        """
        if self.size <= most:
            return np.arange(self.size)
        if self.time is None:
            return np.sort(np.random.default_rng(0).permutation(self.size)[:most])
        return np.sort(np.argsort(self.time.values, kind="stable")[-most:])

    def take_at_the_end(self, rows: Array) -> Contexts:
        """The given rows as if they occurred at the latest time in the table; unchanged where there is no time."""
        some, first = self.take(rows), self.time
        if first is None:
            return some
        at, latest = self.columns.index(first), int(np.argmax(first.values))
        moved = first.holding(np.full(some.size, first.values[latest]))
        columns = (*some.columns[:at], moved, *some.columns[at + 1 :])
        row = latest if self.native.rows is None else int(self.native.rows[latest])
        return replace(some, columns=columns, native=replace(some.native, moved=(at, row)))


def read_contexts(X: Table, *, like: Contexts | None = None, kinds: Mapping[str, str] | None = None) -> Contexts:
    """Read a table: any dataframe, or a two-dimensional array.

    Parameters
    ----------
    X : table
        One row per context. Columns of an array are called x0, x1, ...
    like : Contexts, optional
        A table whose columns show how to read these.
    kinds : mapping, optional
        What to take columns for, "number", "category" or "time", where their appearance is misleading.
    """
    named, native = _columns(X)
    if not named:
        raise InputError("X has no columns; give at least one column of contexts")
    size = len(named[0][1])
    if like is None:
        said = _checked(kinds, [name for name, _ in named])
        columns = tuple(read_column(name, given, kind=said.get(name)) for name, given in named)
        return Contexts(columns, size, Native.of(native))
    if len(named) != len(like.columns):
        raise InputError(f"X has {len(named)} columns, the history has {len(like.columns)}; give the same columns")
    pairs = zip(named, like.columns, strict=True)
    columns = tuple(read_column(name, given, like=column) for (name, given), column in pairs)
    return Contexts(columns, size, Native(nw.to_native(native, pass_through=True)))


def _columns(X: Table) -> tuple[list[tuple[str, Any]], Table]:
    """The columns with their names, and the table they come from."""
    if (frame := as_frame(X)) is not None:
        return list(columns_of(frame)), frame
    array = np.asarray(X)
    if array.ndim != 2:
        raise InputError(f"X has {array.ndim} dimensions; give a table, one row per context")
    return [(f"x{j}", array[:, j]) for j in range(array.shape[1])], array


def _checked(kinds: Mapping[str, str] | None, names: list[str]) -> Mapping[str, str]:
    if kinds is not None and not isinstance(kinds, Mapping):
        raise InputError(f"columns = {kinds!r} is not a mapping; give one such as {{'weekday': 'category'}}")
    for name in kinds or {}:
        if name not in names:
            raise InputError(f"columns: {name!r} is not a column; there are {', '.join(names)}")
    return kinds or {}


def labels_of(X: Table, name: str) -> NDArray[np.str_]:
    """The values of one column of a dataframe as text, to be compared for equality."""
    return as_labels(nw.from_native(X, eager_only=True)[name]).astype(np.str_)
