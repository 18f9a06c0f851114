"""A text file as a table of texts, each row with its number in the file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from provend._errors import InputError
from provend.tables.reading.dialect import HEAD, Dialect, decode, read_dialect
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.source import Source

WRAPPED = r'^="([^"]*)"$'
LARGEST_BLOCK = 1 << 30  # bytes parsed at once; a row must fit in


class CutRow(Protocol):
    """A row with more or fewer fields than there are names, as pyarrow reports it."""

    number: int
    actual_columns: int
    text: str


def read_text(data: bytes, file: str, delimiter: str | None, encoding: str | None) -> Source:
    """The fields of delimited text as they are; lines without any field are not rows."""
    text, found = decode(data, encoding, file)
    if not text.strip():
        raise InputError(f"{file}: the file is empty; is it a csv file?")
    dialect = read_dialect(text, found, delimiter)
    names = _names(text, dialect, file)
    cut: list[CutRow] = []
    table = _unwrapped(_parsed(text, names, dialect, cut, file))
    numbers = _row_numbers(table.num_rows, [row.number for row in cut])
    rows = (numbers > dialect.skipped + 1) & _filled(table)  # the names count as a row as well
    table, numbers = table.filter(pa.array(rows)), numbers[rows]
    short = [row for row in cut if row.number > dialect.skipped + 1 and row.text.strip()]
    aside = _short_rows_at_the_end(short, len(names), int(numbers.max(initial=0)), file)
    return Source(table, numbers, dialect, aside, titles=dialect.titles)


def _names(text: str, dialect: Dialect, file: str) -> list[str]:
    records = csv.reader(StringIO(text[:HEAD], newline=""), delimiter=dialect.delimiter)
    for _ in range(dialect.skipped):
        next(records)
    try:
        return next(records)
    except (csv.Error, StopIteration):
        raise InputError(f"{file}: there are no column names in the first row; is it a csv file?") from None


def _parsed(text: str, names: Sequence[str], dialect: Dialect, cut: list[CutRow], file: str) -> pa.Table:
    """All rows, including that of the names; rows with more or fewer fields go to ``cut``."""
    columns = [str(i) for i in range(len(names))]

    def put_aside(row: CutRow) -> str:
        cut.append(row)
        return "skip"

    data = text.encode("utf-8", "surrogatepass")
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                use_threads=False, column_names=columns, block_size=min(len(data) + 1, LARGEST_BLOCK)
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.delimiter,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=put_aside,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
            ),
        ).rename_columns(list(names))
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{file}: {' '.join(str(error).split())[:200]}; is it a csv file?") from None


def _unwrapped(table: pa.Table) -> pa.Table:
    """Cells such as ="007", by which exports keep a spreadsheet from changing them, without what surrounds them."""
    columns = [
        pc.replace_substring_regex(column, pattern=WRAPPED, replacement=r"\1")
        if pc.any(pc.starts_with(column, '="')).as_py()
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names) if len(columns) else table


def _row_numbers(rows: int, missing: Sequence[int]) -> NDArray[np.int64]:
    """Row numbers 1, 2, ... as in a spreadsheet, without the rows that were cut."""
    return np.delete(np.arange(1, rows + len(missing) + 1), np.array(missing, dtype=np.int64) - 1)


def _short_rows_at_the_end(cut: Sequence[CutRow], fields: int, last: int, file: str) -> Remarks:
    """Rows with too few fields at the very end (a footer, or a last line cut short); elsewhere they are refused."""
    remarks = Remarks()
    for row in cut:
        if row.actual_columns > fields or row.number < last:
            raise InputError(
                f"{file}: row {row.number} has {row.actual_columns} fields but there are {fields} names; quote "
                "fields that hold the delimiter, remove lines above the names, or name the delimiter"
            )
        remarks.add([row.number], "", [row.text], f"{row.actual_columns} of {fields} fields")
    return remarks


def _filled(table: pa.Table) -> NDArray[np.bool_]:
    """Which rows are not empty."""
    found = np.zeros(table.num_rows, dtype=bool)
    for column in table.columns:
        found |= np.asarray(pc.not_equal(pc.utf8_trim_whitespace(column), ""))
    return found
