"""All rows on disk, split by item into parts that are decided one at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from math import ceil
from pathlib import Path
from shutil import rmtree

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provend.planning._one_by_one import codes, encoded, starts
from provend.planning._request import Opened
from provend.planning._rows import Layout
from provend.planning._schema import ITEM, TARGET
from provend.planning._source import complaints, literal, quoted
from provend.planning._state import State

ROWS = 500_000  # of a part, which a process holds in memory as a whole, with its decisions
OPEN = 500  # files at once; with more parts, each is written to several files
GROUP = 16_384  # rows per part that wait in memory to be written
FEWEST = 16  # parts, given as many items: limits what can be lost, and how coarse progress is
PLACES = "parts of items"


def split_rows(opened: Opened, state: State) -> None:
    """Write all rows of an item to one part; the folder of parts appears once it is complete."""
    if state.rows.exists():
        return
    made = state.folder / "rows-unfinished"
    with complaints("the rows of the history"):
        if not _cut(opened.connection, opened.layout, made):
            rmtree(made, ignore_errors=True)
            _dealt(opened.connection, opened.layout, made)
    for file in made.rglob("*.parquet"):
        _to_disk(file)
    made.replace(state.rows)


def _cut(connection: duckdb.DuckDBPyConnection, layout: Layout, made: Path) -> bool:
    """Cut the history between items, if the rows of each item stand together; otherwise leave off and say so.

    This is several times as fast as dealing single rows out to parts, and most tables are written item by item.
    """
    ((rows,),) = connection.execute(f"SELECT count(*) FROM ({layout.past})").fetchall()
    stream = connection.sql(_alike(layout.past, layout.ahead)).to_arrow_reader(GROUP)
    places, written = [], Future[None]()
    written.set_result(None)
    with ThreadPoolExecutor(1) as writer:  # a part is written while the next one is read
        for part, table in enumerate(_pieces(stream, min(ROWS, ceil(rows / FEWEST)))):
            begins = starts(table)
            if (codes(table)[begins] != np.arange(len(begins))).any():  # an item comes again, or has no name
                return False
            names = encoded(table).dictionary.slice(0, len(begins))
            places.append(pa.table({"item": names, "part": np.full(len(names), part)}))
            written.result()
            written = writer.submit(_write_part, table, made / f"part={part}")
        written.result()
    known = pa.concat_tables(places) if places else None
    if known is None or pc.count_distinct(known["item"]).as_py() < known.num_rows:
        return False
    connection.register(PLACES, known)
    _write_targets(connection, layout, made, len(places))
    return True


def _write_part(table: pa.Table, folder: Path) -> None:
    folder.mkdir(parents=True)
    pq.write_table(table, folder / "cut.parquet", use_dictionary=[ITEM], store_schema=False)


def _alike(rows: str, others: str) -> str:
    """Some rows, with the types that they have together with others."""
    return f"SELECT * FROM ({rows}) UNION ALL SELECT * FROM ({others}) WHERE false"


def _pieces(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """The stream in pieces of so many rows or more, cut where the last item begins, with encoded items."""
    waiting, held, enough = list[pa.RecordBatch](), 0, size
    for batch in (whole.slice(at, size) for whole in batches for at in range(0, whole.num_rows, size)):
        waiting.append(batch)
        held += batch.num_rows
        if held >= enough:
            table = _with_codes(waiting)
            last = starts(table)[-1]
            if last:
                yield table.slice(0, last)
            rest = table.slice(last)
            waiting, held = rest.cast(batch.schema).combine_chunks().to_batches(), rest.num_rows
            enough = max(size, 2 * held)  # a long item is not looked at again with every batch
    if held:
        yield _with_codes(waiting)


def _with_codes(batches: list[pa.RecordBatch]) -> pa.Table:
    table = pa.Table.from_batches(batches).combine_chunks()
    return table.set_column(table.column_names.index(ITEM), ITEM, encoded(table))


def _write_targets(connection: duckdb.DuckDBPyConnection, layout: Layout, made: Path, parts: int) -> None:
    """The targets, each with the past of its item."""
    number = f"coalesce(place.part, hash(ahead.{quoted(ITEM)}) % {parts}, 0)"
    _copy(
        connection,
        f"SELECT ahead.*, {number} AS part FROM ({_alike(layout.ahead, layout.past)}) AS ahead "
        f"LEFT JOIN {quoted(PLACES)} AS place ON ahead.{quoted(ITEM)} = place.item",
        made,
        parts,
    )


def _dealt(connection: duckdb.DuckDBPyConnection, layout: Layout, made: Path) -> None:
    """Deal the rows out by a hash of their items, whatever their order."""
    ((rows, items),) = connection.execute(
        f"SELECT count(*), approx_count_distinct({quoted(ITEM)}) FROM ({layout.sql})"
    ).fetchall()
    parts = max(1, ceil(rows / ROWS), min(FEWEST, items))
    number = f"coalesce(hash({quoted(ITEM)}) % {parts}, 0)"
    _copy(connection, f"SELECT *, {number} AS part FROM ({layout.sql})", made, parts)


def _copy(connection: duckdb.DuckDBPyConnection, sql: str, made: Path, parts: int) -> None:
    connection.execute(f"SET partitioned_write_max_open_files = {min(max(parts, 1), OPEN)}")
    connection.execute(
        f"COPY ({sql}) TO {literal(str(made))} "
        f"(FORMAT parquet, PARTITION_BY (part), ROW_GROUP_SIZE {GROUP}, OVERWRITE_OR_IGNORE)"
    )


def _to_disk(file: Path) -> None:
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


def parts_of(state: State) -> list[int]:
    """The numbers of the parts that have any rows."""
    return sorted(int(folder.name.removeprefix("part=")) for folder in state.rows.iterdir())


def files_of(state: State, part: int) -> list[Path]:
    """The files of one part."""
    return sorted((state.rows / f"part={part}").glob("*.parquet"))


def all_rows(state: State) -> str:
    """SQL for the rows of all parts, file by file: a pattern would take the signs of a folder's name for its own."""
    files = ", ".join(literal(str(file)) for part in parts_of(state) for file in files_of(state, part))
    return f"read_parquet([{files}], hive_partitioning = true)"


def count_targets(state: State, part: int) -> int:
    """How many rows of a part are to be decided."""
    return sum(int(pq.read_table(file, columns=[TARGET])[TARGET].to_numpy().sum()) for file in files_of(state, part))
