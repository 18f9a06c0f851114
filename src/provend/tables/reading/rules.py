"""How a table is read: decided once, at a first look, and then the same for every batch of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from provend._errors import InputError
from provend.tables.dates import Form
from provend.tables.reading.moments import NUMBER_FORM, decide_dates
from provend.tables.reading.numbers import DECIMALS, decide_decimal, is_nothing, read_number
from provend.tables.reading.roles import Roles

NEGATIVE = ("refuse", "clip", "drop")
DUPLICATES = ("refuse", "sum", "last", "keep")
MISSING = ("drop", "zero", "keep", "refuse")
TOTALS = frozenset(
    ("total", "totals", "totale", "total general", "grand total", "sum", "suma", "summe", "gesamt", "gesamtsumme")
)


@dataclass(frozen=True)
class Choices:
    """The user's choices: how text is written, and what becomes of rows that are not usable as they are."""

    decimal: str | None = None
    day_first: bool | None = None
    negative: str = "refuse"
    duplicates: str = "refuse"
    missing: str = "drop"

    def __post_init__(self) -> None:
        for name, allowed in (("negative", NEGATIVE), ("duplicates", DUPLICATES), ("missing", MISSING)):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} = {getattr(self, name)!r} is unknown; choose one of {', '.join(allowed)}")
        if self.decimal is not None and self.decimal not in DECIMALS:
            raise InputError(f"decimal = {self.decimal!r} is unknown; choose '.' or ','")


@dataclass(frozen=True)
class Rules:
    """Everything needed to read a row.

    Attributes
    ----------
    roles : Roles
        The role of each column.
    choices : Choices
        As given by the user.
    decimal : str
        The decimal sign.
    dates : Form, optional
        How dates are written, if they are text or numbers.
    numbers : frozenset of str
        Contexts that are numbers, but written as text.
    totals : frozenset of str
        Items that are the sum of others.
    """

    roles: Roles
    choices: Choices
    decimal: str = "."
    dates: Form | None = None
    numbers: frozenset[str] = frozenset()
    totals: frozenset[str] = frozenset()

    @property
    def day_first(self) -> bool | None:
        """Whether days or months come first in dates; ``None`` if neither does."""
        return None if self.dates is None else {"dmy": True, "mdy": False}.get(self.dates.order)


def decide_rules(look: pa.Table, roles: Roles, choices: Choices) -> Rules:
    """Decide how to read each column from all its values together."""
    texts = {name: distinct_texts(look[name]) for name in (roles.demand, *roles.contexts) if is_text(look[name].type)}
    decimal = choices.decimal or _decimal(roles, texts)
    numbers = frozenset(name for name in roles.contexts if _are_numbers(texts.get(name, ()), decimal))
    dates = None if roles.date is None else _dates(look, roles.date, choices)
    return Rules(roles, choices, decimal, dates, numbers, _totals(look, roles))


def is_text(kind: pa.DataType) -> bool:
    """Whether values are text, dictionary-encoded or not."""
    if types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def distinct_texts(column: pa.ChunkedArray) -> list[str]:
    """The distinct texts that say something, stripped of surrounding space."""
    found = pc.unique(column.cast(pa.string())).drop_null().to_pylist()
    return list(dict.fromkeys(text.strip() for text in found if not is_nothing(text)))


def _decimal(roles: Roles, texts: Mapping[str, Sequence[str]]) -> str:
    """The decimal sign, by the demands or, if these leave it open, by contexts that are numbers throughout."""
    others = (texts[name] for name in roles.contexts if name in texts)
    numbers = [one for one in others if any(all(read_number(t, sign) is not None for t in one) for sign in DECIMALS)]
    return decide_decimal(roles.demand, texts.get(roles.demand, ()), numbers)


def _are_numbers(texts: Sequence[str], decimal: str) -> bool:
    """Whether all texts are numbers; codes such as 007 are not."""
    coded = any(len(text) > 1 and text[0] == "0" and text[1].isdigit() for text in texts)
    return bool(texts) and not coded and all(read_number(text, decimal) is not None for text in texts)


def _dates(look: pa.Table, name: str, choices: Choices) -> Form | None:
    """How dates are written; ``None`` if the column holds dates already."""
    column = look[name]
    if types.is_date(column.type) or types.is_timestamp(column.type):
        return None
    if types.is_integer(column.type) or types.is_floating(column.type) or types.is_decimal(column.type):
        whole = types.is_integer(column.type)
        texts = [str(value) for value in pc.unique(column).drop_null().to_pylist()] if whole else []
        return decide_dates(name, texts, None) if texts else NUMBER_FORM
    if isinstance(column.type, pa.BaseExtensionType):  # of pandas
        raise InputError(f"column {name!r} holds periods, not dates; give their first days, by .dt.to_timestamp()")
    if not is_text(column.type):
        raise InputError(
            f"column {name!r} is of type {column.type}, not dates; name the column of dates with date (--date)"
        )
    texts = distinct_texts(column)
    if not texts:
        raise InputError(f"column {name!r} has no dates; name the column of dates with date (--date)")
    return decide_dates(name, texts, choices.day_first)


def _totals(look: pa.Table, roles: Roles) -> frozenset[str]:
    """Items that are called a total and have just one row."""
    found: set[str] = set()
    for name in (one for one in roles.ids if is_text(look[one].type)):
        counts = pc.value_counts(pc.utf8_trim_whitespace(look[name].cast(pa.string())))
        once = counts.filter(pc.equal(counts.field("counts"), 1)).field("values").drop_null().to_pylist()
        found |= {text for text in once if text.strip(" :").casefold() in TOTALS}
    return frozenset(found)
