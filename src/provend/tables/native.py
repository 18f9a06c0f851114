"""The table as it was given: its columns, and its rows for the user's own functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.values import Array, Frame, Given, Series, Table, Texts

MOMENTS = ("date", "datetime", "datetime64", "period")  # what pandas infers categories to be


def _is_pandas(X: Table) -> bool:
    pandas = nw.dependencies.get_pandas()  # None as long as nobody has imported it
    return pandas is not None and isinstance(X, pandas.DataFrame)


def as_frame(X: Table) -> Any:
    """A dataframe as narwhals sees it, ``None`` if X is none; pandas' own, which is read sooner, if it can be read."""
    if _is_pandas(X) and X.columns.is_unique:
        return X
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError as error:
        raise InputError(f"X names columns twice: {' '.join(str(error).split())}; rename them") from None
    return frame if isinstance(frame, nw.DataFrame) else None


def is_lazy(X: Table) -> bool:
    """Whether a table has yet to be collected."""
    return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)


def frame_of(given: Table, what: str, hint: str = "") -> Frame:
    """A dataframe as narwhals sees it; errors call it ``what``, and ``hint`` says what else it could be, or has."""
    try:
        return nw.from_native(given, eager_only=True)
    except TypeError:
        raise TypeError(
            f"{what} is a {type(given).__name__}; give a pandas, polars or pyarrow table{hint} "
            "(collect a lazy one first)"
        ) from None
    except DuplicateError as error:
        raise InputError(f"{what}: columns are named twice: {' '.join(str(error).split())}; rename them") from None


def names_of(frame: Any) -> list[object]:
    """The names of the columns of what :func:`as_frame` returns."""
    return [*(frame.columns if isinstance(frame, nw.DataFrame) else frame.columns.tolist())]


def columns_of(frame: Any) -> Iterator[tuple[str, Given]]:
    """The columns of what :func:`as_frame` returns, with their names: arrays where these hold numbers or dates."""
    if isinstance(frame, nw.DataFrame):
        return ((str(column.name), _plain(column.to_native())) for column in frame.iter_columns())
    return ((str(name), _plain(column)) for name, column in frame.items())


def _plain(given: Any) -> Given:
    """The array behind a series that holds nothing but numbers or dates, the texts of pandas: they are read sooner."""
    dtype = getattr(given, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "fiuM":
        plain: Array = given.to_numpy()
        return plain
    pandas = nw.dependencies.get_pandas()
    if pandas is not None and isinstance(dtype, pandas.StringDtype):
        return Texts(given.tolist())
    series: Series = nw.from_native(given, series_only=True)
    return series


def as_dates(given: Series) -> Series:
    """A category of dates as dates, and periods as their first moments; any other series as it is."""
    found = out_of_categories(given)
    pandas, native = nw.dependencies.get_pandas(), found.to_native()
    if pandas is None or not isinstance(getattr(native, "dtype", None), pandas.PeriodDtype):
        return found
    dates: Series = nw.from_native(native.dt.to_timestamp(), series_only=True)
    return dates


def out_of_categories(given: Series) -> Series:
    """A category of dates or periods as these; any other series as it is."""
    if not isinstance(given.dtype, nw.Categorical):
        return given
    native, pandas = given.to_native(), nw.dependencies.get_pandas()
    if pandas is None or not isinstance(native, pandas.Series):
        return _out_of_dictionary(given)
    categories: Any = native.dtype.categories
    if categories.inferred_type not in MOMENTS:
        return given
    plain: Series = nw.from_native(native.astype(categories.dtype), series_only=True)
    return plain


def _out_of_dictionary(given: Series) -> Series:
    """Dates that pyarrow keeps as codes of a dictionary."""
    native = given.to_native()
    kind: Any = getattr(native, "type", None)
    if not isinstance(kind, pa.DictionaryType) or not pa.types.is_temporal(kind.value_type):
        return given
    dates: Series = nw.from_native(native.cast(kind.value_type), series_only=True)
    return dates


def first_moments(items: list[Any]) -> list[Any]:
    """The values with the first moments of pandas' periods in place of these."""
    pandas = nw.dependencies.get_pandas()
    if pandas is None or not any(isinstance(item, pandas.Period) for item in items):
        return items
    return [item.start_time if isinstance(item, pandas.Period) else item for item in items]


@dataclass(frozen=True, eq=False)
class Native:
    """Some rows of a dataframe or array, taken when they are asked for.

    Attributes
    ----------
    given : dataframe or array
        The whole table.
    rows : array, optional
        Which rows; ``None`` for all of them.
    moved : pair of int, optional
        A column, and the row whose value it takes in every row.
    """

    given: Table
    rows: NDArray[np.intp] | None = None
    moved: tuple[int, int] | None = None

    @classmethod
    def of(cls, X: Table) -> Native:
        """A table that stays as it is, whatever the caller does to the original."""
        if isinstance(X, np.ndarray) or _is_pandas(X):
            return cls(X.copy())
        frame = nw.from_native(X, eager_only=True)
        return cls((frame.clone() if frame.implementation.is_pandas_like() else frame).to_native())

    def take(self, rows: Array) -> Native:
        """Some of the rows."""
        return replace(self, rows=(np.arange(len(self.given)) if self.rows is None else self.rows)[rows])

    @cached_property
    def table(self) -> Table:
        """The rows, in the caller's kind of table."""
        if self.rows is None:
            return self.given
        if isinstance(self.given, np.ndarray):
            some = self.given[self.rows]
            if self.moved is not None:
                some[:, self.moved[0]] = self.given[self.moved[1], self.moved[0]]
            return some
        whole = nw.from_native(self.given, eager_only=True)
        rows = whole[self.rows.tolist()]
        if self.moved is not None:
            column, row = self.moved
            name = whole.columns[column]
            rows = rows.with_columns(whole[name][[row] * len(rows)])
        return rows.to_native()
