"""What a column is taken for: a number, a category or a time, by one set of rules for every table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, Literal, cast

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.dates import Form, read_dates
from provend.tables.values import Array, Given, Series, Texts, as_days, as_number, as_numbers, as_text, is_missing

Floats = NDArray[np.float64]
Kind = Literal["number", "category", "time"]

KINDS = ("number", "category", "time")
MISSING = "(missing)"
FLAGS = {"1": "True", "0": "False"}  # the same flags, as another file has them
LARGEST = 1e100  # the largest number that can be squared and summed
MANY, NEARLY = 20, 0.9  # with at least this many rows and more than this share distinct, a category draws a warning


class ColumnWarning(UserWarning):
    """A text column taken for a category has (nearly) as many levels as rows."""


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
    form : Form, optional
        How the dates were written, if they were text.
    dates : bool
        Whether the numbers were dates that the user asked to have read as numbers.
    flags : bool
        Whether the labels are True and False, which other tables may have as 1 and 0.
    """

    name: str
    kind: Kind
    values: Array
    calendar: bool = False
    form: Form | None = None
    dates: bool = False
    flags: bool = False

    @cached_property
    def coded(self) -> tuple[list[str], NDArray[np.intp]]:
        """The distinct labels in order of first appearance, and which of them each row has: they are few."""
        items = self.values.tolist()
        distinct: list[str] = list(dict.fromkeys(items))
        return distinct, _codes(items, distinct)

    def holding(self, values: Array) -> Column:
        """The same column with other values."""
        return Column(self.name, self.kind, values, self.calendar, self.form, self.dates, self.flags)


def read_column(name: str, given: Given, *, kind: str | None = None, like: Column | None = None) -> Column:
    """Read a dataframe's series or an array's column as what it looks like, as ``kind``, or ``like`` another column.

    Dates, dates written as text in one format, and numbers that only rise or only fall and hardly repeat are times.
    Text, categories, booleans and times of day are categories; everything else is a number.
    """
    if isinstance(given, nw.Series) and given.dtype.is_nested():
        raise InputError(f"column {name!r} is of type {given.dtype}; a context is a number, a date or text")
    if like is not None:
        return _alike(name, given, like)
    if kind is None:
        return _by_its_looks(name, given)
    if kind not in KINDS:
        raise InputError(f"columns: {name!r} cannot be a {kind!r}; choose one of {', '.join(KINDS)}")
    if kind == "category":
        return Column(name, "category", as_labels(given))
    found = _quantity(name, given, None)
    if found is None:
        what = "neither a number nor a date" if kind == "time" else "not a number"
        raise InputError(f"columns: {name!r} is called a {kind} but holds {_example(given)!r}, {what}; correct one")
    return replace(found, kind="time") if kind == "time" else Column(name, "number", found.values, dates=found.calendar)


def _alike(name: str, given: Given, like: Column) -> Column:
    """The column, read in the same way as the history's column ``like``."""
    if like.kind == "category":
        labels = as_labels(given)
        return like.holding(np.array([FLAGS.get(one, one) for one in labels], object) if like.flags else labels)
    found = _quantity(name, given, like.form)
    if found is None:
        what = "not a date as" if like.calendar else "not a number, unlike"
        raise InputError(f"column {name!r} holds {_odd_one(name, given, like)!r}, which is {what} in the history")
    if found.calendar != (like.calendar or like.dates):
        what = "dates in the history and numbers here" if like.calendar else "numbers in the history and dates here"
        raise InputError(f"column {name!r} holds {what}; give the same in both")
    return like.holding(found.values)


def _by_its_looks(name: str, given: Given) -> Column:
    if _is_label(given):
        labels = Column(name, "category", as_labels(given))
        return replace(labels, flags={*labels.coded[0]} <= {*FLAGS.values(), MISSING})
    found = _quantity(name, given, None)
    if found is not None and (found.calendar or not _is_text(given)):
        return found if found.calendar or not runs_on(found.values) else replace(found, kind="time")
    labels = Column(name, "category", as_labels(given))
    _look_for_names(labels)
    return labels


