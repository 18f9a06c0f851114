"""Tables 1 and 2 as the paper lays them out: the same numbers as in the rows, each in its printed place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from provend.paper import _mixtures, _samples
from provend.paper._item import Result, Row

GENERAL, EXACT = "N general-purpose, corrected", "N exact, first met"


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
    rows = {row.what: row for row in result.rows}
    if name == "table1":
        lines = tuple(_needed(rows, _samples.ZETAS, _samples.TARGETS))
        return Layout("Regret target (as % of no-data regret)", ("zeta", ""), _samples.TARGETS, lines)
    if name == "table2":
        cells = tuple(rows[f"zeta = {zeta:g}: effective sample size"] for zeta in _mixtures.ZETAS)
        columns = tuple(f"{zeta:g}" for zeta in _mixtures.ZETAS)
        return Layout("zeta", ("",), columns, (Line(("effective sample size",), cells),))
    return None


def _needed(rows: dict[str, Row], zetas: Sequence[float], targets: Sequence[str]) -> Iterator[Line]:
    """Two lines for each dissimilarity."""
    for zeta in zetas:
        for label, kind in (("N general-purpose", GENERAL), ("N exact", EXACT)):
            cells = tuple(rows[f"zeta = {zeta:g}, target {target}: {kind}"] for target in targets)
            yield Line((f"{zeta:g}" if kind == GENERAL else "", label), cells)
