"""From the user's tables to the rows that are shipped: one SQL statement, composed after a first look."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa

from provend._errors import InputError
from provend.planning._ahead import PAST, dates_of, split_off, told
from provend.planning._calendar import Dates, next_dates
from provend.planning._dates import Moments, read_moments
from provend.planning._problems import no_demand, no_numbers, problem, unread_texts
from provend.planning._schema import BETWEEN, DECISION, DEMAND, ITEM, PREFIX, PROBLEM, ROW, SEEN, TARGET, TERM, WHEN
from provend.planning._source import Names, literal, quoted
from provend.planning._wish import Wish

SHOWN = 5  # columns that a message has
NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"}
EMPTY = '"NULL"'  # the type of a column without any value
NUMBERS |= {"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
SHELF_KIND = {"stock_seen": "DOUBLE", "sold_out": "BOOLEAN"}
YES, NO = ("yes", "y", "ja", "j", "oui", "si", "sí", "sì", "sim", "x"), ("no", "n", "nein", "non", "nee", "não")


@dataclass(frozen=True)
class Layout:
    """What was made of the tables.

    Attributes
    ----------
    past, ahead : str
        The statements that select past rows, in the order of the table, and those to decide, in no particular order.
    contexts, left_out : tuple of str
        The contexts in use, and those not in use because the targets lack them.
    date : str
        Name of the date column.
    spacing : str or None
        How the dates to come were found, in words.
    given : bool
        Whether the rows to decide stand in a table.
    step : int
        Days, or numbers, from one of the dates to come to the next, as a rule; 0 if they stand in a table.
    texts : mapping
        For costs and the like that the history has as text, the statement that selects the items whose latest one is no
        number, and that text.
    doubts, notes : tuple of str
        What is doubtful about them, and what else is to be known, in words.
    """

    past: str
    ahead: str
    contexts: tuple[str, ...]
    left_out: tuple[str, ...]
    date: str
    spacing: str | None
    given: bool = True
    step: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        """The statement that selects all rows."""
        return f"{self.past} UNION ALL {self.ahead}"


def lay_out(
    connection: duckdb.DuckDBPyConnection, wish: Wish, history: dict[str, str], targets: dict[str, str] | None
) -> Layout:
    """Look at the views ``history`` and ``targets``, and determine how their rows are to be read."""
    names = wish.names
    _refuse_absent(wish, history, targets)
    _refuse_unreadable(connection, wish)
    moments = read_moments(connection, names.date, history, targets)
    source, spacing = "history", None
    if targets is None:
        seen, still = dates_of(
            connection, names.demand, moments["history"], is_number=_is_number(history[names.demand])
        )
        if still.size:
            source, targets = PAST, split_off(connection, wish, moments["history"], history)
            moments["targets"], spacing = moments["history"], told(still, wish.horizon)
            spacing += _of_items(connection, names)
    contexts, left_out = _contexts(wish, history, targets)
    past = _select(source, wish, contexts, moments["history"], history, is_target=False)
    texts = unread_texts(source, wish, item_sql(names), moments["history"], history)
    if targets is not None:
        ahead = _select("targets", wish, contexts, moments["targets"], targets, is_target=True)
        unused = tuple(_unused(wish, history, targets))
        return Layout(past, ahead, contexts, left_out, names.date, spacing, texts=texts, doubts=unused)
    found = next_dates(seen, wish.horizon)
    connection.register("dates to come", pa.table({"date": _as_type(found.dates)}))
    ahead = _all_items(wish, history)
    return Layout(past, ahead, contexts, left_out, names.date, found.spacing, given=False, step=found.step, texts=texts)


def _refuse_absent(wish: Wish, history: dict[str, str], targets: dict[str, str] | None) -> None:
    names = wish.names
    keys = {"history": (history, (*names.ids, names.date, names.demand))}
    if targets is not None:
        keys["targets"] = (targets, (*names.ids, names.date))
    for table, (columns, needed) in keys.items():
        for name in needed:
            if name not in columns:
                raise InputError(f"{table}: there is no column {name!r}; the columns are {', '.join(columns)}")
        for name in columns:
            if name.startswith(PREFIX):
                raise InputError(f"{table}: a column is called {name!r}, as those in use here; rename it")
    for name in (*names.ids, names.date):
        if name in (*DECISION.names, "order_up_to"):
            raise InputError(f"history: the column {name!r} is called as one of the plan will be; rename it")
    for option, name in wish.terms.items():
        if name not in history and name not in (targets or {}):
            remedy = _with_point(name) or f"the columns are {list(history)}"
            raise InputError(f"{option} = {name!r} is neither a number nor a column; {remedy}")
    for option, name in wish.seen.items():
        if name not in history:
            raise InputError(f"{option} = {name!r} is not a column of the history; the columns are {list(history)}")


def _with_point(text: str) -> str | None:
    """How to write a number with a comma, which before three digits may separate thousands."""
    found = re.fullmatch(r"\s*([+-]?\d+),(\d+)\s*", text)
    if found is None:
        return None
    before, after = found.groups()
    return f"write {before}.{after}" + (f", or {before}{after}" if len(after) == 3 else "")


def _refuse_unreadable(connection: duckdb.DuckDBPyConnection, wish: Wish) -> None:
    """Refuse unreadable entries about the shelf: setting such days aside might favour days of low demand."""
    for option, column in wish.seen.items():
        text, read = f"{quoted(column)}::VARCHAR", _said(option, column)
        odd = connection.execute(
            f"SELECT {text} FROM history WHERE trim({text}) <> '' AND {read} IS NULL LIMIT 1"
        ).fetchall()
        for (value,) in odd:
            wanted = "not a number" if option == "stock_seen" else "neither yes nor no, true nor false, 1 nor 0"
            raise InputError(f"{option} = {column!r} holds {value!r}, which is {wanted}; correct it")


def _contexts(
    wish: Wish, history: dict[str, str], targets: dict[str, str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The contexts to use, and, unless they were named, those that the targets lack or leave empty."""
    asked = wish.names.contexts
    used = {*wish.names.ids, wish.names.date, wish.names.demand, *wish.terms.values(), *wish.seen.values()}
    possible = tuple(name for name in history if name not in used)
    told = {name for name, kind in (targets or {}).items() if kind != EMPTY}
    known = tuple(name for name in possible if name in told)
    _refuse_misspelt(set(possible if asked is None else asked) - {*(targets or {})}, targets or {})
    for name in asked or ():
        if name not in possible:
            raise InputError(f"contexts: {name!r} is not a context of the history; choose among {list(possible)}")
        if name not in known:
            raise InputError(f"contexts: {name!r} is not known for the days to come; give it in a table of targets")
    chosen = known if asked is None else tuple(dict.fromkeys(asked))
    for name in chosen:
        if targets is not None and _is_number(history[name]) != _is_number(targets[name]):
            raise InputError(
                f"column {name!r} is {history[name]} in the history and {targets[name]} in the targets; give the same"
            )
    return chosen, () if asked is not None else tuple(name for name in possible if name not in known)