def _quantity(name: str, given: Given, form: Form | None) -> Column | None:
    """A column of numbers, or of dates as days; ``None`` if it holds neither."""
    if isinstance(given, nw.Series) and not isinstance(given.dtype, nw.Object | nw.String):
        if isinstance(given.dtype, nw.Datetime | nw.Date):
            return Column(name, "time", _dated(as_numbers(given), name), calendar=True)
        if given.dtype.is_numeric() or isinstance(given.dtype, nw.Duration):
            return Column(name, "number", _ordinary(as_numbers(given), name))
    elif isinstance(given, np.ndarray) and given.dtype.kind == "M":
        return Column(name, "time", _dated(as_days(given), name), calendar=True)
    elif isinstance(given, np.ndarray) and given.dtype.kind in "fium":
        return Column(name, "number", _ordinary(as_number(given), name))
    items = _items(given)
    distinct = items.distinct if isinstance(items, Texts) else items
    if distinct is items or any(_is_blank(item) for item in distinct):
        return _of_objects(name, items, form)
    found = _of_objects(name, distinct, form)  # a long column has few distinct texts
    return None if found is None else found.holding(found.values[_codes(items, distinct)])


def _codes(items: list[Any], distinct: list[Any]) -> NDArray[np.intp]:
    """For each item, the index of the distinct item it equals."""
    place = {item: at for at, item in enumerate(distinct)}
    return np.fromiter(map(place.__getitem__, items), np.intp, len(items))


