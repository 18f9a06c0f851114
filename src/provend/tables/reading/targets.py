"""``read_targets``: what is to be decided, from a table written as the history is: items, dates, and their contexts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend.tables.reading.cleaning import NO_DATE, NO_ITEM, read_rows
from provend.tables.reading.numbers import is_nothing, read_number
from provend.tables.reading.roles import Roles
from provend.tables.reading.rules import Choices, Rules, decide_rules, is_text
from provend.tables.reading.sales import Sales, whole_days
from provend.tables.reading.source import Source
from provend.tables.reading.sources import read_source
from provend.tables.values import Table


def read_targets(
    source: Table | str | Path,
    sales: Sales,
    /,
    *,
    decimal: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    day_first: bool | None = None,
) -> pa.Table:
    """Read the rows to decide from a planner's table: the items and dates of a history, and contexts of these days.

    Parameters
    ----------
    source : path or dataframe
        A table whose columns of items and dates are called as in the history; it needs no demand.
    sales : Sales
        The history, as :func:`read_sales` read it. Its decimal sign and its order of day and month hold here, too, and
        a context that is a number there is one here.
    decimal, delimiter, encoding, day_first
        As in :func:`read_sales`, where this table is written otherwise.

    Returns
    -------
    pyarrow.Table
        ``unique_id``, ``ds``, the columns of items if several, and all other columns but the demand: the ``targets`` of
        :func:`~provend.plan`. Rows without an item or a date stay, and are told of there.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import provend as pv
    >>> days = pa.array([f"{day:02}.11.2026" for day in range(1, 15)])
    >>> sales = pv.read_sales(pa.table({"Datum": days, "Menge": range(14), "Preis": ["1,99", "2,49"] * 7}))
    >>> pv.read_targets(pa.table({"Datum": ["15.11.2026"], "Preis": ["1,99"]}), sales).to_pylist()
    [{'unique_id': '1', 'ds': datetime.date(2026, 11, 15), 'Preis': 1.99}]
    """
    given = read_source(source, delimiter, encoding)
    said = Choices(decimal, day_first)
    try:
        return _read(given, sales, said)
    except InputError as error:
        what = str(source) if isinstance(source, str | Path) else "targets"
        raise InputError(f"{what}: {error}") from None


def _read(given: Source, sales: Sales, said: Choices) -> pa.Table:
    names, table = sales.report.names, given.table
    if "ds" not in names:
        raise InputError(
            "the history has no dates, so none can be decided; name its column of dates with date (--date)"
        )
    for name in (*sales.ids, names["ds"]):
        if name not in table.column_names:
            raise InputError(
                f"there is no column {name!r}, which the history has; the columns are {', '.join(table.column_names)}"
            )
    rules = _rules(table, sales, said)
    _refuse_texts(given, rules)
    batches = []
    for start, batch in _batches(_with_demand(table, names["y"])):
        whole, _, remarks = read_rows(batch, rules)
        for row, value, reason in zip(remarks.rows, remarks.values, remarks.reasons, strict=True):
            if reason not in (NO_ITEM, NO_DATE):
                raise InputError(f"row {given.numbers[start + row]} holds {value!r}: {reason}; correct it")
        batches.append(whole)
    found = whole_days(pa.Table.from_batches(batches)).drop_columns(["y"])
    return _named(found.cast(_schema(found, sales)), sales)


def _rules(table: pa.Table, sales: Sales, said: Choices) -> Rules:
    """As the history was read, as far as it can tell."""
    names, written = sales.report.names, sales.report.written
    contexts = tuple(name for name in table.column_names if name not in {*sales.ids, names["ds"], names["y"]})
    order = {"d": True, "m": False}.get(written["dates"][:1]) if " " not in written["dates"] else None
    day_first = order if said.day_first is None else said.day_first
    choices = replace(said, decimal=said.decimal or written["decimals"], day_first=day_first)
    found = decide_rules(_with_demand(table, names["y"]), Roles(sales.ids, names["ds"], names["y"], contexts), choices)
    past = {name for name in contexts if name in sales.table.column_names}
    numbers = {name for name in past if not is_text(sales.table[name].type)} | (found.numbers - past)
    return replace(found, numbers=frozenset(numbers))


def _with_demand(table: pa.Table, demand: str) -> pa.Table:
    """What is to be decided has no demand: zeros in its place."""
    others = table.drop_columns([demand]) if demand in table.column_names else table
    return others.append_column(demand, pa.array(np.zeros(table.num_rows)))


def _batches(table: pa.Table) -> list[tuple[int, pa.RecordBatch]]:
    """Each with the number of its first row."""
    batches = table.to_batches()
    starts = np.cumsum([0, *(batch.num_rows for batch in batches)])[:-1]
    return list(zip(starts.tolist(), batches, strict=True))


def _refuse_texts(given: Source, rules: Rules) -> None:
    """A context that is a number in the history holds nothing else here."""
    for name in (one for one in rules.numbers if is_text(given.table[one].type)):
        for row, text in zip(given.numbers, given.table[name].to_pylist(), strict=True):
            if text is not None and not is_nothing(text) and read_number(text, rules.decimal) is None:
                raise InputError(
                    f"column {name!r} holds {text!r} in row {row}, and numbers in the history; correct it, or take "
                    "the column out"
                )


def _schema(table: pa.Table, sales: Sales) -> pa.Schema:
    """Text where the history has text."""
    past = sales.table
    texts = {name for name in table.column_names if name in past.column_names and is_text(past[name].type)}
    return pa.schema([(one.name, pa.string() if one.name in texts else one.type) for one in table.schema])


def _named(table: pa.Table, sales: Sales) -> pa.Table:
    """Items without a name have none."""
    for name in ("unique_id", *(sales.ids if len(sales.ids) > 1 else ())):
        if is_text(table[name].type):
            bare = pc.if_else(pc.equal(table[name], ""), pa.scalar(None, pa.string()), table[name])
            table = table.set_column(table.column_names.index(name), name, bare)
    return table