def _refuse_misspelt(absent: set[str], targets: dict[str, str]) -> None:
    """Refuse a context that the targets have under a name that differs in nothing but case or blanks."""
    alike = {name.strip().casefold(): name for name in targets}
    for name in sorted(absent):
        if name.strip().casefold() in alike:
            raise InputError(
                f"the history has a column {name!r}, the targets have {alike[name.strip().casefold()]!r}; rename it to "
                f"{name!r}"
            )


def _unused(wish: Wish, history: dict[str, str], targets: dict[str, str]) -> Iterator[str]:
    """Columns of the targets that nothing is known about; who names contexts knows that others do not count."""
    if wish.names.contexts is not None:
        return
    unused = [name for name in targets if name not in {*history, *wish.terms.values()}]
    if unused:
        more = f" and {len(unused) - SHOWN:,} more" if len(unused) > SHOWN else ""
        yield f"not used, as the history does not have them: {', '.join(unused[:SHOWN])}{more} of the targets"


def _is_number(kind: str) -> bool:
    return kind.split("(")[0] in NUMBERS


def _select(
    table: str, wish: Wish, contexts: Sequence[str], moment: Moments, columns: dict[str, str], *, is_target: bool
) -> str:
    """The rows of one table."""
    demand = quoted(wish.names.demand)
    number = "NULL::DOUBLE" if is_target else f"try_cast({demand} AS DOUBLE)"
    item = item_sql(wish.names)
    terms = [f"{_term(columns, wish.terms[name])} AS {quoted(TERM[name])}" for name in wish.terms]
    cases = no_numbers(wish, columns) if is_target else no_demand(demand, number, moment)
    fields = [
        f"{item} AS {quoted(ITEM)}",
        f"{moment.sql} AS {quoted(WHEN)}",
        quoted(ROW),
        f"{'true' if is_target else 'false'} AS {quoted(TARGET)}",
        f"{number} AS {quoted(DEMAND)}",
        f"{problem(item, moment, cases)} AS {quoted(PROBLEM)}",
        *terms,
        *(_shelf(name, None if is_target else column) for name, column in wish.seen.items()),
        *map(quoted, contexts),
    ]
    return f"SELECT {', '.join(fields)} FROM {table} {moment.join}"


