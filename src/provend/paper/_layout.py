"""Tables 1 and 2 as the paper lays them out: the same numbers as in the rows, each in its printed place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from provend.paper._item import Result, Row

GENERAL, EXACT = "N general-purpose, corrected", "N exact, first met"
CELL = re.compile(rf"zeta = (\S+), target (\S+): ({GENERAL}|{EXACT})")
SIZE = re.compile(r"zeta = (\S+): effective sample size")


@dataclass(frozen=True)
class Line:
    """A line of a table: what stands before its numbers, and these."""

    labels: tuple[str, ...]
    cells: tuple[Row, ...]


@dataclass(frozen=True)
class Layout:
    """A table as printed.

    Attributes
    ----------
    over : str
        What stands above the columns of numbers.
    labels, columns : tuple of str
        The names of the columns before the numbers, and of those with numbers.
    lines : tuple of Line
        From the top.
    """

    over: str
    labels: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def laid_out(name: str, result: Result) -> Layout | None:
    """The table of an item as the paper prints it; ``None`` for items that are not such a table."""
    if name == "table1":
        return _needed(result.rows)
    if name == "table2":
        sizes = {found[1]: row for row in result.rows if (found := SIZE.fullmatch(row.what))}
        return Layout("zeta", ("",), tuple(sizes), (Line(("effective sample size",), tuple(sizes.values())),))
    return None


def _needed(rows: Sequence[Row]) -> Layout:
    """Two lines for each dissimilarity, a column for each target."""
    cells = {found.groups(): row for row in rows if (found := CELL.fullmatch(row.what))}
    zetas, targets = (tuple(dict.fromkeys(key[at] for key in cells)) for at in (0, 1))
    lines = tuple(
        Line((zeta if first else "", label), tuple(cells[zeta, target, kind] for target in targets))
        for zeta in zetas
        for first, label, kind in ((True, "N general-purpose", GENERAL), (False, "N exact", EXACT))
    )
    return Layout("Regret target (as % of no-data regret)", ("zeta", ""), targets, lines)
