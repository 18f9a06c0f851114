"""Numbers as people write them: decimal points or commas, separated thousands, leading or trailing signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from provend._errors import InputError

DECIMALS = (".", ",")
CURRENCY = re.compile(r"^[€$£¥]\s*(?=[\d.,(+-])|(?<=[\d.,)-])\s*(?:[€$£¥]|EUR|USD|GBP|CHF)$")
SPACES = " \u00a0\u2009\u202f'’"  # thousands separators, whatever the decimal sign
NOTHING = frozenset(
    {"", "-", "--", "–", "—", ".", "?", "#n/a", "#nv", "n/a", "na", "nan", "nil", "none", "null", "(null)"}
)


@cache
def _pattern(decimal: str) -> re.Pattern[str]:
    apart = SPACES + ("," if decimal == "." else ".")
    whole = rf"(?:\d+|[1-9]\d{{0,2}}(?P<apart>[{apart}])\d{{3}}(?:(?P=apart)\d{{3}})*)"
    mark = re.escape(decimal)
    return re.compile(rf"(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def is_nothing(text: str) -> bool:
    """Whether a cell says that there is no number, as "", "n/a" and "-" do."""
    return text.strip().casefold() in NOTHING


def read_number(text: str, decimal: str) -> float | None:
    """The number that a text stands for under this decimal sign; ``None`` if it is not a number."""
    body, sign = CURRENCY.sub("", text.strip()), 1.0
    if body.startswith("(") and body.endswith(")"):  # as bookkeepers write negative numbers
        body, sign = body[1:-1], -1.0
    elif body[:1] in ("+", "-", "−"):
        body, sign = body[1:].lstrip(), 1.0 if body[0] == "+" else -1.0
    elif body.endswith("-"):
        body, sign = body[:-1].rstrip(), -1.0
    match = _pattern(decimal).fullmatch(body)
    if match is None:
        return None
    if match["apart"]:
        body = body.replace(match["apart"], "")
    return sign * float(body.replace(decimal, "."))


def decide_decimal(name: str, texts: Sequence[str], others: Iterable[Sequence[str]]) -> str:
    """The decimal sign by all texts of a column together or, if these leave it open, by ``others`` in the file.

    "1,234" may be 1234 or 1.234; "12,5" and "1.234.567" can be read in only one way, and settle the matter.
    """
    signs = _only(texts)
    if len(signs) > 1:
        one, other = signs.values()
        raise InputError(
            f"column {name!r} holds {one!r} and {other!r}, numbers with a point and with a comma before the decimals; "
            "make them alike, or say which with decimal = '.' or ',' (--decimal)"
        )
    for found in (signs, *map(_only, others)):
        if len(found) == 1:
            return next(iter(found))
    for text in texts:
        if read_number(text, ".") != read_number(text, ","):
            raise InputError(
                f"column {name!r} holds {text!r} and the like, where the sign may separate decimals or thousands; "
                "say which sign stands before decimals with decimal = '.' or ',' (--decimal)"
            )
    return "."


def _only(texts: Sequence[str]) -> dict[str, str]:
    """The decimal signs that some text needs in order to be a number, each with such a text."""
    found: dict[str, str] = {}
    for text in texts:
        readable = [sign for sign in DECIMALS if read_number(text, sign) is not None]
        if len(readable) == 1:
            found.setdefault(readable[0], text)
    return found
