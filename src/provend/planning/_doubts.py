"""A look at the rows to decide: what the history does not know of is said by name, row by row and in sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from warnings import catch_warnings, simplefilter

import duckdb
import pyarrow as pa

from provend.planning._rows import Layout
from provend.planning._schema import DOUBT, EARLY, ITEM, NOTE, ON_TOP, PROBLEM, TERM, UNSEEN, WHEN, day
from provend.planning._source import literal, quoted
from provend.planning._wish import Wish
from provend.tables import ColumnWarning, Strangers, find_strangers, listed_items, read_contexts, written_item

KNOWN, ALIKE, GONE = "items known", "items alike", "items gone"
LONG = 60  # days without a row, from which an item may be gone
TIMES = 10  # its usual gap: a shop that opens once a week is not gone after two months
SHOWN = 5  # categories that a message has
TEXT = ("VARCHAR", "BOOLEAN", "ENUM")


@dataclass(frozen=True)
class Unseen:
    """Categories of one context that the history lacks, those it has, and how many targets have such a category."""

    name: str
    values: tuple[str | None, ...]
    seen: tuple[str, ...]
    targets: int

    def said(self, values: tuple[str | None, ...]) -> str:
        """That some of the categories were never seen, in words."""
        told = ", ".join("an empty cell" if one is None else repr(one) for one in values[:SHOWN])
        more = f" and {len(values) - SHOWN:,} more" if len(values) > SHOWN else ""
        seen = ", ".join(self.seen[:SHOWN]) + (", ..." if len(self.seen) > SHOWN else "")
        return (
            f"{self.name}: {told}{more} {'was' if len(values) == 1 else 'were'} never seen; seen: {seen or 'nothing'}"
        )


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
    _know(connection, layout)
    gone = list(_gone(connection, layout))
    if not layout.given:
        found = _noted(connection, layout, [], gone=True) if gone else layout
        return replace(found, doubts=tuple(gone), notes=tuple(notes))
    strangers = _strangers(connection, layout)
    if not new_items:
        strangers.refuse_mistaken()
    if strangers.new:
        many = len(strangers.new)
        notes.append(f"{many:,} {'item has' if many == 1 else 'items have'} no history: {listed_items(strangers.new)}")
    unseen = list(_unseen(connection, layout, types, said))
    doubts = [*_alike(connection, strangers, new_items=new_items), *_early(connection, layout), *gone]
    doubts += [f"{one.said(one.values)} ({_targets(one.targets)})" for one in unseen]
    found = _noted(connection, layout, unseen, gone=bool(gone)) if doubts else layout
    return replace(found, doubts=tuple(doubts), notes=tuple(notes))


def _targets(count: int) -> str:
    return f"{count:,} {'target' if count == 1 else 'targets'}"


def _know(connection: duckdb.DuckDBPyConnection, layout: Layout) -> None:
    """Make a table of the history's items, with the first and the last of their usable rows, and how many there are."""
    when, sound = quoted(WHEN), f"FILTER ({quoted(PROBLEM)} IS NULL)"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(KNOWN)} AS SELECT {quoted(ITEM)} AS item, min({when}) {sound} AS first, "
        f"max({when}) {sound} AS last, count(*) {sound} AS rows FROM ({layout.past}) "
        f"WHERE {quoted(ITEM)} IS NOT NULL GROUP BY 1"
    )
    _say_problems(connection, {})


def _gone(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Iterator[str]:
    """Items whose last row is long before a target, by what is usual for them: they may not be sold any longer."""
    item, when = quoted(ITEM), quoted(WHEN)
    if not str(connection.sql(f"SELECT {when} FROM ({layout.past}) LIMIT 0").types[0]).startswith("TIMESTAMP"):
        return
    likely = (  # few items, as the gaps of all would have to be sorted
        f"SELECT item, last, greatest({LONG}, {TIMES} * datediff('day', first, last) / greatest(rows - 1, 1)) AS most "
        f"FROM {quoted(KNOWN)} JOIN (SELECT {item} AS asked, max({when}) AS until FROM ({layout.ahead}) GROUP BY 1) "
        "ON item = asked WHERE datediff('day', last, until) > most"
    )
    gaps = (
        f"SELECT item, last, most, datediff('day', lag({when}) OVER (PARTITION BY item ORDER BY {when}), {when}) "
        f"AS gap FROM ({layout.past}) JOIN ({likely}) ON {item} = item WHERE {quoted(PROBLEM)} IS NULL"
    )
    usual = f"SELECT item, last, greatest(most, coalesce(max(gap), 0)) AS most FROM ({gaps}) GROUP BY item, last, most"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {quoted(GONE)} AS SELECT DISTINCT item, last, {when} AS moment, "
        f"datediff('day', last, {when}) AS days FROM ({layout.ahead}) JOIN ({usual}) ON {item} = item WHERE days > most"
    )
    ((count, name, last, days),) = connection.execute(
        f"SELECT count(DISTINCT item), max_by(item, days), max_by(last, days), max(days) FROM {quoted(GONE)}"
    ).fetchall()
    if count:
        yield (
            f"{count:,} {'item has' if count == 1 else 'items have'} not been seen for long, such as "
            f"{written_item(name)}, last on {day(last)}, {days:,} days before: leave out what is no longer sold"
        )


