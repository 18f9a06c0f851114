"""Where a table comes from: text, Parquet, a workbook or a dataframe, taken as is before anything is interpreted."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from provend._errors import InputError
from provend.tables.native import frame_of, out_of_categories
from provend.tables.reading.dialect import LOOK, lines_above
from provend.tables.reading.source import Source
from provend.tables.reading.text_files import read_text
from provend.tables.values import Table

TEXT = (".csv", ".tsv", ".txt", ".gz")
KINDS = "a .csv, .tsv, .txt, .csv.gz, .parquet or .xlsx file"
OLD = "save it as .xlsx or .csv"
OTHERS = {
    b"PK\x03\x04": ("a workbook or a zip file", "call it .xlsx if it is a workbook, or save it as .csv"),
    b"\xd0\xcf\x11\xe0": ("a workbook of the old kind", OLD),
    b"PAR1": ("a parquet file", "call it .parquet"),
    b"\x1f\x8b": ("packed", "call it .csv.gz"),
}
TOLD = 200  # characters of a reader's complaint that are passed on


def read_source(
    given: Table | str | Path, delimiter: str | None = None, encoding: str | None = None, what: str = "history"
) -> Source:
    """The table in a file or a dataframe, each column under a unique name; errors call a dataframe ``what``."""
    if isinstance(given, str | Path):
        source = _from_file(Path(given), delimiter, encoding)
        what = str(given)
    else:
        table = from_frame(given, what, ", or the path of a file")
        source = Source(table, np.arange(table.num_rows))
    source = _with_plain_names(source, what)
    if source.table.num_rows == 0:
        raise InputError(f"{what}: there are no rows below the column names; give some")
    return source


def _from_file(file: Path, delimiter: str | None, encoding: str | None) -> Source:
    kind = file.suffix.lower()
    if kind not in (*TEXT, ".parquet", ".xlsx"):
        raise InputError(f"{file}: unknown kind of file; {OLD if kind == '.xls' else f'give {KINDS}'}")
    try:
        if not file.is_file():
            raise InputError(f"{file}: {'is a folder' if file.is_dir() else 'no such file'}; name {KINDS}")
        if kind in TEXT:
            data = file.read_bytes()
            _refuse_others(data, file, kind)
            return read_text(_unpacked(data, file) if kind == ".gz" else data, str(file), delimiter, encoding)
        if kind == ".xlsx":
            return _workbook(file)
        table = pyarrow.parquet.ParquetFile(file).read()
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, BadZipFile, KeyError) as error:
        raise InputError(f"{file}: {' '.join(str(error).split())[:TOLD]}; is it a {kind[1:]} file?") from None
    return Source(table, np.arange(2, table.num_rows + 2))


def _refuse_others(data: bytes, file: Path, kind: str) -> None:
    """Refuse files that only claim to be text."""
    for mark, (what, remedy) in OTHERS.items():
        if data.startswith(mark) and not (kind == ".gz" and what == "packed"):
            raise InputError(f"{file}: is {what}, not text; {remedy}")


def _unpacked(data: bytes, file: Path) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file}: {error}; is it a complete gz file?") from None


def _workbook(file: Path) -> Source:
    """The first sheet without its empty rows; columns of a single type keep it, all others become text."""
    rows = _sheet(file)
    if not rows:
        raise InputError(f"{file}: its first sheet is empty; give past demand")
    texts = [["" if cell is None else str(cell) for cell in row] for _, row in rows[:LOOK]]
    above = lines_above(texts)
    columns = [_typed([row[j] for _, row in rows[above + 1 :]]) for j in range(len(texts[above]))]
    numbers = np.array([number for number, _ in rows[above + 1 :]], np.int64)
    titles = tuple(" ".join(filter(None, one)) for one in texts[:above])
    return Source(pa.Table.from_arrays(columns, names=texts[above]), numbers, titles=titles)


def _sheet(file: Path) -> list[tuple[int, tuple[object, ...]]]:
    """The rows of the first sheet that hold something, with their numbers."""
    import openpyxl

    try:
        with file.open("rb") as stream:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
            sheet = enumerate(book.worksheets[0].iter_rows(values_only=True), start=1)
            rows = [(number, row) for number, row in sheet if any(cell is not None for cell in row)]
            width = max((len(row) for _, row in rows), default=0)
            return [(number, row + (None,) * (width - len(row))) for number, row in rows]  # some end with the last cell
    except (ParseError, TypeError, LookupError, AttributeError):  # what openpyxl raises on a broken workbook
        raise InputError(f"{file}: the workbook is damaged; save it again, or as .csv") from None


def _typed(values: Sequence[object]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def from_frame(given: Table, what: str, hint: str = "") -> pa.Table:
    """A dataframe as a table, whose columns of several types become text; ``what`` and ``hint`` are for errors."""
    columns, frame = {}, frame_of(given, what, hint)
    for column in (frame[name] for name in frame.columns):
        try:
            columns[str(column.name)] = out_of_categories(column).to_arrow()
        except (pa.ArrowException, TypeError, ValueError):  # objects of several types
            columns[str(column.name)] = _typed(column.to_list())
    return pa.table(columns)


def _with_plain_names(source: Source, what: str) -> Source:
    """Strip names of surrounding space, leave out columns without a name, and refuse two with the same name."""
    names = [name.replace("\ufeff", "").strip() for name in source.table.column_names]
    named = [j for j, name in enumerate(names) if name]
    for name in (names[j] for j in named):
        if names.count(name) > 1:
            raise InputError(f"{what}: two columns are called {name!r}; rename one")
    if not named:
        raise InputError(f"{what}: no column has a name; put names into the first row")
    table = source.table.select(named).rename_columns([names[j] for j in named])
    return replace(source, table=table, unnamed=len(names) - len(named))
