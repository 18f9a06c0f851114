"""Rows that carry published digits only while the arguments are those of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from provend._validation import as_critical_ratio
from provend.newsvendor import Ratio
from provend.paper._item import Row, Value, row

PAPER_Q = Fraction(9, 10)  # in all numerical work of the paper


def is_paper(q: Ratio, *others: bool) -> bool:
    """Whether the arguments are the paper's: q = 9/10, and whatever else the item asks."""
    return as_critical_ratio(q) == PAPER_Q and all(others)


def number(what: str, computed: Value, digits: str | None, *, why: str = "") -> Row:
    """A number beside its printed digits; without digits it goes beyond the paper."""
    return row(what, computed, digits, beyond=digits is None, why=why)


def claim(what: str, fact: bool, *, claimed: bool = True, why: str = "") -> Row:
    """A statement that is true or not: one of the paper's or, with ``claimed=False``, one of ours."""
    return number(what, "holds" if fact else "fails", "holds" if claimed else None, why=why)


def picture(what: str, computed: Value, pictured: bool) -> Row:
    """A point of a curve; ``pictured`` if the paper draws that curve."""
    return row(what, computed, beyond=not pictured)


def curve(name: str, x: Iterable[int], y: Iterable[float], *, pictured: bool) -> list[Row]:
    """A few points of a curve against n, enough to draw it again."""
    return [picture(f"{name}, n = {n}", float(value), pictured) for n, value in zip(x, y, strict=True)]


def few(n: int, also: Sequence[int] = ()) -> list[int]:
    """About fifteen of 1..n, dense where curves bend, and those asked for."""
    return sorted({*(int(k) for k in np.unique(np.geomspace(1, n, 15).round())), *(k for k in also if 1 <= k <= n)})