def _strangers(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Strangers:
    item = quoted(ITEM)
    asked = f"SELECT DISTINCT {item} AS item FROM ({layout.ahead}) WHERE {item} IS NOT NULL ORDER BY 1"
    return find_strangers(_column(connection, asked), _column(connection, f"SELECT item FROM {quoted(KNOWN)}"))


def _alike(connection: duckdb.DuckDBPyConnection, strangers: Strangers, *, new_items: bool) -> Iterator[str]:
    """Items that look like one of the history: unless they are new, each has a problem."""
    told = {
        one: f"{written_item(one)} is not in the history, but {written_item(other)} is"
        for one, other in strangers.alike.items()
    }
    does = ": decided as a new item" if new_items else ": write it as there or, if it is new, say new_items"
    problems = {} if new_items else {one: f"{said}{does}" for one, said in told.items()}
    _say_problems(connection, problems)
    if told:
        first, *others = told.values()
        yield f"{first}{f', and {len(others):,} more like that' if others else ''}{does}"


def _say_problems(connection: duckdb.DuckDBPyConnection, problems: dict[str, str]) -> None:
    pairs = {"item": pa.array(problems, pa.string()), "problem": pa.array(problems.values(), pa.string())}
    connection.register(ALIKE, pa.table(pairs))


def _early(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Iterator[str]:
    """Targets whose item has past demands of that day, or later ones."""
    item, when = quoted(ITEM), quoted(WHEN)
    ((count, name, first, last),) = connection.execute(
        f"SELECT count(*), min_by({item}, {when}), min({when}), min_by(last, {when}) FROM ({layout.ahead}) "
        f"JOIN {quoted(KNOWN)} ON {item} = item WHERE {when} <= last"
    ).fetchall()
    if count:
        many = f"{_targets(count)} {'is' if count == 1 else 'are'}"
        yield (
            f"{many} not after the item's own past, such as {written_item(name)} on {day(first)}, whose past ends on "
            f"{day(last)}: demands of that day and later count for it, as if they were known"
        )


def _unseen(
    connection: duckdb.DuckDBPyConnection, layout: Layout, types: Mapping[str, str], said: Mapping[str, str]
) -> Iterator[Unseen]:
    """Categories among the targets that no usable past row has."""
    for name in layout.contexts:
        if types[name].split("(")[0] not in TEXT and said.get(name) != "category":
            continue
        value = f"{quoted(name)}::VARCHAR AS value"
        sound = f"({layout.past}) WHERE {quoted(PROBLEM)} IS NULL"
        past = connection.sql(f"SELECT DISTINCT {value} FROM {sound} ORDER BY 1 NULLS LAST").to_arrow_table()
        if said.get(name, _looks(past)) != "category":
            continue
        counts = connection.execute(
            f"SELECT {value}, count(*) FROM ({layout.ahead}) GROUP BY 1 ORDER BY 1 NULLS LAST"
        ).fetchall()
        seen = past["value"].to_pylist()
        new = {one: int(count) for one, count in counts if one not in {*seen}}
        if new:
            yield Unseen(name, tuple(new), tuple(one for one in seen if one is not None), sum(new.values()))


def _looks(values: pa.Table) -> str:
    """What a column of such texts is taken for."""
    with catch_warnings():
        simplefilter("ignore", ColumnWarning)
        return read_contexts(values).kinds["value"] if values.num_rows else "category"


def _noted(connection: duckdb.DuckDBPyConnection, layout: Layout, unseen: list[Unseen], *, gone: bool) -> Layout:
    """The statements of the rows, with what is doubtful about each target and the status that it has for that."""
    item, when, problem = f"ahead.{quoted(ITEM)}", f"ahead.{quoted(WHEN)}", quoted(PROBLEM)
    early = f"{when} <= known.last"
    last_day = "replace(known.last::VARCHAR, ' 00:00:00', '')"
    notes = [
        f"CASE WHEN {early} THEN 'the date is not after the item''s past, which ends on ' || {last_day} || ': demands "
        "of that day and later count as if they were known' END"
    ]
    joins = [
        f"LEFT JOIN {quoted(KNOWN)} AS known ON {item} = known.item",
        f"LEFT JOIN {quoted(ALIKE)} AS alike ON {item} = alike.item",
    ]
    if gone:
        joins.append(f"LEFT JOIN {quoted(GONE)} AS gone ON {item} = gone.item AND {when} = gone.moment")
        notes.append(f"'last seen on ' || {last_day} || ', ' || gone.days || ' days before'")
    for at, one in enumerate(unseen):
        values = pa.array(one.values, pa.string())
        told = pa.array([one.said((value,)) for value in one.values], pa.string())
        connection.register(f"unseen {at}", pa.table({"value": values, "note": told}))
        joins.append(
            f'LEFT JOIN "unseen {at}" AS unseen{at} ON ahead.{quoted(one.name)}::VARCHAR '
            f"IS NOT DISTINCT FROM unseen{at}.value"
        )
        notes.append(f"unseen{at}.note")
    never = " OR ".join(f"unseen{at}.note IS NOT NULL" for at in range(len(unseen))) or "false"
    status = f"CASE WHEN {early} THEN {literal(EARLY)} WHEN {never} THEN {literal(UNSEEN)} END"
    ahead = (
        f"SELECT ahead.* REPLACE (coalesce(ahead.{problem}, alike.problem) AS {problem}), "
        f"nullif(concat_ws('; ', {', '.join(notes)}), '') AS {quoted(NOTE)}, {status} AS {quoted(DOUBT)} "
        f"FROM ({layout.ahead}) AS ahead {' '.join(joins)}"
    )
    nothing = f"NULL::VARCHAR AS {quoted(NOTE)}, NULL::VARCHAR AS {quoted(DOUBT)}"
    return replace(layout, past=f"SELECT *, {nothing} FROM ({layout.past})", ahead=ahead)


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
