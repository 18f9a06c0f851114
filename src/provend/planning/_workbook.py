"""A plan as a workbook to read: names of columns that stay in sight, widths, and numbers in few digits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from provend._errors import InputError
from provend._files import defused
from provend.tables import Style

if TYPE_CHECKING:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

SHEET = 1_048_575  # rows that fit on a sheet below the column names
MEASURED = 1000  # rows that decide how wide columns are
NARROW, WIDE = 8, 60  # characters
WHOLE, DIGITS, SMALL = "#,##0", "#,##0.00", "0.0000"
SHARES = {"percent_of_no_data": "0.0", "effective_n": "0.0"}
SPREAD = {"%d": "dd", "%m": "mm", "%Y": "yyyy"}


def write_workbook(file: Path, sheets: dict[str, tuple[pa.Schema, Iterable[pa.RecordBatch]]], style: Style) -> None:
    """Write tables to sheets of these names; texts are never formulas, and stay as they are."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    for name, (schema, batches) in sheets.items():
        _Sheet(book.create_sheet(name), schema, style).write(batches)
    with file.open("wb") as stream:
        book.save(stream)


class _Sheet:
    """A sheet that is filled row by row, with a cell for each column and format that is used again for every row."""

    def __init__(self, sheet: WriteOnlyWorksheet, schema: pa.Schema, style: Style) -> None:
        self.sheet, self.names = sheet, schema.names
        self.days = style.date
        for part, letters in SPREAD.items():
            self.days = self.days.replace(part, letters)
        self.cells: dict[tuple[int, str], WriteOnlyCell] = {}

    def write(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Measure the first rows, then write the names of the columns and all rows."""
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter

        waiting = iter(batches)
        first = next(waiting, None)
        self.sheet.freeze_panes = "A2"
        for at, name in enumerate(self.names):
            seen = [] if first is None else first.column(at).slice(0, MEASURED).to_pylist()
            self.sheet.column_dimensions[get_column_letter(at + 1)].width = _width(name, seen)
        heads = [self._text(name) for name in self.names]
        for cell in heads:
            cell.font = Font(bold=True)
        self.sheet.append(heads)
        for count, row in enumerate(_rows(chain([] if first is None else [first], waiting)), start=1):
            if count > SHEET:
                raise InputError(f"a sheet of a workbook has room for {SHEET:,} rows; name a .csv or .parquet file")
            self.sheet.append([self._cell(at, value) for at, value in enumerate(row)])

    def _cell(self, at: int, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, str):
            return value if defused(value) is value and value.isprintable() else self._text(value)
        return self._formatted(at, value, self._format(self.names[at], value))

    def _format(self, name: str, value: Any) -> str:
        if not isinstance(value, int | float):
            return self.days if not hasattr(value, "hour") else f"{self.days} hh:mm:ss"
        if name in SHARES:
            return SHARES[name]
        if value == int(value) and name != "guarantee":
            return WHOLE
        return SMALL if 0 < abs(value) < 1 else DIGITS

    def _formatted(self, at: int, value: Any, form: str) -> WriteOnlyCell:
        from openpyxl.cell import WriteOnlyCell

        cell = self.cells.get((at, form))
        if cell is None:
            cell = self.cells[at, form] = WriteOnlyCell(self.sheet)
            cell.number_format = form
        cell.value = value
        return cell

    def _text(self, value: str) -> WriteOnlyCell:
        """A cell that is text whatever it begins with, also once somebody has edited it."""
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

        cell = WriteOnlyCell(self.sheet, ILLEGAL_CHARACTERS_RE.sub("", value))
        cell.data_type = "s"
        cell.quotePrefix = defused(value) is not value
        return cell


def _width(name: str, values: list[Any]) -> float:
    """Room for the name, texts and dates; numbers are shown in few digits."""
    texts = [len(name), *(len(str(value)) for value in values if not isinstance(value, float | None))]
    return min(max(NARROW, *texts), WIDE) + 2


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
