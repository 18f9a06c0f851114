"""``read_targets``: the items, dates and contexts to decide, from a table written like the history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend._errors import InputError
from provend.tables.reading.cleaning import A_TOTAL, read_rows
from provend.tables.reading.moments import is_date
from provend.tables.reading.numbers import DECIMALS, is_nothing, read_number
from provend.tables.reading.refusals import refuse_clashes
from provend.tables.reading.roles import Roles
from provend.tables.reading.rules import Choices, Rules, decide_rules, distinct_texts, is_text
from provend.tables.reading.sales import Sales, whole_days
from provend.tables.reading.source import Source
from provend.tables.reading.sources import read_source
from provend.tables.strangers import Strangers, find_strangers
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
    new_items: bool = False,
) -> pa.Table:
    """Read the rows to decide from a planner's table: items and dates as in a history, and the contexts of these days.

    Parameters
    ----------
    source : path or dataframe
        A table whose item and date columns have the same names as in the history; it needs no demand.
    sales : Sales
        The history, as :func:`read_sales` read it. Its decimal sign and its order of day and month hold here too, and
        a context that is a number there is one here.
    decimal, delimiter, encoding, day_first
        As in :func:`read_sales`, if this table is written differently.
    new_items : bool
        Whether items may be new. If not, a table is refused that has none of the history's items, or fewer of them than
        names that only look like theirs, such as 1002 where the history has 001002.

    Returns
    -------
    pyarrow.Table
        ``unique_id``, ``ds``, the item columns if several, and all other columns but the demand: the ``targets`` of
        :func:`~provend.plan`. Rows whose item or date cannot be read stay, and are reported there. A column that is
        empty throughout is left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import provend as pv
    >>> days = pa.array([f"{day:02}.11.2026" for day in range(1, 15)])
    >>> sales = pv.read_sales(pa.table({"Datum": days, "Menge": range(14), "Preis": ["1,99", "2,49"] * 7}))
    >>> pv.read_targets(pa.table({"Datum": ["15.11.2026"], "Preis": ["1,99"]}), sales).to_pylist()
    [{'unique_id': '1', 'ds': datetime.date(2026, 11, 15), 'Preis': 1.99}]
    """
    given = read_source(source, delimiter, encoding, "targets")
    said = Choices(decimal, day_first)
    try:
        found = _read(given, sales, said)
        if not new_items:
            strangers_among(found, sales).refuse_mistaken()
        return found
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
    for batch in _with_demand(table, names["y"]).to_batches():
        whole, _, remarks = read_rows(batch, rules)
        totals = [row for row, reason in zip(remarks.rows, remarks.reasons, strict=True) if reason == A_TOTAL]
        batches.append(_nameless(whole, totals, sales))
    found = whole_days(pa.Table.from_batches(batches)).drop_columns(["y"])
    return _without_empty(_named(found.cast(_schema(found, sales)), sales), sales)


def strangers_among(found: pa.Table, sales: Sales) -> Strangers:
    """The items of targets, read with ``new_items``, that the history does not have."""
    names = (pc.unique(one["unique_id"].cast(pa.string())).drop_null().to_pylist() for one in (found, sales.table))
    return find_strangers(*names)


def _rules(table: pa.Table, sales: Sales, said: Choices) -> Rules:
    """The rules by which the history was read, as far as it can tell."""
    names, written = sales.report.names, sales.report.written
    contexts = tuple(name for name in table.column_names if name not in {*sales.ids, names["ds"], names["y"]})
    past = {name for name in contexts if name in sales.table.column_names}
    numeric = {name for name in past if not is_text(sales.table[name].type)}
    decimal = said.decimal or _decimal(table, numeric, written["decimals"])
    day_first = sales.day_first if said.day_first is None else said.day_first
    choices = replace(said, decimal=decimal, day_first=day_first)
    roles = Roles(sales.ids, names["ds"], names["y"], contexts)
    refuse_clashes(roles)
    if not sales.ids and "unique_id" in contexts:
        raise InputError(
            "there is a column 'unique_id', but the history names no items; take it out, or name the column of items "
            "there with item (--id)"
        )
    found = decide_rules(_with_demand(_dated(table, names["ds"]), names["y"]), roles, choices)
    return replace(found, numbers=frozenset(numeric | (found.numbers - past)))


def _dated(table: pa.Table, date: str) -> pa.Table:
    """The rows that show how dates are written, if any do: there are few dates to come, and one may be a slip."""
    if not is_text(table[date].type):
        return table
    texts = table[date].cast(pa.string())
    known = pa.array([text for text in distinct_texts(texts) if is_date(text)], pa.string())
    return table.filter(pc.is_in(pc.utf8_trim_whitespace(texts), value_set=known)) if len(known) else table


def _decimal(table: pa.Table, numeric: set[str], usual: str) -> str:
    """The history's decimal sign, unless some number here can only be read with the other one."""
    texts = [text for name in numeric if is_text(table[name].type) for text in distinct_texts(table[name])]
    other = next(sign for sign in DECIMALS if sign != usual)
    lost = any(read_number(text, usual) is None for text in texts)
    return other if lost and all(read_number(text, other) is not None for text in texts) else usual


def _with_demand(table: pa.Table, demand: str) -> pa.Table:
    """The table with zeros as demand, since the rows to decide have none."""
    others = table.drop_columns([demand]) if demand in table.column_names else table
    return others.append_column(demand, pa.array(np.zeros(table.num_rows)))


def _nameless(batch: pa.RecordBatch, rows: list[int], sales: Sales) -> pa.RecordBatch:
    """The batch without item names in the given rows: a sum of items is not an item."""
    if not rows:
        return batch
    is_one = np.isin(np.arange(batch.num_rows), rows)
    for name in ("unique_id", *(sales.ids if len(sales.ids) > 1 else ())):
        bare = pc.if_else(is_one, pa.scalar(None, batch[name].type), batch[name])
        batch = batch.set_column(batch.schema.get_field_index(name), name, bare)
    return batch


def _refuse_texts(given: Source, rules: Rules) -> None:
    """Refuse anything but numbers in a context that is a number in the history."""
    for name in (one for one in rules.numbers if is_text(given.table[one].type)):
        for row, text in zip(given.numbers, given.table[name].to_pylist(), strict=True):
            if text is not None and not is_nothing(text) and read_number(text, rules.decimal) is None:
                raise InputError(
                    f"column {name!r} holds {text!r} in row {row}, and numbers in the history; correct it, or take "
                    "the column out"
                )


def _schema(table: pa.Table, sales: Sales) -> pa.Schema:
    """The table's schema, with text where the history has text."""
    past = sales.table
    texts = {name for name in table.column_names if name in past.column_names and is_text(past[name].type)}
    return pa.schema([(one.name, pa.string() if one.name in texts else one.type) for one in table.schema])


def _without_empty(table: pa.Table, sales: Sales) -> pa.Table:
    """The table without contexts that were left empty: what nobody knows is not a context."""
    kept = {"unique_id", "ds", *sales.ids}
    empty = [
        name
        for name in table.column_names
        if name not in kept and all(one is None or one == "" for one in pc.unique(table[name]).to_pylist())
    ]
    return table.drop_columns(empty)


def _named(table: pa.Table, sales: Sales) -> pa.Table:
    """The table with null in place of empty item names."""
    for name in ("unique_id", *(sales.ids if len(sales.ids) > 1 else ())):
        if is_text(table[name].type):
            bare = pc.if_else(pc.equal(table[name], ""), pa.scalar(None, pa.string()), table[name])
            table = table.set_column(table.column_names.index(name), name, bare)
    return table
