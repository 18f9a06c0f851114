"""A table of the days ahead to fill in: written like the table of past demand, with whatever is known already."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend.planning import Style, next_dates, under_its_names, write_plan
from provend.tables import Sales
from provend.web._child import Progress
from provend.web._reading import contexts_of, read
from provend.web._wanted import Upload

MOST_ROWS = 20_000
PARTS = {"day": "%d", "month": "%m", "year": "%Y"}  # of a date, as the report of a table names them
RUINED = r"^(0\d+|\d{12,})$"  # a number that a spreadsheet does not leave as it is in a .csv file


def to_fill_in(past: Upload, horizon: int, progress: Progress) -> tuple[str, bytes]:
    """The next days of every item, as a kind of file and its bytes.

    A context that never changes within an item has its value, the others are empty. A workbook keeps item numbers as
    the text they are; it is the answer to a workbook, and wherever a .csv file would lose them.
    """
    sales = read(past)
    table = _rows(past, sales, horizon)
    kind = "xlsx" if _needs_workbook(past, sales) else "csv"
    if kind == "csv":
        place = len(sales.ids)
        table = table.set_column(place, table.column_names[place], _written(table.column(place), sales))
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"ahead.{kind}"
        write_plan(file, table.schema, table.to_batches(), Style.like(sales))
        return kind, file.read_bytes()


def _rows(past: Upload, sales: Sales, horizon: int) -> pa.Table:
    """Items, dates and contexts, date by date."""
    called, ids, contexts = under_its_names(sales.table, sales), list(sales.ids), contexts_of(past, sales)
    dates = next_dates(pc.unique(sales.table["ds"]).sort().to_numpy(zero_copy_only=False), horizon).dates
    items = _known(called, ids, contexts)
    if items.num_rows * len(dates) > MOST_ROWS:
        raise InputError(f"{items.num_rows * len(dates):,} rows are too many to fill in; ask for fewer days")
    days = [
        _of_day(items, len(ids), sales.report.names["ds"], date)
        for date in pa.array(dates, called.schema.field(sales.report.names["ds"]).type)
    ]
    return pa.concat_tables(days)


def _of_day(items: pa.Table, place: int, name: str, date: pa.Scalar) -> pa.Table:
    return items.add_column(place, name, pa.repeat(date, items.num_rows))


def _known(called: pa.Table, ids: list[str], contexts: tuple[str, ...]) -> pa.Table:
    """One row for each item: its name, and what its contexts have always been."""
    some = called.select([*ids, *contexts])
    if not ids:
        some = some.append_column("", pa.repeat(0, some.num_rows))
    by = ids or [""]
    asked = [(name, how) for name in contexts for how in ("count_distinct", "max")]
    found = some.group_by(by, use_threads=False).aggregate(asked)
    several = called.num_rows > found.num_rows  # of one day nobody knows what never changes
    columns = {name: found[name] for name in ids}
    for name in contexts:
        always = several and pc.max(found[f"{name}_count_distinct"]).as_py() == 1
        columns[name] = _whole(found[f"{name}_max"]) if always else pa.nulls(found.num_rows, pa.string())
    return pa.table(columns) if columns else pa.table({"": found[""]}).select([])


def _whole(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whole numbers without decimals."""
    if pa.types.is_floating(values.type) and pc.all(pc.equal(values, pc.floor(values))).as_py():
        return values.cast(pa.int64())
    return values


def _needs_workbook(past: Upload, sales: Sales) -> bool:
    called = under_its_names(sales.table, sales)
    texts = [called[name] for name in sales.ids if pa.types.is_string(called.schema.field(name).type)]
    return past.path.suffix == ".xlsx" or any(pc.any(pc.match_substring_regex(one, RUINED)).as_py() for one in texts)


def _written(dates: pa.ChunkedArray, sales: Sales) -> pa.Array:
    """Dates as the table writes them; in full where that takes several words."""
    words = re.split(r"([^a-z])", sales.report.written.get("dates", ""))
    days = [day.as_py() for day in dates]
    if {*words[::2]} != {*PARTS}:
        return pa.array([str(day).removesuffix(" 00:00:00") for day in days])
    form = "".join(PARTS.get(word, word) for word in words)
    return pa.array([day.strftime(form) for day in days])
