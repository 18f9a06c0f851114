"""Tables from files, read with pyarrow."""

from __future__ import annotations

from pathlib import Path

from provend._errors import InputError
from provend.tables.values import Table

TOLD = 200  # characters of what the reader complains about


def read_file(file: Path) -> Table:
    """A .csv or .parquet file as a table of pyarrow, with at least one row."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    kind = file.suffix.lower()
    readers = {".csv": nw.read_csv, ".parquet": nw.read_parquet}
    if kind not in readers:
        raise InputError(f"{file}: unknown kind of file; give a .csv or .parquet file")
    if not _is_file(file):
        raise InputError(f"{file}: no such file; name a readable .csv or .parquet file")
    try:
        table = readers[kind](str(file), backend="pyarrow").to_native()
    except (pa.ArrowException, OSError, ValueError) as error:  # what is wrong with the file, in the reader's words
        raise InputError(f"{file}: {str(error)[:TOLD]}; is it a {kind[1:]} file?") from None
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            raise InputError(f"{file}: column {name!r} is not text in UTF-8; save the file in that encoding")
    if table.num_rows == 0:
        raise InputError(f"{file}: there are no rows below the names of the columns; give past demand")
    return table


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # a name too long, or with a null character
        return False