def _of_objects(name: str, items: list[Any], form: Form | None) -> Column | None:
    """Dates if all items are dates, numbers if all can be read as numbers."""
    known = [item for item in items if not _is_blank(item)]
    dates: Array | None = None
    if known and all(isinstance(item, date | np.datetime64) for item in known):
        dates = as_days(np.array([_local(item) for item in known], dtype="datetime64[us]"))
    elif all(isinstance(item, str) for item in known):
        found = read_dates(known, name, form)
        if found is not None:
            dates, form = as_days(found[0]), found[1]
    if dates is not None:
        if len(known) < len(items):
            _lacks(name, next(row for row, item in enumerate(items) if _is_blank(item)))
        return Column(name, "time", dates, calendar=True, form=form)
    try:
        numbers = np.array([np.nan if is_missing(item) else float(item) for item in items], dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return Column(name, "number", _ordinary(numbers, name))


def _is_blank(item: object) -> bool:
    return is_missing(item) or (isinstance(item, str) and not item.strip())


def _local(moment: date | np.datetime64) -> date | np.datetime64:
    """What the local clock shows, so that weekdays are local ones."""
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else moment


def _is_label(given: Given) -> bool:
    """Whether the type of the values makes them labels."""
    if isinstance(given, nw.Series):
        if isinstance(given.dtype, nw.Boolean | nw.Categorical | nw.Enum | nw.Time):
            return True
        if not isinstance(given.dtype, nw.Object | nw.Unknown):  # narwhals does not know every time zone
            return False
    elif isinstance(given, Texts) or given.dtype.kind not in "bO":
        return False
    known = [item for item in _items(given) if not is_missing(item)]
    if not known:
        return isinstance(given, nw.Series) and isinstance(given.dtype, nw.Unknown)
    return all(isinstance(item, bool | np.bool_) for item in known)


def _is_text(given: Given) -> bool:
    """Whether a dataframe declares the column as text; it then stays text, even if it could be read as numbers."""
    return isinstance(given, Texts) or (isinstance(given, nw.Series) and isinstance(given.dtype, nw.String))


def _items(given: Given) -> list[Any]:
    """The values one by one, as texts if they are declared as such."""
    if isinstance(given, Texts):
        return given
    items = given.to_list() if isinstance(given, nw.Series) else given.tolist()
    return Texts(items) if _is_text(given) else cast("list[Any]", items)


def as_labels(given: Given) -> Array:
    """The values of a series or an array as text, to be compared for equality only."""
    items = _items(given)
    distinct = items.distinct if isinstance(items, Texts) else items
    texts = np.array([MISSING if is_missing(item) else as_text(item) for item in distinct], dtype=object)
    return texts if distinct is items else texts[_codes(items, distinct)]


def codes_and_labels(given: Series) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    """The :func:`as_labels` of a series: which of the distinct labels each value has, and the distinct labels."""
    if isinstance(given.dtype, nw.String | nw.Categorical) and not given.is_null().any():  # many rows, few labels
        coded = given.to_arrow()
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded  # concatenated frames
        if not pa.types.is_dictionary(coded.type):
            coded = coded.dictionary_encode()
        code = np.asarray(coded.indices, np.intp)
        used = np.bincount(code, minlength=len(coded.dictionary)) > 0
        names = coded.dictionary.filter(used).to_pylist()
        if not pa.types.is_string(coded.dictionary.type):
            names = [as_text(name) for name in names]
        return (np.cumsum(used) - 1)[code], np.array(names, np.str_)
    texts = as_labels(given).tolist()
    distinct = list(dict.fromkeys(texts))
    return _codes(texts, distinct), np.array(distinct, np.str_)


def codes_of(values: Array) -> NDArray[np.intp]:
    """Whole numbers from 0, in order of first appearance, equal where the values are equal."""
    if values.dtype.kind == "O":
        items = values.tolist()
        return _codes(items, list(dict.fromkeys(items)))
    plain = values + 0.0 if values.dtype.kind == "f" else values  # zero has no sign
    return np.asarray(pa.array(plain).dictionary_encode().indices, np.intp)  # by hashing, which is faster than sorting


def _example(given: Given) -> object:
    return next((item for item in _items(given) if not is_missing(item)), None)


def _odd_one(name: str, given: Given, like: Column) -> object:
    """A value of a kind that the history does not hold."""
    items = [item for item in _items(given) if not is_missing(item)]
    return next((item for item in items if _of_objects(name, [item], like.form) is None), _example(given))


def texts_of(column: Column) -> Array:
    """The values as text, by which levels are told apart."""
    return column.values if column.kind == "category" else as_labels(column.values)


def is_code(values: Floats, levels: int) -> bool:
    """Whether numbers look like codes: whole, with few distinct values that repeat."""
    known = values[~np.isnan(values)]
    return 3 <= levels <= 31 and values.size >= 3 * levels and bool((known == np.round(known)).all())


def runs_on(numbers: Floats) -> bool:
    """Whether numbers look like a day counter or an age: ordered by row, and mostly distinct."""
    steps = numbers[1:] - numbers[:-1]
    if numbers.size < 8 or not ((steps >= 0).all() or (steps <= 0).all()):  # most columns end here, soon
        return False
    return bool(np.isfinite(steps).all() and 2 * np.unique(numbers).size > numbers.size)


def _look_for_names(labels: Column) -> None:
    texts, levels = labels.values, len(labels.coded[0])
    if texts.size >= MANY and levels > NEARLY * texts.size:
        warnings.warn(
            f"column {labels.name!r} holds {levels} different texts in {texts.size} rows, such as {texts[0]!r}: as a "
            "category it tells all rows apart and says nothing about new ones; leave it out, or give dates in ISO form",
            ColumnWarning,
            stacklevel=2,
        )


def _dated(days: Floats, name: str) -> Floats:
    if np.isnan(days).any():
        _lacks(name, int(np.isnan(days).argmax()))
    return days


def _lacks(name: str, row: int) -> None:
    raise InputError(f"column {name!r} lacks a date in row {row}; fill it in or drop the row")


def _ordinary(numbers: Floats, name: str) -> Floats:
    """The numbers, refused if any is infinite or too large to be squared and summed."""
    if not (np.abs(numbers) > LARGEST).any():
        return numbers
    for row in np.flatnonzero(np.isinf(numbers))[:1]:
        raise InputError(f"Input X contains infinity in column {name!r}, row {row}; correct it or leave it empty (nan)")
    value = numbers[np.abs(numbers) > LARGEST][0]
    raise InputError(f"column {name!r} holds {value:g}, beyond {LARGEST:g}; correct it or change the unit")