def item_sql(names: Names) -> str:
    """The item of a row as one text; without an id column, all rows belong to one item."""
    if not names.ids:
        return "'all'"
    return f" || {literal(BETWEEN)} || ".join(f"{quoted(name)}::VARCHAR" for name in names.ids)


def readable(item: str | None) -> str:
    """The names of several id columns as people write them."""
    return "(no item)" if item is None else item.replace(BETWEEN, " / ")


def _term(columns: dict[str, str], name: str) -> str:
    return f"try_cast({quoted(name)} AS DOUBLE)" if name in columns else "NULL::DOUBLE"


def _shelf(option: str, column: str | None) -> str:
    """What is known about the shelf of a past day; NULL for targets."""
    said = "NULL" if column is None else _said(option, column)
    return f"{said}::{SHELF_KIND[option]} AS {quoted(SEEN[option])}"


def _said(option: str, column: str) -> str:
    """What a column says about a past day, NULL if it cannot be read; yes and no as people write them."""
    read = f"try_cast({quoted(column)} AS {SHELF_KIND[option]})"
    if option != "sold_out":
        return read
    word = f"lower(trim({quoted(column)}::VARCHAR))"
    yes, no = (", ".join(map(literal, words)) for words in (YES, NO))
    return f"coalesce({read}, CASE WHEN {word} IN ({yes}) THEN true WHEN {word} IN ({no}) THEN false END)"


def _all_items(wish: Wish, history: dict[str, str]) -> str:
    """A target for every item on each of the dates to come."""
    item = item_sql(wish.names)
    terms = "".join(f", NULL::DOUBLE AS {quoted(TERM[name])}" for name in wish.terms)
    terms += "".join(f", {_shelf(name, None)}" for name in wish.seen)
    items = f"SELECT DISTINCT {item} AS item FROM history WHERE ({item}) IS NOT NULL"
    return (
        f'SELECT item AS {quoted(ITEM)}, "date" AS {quoted(WHEN)}, 0 AS {quoted(ROW)}, true AS {quoted(TARGET)}, '
        f"NULL::DOUBLE AS {quoted(DEMAND)}, NULL::VARCHAR AS {quoted(PROBLEM)}{terms} "
        f'FROM ({items}), "dates to come"'
    )


def _of_items(connection: duckdb.DuckDBPyConnection, names: Names) -> str:
    """Whether future rows leave items out, in words."""
    some, every = (
        connection.execute(f"SELECT count(DISTINCT {item_sql(names)}) FROM {table}").fetchall()[0][0]
        for table in ("targets", "history")
    )
    return "" if some == every else f", of {some:,} of its {every:,} items"


def _as_type(dates: Dates) -> pa.Array:
    return pa.array(dates.astype("datetime64[us]")) if dates.dtype.kind == "M" else pa.array(dates)
