"""What was done with single rows, and why: set aside, or kept with another demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("column", pa.string()),
        ("value", pa.string()),
        ("reason", pa.string()),
        ("kept", pa.bool_()),
    ]
)


@dataclass
class Remarks:
    """Remarks on rows, by their position in a batch or their number in a file; a row has at most one.

    Attributes
    ----------
    rows : list of int
        Which rows.
    columns, values, reasons : list of str
        The column at fault, what it holds, and what that means.
    kept : list of bool
        Whether the row was kept, with a changed demand.
    """

    rows: list[int] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    kept: list[bool] = field(default_factory=list)

    def add(self, rows: Sequence[int], column: str, values: Sequence[str], reason: str, kept: bool = False) -> None:
        """Add remarks on several rows for the same reason."""
        self.rows.extend(rows)
        self.columns.extend([column] * len(rows))
        self.values.extend(values)
        self.reasons.extend([reason] * len(rows))
        self.kept.extend([kept] * len(rows))

    def extend(self, other: Remarks, numbers: Sequence[int] | None = None) -> None:
        """Add all remarks of another list; its rows are positions in ``numbers`` if that is given."""
        self.rows.extend(other.rows if numbers is None else [int(numbers[row]) for row in other.rows])
        self.columns.extend(other.columns)
        self.values.extend(other.values)
        self.reasons.extend(other.reasons)
        self.kept.extend(other.kept)

    def table(self) -> pa.Table:
        """One row per remark, in the order of the file."""
        whole = pa.table([self.rows, self.columns, self.values, self.reasons, self.kept], schema=SCHEMA)
        return whole.sort_by("row")
