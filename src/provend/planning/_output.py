"""Plans as files: parquet, and csv and xlsx that a spreadsheet shows rather than executes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provend._errors import InputError
from provend._files import defused, replacing
from provend.tables import Sales

GROUP = 100_000  # rows per group of a parquet file: the same bytes whatever the batches were
SHEET = 1_048_575  # rows that fit on a sheet below the column names


@dataclass(frozen=True)
class Style:
    """How a .csv file is written: what stands between fields, and the sign before decimals."""

    delimiter: str = ","
    decimal: str = "."

    @classmethod
    def like(cls, sales: Sales) -> Style:
        """As a spreadsheet that wrote this history expects it: with semicolons, numbers have decimal commas.

        Decimal points beside semicolons stay if the history has them. A spreadsheet opens no other delimiter by itself.
        """
        written = sales.report.written
        if written.get("delimiter") != ";":
            return cls()
        pointed = written["decimals"] == "." and not _all_whole(sales.table)
        return cls(";", "." if pointed else ",")

    @property
    def words(self) -> str:
        """The style in words; empty for the usual one."""
        if self == Style():
            return ""
        return (
            f"semicolons between fields and decimal {'commas' if self.decimal == ',' else 'points'}, as in the history"
        )

    def cell(self, value: object) -> object:
        """A value as it is written."""
        return str(value).replace(".", self.decimal) if isinstance(value, float) else value


USUAL = Style()


def _all_whole(table: pa.Table) -> bool:
    numbers = [column.drop_null() for column in table.columns if pa.types.is_floating(column.type)]
    return all(pc.all(pc.equal(column, pc.floor(column))).as_py() is not False for column in numbers)


def check_kind(out: Path) -> None:
    """Refuse what cannot be written, before the work rather than after."""
    if out.suffix.lower() not in WRITERS:
        raise InputError(f"{out}: unknown kind of file; name a file that ends in {', '.join(WRITERS)}")
    if out.suffix.lower() == ".xlsx" and find_spec("openpyxl") is None:
        raise InputError(f"{out}: a workbook needs openpyxl; run pip install provend[excel], or name a .csv file")


def check_page(file: Path) -> None:
    """Refuse other endings: a page under such a name would not open."""
    if file.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{file}: a report is a page; name a file that ends in .html")


def write(out: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], style: Style = USUAL) -> None:
    """Write a plan under its name, whole or not at all; ``style`` is that of .csv files."""
    with replacing(out) as part:
        if out.suffix.lower() == ".csv":
            _csv(part, schema, batches, style)
        else:
            WRITERS[out.suffix.lower()](part, schema, batches)


def _parquet(file: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    with pq.ParquetWriter(file, schema) as writer:
        for group in _groups(schema, batches):
            writer.write_table(group, row_group_size=GROUP)


def _groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting = schema.empty_table()
    for batch in batches:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
        while waiting.num_rows >= GROUP:
            yield waiting.slice(0, GROUP)
            waiting = waiting.slice(GROUP)
    yield waiting


def _csv(file: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], style: Style = USUAL) -> None:
    with file.open("w", encoding="utf-8-sig", newline="") as stream:  # without the byte order mark, umlauts are lost
        writer = csv.writer(stream, delimiter=style.delimiter)
        writer.writerow(defused(name) for name in schema.names)
        writer.writerows(map(style.cell, row) for row in _rows(batches))


def _xlsx(file: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    from openpyxl import Workbook
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    book = Workbook(write_only=True)
    sheet = book.create_sheet("plan")
    sheet.append([defused(name) for name in schema.names])
    for count, row in enumerate(_rows(batches), start=1):
        if count > SHEET:
            raise InputError(f"a sheet of a workbook has room for {SHEET:,} rows; name a .csv or .parquet file")
        sheet.append([ILLEGAL_CHARACTERS_RE.sub("", cell) if isinstance(cell, str) else cell for cell in row])
    with file.open("wb") as stream:
        book.save(stream)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[list[object]]:
    for batch in batches:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield [defused(cell) if isinstance(cell, str) else cell for cell in row]


WRITERS: dict[str, Callable[[Path, pa.Schema, Iterable[pa.RecordBatch]], None]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".xlsx": _xlsx,
}
