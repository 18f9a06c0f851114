"""Plans as files: parquet, and csv and xlsx that a spreadsheet shows rather than executes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from provend._errors import InputError
from provend._files import defused, replacing
from provend.planning._workbook import write_workbook
from provend.tables import USUAL, Style

GROUP = 100_000  # rows per group of a parquet file: the same bytes whatever the batches were
KINDS = (".csv", ".parquet", ".xlsx")


def check_kind(out: Path) -> None:
    """Refuse what cannot be written, before the work rather than after."""
    if out.suffix.lower() not in KINDS:
        raise InputError(f"{out}: unknown kind of file; name a file that ends in {', '.join(KINDS)}")


def check_page(file: Path) -> None:
    """Refuse other endings: a page under such a name would not open."""
    if file.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{file}: a report is a page; name a file that ends in .html")


def write(
    out: Path,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    style: Style = USUAL,
    notes: pa.Table | None = None,
) -> int:
    """Write a plan under its name, whole or not at all; returns how many texts had to be given an apostrophe.

    ``style`` is that of files for spreadsheets; ``notes`` are a second sheet of a workbook.
    """
    kind = out.suffix.lower()
    with replacing(out) as part:
        if kind == ".csv":
            return _csv(part, schema, map(style.told, batches), style)
        if kind == ".parquet":
            _parquet(part, schema, batches)
        else:
            beside = {} if notes is None else {"basis": (notes.schema, notes.to_batches())}
            write_workbook(part, {"plan": (schema, map(style.told, batches))} | beside, style)
    return 0


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


def _csv(file: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], style: Style) -> int:
    changed = 0
    with file.open("w", encoding="utf-8-sig", newline="") as stream:  # without the byte order mark, umlauts are lost
        writer = csv.writer(stream, delimiter=style.delimiter)
        writer.writerow(defused(name) for name in schema.names)
        for batch in batches:
            columns = [column.to_pylist() for column in batch.columns]
            for at, kind in enumerate(schema.types):
                if pa.types.is_string(kind):
                    safe = [None if text is None else defused(text) for text in columns[at]]
                    changed += sum(new is not old for new, old in zip(safe, columns[at], strict=True))
                    columns[at] = safe
                else:
                    columns[at] = list(map(style.cell, columns[at]))
            writer.writerows(zip(*columns, strict=True))
    return changed
