"""A column of dates written as text: one notation for all of them, decided by all of them together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time

import numpy as np

from provend._errors import InputError
from provend.tables.dates import COMPACT_FORM, ISO, ISO_FORM, THREE, Form, form_of, moment_of, read_compact, read_iso
from provend.tables.reading.months import read_month, read_named, without_weekday
from provend.tables.reading.numbers import read_number

LAST_HOUR = re.compile(r"\D24:00(:00(\.0*)?)?\s*$")
WEEK = re.compile(r"(\d{4})[-/ ]?(?:W|KW)\.? ?(\d{1,2})|(?:W|KW)\.? ?(\d{1,2})[-/ ](\d{4})", re.IGNORECASE)
NAMED_FORM, NUMBER_FORM, WEEK_FORM, MONTH_FORM, SERIAL_FORM = (
    Form(what, "") for what in ("named", "number", "week", "month", "serial")
)
FORMS = {"iso": ISO_FORM} | {
    one.order: one for one in (COMPACT_FORM, NAMED_FORM, NUMBER_FORM, WEEK_FORM, MONTH_FORM, SERIAL_FORM)
}
SERIAL_ZERO = np.datetime64("1899-12-30", "us")  # where the count of days begins in spreadsheets
SERIAL = (36_526, 73_051)  # from 2000 to 2099: a count of steps hardly begins and ends there
REMEDY = "say which comes first with day_first (--day-first or --month-first), or give ISO dates such as 2026-11-16"
EXAMPLES = "give dates such as 2026-11-16, 16.11.2026, 16 Nov 2026 or 20261116"
MIDNIGHT = "24:00 ends a day: leave the time out where a row is about a day, or write 00:00 of the next day"
ODD = 5  # if more than one in this many values is not a date, the column is wrong rather than the values

Moment = np.datetime64 | float


def decide_dates(name: str, texts: Sequence[str], day_first: bool | None) -> Form:
    """How most of the texts write a date; two notations in one column are refused, and so are ambiguous dates."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(_family(text), []).append(text)
    strange = groups.pop("", [])
    if "number" in groups and len(groups) > 1 and ODD * len(groups["number"]) <= len(texts):
        strange += groups.pop("number")
    if ODD * len(strange) > len(texts) or not groups:
        raise InputError(
            f"column {name!r} holds {strange[0]!r} and the like, which are not dates; "
            + (MIDNIGHT if is_midnight(strange[0]) else EXAMPLES)
            + ", or name the column of dates with date (--date)"
        )
    if len(groups) > 1:
        one, other = (found[0] for found in list(groups.values())[:2])
        raise InputError(f"column {name!r} holds {one!r} and {other!r}, dates in different formats; make them alike")
    family, known = groups.popitem()
    if family == "three":
        return _of_three_numbers(name, known, day_first)
    if family == "number" and all(_serial(text) is not None for text in known):
        return SERIAL_FORM
    return FORMS[family]


def _serial(text: str) -> np.datetime64 | None:
    """The day of this century that a whole number stands for in a spreadsheet."""
    days = read_number(text, ".")
    if days is None or not SERIAL[0] <= days < SERIAL[1] or days % 1:
        return None
    return SERIAL_ZERO + np.timedelta64(int(days), "D")


def _of_three_numbers(name: str, texts: Sequence[str], day_first: bool | None) -> Form:
    matches = (THREE.fullmatch(without_weekday(text)) for text in texts)
    found = form_of([match for match in matches if match], name, day_first, REMEDY)
    if found is None:
        raise InputError(f"column {name!r} holds {texts[0]!r}, in which the year cannot be told; {REMEDY}")
    return found


def _family(text: str) -> str:
    """The notation of a text; empty if it is not a date."""
    plain = without_weekday(text)
    if WEEK.fullmatch(plain):
        return "week" if read_moment(plain, WEEK_FORM) is not None else ""
    if ISO.match(plain):
        return "iso" if read_moment(plain, ISO_FORM) is not None else ""
    if THREE.fullmatch(plain):
        return "three"
    if read_month(plain) is not None:
        return "month"
    if read_compact([plain]) is not None:
        return "compact"
    if read_number(plain, ".") is not None:
        return "number"
    return "named" if read_named(plain) is not None else ""


def is_midnight(text: str) -> bool:
    """Whether a text has the time 24:00, which may belong to the day that ends or to the one that begins."""
    return LAST_HOUR.search(text) is not None


def is_date(text: str) -> bool:
    """Whether a text is a date or a number in any notation."""
    return _family(text) != ""


def read_moment(text: str, form: Form) -> Moment | None:
    """The date, in local time where there is a time zone, or the number; ``None`` if it is neither."""
    plain = without_weekday(text)
    if form == NUMBER_FORM:
        return read_number(plain, ".")
    if form == SERIAL_FORM and read_number(plain, ".") is not None:
        return _serial(plain)
    if form == NAMED_FORM:
        return _stored(read_named(plain))
    if form == MONTH_FORM and (month := read_month(plain)):
        return _stored(month)
    if form == WEEK_FORM and (week := WEEK.fullmatch(plain)):
        return _stored(_monday(week))
    if ISO.match(plain) or form == COMPACT_FORM:  # future dates may be ISO, however the others are written
        found = read_compact([plain]) if form == COMPACT_FORM else read_iso([plain])
        return None if found is None else found[0]
    match = THREE.fullmatch(plain)
    return None if match is None or form in FORMS.values() else _stored(_of_match(match, form))


def _monday(match: re.Match[str]) -> datetime | None:
    """The first day of an ISO 8601 week; ``None`` if the year has no such week."""
    year, week = (match[1], match[2]) if match[1] else (match[4], match[3])
    try:
        return datetime.combine(date.fromisocalendar(int(year), int(week), 1), time())
    except ValueError:
        return None


def _of_match(match: re.Match[str], form: Form) -> datetime | None:
    year = match[1 if form.order == "ymd" else 4]
    return moment_of(match, form) if match[2] == form.separator and len(year) in (2, 4) else None


def _stored(moment: datetime | None) -> np.datetime64 | None:
    return None if moment is None else np.datetime64(moment, "us")


def in_words(form: Form) -> str:
    """How dates are written, in words."""
    words = {"y": "year", "m": "month", "d": "day"}
    if form == ISO_FORM:
        return "ISO dates"
    if form == NUMBER_FORM:
        return "numbers"
    if form == SERIAL_FORM:
        return "days counted as in spreadsheets, 45292 being 2024-01-01"
    if form == COMPACT_FORM:
        return "yearmonthday, as in 20261116"
    if form == NAMED_FORM:
        return "dates with names of months"
    if form == WEEK_FORM:
        return "ISO weeks, each as its Monday"
    if form == MONTH_FORM:
        return "months, each as its first day"
    return form.separator.join(words[letter] for letter in form.order)
