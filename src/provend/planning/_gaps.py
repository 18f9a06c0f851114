"""Gaps between the rows of an item: whether it may be gone, and whether dates to come are nearer than its own."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from provend.planning._doubt import AT_ITEM, AT_WHEN, Doubt, counted
from provend.planning._rows import Layout
from provend.planning._schema import ITEM, PROBLEM, WHEN, day
from provend.planning._source import literal, quoted
from provend.tables import written_item

KNOWN, GONE, APART = "items known", "items gone", "items apart"
LAST_DAY = "replace({}.last::VARCHAR, ' 00:00:00', '')"  # of a table with the last rows of items
LONG = 60  # days without a row, from which an item may be gone
TIMES = 10  # its usual gap: a shop that opens once a week is not gone after two months
FEWEST = 4  # rows of an item, from which its gaps may be called regular
REGULAR = 0.9  # share of its gaps that must be like the usual one,
SLACK = 0.1  # which they are if they differ by no more than this share of it: months are no slip
FURTHER = 2  # gaps between dates to come, from which rows are too far apart


def keys(rows: str) -> str:
    """The rows of a statement by item, date and problem alone: a context may be called as anything is here."""
    return f"(SELECT {quoted(ITEM)}, {quoted(WHEN)}, {quoted(PROBLEM)} FROM ({rows}))"


def know(connection: duckdb.DuckDBPyConnection, layout: Layout) -> None:
    """Make a table of the history's items, with the first and the last of their usable rows, and how many there are."""
    when, sound = quoted(WHEN), f"FILTER ({quoted(PROBLEM)} IS NULL)"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(KNOWN)} AS SELECT {quoted(ITEM)} AS item, min({when}) {sound} AS first, "
        f"max({when}) {sound} AS last, count(*) {sound} AS rows FROM {keys(layout.past)} "
        f"WHERE {quoted(ITEM)} IS NOT NULL GROUP BY 1"
    )


def gone(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Iterator[Doubt]:
    """Items whose last row is long before a target, by what is usual for them: they may not be sold any longer."""
    item, when, ahead = quoted(ITEM), quoted(WHEN), keys(layout.ahead)
    if not _dated(connection, layout):
        return
    likely = (  # few items, as the gaps of all would have to be sorted
        f"SELECT item, last, greatest({LONG}, {TIMES} * datediff('day', first, last) / greatest(rows - 1, 1)) AS most "
        f"FROM {quoted(KNOWN)} JOIN (SELECT {item} AS asked, max({when}) AS until FROM {ahead} GROUP BY 1) "
        "ON item = asked WHERE datediff('day', last, until) > most"
    )
    usual = (
        "SELECT item, last, greatest(most, coalesce(max(gap), 0)) AS most "
        f"FROM ({_gaps(layout, likely, 'item, last, most', dated=True)}) GROUP BY item, last, most"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(GONE)} AS SELECT DISTINCT item, last, {when} AS moment, "
        f"datediff('day', last, {when}) AS days FROM {ahead} JOIN ({usual}) ON {item} = item WHERE days > most"
    )
    ((count, name, last, days),) = connection.execute(
        f"SELECT count(DISTINCT item), max_by(item, days), max_by(last, days), max(days) FROM {quoted(GONE)}"
    ).fetchall()
    if count:
        yield Doubt(
            f"{counted(count, 'item has', 'items have')} not been seen for long, such as {written_item(name)}, last on "
            f"{day(last)}, {days:,} days before: leave out what is no longer sold",
            f"LEFT JOIN {quoted(GONE)} AS gone ON {AT_ITEM} = gone.item AND {AT_WHEN} = gone.moment",
            f"'last seen on ' || {LAST_DAY.format('gone')} || ', ' || gone.days || ' days before'",
        )


def far_apart(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Iterator[Doubt]:
    """Items whose rows are regularly further apart than the dates to come, at which they would be ordered too often."""
    if layout.spacing is None:
        return
    dated, least = _dated(connection, layout), FURTHER * layout.step
    likely = (  # few items, again: most of the gaps are nearly the usual one, so their mean cannot be much smaller
        f"SELECT item FROM {quoted(KNOWN)} WHERE rows >= {FEWEST} "
        f"AND {_between('first', 'last', dated=dated)} >= {REGULAR * (1 - SLACK) * least} * (rows - 1)"
    )
    usual = (
        f"SELECT *, median(gap) OVER (PARTITION BY item) AS usual FROM ({_gaps(layout, likely, 'item', dated=dated)}) "
        "WHERE gap IS NOT NULL"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(APART)} AS SELECT item, first(usual) AS gap FROM ({usual}) GROUP BY 1 "
        f"HAVING gap >= {least} AND avg((abs({quoted('gap')} - usual) <= {SLACK} * usual)::INT) >= {REGULAR}"
    )
    ((count, name, gap),) = connection.execute(
        f"SELECT count(*), min(item), min_by(gap, item) FROM {quoted(APART)}"
    ).fetchall()
    if count:
        unit, coming = " days" if dated else "", f"the dates to come are {layout.spacing}"
        more = "" if count == 1 else f", and those of {counted(count - 1, 'more item')} are too far apart, too"
        table = "it in a table of its own" if count == 1 else "them in a table of their own"
        note = f"{unit} apart, {coming}: every order is as large as one of these rows needs"
        yield Doubt(
            f"rows of {written_item(name)} are {gap:g}{unit} apart{more}, {coming}: plan {table}, or add rows of 0 for "
            "dates on which nothing was sold",
            f"LEFT JOIN {quoted(APART)} AS apart ON {AT_ITEM} = apart.item",
            f"'its rows are ' || format('{{:g}}', apart.gap::DOUBLE) || {literal(note)}",
        )


def _dated(connection: duckdb.DuckDBPyConnection, layout: Layout) -> bool:
    """Whether dates are such, not numbers."""
    kind = connection.sql(f"SELECT {quoted(WHEN)} FROM {keys(layout.past)} LIMIT 0").types[0]
    return str(kind).startswith("TIMESTAMP")


def _between(first: str, last: str, *, dated: bool) -> str:
    return f"datediff('day', {first}, {last})" if dated else f"({last} - {first})"


def _gaps(layout: Layout, likely: str, columns: str, *, dated: bool) -> str:
    """The gap before every usable row of likely items, NULL before their first; with columns of the latter."""
    when = quoted(WHEN)
    before = f"lag({when}) OVER (PARTITION BY item ORDER BY {when})"
    return (
        f"SELECT {columns}, {_between(before, when, dated=dated)} AS gap FROM {keys(layout.past)} JOIN ({likely}) "
        f"ON {quoted(ITEM)} = item WHERE {quoted(PROBLEM)} IS NULL"
    )
