"""Tables from files, read with pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from provend._errors import InputError


def read_table(file: Path) -> Any:
    """A .csv or .parquet file as a table of pyarrow."""
    import narwhals.stable.v2 as nw

    readers = {".csv": nw.read_csv, ".parquet": nw.read_parquet}
    if file.suffix not in readers:
        raise InputError(f"{file}: unknown kind of file; give a .csv or .parquet file")
    if not file.is_file():
        raise InputError(f"{file}: no such file; name a readable .csv or .parquet file")
    try:
        return readers[file.suffix](str(file), backend="pyarrow").to_native()
    except Exception as error:  # each reader has its own errors for a broken file
        raise InputError(f"{file}: {error}; is it a {file.suffix[1:]} file?") from None
