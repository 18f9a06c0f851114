"""A history and its targets as views of DuckDB: files of any size, or tables in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from provend._errors import InputError
from provend.planning._schema import ROW
from provend.tables import Table
from provend.tables.reading import from_frame

Given = Path | Table

KINDS = (".csv", ".parquet")
PLAIN = "['BOOLEAN', 'BIGINT', 'DOUBLE', 'VARCHAR']"  # dates are read by the rules of this package, not DuckDB's
MEMORY = "1GB"
TOLD = 200  # characters of DuckDB's complaint that are quoted


@dataclass(frozen=True)
class Names:
    """The user's columns: one or several that name the item (none if there is only one), the date, and the demand.

    ``contexts`` are those that count besides the date; ``None`` means all that both tables have.
    """

    ids: tuple[str, ...] = ("unique_id",)
    date: str = "ds"
    demand: str = "y"
    contexts: tuple[str, ...] | None = None


def quoted(name: str) -> str:
    """A name, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def connect(folder: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory; given a folder, it spills tables larger than :data:`MEMORY` to it."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    if folder is not None:
        connection.execute(f"SET memory_limit = {literal(MEMORY)}")
        connection.execute(f"SET temp_directory = {literal(str(folder))}")
    return connection


def view(connection: duckdb.DuckDBPyConnection, name: str, given: Given, names: Names) -> dict[str, str]:
    """Make a file or a dataframe a view of this name; returns its columns and their types."""
    table = given if isinstance(given, Path) else from_frame(given, name)
    if isinstance(table, Path):
        source = _file(table, names)
    else:
        connection.register(f"{name} as given", table)
        source = quoted(f"{name} as given")
    with complaints(given if isinstance(given, Path) else name):
        described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        connection.execute(f"CREATE VIEW {name} AS SELECT *, row_number() OVER () AS {quoted(ROW)} FROM {source}")
    types = {one.name: one.type for one in _schema(table)}
    return {str(row[0]): _kept(str(row[1]), types.get(row[0]), row[0] == names.date) for row in described}


def _schema(given: Path | pa.Table) -> pa.Schema:
    if not isinstance(given, Path):
        return given.schema
    return pq.read_schema(given) if given.suffix.lower() == ".parquet" else pa.schema([])


def _kept(kind: str, given: pa.DataType | None, is_date: bool) -> str:
    """A type with what DuckDB does not keep of it: a time zone, or that numbers are periods of pandas."""
    if is_date and isinstance(given, pa.BaseExtensionType):
        return str(given)
    zone = getattr(given, "tz", None) or ""
    return f"{kind} {zone}" if "/" in zone else kind


@contextmanager
def complaints(what: object) -> Iterator[None]:
    """Turn what DuckDB says about a file that is not what it claims to be into one line about the input."""
    try:
        yield
    except duckdb.IOException as error:
        if "No space left" in str(error) or "could not write" in str(error).lower():
            raise OSError(28, "No space left on device") from None
        raise InputError(f"{what}: {_first_line(error)}; give a readable .csv or .parquet file") from None
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.BinderException) as error:
        raise InputError(f"{what}: {_first_line(error)}; correct the file") from None


def _first_line(error: Exception) -> str:
    """What is wrong, without the SQL statement."""
    told = " ".join(str(error).split(" LINE 1:")[0].split("LINE 1:")[0].split())
    return told.removeprefix("Invalid Input Error: ").removeprefix("IO Error: ")[:TOLD]


def columns_of(file: Path) -> list[str]:
    """The names of the columns of a file."""
    source = _file(file, Names((), "", "")) if file.suffix.lower() != ".csv" else _plain_csv(file)
    with complaints(file), duckdb.connect() as connection:
        return [str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {source} LIMIT 0").fetchall()]


def _plain_csv(file: Path) -> str:
    return f"read_csv({literal(str(file))}, header = true, all_varchar = true)"


def _file(file: Path, names: Names) -> str:
    kind = file.suffix.lower()
    if file.is_dir():
        raise InputError(f"{file}: is a folder; name a .csv or .parquet file")
    if kind not in KINDS:
        raise InputError(f"{file}: unknown kind of file; give a .csv or .parquet file")
    if not file.is_file():
        raise InputError(f"{file}: no such file; name a readable .csv or .parquet file")
    if file.stat().st_size == 0:
        raise InputError(f"{file}: is empty; give past demand")
    if kind == ".parquet":
        return f"read_parquet({literal(str(file))})"
    columns = columns_of(file)  # types may only be given for columns that exist
    keys = ", ".join(
        f"{literal(name)}: 'VARCHAR'" for name in (*names.ids, names.date, names.demand) if name in columns
    )
    types = f", types = {{{keys}}}" if keys else ""
    return (
        f"read_csv({literal(str(file))}, header = true, sample_size = -1, auto_type_candidates = {PLAIN}, "
        f"null_padding = true{types})"
    )
