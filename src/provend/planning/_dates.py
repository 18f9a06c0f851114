"""Dates of both tables as moments: by their type, or read from text by the rules of this package."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pyarrow as pa

from provend._errors import InputError
from provend.planning._schema import PREFIX
from provend.planning._source import literal, quoted
from provend.tables.dates import THREE, read_dates, read_iso
from provend.tables.reading import COMPACT_FORM, decide_dates

Types = dict[str, str]

WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
REAL = ("FLOAT", "DOUBLE")
ZONED = "TIMESTAMP WITH TIME ZONE"
DAYS = (19000101, 21991231)  # that numbers may stand for
READ = "dates as read"
WRITTEN, MOMENT = f"{PREFIX}written", f"{PREFIX}moment"  # its columns: no user's table has such names


@dataclass(frozen=True)
class Moments:
    """SQL for the moment of a row: an expression, the join it needs, and the date as it was given."""

    sql: str
    given: str
    join: str = ""


def read_moments(
    connection: duckdb.DuckDBPyConnection, date: str, history: Types, targets: Types | None
) -> dict[str, Moments]:
    """How the dates of the views ``history`` and ``targets`` are read; text has the same format in both."""
    tables = {"history": history} if targets is None else {"history": history, "targets": targets}
    kinds = {name: _kind(columns[date], name, date) for name, columns in tables.items()}
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts:
        _register(connection, date, texts)
    numbers = [name for name, kind in kinds.items() if kind == "number"]
    if numbers and _are_days(connection, numbers[0], date):
        kinds |= dict.fromkeys(numbers, "day")
    if len({kind == "number" for kind in kinds.values()}) > 1:
        raise InputError(f"column {date!r}: {kinds['history']}s in the history, {kinds['targets']}s in the targets")
    clocks = {name: _clock(connection, name, date, columns[date]) for name, columns in tables.items()}
    if ZONED in clocks.values():  # in both tables: midnight in one must not be an evening in the other
        clocks = {name: ZONED if clock.startswith(ZONED) else clock for name, clock in clocks.items()}
    return {name: _moments(date, kind, clocks[name]) for name, kind in kinds.items()}


def _kind(kind: str, table: str, date: str) -> str:
    if kind == "VARCHAR":
        return "text"
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return "moment"
    if kind in WHOLE or kind in REAL:
        return "number"
    raise InputError(f"{table}: {date!r} is of type {kind}, not dates; give dates, text of dates or whole numbers")


def _moments(date: str, kind: str, dtype: str) -> Moments:
    given = quoted(date)
    if kind == "text":
        return Moments(MOMENT, given, f'LEFT JOIN "{READ}" ON {given} = {WRITTEN}')
    if kind == "day":
        read = f"try_strptime({given}::VARCHAR, ['%Y%m%d', '%Y%m%d.0'])"  # the latter in a column of real numbers
        return Moments(f"CASE WHEN {given} BETWEEN {DAYS[0]} AND {DAYS[1]} THEN {read} END", given)
    if kind == "number":
        return Moments(given if dtype in REAL else f"{given}::BIGINT", given)
    if dtype.startswith(ZONED):  # a clock put back shows an hour twice: universal time, unless all are days
        place = dtype.removeprefix(ZONED).strip()
        moment = f"timezone({literal(place)}, {given})" if place else f"make_timestamp(epoch_us({given}))"
        return Moments(moment, given)
    return Moments(f"{given}::TIMESTAMP", given)


def _are_days(connection: duckdb.DuckDBPyConnection, table: str, date: str) -> bool:
    """Whether numbers such as 20261116 stand for days, by the rules that hold for files."""
    number = quoted(date)
    texts = connection.execute(
        f"SELECT DISTINCT regexp_replace({number}::VARCHAR, '\\.0$', '') FROM {table} WHERE isfinite({number}::DOUBLE) "
        "ORDER BY 1"
    ).fetchall()
    return bool(texts) and decide_dates(date, [text for (text,) in texts], None) == COMPACT_FORM


def _clock(connection: duckdb.DuckDBPyConnection, table: str, date: str, dtype: str) -> str:
    """The type without its place, unless every row is midnight there: then the rows are days of that place."""
    if not dtype.startswith(ZONED) or dtype == ZONED:
        return dtype
    local = _moments(date, "moment", dtype).sql
    odd = connection.execute(f"SELECT 1 FROM {table} WHERE {local} <> date_trunc('day', {local}) LIMIT 1").fetchall()
    return ZONED if odd else dtype


def _register(connection: duckdb.DuckDBPyConnection, date: str, tables: list[str]) -> None:
    """Register a table of every text and the moment it stands for; there are far fewer texts than rows."""
    parts = " UNION ".join(f"SELECT DISTINCT {quoted(date)} AS written FROM {table}" for table in tables)
    texts = [row[0] for row in connection.execute(f"SELECT written FROM ({parts}) ORDER BY 1").fetchall() if row[0]]
    likely = [text for text in texts if read_iso([text]) is not None or THREE.fullmatch(text)]
    found = read_dates(likely, date) if likely and 2 * len(likely) >= len(texts) else None
    if found is None:
        example = next((text for text in texts if text not in likely), texts[0] if texts else "")
        raise InputError(f"column {date!r} holds {example!r} and the like, which are not dates; name another column")
    moments = pa.array(found[0].astype("datetime64[us]"))
    connection.register(READ, pa.table({WRITTEN: pa.array(likely, pa.string()), MOMENT: moments}))
