"""Dates written as text: one format for the whole column, read or refused, never guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError

Dates = NDArray[np.datetime64]

ISO = re.compile(r"\d{4}-\d{2}")
ZONE = re.compile(r"(?<=\d)\s*(?:Z|[+-]\d{2}(?::?\d{2})?)$")
ISO_OR_YEAR = re.compile(r"\d{4}(-\d{2}|$)")
CLOCK = r"(?:[ T,]\s*(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?\s*([AaPp][Mm])?)?"
THREE = re.compile(rf"\s*(\d{{1,4}})([./-])(\d{{1,2}})\2(\d{{1,4}}){CLOCK}\s*")
COMPACT = re.compile(r"(?:19|20|21)\d{6}")
DAYS = 19_000_101, 21_991_231  # as numbers
REMEDY = "give ISO dates such as 2026-11-16, or a column of dates"
CENTURY = 69  # two-digit years from here on belong to the last century, as in POSIX


@dataclass(frozen=True)
class Form:
    """How a column writes its dates: "ymd", "dmy" or "mdy", and the separator."""

    order: str
    separator: str


ISO_FORM, COMPACT_FORM = Form("ymd", "-"), Form("compact", "")


def read_dates(texts: Sequence[str], name: str, form: Form | None = None) -> tuple[Dates, Form] | None:
    """The dates in a column of text, and how they are written; ``None`` if the texts are something else.

    Dots mean day first. Slashes and dashes leave that open until some day exceeds 12. With ``form``, the texts must be
    written that way, or in ISO 8601.
    """
    if not texts:
        return None
    if all(map(ISO.match, texts)):
        found = read_iso(texts)
        return None if found is None else (found, ISO_FORM)
    parts = [THREE.fullmatch(text) for text in texts]
    if not all(parts):
        return None
    known = [part for part in parts if part]
    written = form if form is not None and _written_as(form, known) else form_of(known, name)
    return None if written is None else (_moments(known, written, name), written)


def read_iso(texts: Sequence[str]) -> Dates | None:
    """Dates in ISO 8601, by the local clock where there is a time zone; ``None`` if any text is something else."""
    if not all(map(ISO_OR_YEAR.match, texts)):  # numpy would read 'today' and 'NaT' as well
        return None
    try:
        return np.array([_local(text) for text in texts], dtype="datetime64[us]")
    except ValueError:
        return None


def read_compact(texts: Sequence[str]) -> Dates | None:
    """Days such as 20261116; ``None`` if any text is something else, or no such day exists."""
    if not all(map(COMPACT.fullmatch, texts)):
        return None
    return read_iso([f"{text[:4]}-{text[4:6]}-{text[6:]}" for text in texts])


def days_in(numbers: NDArray[np.float64], fewest: int) -> Dates | None:
    """The days that numbers such as 20261116 stand for, NaT where there is none.

    ``None`` unless all numbers are such days, and at least ``fewest`` of them differ.
    """
    known = ~np.isnan(numbers)
    inside = (numbers >= DAYS[0]) & (numbers <= DAYS[1]) & (numbers == np.rint(numbers))
    if not known.any() or not inside[known].all():
        return None
    distinct, place = np.unique(numbers[known], return_inverse=True)
    days = read_compact([f"{number:.0f}" for number in distinct]) if distinct.size >= fewest else None
    if days is None:
        return None
    found = np.full(numbers.size, np.datetime64("NaT"), days.dtype)
    found[known] = days[place]
    return found


def _local(text: str) -> str:
    """What the local clock shows, so that weekdays are local ones."""
    return ZONE.sub("", text) if len(text) > len("2026-11-16") else text


def form_of(parts: list[re.Match[str]], name: str, day_first: bool | None = None, remedy: str = REMEDY) -> Form | None:
    """How all dates are written, by ``day_first`` if that is given; ``None`` if the texts need not be dates."""
    separators = {part[2] for part in parts}
    first, last = ({len(part[k]) for part in parts} for k in (1, 4))
    example = parts[0].string
    if first == {4} and len(separators) == 1:
        return Form("ymd", separators.pop())
    if last not in ({4}, {2}) or len(separators) > 1:
        if 4 in first | last:
            other = next((p.string for p in parts if p[2] != parts[0][2] or len(p[4]) != len(parts[0][4])), example)
            raise InputError(f"column {name!r} holds {example!r} and {other!r}, dates in different formats; {remedy}")
        return None
    separator, two_digits = separators.pop(), last == {2}
    if day_first is not None:
        return Form("dmy" if day_first else "mdy", separator)
    if two_digits and (separator == "-" or not all(map(_could_be_a_date, parts))):
        return None
    if separator == ".":
        return Form("dmy", separator)
    if two_digits:
        raise InputError(f"column {name!r} holds {example!r}, where the year cannot be told from the day; {remedy}")
    return Form(_day_or_month_first(parts, name, remedy), separator)


def _could_be_a_date(part: re.Match[str]) -> bool:
    a, b, c = int(part[1]), int(part[3]), int(part[4])
    if part[2] == ".":
        return 1 <= a <= 31 and 1 <= b <= 12
    return any(1 <= day <= 31 and 1 <= month <= 12 for day, month in ((a, b), (b, a), (c, b)))


def _day_or_month_first(parts: list[re.Match[str]], name: str, remedy: str) -> str:
    """The order of day and month, decided by any day beyond 12."""
    day_first, month_first = (next((p.string for p in parts if int(p[k]) > 12), None) for k in (1, 3))
    if day_first is not None and month_first is not None:
        raise InputError(
            f"column {name!r} holds {day_first!r} and {month_first!r}, once with the day first and once with the "
            f"month; {remedy}"
        )
    if day_first is None and month_first is None:
        raise InputError(
            f"column {name!r} holds {parts[0].string!r} and the like, in which day and month cannot be told apart; "
            f"{remedy}"
        )
    return "dmy" if day_first is not None else "mdy"


def _written_as(form: Form, parts: list[re.Match[str]]) -> bool:
    year = 1 if form.order == "ymd" else 4
    return all(part[2] == form.separator and len(part[year]) in (2, 4) for part in parts)


def _moments(parts: list[re.Match[str]], form: Form, name: str) -> Dates:
    found = [moment_of(part, form) for part in parts]
    for part, moment in zip(parts, found, strict=True):
        if moment is None:
            first = {"ymd": "year", "dmy": "day", "mdy": "month"}[form.order]
            raise InputError(f"column {name!r} holds {part.string!r}, not a date with the {first} first; {REMEDY}")
    return np.array(found, dtype="datetime64[us]")


def moment_of(part: re.Match[str], form: Form) -> datetime | None:
    """A match of ``THREE`` as a date and time; ``None`` if there is no such day or time of day."""
    number = dict(zip(form.order, (int(part[1]), int(part[3]), int(part[4])), strict=True))
    try:
        return datetime(full_year(number["y"]), number["m"], number["d"]) + time_of_day(part, 5)
    except ValueError:
        return None


def full_year(year: int) -> int:
    """A year with its century."""
    return year if year >= 100 else year + (1900 if year >= CENTURY else 2000)


def time_of_day(part: re.Match[str], first: int) -> timedelta:
    """The groups of ``CLOCK``, starting with group ``first``, as the time since midnight."""
    hour, minute, second = (int(part[first + k] or 0) for k in (0, 1, 2))
    half: Any = (part[first + 4] or "").lower()
    if (half and not 1 <= hour <= 12) or hour > 23 or minute > 59 or second > 59:
        raise ValueError("not a time of day")
    if half:
        hour = hour % 12 + 12 * (half == "pm")
    return timedelta(hours=hour, minutes=minute, seconds=second + float(part[first + 3] or 0))
