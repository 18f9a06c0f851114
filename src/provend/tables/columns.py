"""What a column is taken for: a number, a category or a time, by one set of rules for every table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.dates import COMPACT_FORM, Form, days_in, read_dates
from provend.tables.labels import MISSING, as_labels, codes_in, is_blank, is_text, items_in
from provend.tables.native import as_dates
from provend.tables.values import Array, Given, Texts, as_days, as_number, as_numbers, is_missing

Floats = NDArray[np.float64]
Kind = Literal["number", "category", "time"]

KINDS = ("number", "category", "time")
FLAGS = {"1": "True", "0": "False", "true": "True", "false": "False"}  # the same flags, as another file has them
LARGEST = 1e100  # the largest number that can be squared and summed
MANY, NEARLY = 20, 0.9  # with at least this many rows and more than this share distinct, a category draws a warning
FEWEST_DAYS = 2  # distinct numbers that must be days, such as 20261116: one alone is an accident sooner than two


class ColumnWarning(UserWarning):
    """A column may be taken for what it is not, or holds a category of which nothing is known."""


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
        return distinct, codes_in(items, distinct)

    def holding(self, values: Array) -> Column:
        """The same column with other values."""
        return Column(self.name, self.kind, values, self.calendar, self.form, self.dates, self.flags)


def read_column(name: str, given: Given, *, kind: str | None = None, like: Column | None = None) -> Column:
    """Read a dataframe's series or an array's column as what it looks like, as ``kind``, or ``like`` another column.

    Dates, dates written as text in one format, numbers that are days, such as 20261116, and numbers that only rise or
    only fall and hardly repeat are times. Text, categories, booleans and times of day are categories, but for those of
    dates; everything else is a number.
    """
    given = as_dates(given) if isinstance(given, nw.Series) else given
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
    if kind == "time":
        return replace(_as_dates(found, 1), kind="time")
    return Column(name, "number", found.values, dates=found.calendar)


def _alike(name: str, given: Given, like: Column) -> Column:
    """The column, read in the same way as the history's column ``like``."""
    if like.kind == "category":
        labels = as_labels(given)
        return like.holding(np.array([_flag(one) for one in labels], object) if like.flags else labels)
    found = _quantity(name, given, like.form)
    if found is not None and (like.calendar or like.dates):
        found = _as_dates(found, 1)
    if found is None:
        what = "not a date as" if like.calendar else "not a number, unlike"
        raise InputError(f"column {name!r} holds {_odd_one(name, given, like)!r}, which is {what} in the history")
    if like.form == COMPACT_FORM and not found.calendar:
        odd = next(number for number in found.values if days_in(np.array([number]), 1) is None)
        raise InputError(f"column {name!r} holds {odd:.15g}, which is not a date as in the history; correct it")
    if found.calendar != (like.calendar or like.dates):
        what = "dates in the history and numbers here" if like.calendar else "numbers in the history and dates here"
        raise InputError(f"column {name!r} holds {what}; give the same in both")
    return like.holding(found.values)


def _by_its_looks(name: str, given: Given) -> Column:
    if _is_label(given):
        labels = Column(name, "category", as_labels(given))
        return replace(labels, flags={*labels.coded[0]} <= {*FLAGS.values(), MISSING})
    found = _quantity(name, given, None)
    found = found and _as_dates(found, FEWEST_DAYS)
    if found is not None and (found.calendar or not is_text(given)):
        return found if found.calendar or not runs_on(found.values) else replace(found, kind="time")
    labels = Column(name, "category", as_labels(given))
    if not _has_strays(name, given):
        _look_for_names(labels)
    return labels


def _flag(label: str) -> str:
    """True and False as the history has them."""
    return FLAGS.get(label.lower(), label)


def _as_dates(found: Column, fewest: int) -> Column:
    """Numbers as the days they stand for, if all of them do and so many differ; any other column as it is."""
    days = None if found.calendar else days_in(found.values, fewest)
    if days is None:
        return found
    for row in np.flatnonzero(np.isnat(days))[:1]:
        _lacks(found.name, int(row), f", or say columns={{{found.name!r}: 'number'}} if it holds no dates")
    return Column(found.name, "time", as_days(days), calendar=True, form=COMPACT_FORM)


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
    items = items_in(given)
    distinct = items.distinct if isinstance(items, Texts) else items
    if distinct is items or any(is_blank(item) for item in distinct):
        return _of_objects(name, items, form)
    found = _of_objects(name, distinct, form)  # a long column has few distinct texts
    return None if found is None else found.holding(found.values[codes_in(items, distinct)])


def _of_objects(name: str, items: list[Any], form: Form | None) -> Column | None:
    """Dates if all items are dates, numbers if all can be read as numbers."""
    known = [item for item in items if not is_blank(item)]
    dates: Array | None = None
    if known and all(isinstance(item, date | np.datetime64) for item in known):
        dates = as_days(np.array([_local(item) for item in known], dtype="datetime64[us]"))
    elif all(isinstance(item, str) for item in known):
        found = read_dates(known, name, form)
        if found is not None:
            dates, form = as_days(found[0]), found[1]
    if dates is not None:
        if len(known) < len(items):
            _lacks(name, next(row for row, item in enumerate(items) if is_blank(item)))
        return Column(name, "time", dates, calendar=True, form=form)
    try:
        numbers = np.array([np.nan if is_missing(item) else float(item) for item in items], dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return Column(name, "number", _ordinary(numbers, name))


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
    known = [item for item in items_in(given) if not is_missing(item)]
    if not known:
        return isinstance(given, nw.Series) and isinstance(given.dtype, nw.Unknown)
    return all(isinstance(item, bool | np.bool_) for item in known)


def _example(given: Given) -> object:
    return next((item for item in items_in(given) if not is_missing(item)), None)


def _odd_one(name: str, given: Given, like: Column) -> object:
    """A value of a kind that the history does not hold."""
    items = [item for item in items_in(given) if not is_missing(item)]
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


def _has_strays(name: str, given: Given) -> bool:
    """Whether few texts among numbers make a category of a column that is not declared as text; with a warning."""
    items = [] if is_text(given) else items_in(given)
    known = [row for row, item in enumerate(items) if not is_blank(item)]
    odd = [row for row in known if not _is_number(items[row])]
    if len(known) < MANY or len(odd) >= (1 - NEARLY) * len(known):
        return False
    warnings.warn(
        f"column {name!r} holds numbers but for {len(odd)} of {len(items)} rows, such as {items[odd[0]]!r} in row "
        f"{odd[0]}: as a category all its numbers are names; correct these rows or leave them empty (nan), or say "
        f"columns={{{name!r}: 'category'}}",
        ColumnWarning,
        stacklevel=2,
    )
    return True


def _is_number(item: Any) -> bool:
    try:
        float(item)
    except (TypeError, ValueError):
        return False
    return True


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


def _lacks(name: str, row: int, otherwise: str = "") -> None:
    raise InputError(f"column {name!r} lacks a date in row {row}; fill it in or drop the row{otherwise}")


def _ordinary(numbers: Floats, name: str) -> Floats:
    """The numbers, refused if any is infinite or too large to be squared and summed."""
    if not (np.abs(numbers) > LARGEST).any():
        return numbers
    for row in np.flatnonzero(np.isinf(numbers))[:1]:
        raise InputError(f"Input X contains infinity in column {name!r}, row {row}; correct it or leave it empty (nan)")
    value = numbers[np.abs(numbers) > LARGEST][0]
    raise InputError(f"column {name!r} holds {value:g}, beyond {LARGEST:g}; correct it or change the unit")
