"""How a table was understood and what was left out, for people and for their programs."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from provend.tables.reading.merging import Gaps, find_gaps
from provend.tables.reading.moments import in_words
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.rules import TOTALS, Rules
from provend.tables.reading.source import Source

SHOWN = 4  # rows listed per reason
MARKS = {"\t": "tabs", " ": "spaces"}


@dataclass(frozen=True, eq=False)
class SalesReport:
    """How a table was read.

    Attributes
    ----------
    rows, items, dates : int
        How many of each the table that was read has.
    first, last : str
        The earliest and the latest date.
    names : mapping
        The columns of items ("unique_id"; several are separated by commas), dates ("ds") and demand ("y").
    written : mapping
        How "dates" and "decimals" were read and, for text files, "encoding" and "delimiter".
    contexts : tuple of str
        All other columns.
    set_aside, changed : pyarrow.Table
        Rows that are not used, and rows whose demand was changed: ``row``, ``column``, ``value``, ``reason``. Rows of
        files are counted as in a spreadsheet, with the names in row 1; those of dataframes from 0.
    gaps : Gaps, optional
        Dates that items lack.
    notes : tuple of str
        Anything else worth knowing.
    """

    rows: int
    items: int
    dates: int
    first: str
    last: str
    names: dict[str, str]
    written: dict[str, str]
    contexts: tuple[str, ...]
    set_aside: pa.Table
    changed: pa.Table
    gaps: Gaps | None = None
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """A few lines for people."""
        rows = (*on_rows(self.set_aside, "set aside"), *on_rows(self.changed, "changed"))
        return [self._size(), self._columns(), *rows, *self._gaps(), *self.notes]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, object]:
        """The report for JSON, with every row listed."""
        names = ("rows", "items", "dates", "first", "last", "names", "written", "contexts", "notes")
        plain = {name: getattr(self, name) for name in names}
        gaps = None if self.gaps is None else vars(self.gaps)
        return {**plain, "gaps": gaps, "set_aside": self.set_aside.to_pylist(), "changed": self.changed.to_pylist()}

    def _size(self) -> str:
        span = f", {self.first} to {self.last}" if self.dates else ""
        dates = f"{counted(self.dates, 'date')} x " if self.dates else ""
        return f"{counted(self.rows, 'row')}: {dates}{counted(self.items, 'item')}{span}"

    def _columns(self) -> str:
        ids = self.names.get("unique_id")
        parts = [f"items in `{ids}`" if ids else "no column of items: one item"]
        if "ds" in self.names:
            parts.append(f"`{self.names['ds']}` read as {self.written['dates']}")
        parts.append(f"demand in `{self.names['y']}`")
        if self.written.get("decimals") == ",":
            parts.append("decimals after a comma")
        if "delimiter" in self.written:
            mark = self.written["delimiter"]
            parts.append(f"{self.written['encoding']} with {MARKS.get(mark, repr(mark))} between fields")
        return ", ".join(parts)

    def _gaps(self) -> list[str]:
        if self.gaps is None:
            return []
        gaps = self.gaps
        items = f"{counted(gaps.items, 'item')} lack{'s' if gaps.items == 1 else ''}"
        return [f"{items} {counted(gaps.missing, 'date')} in between (steps of {gaps.step:g}), such as {gaps.example}"]


def on_rows(table: pa.Table, what: str) -> list[str]:
    """One line that says what became of rows and why; no line if there are no rows."""
    if not table.num_rows:
        return []
    return [f"{counted(table.num_rows, 'row')} {what}: {'; '.join(_reasons(table))}"]


def counted(number: int, what: str) -> str:
    """A number of things in words: "1 row", "2 rows"."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _reasons(table: pa.Table) -> list[str]:
    """The first few rows for each reason."""
    groups: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for one in table.to_pylist():
        groups.setdefault((one["reason"], one["column"]), []).append((one["row"], one["value"]))
    found = []
    for (reason, column), rows in groups.items():
        shown = ", ".join(str(row) for row, _ in rows[:SHOWN]) + (
            f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
        )
        value = f" ({rows[0][1][:40]!r} in `{column}`)" if column and rows[0][1].strip() else ""
        found.append(f"{'row' if len(rows) == 1 else 'rows'} {shown}: {reason}{value}")
    return found


def report_on(table: pa.Table, given: Source, rules: Rules, remarks: Remarks) -> SalesReport:
    """What became of the rows of ``given`` under the rules."""
    roles, listed = rules.roles, remarks.table()
    dated = roles.date is not None
    written = {"decimals": rules.decimal} | (
        {"dates": "dates" if rules.dates is None else in_words(rules.dates)} if dated else {}
    )
    if given.dialect is not None:
        written |= {"encoding": given.dialect.encoding, "delimiter": given.dialect.delimiter}
    names = {"y": roles.demand} | ({"ds": str(roles.date)} if dated else {})
    span = [str(one.as_py()) for one in pc.min_max(table["ds"]).values()] if dated else ["", ""]
    return SalesReport(
        rows=table.num_rows,
        items=pc.count_distinct(table["unique_id"]).as_py(),
        dates=pc.count_distinct(table["ds"]).as_py() if dated else 0,
        first=span[0],
        last=span[1],
        names=names | ({"unique_id": ", ".join(roles.ids)} if roles.ids else {}),
        written=written,
        contexts=roles.contexts,
        set_aside=listed.filter(pc.invert(listed["kept"])).drop_columns("kept"),
        changed=listed.filter(listed["kept"]).drop_columns("kept"),
        gaps=find_gaps(table) if dated else None,
        notes=_notes(table, given),
    )


def _notes(table: pa.Table, given: Source) -> tuple[str, ...]:
    notes = []
    if given.titles:
        lines = counted(len(given.titles), "line")
        notes.append(f"{lines} above the column names left out, beginning with {given.titles[0][:40]!r}")
    if given.unnamed:
        notes.append(f"{counted(given.unnamed, 'column')} without a name left out")
    names = [name for name in pc.unique(table["unique_id"]).to_pylist() if isinstance(name, str)]
    sums = [name for name in names if name.strip(" :").casefold() in TOTALS]
    return (*notes, *(f"item {name!r} may be the sum of others; take its rows out if it is" for name in sums))
