"""An uploaded table: what was understood of it, and what has to be asked before it can be read."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from warnings import catch_warnings, simplefilter
from zipfile import BadZipFile, ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from provend._errors import InputError
from provend.planning import Style
from provend.tables import (
    KINDS,
    Choices,
    ColumnWarning,
    Roles,
    Said,
    Sales,
    Source,
    find_roles,
    read_contexts,
    read_source,
    share_at_limit,
    understand,
)
from provend.web._child import Progress
from provend.web._needs import need
from provend.web._plain import plain
from provend.web._wanted import Options, Upload

Answer = dict[str, Any]

MOST_ROWS, MOST_COLUMNS = 500_000, 200
UNPACKED = 400 * 2**20  # bytes of a file that is packed
SAMPLE, WIDEST = 5, 60  # values shown of a column, and characters of each
ROLES = ("item", "date", "demand", "stock_seen", "sold_out")
LEFT_OUT = "left out"
SEEN = {"stock_seen": "past stock", "sold_out": "days that sold out"}


def read(upload: Upload, *, missing: str | None = None) -> Sales:
    """The long history in an uploaded table."""
    options = upload.options if missing is None else replace(upload.options, missing=missing)
    try:
        source = opened(upload)
        roles = _roles(options, source.table)
        return understand(source, roles, _choices(options))
    except InputError as error:
        raise InputError(upload.complaint(error)) from None


def understood(upload: Upload, sales: Sales) -> list[str]:
    """What was understood, for people who have items and dates and not ``unique_id`` and ``ds``."""
    seen = [f"{SEEN[option]} in `{name}`" for option, name in upload.options.seen.items()]
    told = [*(upload.called(line) for line in sales.report.lines()), *([", ".join(seen)] if seen else [])]
    return told + ([] if seen else list(_stocks(sales)))


def _stocks(sales: Sales) -> Iterator[str]:
    """Columns that look like what was there to be sold: sales are less than demand where it was reached."""
    y, item = (sales.table[name].to_numpy(zero_copy_only=False) for name in ("y", "unique_id"))
    for name in sales.contexts:
        if pa.types.is_floating(sales.table[name].type) or pa.types.is_integer(sales.table[name].type):
            x = sales.table[name].to_numpy(zero_copy_only=False).astype(np.float64)
            reached = share_at_limit(x, y.astype(np.float64), item)
            if reached is not None:
                yield (
                    f"`{name}` looks like stock: demand is never above it, and equal to it in {reached:.0%} of the "
                    "rows. If it is what was there to be sold, take it for past stock below: what sold out is less "
                    "than demand"
                )


def contexts_of(upload: Upload, sales: Sales) -> tuple[str, ...]:
    """The columns that are contexts: what is known of past stock is none, as it comes too late."""
    return tuple(name for name in sales.contexts if name not in upload.options.seen.values())


def describe(upload: Upload, progress: Progress) -> Answer:
    """What was understood of each column and of the rows as a whole, or the open questions."""
    options = upload.options
    try:
        source = opened(upload)
    except InputError as error:
        found = need(str(error), [])
        if found is None:
            raise InputError(upload.complaint(error)) from None
        return _asking(upload, [], found)
    names = source.table.column_names
    taken = {name: role for role, name in (("date", options.date), ("demand", options.demand)) if name}
    taken |= dict.fromkeys(options.item or (), "item") | {name: option for option, name in options.seen.items()}
    try:
        roles = _roles(options, source.table)
        taken = dict.fromkeys(set(names) - {*roles.contexts}, LEFT_OUT) | dict.fromkeys(roles.ids, "item")
        taken |= {str(roles.date): "date", roles.demand: "demand"}
        taken |= {name: option for option, name in options.seen.items()}
        sales = understand(source, roles, _choices(options))
    except InputError as error:
        found = need(str(error), names, [name for name in names if name not in taken])
        if found is None:
            raise InputError(upload.complaint(error)) from None
        return _asking(upload, _columns(source.table, taken, {}), found)
    kinds, doubts = _kinds(sales.table, contexts_of(upload, sales), dict(options.columns))
    answer: Answer = plain(
        {
            "name": upload.name,
            "rows": sales.report.rows,
            "items": sales.report.items,
            "first": sales.report.first,
            "last": sales.report.last,
            "decimal": Style.like(sales).decimal,
            "understood": [*understood(upload, sales), *doubts.values()],
            "columns": _columns(source.table, taken | kinds, doubts),
            "needs": [],
        }
    )
    return answer


def opened(upload: Upload) -> Source:
    """The table as it is, unless it is larger than a page can handle."""
    _refuse_bombs(upload)
    source = read_source(upload.path, upload.options.delimiter)
    _refuse_large(upload, source.table.num_rows, source.table.num_columns)
    return source


def _refuse_large(upload: Upload, rows: int, columns: int) -> None:
    if rows > MOST_ROWS or columns > MOST_COLUMNS:
        raise InputError(
            f"{upload.name}: a page can work on {MOST_ROWS:,} rows and {MOST_COLUMNS} columns, and this has {rows:,} "
            f"and {columns:,}; use the command line (provend plan), which has no such limit"
        )


def _refuse_bombs(upload: Upload) -> None:
    """Refuse a small file that would unpack to more than anybody can have meant."""
    kind = upload.path.suffix
    try:
        if kind == ".gz":
            with gzip.open(upload.path) as stream:
                size = len(stream.read(UNPACKED + 1))
        elif kind == ".xlsx":
            with ZipFile(upload.path) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
        elif kind == ".parquet":
            about = pq.ParquetFile(upload.path).metadata
            size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        else:
            return
    except (OSError, EOFError, ValueError, zlib.error, BadZipFile, pa.ArrowException):
        raise InputError(f"{upload.name}: is not a whole {kind[1:]} file; save it again, or as .csv") from None
    if kind == ".parquet":  # a row repeated a billion times takes no space
        _refuse_large(upload, about.num_rows, about.num_columns)
    if size > UNPACKED:
        raise InputError(f"{upload.name}: unpacks to more than {UNPACKED >> 20} MB; the command line has no such limit")


def _choices(options: Options) -> Choices:
    return Choices(options.decimal, options.day_first, options.negative, options.duplicates, options.missing)


def _roles(options: Options, table: pa.Table) -> Roles:
    """The role of each column; a column with a role cannot be left out."""
    said = Said(options.item, options.date, options.demand)
    found = find_roles(table.column_names, said)
    needed = {**dict.fromkeys(found.ids, "items"), str(found.date): "dates", found.demand: "demand"}
    for option, name in options.seen.items():
        if name not in found.contexts:
            problem = f"is the column of {needed[name]}" if name in needed else "is not there"
            raise InputError(f"{option} = {name!r} {problem}; choose among {', '.join(found.contexts) or 'no others'}")
    needed |= {name: SEEN[option] for option, name in options.seen.items()}
    for name in options.left_out:
        if name in needed:
            raise InputError(
                f"`{name}` is the column of {needed[name]} and cannot be left out; choose another for that first, or "
                "take the column out of the file"
            )
    return replace(found, contexts=tuple(name for name in found.contexts if name not in options.left_out))


def _kinds(
    table: pa.Table, contexts: tuple[str, ...], said: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """What each context is taken for, and what speaks against it."""
    kinds, doubts = {}, {}
    for name in contexts:
        with catch_warnings(record=True) as caught:
            simplefilter("always", ColumnWarning)
            wanted = {name: said[name]} if said.get(name) in KINDS else None
            try:
                kinds[name] = read_contexts(table.select([name]), kinds=wanted).kinds[name]
            except InputError as error:
                kinds[name], doubts[name] = LEFT_OUT, f"`{name}` cannot be used: {error}"
        for doubt in caught:
            doubts[name] = str(doubt.message)
    return kinds, doubts


def _columns(table: pa.Table, taken: Mapping[str, str], doubts: Mapping[str, str]) -> list[Answer]:
    return [
        {
            "name": name,
            "taken_for": taken.get(name),
            "choices": [*ROLES, *KINDS, LEFT_OUT],
            "sample": [str(one)[:WIDEST] for one in table[name].slice(0, SAMPLE).to_pylist()],
            "doubt": doubts.get(name),
        }
        for name in table.column_names
    ]


def _asking(upload: Upload, columns: list[Answer], found: Answer) -> Answer:
    said = upload.called(found["why"])
    return {
        "name": upload.name,
        "rows": None,
        "items": None,
        "understood": [],
        "columns": plain(columns),
        "needs": [found | {"why": said}],
    }
