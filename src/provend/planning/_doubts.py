"""A look at the rows to decide: what the history does not know of is said by name, row by row and in sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import duckdb
import pyarrow as pa

from provend.planning._doubt import AT_ITEM, AT_WHEN, Doubt, counted, noted
from provend.planning._gaps import KNOWN, LAST_DAY, far_apart, gone, keys, know
from provend.planning._rows import Layout
from provend.planning._schema import EARLY, ITEM, ON_TOP, PROBLEM, TERM, TWO, WHEN, day
from provend.planning._source import quoted
from provend.planning._unseen import unseen
from provend.planning._values import unread
from provend.planning._wish import Wish
from provend.tables import Strangers, find_strangers, listed_items, written_item

ALIKE, THERE_AGAIN = "items alike", "targets there again"


def doubted(
    connection: duckdb.DuckDBPyConnection,
    wish: Wish,
    layout: Layout,
    types: Mapping[str, str],
    said: Mapping[str, str],
    *,
    new_items: bool,
) -> Layout:
    """The same rows, with notes and problems where targets are doubtful, and what is to be said of all of them.

    ``types`` are those of the history's columns, ``said`` the kinds of contexts that the user named.
    """
    notes = [*layout.notes, *_stock(connection, wish, layout)]
    know(connection, layout)
    doubts = [*unread(connection, wish, layout), *gone(connection, layout)]
    if not layout.given:
        doubts += far_apart(connection, layout)
        return noted(replace(layout, notes=tuple(notes)), doubts)
    strangers = _strangers(connection, layout)
    if not new_items:
        strangers.refuse_mistaken()
    if strangers.new:
        new = counted(len(strangers.new), "item has", "items have")
        notes.append(f"{new} no history: {listed_items(strangers.new)}")
    before = [*_alike(connection, strangers, new_items=new_items), *_there_again(connection, layout)]
    before += _early(connection, layout)
    doubts = [*before, *doubts, *unseen(connection, layout, types, said)]
    return noted(replace(layout, notes=tuple(notes)), doubts)


def _strangers(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Strangers:
    item = quoted(ITEM)
    asked = f"SELECT DISTINCT {item} AS item FROM ({layout.ahead}) WHERE {item} IS NOT NULL ORDER BY 1"
    return find_strangers(_column(connection, asked), _column(connection, f"SELECT item FROM {quoted(KNOWN)}"))


def _alike(connection: duckdb.DuckDBPyConnection, strangers: Strangers, *, new_items: bool) -> Iterator[Doubt]:
    """Items that look like one of the history: unless they are new, each has a problem."""
    if not strangers.alike:
        return
    told = {
        one: f"{written_item(one)} is not in the history, but {written_item(other)} is"
        for one, other in strangers.alike.items()
    }
    does = ": decided as a new item" if new_items else ": write it as there or, if it is new, say new_items"
    items, problems = pa.array(told, pa.string()), pa.array([f"{said}{does}" for said in told.values()], pa.string())
    connection.register(ALIKE, pa.table({"item": items, "problem": problems}))
    first, *others = told.values()
    yield Doubt(
        f"{first}{f', and {len(others):,} more like that' if others else ''}{does}",
        f"LEFT JOIN {quoted(ALIKE)} AS alike ON {AT_ITEM} = alike.item",
        problem=None if new_items else "alike.problem",
    )


def _there_again(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Iterator[Doubt]:
    """Targets of the same item and date: what is ordered for both would come twice."""
    item, when = quoted(ITEM), quoted(WHEN)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(THERE_AGAIN)} AS SELECT {item} AS item, {when} AS moment, count(*) AS "
        f"rows FROM {keys(layout.ahead)} WHERE {quoted(PROBLEM)} IS NULL GROUP BY ALL HAVING count(*) > 1"
    )
    ((count, name, first, rows),) = connection.execute(
        "SELECT count(*), min(item), min_by(moment, (item, moment)), min_by(rows, (item, moment)) "
        f"FROM {quoted(THERE_AGAIN)}"
    ).fetchall()
    if count:
        yield Doubt(
            f"{counted(count, 'item and date is', 'items and dates are')} there more than once in the targets, such as "
            f"{written_item(name)} on {day(first)}, {rows:,} times: each row has an order of its own; leave one",
            f"LEFT JOIN {quoted(THERE_AGAIN)} AS again ON {AT_ITEM} = again.item AND {AT_WHEN} = again.moment",
            "'this item and date are there ' || again.rows || ' times in the targets, each with an order of its own'",
            status=TWO,
        )


def _early(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Iterator[Doubt]:
    """Targets whose item has past demands of that day, or later ones."""
    item, when = quoted(ITEM), quoted(WHEN)
    ((count, name, first, last),) = connection.execute(
        f"SELECT count(*), min_by({item}, {when}), min({when}), min_by(last, {when}) FROM {keys(layout.ahead)} "
        f"JOIN {quoted(KNOWN)} ON {item} = item WHERE {when} <= last"
    ).fetchall()
    if count:
        early = counted(count, "target is", "targets are")
        yield Doubt(
            f"{early} not after the item's own past, such as {written_item(name)} on {day(first)}, whose past ends on "
            f"{day(last)}: demands of that day and later count for it, as if they were known",
            f"LEFT JOIN {quoted(KNOWN)} AS past ON {AT_ITEM} = past.item",
            f"CASE WHEN {AT_WHEN} <= past.last THEN 'the date is not after the item''s past, which ends on ' || "
            f"{LAST_DAY.format('past')} || ': demands of that day and later count as if they were known' END",
            status=EARLY,
        )


def _stock(connection: duckdb.DuckDBPyConnection, wish: Wish, layout: Layout) -> Iterator[str]:
    """That a stock is that of the latest past row, with an example, where targets do not say what it is."""
    item, when = quoted(ITEM), quoted(WHEN)
    for option in (name for name in ON_TOP if name in wish.terms):
        value = quoted(TERM[option])
        latest = (
            f"SELECT {item} AS item, max_by({value}, {when}) AS units, max({when}) AS day FROM ({layout.past}) WHERE "
            f"{value} IS NOT NULL AND {quoted(PROBLEM)} IS NULL AND {item} = (SELECT min({item}) FROM ({layout.ahead}) "
            f"WHERE {value} IS NULL) GROUP BY 1"
        )
        for name, units, latest_day in connection.execute(latest).fetchall():
            yield (
                f"{option}: `{wish.terms[option]}` of each item's latest past row that has one, such as {units:g} of "
                f"{written_item(name)} on {day(latest_day)}; if that is not what is there now, give it in the targets"
            )


def _column(connection: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    found: list[str] = connection.sql(sql).to_arrow_table()["item"].to_pylist()
    return found
