"""Single values and whole series as numbers and as text."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Table = Any  # the user's table: a dataframe of any library, or a two-dimensional array; narwhals finds out which
Frame = nw.DataFrame[Any]
Series = nw.Series[Any]
Array = NDArray[Any]  # of numbers, dates, texts or objects, as its dtype says
MICROSECONDS = np.timedelta64(1, "D") / np.timedelta64(1, "us")  # in a day


class Texts(list[Any]):
    """The values of a column that a dataframe declares as text, missing ones included."""

    @cached_property
    def distinct(self) -> list[object]:
        """Each text once, in order of first appearance: a long column has few."""
        return list(dict.fromkeys(self))


Given = Series | Array | Texts  # a column as it is read


def as_days(moments: Array) -> Floats:
    """Dates as days since 1970; nan where a date is missing."""
    days: Floats = moments.astype("datetime64[us]").astype(np.int64) / MICROSECONDS
    return np.where(np.isnat(moments), np.nan, days)


def as_number(array: Array) -> Floats:
    """Numbers of any type as floats, durations as days."""
    if array.dtype.kind == "m":
        return as_days(array.astype("timedelta64[us]").astype(np.int64).astype("datetime64[us]"))
    return array.astype(np.float64)


def as_numbers(series: Series) -> Floats:
    """A column of numbers as it is, of dates as days since 1970 in local time, of durations as days."""
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.replace_time_zone(None)
    given = series.to_numpy()
    if given.dtype.kind == "M":
        return as_days(given)
    if given.dtype.kind in "iuf":
        return given.astype(np.float64)
    if dtype.is_temporal():
        numbers: Floats = given.astype("datetime64[us]").astype(np.int64) / MICROSECONDS
        return np.where(series.is_null().to_numpy(), np.nan, numbers)
    if dtype.is_integer():  # pyarrow refuses to cast those above 2^53
        return np.array([np.nan if is_missing(value) else float(value) for value in series.to_list()], np.float64)
    return series.cast(nw.Float64).to_numpy().astype(np.float64)


def is_missing(value: object) -> bool:
    """Whether a value is None, nan, NaT or NA: anything not certain to equal itself."""
    if value is None:
        return True
    differs = value != value
    return bool(differs) if isinstance(differs, bool | np.bool_) else True


def as_text(value: object) -> str:
    """A value as the name of a category: 1, 1.0 and "1" are the same category, True is "True"."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
