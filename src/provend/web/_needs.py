"""Questions: whatever can be read in two ways is asked about, in words that need no manual."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

Need = dict[str, Any]

# What the reader says when it refuses to guess, the option that settles it, the question, and its answers.
ASKED: tuple[tuple[str, str, str, dict[Any, str]], ...] = (
    (
        r"negative = 'clip'",
        "negative",
        "Some demands are below zero. What are they?",
        {"clip": "returns: take them as 0", "drop": "mistakes: leave these rows out"},
    ),
    (
        r"duplicates = 'sum'",
        "duplicates",
        "Several rows have the same item and date. What are they?",
        {"sum": "parts of one day: add them up", "last": "corrections: the last one counts"},
    ),
    (
        r"day_first \(--day-first",
        "day_first",
        "Which comes first in the dates?",
        {True: "the day: 05/06/2026 is in June", False: "the month: 05/06/2026 is in May"},
    ),
    (
        r"decimal = '\.' or ','",
        "decimal",
        "Which sign stands before decimals?",
        {".": "a point: 1.5 is one and a half", ",": "a comma: 1,5 is one and a half"},
    ),
    (
        r"or name the delimiter",
        "delimiter",
        "What stands between the fields of a row?",
        {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"},
    ),
    (r"demand \(--demand\)", "demand", "Which column holds the demand?", {}),
    (r"date \(--date\)", "date", "Which column holds the dates?", {}),
    (r"item \(--id\)", "item", "Which column, or columns, name the item?", {}),
)


ITEMS = re.compile(r"or name the column of items")  # several rows for a date, and a column that tells them apart


def need(complaint: str, names: Sequence[str], free: Sequence[str] = ()) -> Need | None:
    """The question behind a complaint of the reader; ``None`` if only another file can help.

    ``names`` are all columns, ``free`` those that are not yet taken for anything.
    """
    if ITEMS.search(complaint) and free:
        return {
            "option": "item",
            "question": "Several rows have the same date. Which column says of which item they are?",
            "why": complaint.split(";")[0],
            "choices": [
                *({"value": name, "label": name} for name in free),
                {"option": "duplicates", "value": "sum", "label": "none: they are parts of one day, add them up"},
            ],
            "several": False,
        }
    for pattern, option, question, answers in ASKED:
        if re.search(pattern, complaint):
            choices = answers or {name: name for name in names}
            return {
                "option": option,
                "question": question,
                "why": complaint.split(";")[0],
                "choices": [{"value": value, "label": label} for value, label in choices.items()],
                "several": option == "item",
            }
    return None
