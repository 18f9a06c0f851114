"""Dates with the month's name, in the languages of most planners' files."""

from __future__ import annotations

import re
from datetime import datetime

from provend.tables.dates import CLOCK, full_year, time_of_day
from provend.tables.months import month_named

WORD = r"[^\W\d_]+"
DAY_FIRST = re.compile(
    rf"(\d{{1,2}})(?:st|nd|rd|th|\.)?[\s/-]*(?:of\s+|de\s+)?({WORD})\.?,?[\s/-]*(?:de\s+)?(\d{{4}}|\d{{2}}){CLOCK}"
)
MONTH_FIRST = re.compile(rf"({WORD})\.?[\s/-]*(\d{{1,2}})(?:st|nd|rd|th)?(?:,\s*|\s+|[/-])(\d{{4}}){CLOCK}")
MONTH = re.compile(rf"(0?[1-9]|1[0-2]|{WORD})\.?[\s./-]*((?:19|20|21)\d{{2}})")
WEEKDAY = re.compile(
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:r|rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|mo|di|mi|do|fr|sa|so)[.,]*\s+",
    re.IGNORECASE,
)


def without_weekday(text: str) -> str:
    """The text without a weekday's name in front."""
    plain = text.strip()
    found = WEEKDAY.match(plain)
    return plain if found is None else plain[found.end() :]


def read_named(text: str) -> datetime | None:
    """A date such as 16 Nov 2026, 16. November 2026, Nov 16, 2026 or 16-Nov-26; ``None`` if it is not one."""
    for pattern, day, month in ((DAY_FIRST, 1, 2), (MONTH_FIRST, 2, 1)):
        match = pattern.fullmatch(text)
        number = None if match is None else month_named(match[month])
        if match is not None and number is not None:
            try:
                return datetime(full_year(int(match[3])), number, int(match[day])) + time_of_day(match, 4)
            except ValueError:
                return None
    return None


def read_month(text: str) -> datetime | None:
    """The first day of a month such as Nov 2026, November 2026, 11.2026 or 11/2026; ``None`` if it is not one."""
    match = MONTH.fullmatch(text)
    if match is None:
        return None
    number = int(match[1]) if match[1].isdigit() else month_named(match[1])
    return None if number is None else datetime(int(match[2]), number, 1)
