"""What a page asks for, checked for form: kinds of values and sizes. Its meaning is checked where it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from provend.web._answers import Refused
from provend.web._wanted import Options

LONGEST = 200  # characters of a name or a number
MOST = 200  # names in a list
READ_OPTIONS = (
    "item", "date", "demand", "left_out", "columns", "decimal", "delimiter", "day_first", "negative", "duplicates",
    "missing", "stock_seen", "sold_out",
)  # fmt: skip


def read_options(given: object) -> Options:
    """How a table is to be read."""
    said = mapping(given, "options")
    for name in said:
        if name not in READ_OPTIONS:
            raise Refused(400, f"options: {name[:40]!r} is not known here; choose among {', '.join(READ_OPTIONS)}")
    found: dict[str, Any] = {name: text(value, name) for name, value in said.items() if name in _TEXTS and value}
    if said.get("item"):
        item = said["item"]
        found["item"] = names([item] if isinstance(item, str) else item, "item")
    if said.get("left_out"):
        found["left_out"] = names(said["left_out"], "left_out")
    if said.get("columns"):
        found["columns"] = tuple(texts(said["columns"], "columns").items())
    if said.get("day_first") is not None:
        found["day_first"] = flag(said["day_first"], "day_first")
    return Options(**found)


_TEXTS = ("date", "demand", "decimal", "delimiter", "negative", "duplicates", "missing", "stock_seen", "sold_out")


def mapping(value: object, name: str) -> Mapping[str, Any]:
    """An object; an empty one if nothing is given."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > MOST:
        raise Refused(400, f"{name}: give an object with up to {MOST} names")
    return value


def texts(value: object, name: str) -> dict[str, str]:
    """An object whose values are strings."""
    return {text(key, name): text(one, name) for key, one in mapping(value, name).items()}


def text(value: object, name: str) -> str:
    """A string that is not too long."""
    if not isinstance(value, str) or len(value) > LONGEST:
        raise Refused(400, f"{name}: give a text of up to {LONGEST} characters")
    return value


def names(value: object, name: str) -> tuple[str, ...]:
    """A list of strings."""
    if not isinstance(value, list) or len(value) > MOST:
        raise Refused(400, f"{name}: give a list of up to {MOST} names")
    return tuple(text(one, name) for one in value)


def flag(value: object, name: str) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise Refused(400, f"{name}: give true or false")
    return value


def number(value: object, name: str) -> float | str:
    """A number, or one written as text; a cost may also be the name of a column."""
    if isinstance(value, str) and value.strip():
        return text(value.strip(), name)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise Refused(400, f"{name}: give a number")
    return value


def count(value: object, name: str, most: int) -> int:
    """A whole number, at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Refused(400, f"{name}: give a whole number from 1 to {most}")
    return value


def pair(value: object, name: str) -> tuple[float | str, float | str] | None:
    """Two numbers, or nothing."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise Refused(400, f"{name}: give two numbers, the lowest and the highest, or null")
    return number(value[0], name), number(value[1], name)
