"""How results show themselves: one line as text, a small table in a notebook, a dataframe for whatever comes next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from html import escape
from importlib.util import find_spec
from typing import Any, Literal

DIGITS, LONGEST = 6, 80  # of a number, and of the text of anything else
FRAMES: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")  # the last is always there

_DOWN, _UP = (Context(prec=DIGITS, rounding=rounding) for rounding in (ROUND_FLOOR, ROUND_CEILING))
_ROUNDING = {"lower": _DOWN, "lower_bound": _DOWN, "upper": _UP, "percent_of_no_data": _UP}


def at_most(number: float, digits: int = 2) -> str:
    """A few digits of a promise: never less than the number."""
    return f"{Context(digits, ROUND_CEILING).create_decimal(repr(float(number))):.{digits}g}"


def at_least(number: float, digits: int = 2) -> str:
    """A few digits of an assumption that promises rest on: never more than the number."""
    return f"{Context(digits, ROUND_FLOOR).create_decimal(repr(float(number))):.{digits}g}"


class Shown:
    """A result, a dataclass, that shows the facts that matter, under the names of its attributes."""

    def _facts(self) -> Mapping[str, object]:
        """What to show, in this order: all fields, unless a class has arrays or chooses fewer."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        facts = (f"{name}={_text(name, fact)}" for name, fact in self._facts().items())
        return f"{type(self).__name__}({', '.join(facts)})"

    def _repr_html_(self) -> str:
        facts = ((escape(name), escape(_text(name, fact))) for name, fact in self._facts().items())
        rows = "".join(f"<tr><th>{name}</th><td>{fact}</td></tr>" for name, fact in facts)
        return f"<table><caption>{type(self).__name__}</caption><tbody>{rows}</tbody></table>"


class Tabular(ABC):
    """A result that is a table, with one row per something."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Iterable[object]]:
        """The columns by name, all of the same length."""

    def to_frame(self) -> Any:
        """The numbers as a dataframe: of pandas where that is installed, else of polars, else a pyarrow table."""
        import narwhals.stable.v2 as nw

        backend = next(name for name in FRAMES if find_spec(name) is not None)
        return nw.from_dict(dict(self._columns()), backend=backend).to_native()


def _text(name: str, fact: object) -> str:
    """A few digits of a number, a bound rounded to its safe side; what is long is cut or only named."""
    if isinstance(fact, float):
        context, digits = _ROUNDING.get(name), repr(float(fact))
        return f"{float(digits if context is None else context.create_decimal(digits)):.{DIGITS}g}"
    text = repr(fact)
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 4]}...{text[-1]}" if isinstance(fact, str) else f"{type(fact).__name__}(...)"
