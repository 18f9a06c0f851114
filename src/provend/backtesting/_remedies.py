"""Remedies for a dataframe: the reader's are written for files, and name options that a backtest does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from provend._errors import InputError

REMEDIES = (
    (
        r"(not dates|has no dates); name the column of dates with date \(--date\)",
        r"\1; give dates, or call the column that has them 'ds'",
    ),
    (r"name the column of dates with date \(--date\)", "call the column of dates 'ds'"),
    (r"name (the column of demand|another) with demand \(--demand\)", r"call \1 'y'"),
    (r"; --[\w-]+\)", ")"),
    (r" \(--[^)]*\)", " of read_sales"),
)


@contextmanager
def of_tables() -> Iterator[None]:
    """Turn the remedies of an error into what can be done about a dataframe."""
    try:
        yield
    except InputError as error:
        told = str(error)
        for wrong, right in REMEDIES:
            told = re.sub(wrong, right, told)
        raise InputError(told) from None
