"""What is asked for: checked once, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_count, as_critical_ratio, as_exact
from provend.newsvendor import Newsvendor
from provend.planning._own_rows import OwnRows
from provend.planning._rows import BETWEEN, Layout, Wish, lay_out
from provend.planning._schema import DECISION, ITEM, ROW, WHEN, Job, Terms
from provend.planning._source import Given, Names, complaints, literal, quoted, view
from provend.planning._state import Facts

USUAL_NAMES, USUAL_DECIDER = Names(), OwnRows()


@dataclass(frozen=True)
class Request:
    """A plan to be made: options as they were given, and read.

    Attributes
    ----------
    wish : Wish
        Which columns are what, and how far ahead.
    terms : Terms
        Costs and support that are the same for all.
    decider : OwnRows
        Who decides.
    """

    wish: Wish
    terms: Terms
    decider: OwnRows

    def options(self) -> Facts:
        """As plain values, to be written down and compared."""
        return {name: _plain(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Opened:
    """The tables of a request in a database, and how their rows are to be read."""

    connection: duckdb.DuckDBPyConnection
    layout: Layout
    job: Job
    ids: dict[str, str]


def read_request(
    costs: tuple[Number, Number],
    names: Names = USUAL_NAMES,
    *,
    support: tuple[Number, Number] | None = None,
    horizon: int = 1,
    contexts: Sequence[str] | None = None,
    decider: OwnRows = USUAL_DECIDER,
) -> Request:
    """Check the options: costs ``(cu, co)`` and ends of the support are numbers, or text that names a column."""
    low, high = support if support is not None else (None, None)
    given = {"cu": costs[0], "co": costs[1], "low": low, "high": high}
    columns = {name: value for name, value in given.items() if isinstance(value, str) and not _is_number(value)}
    fixed: dict[str, Any] = {name: None if name in columns else value for name, value in given.items()}
    ends = None if fixed["low"] is None or fixed["high"] is None else (fixed["low"], fixed["high"])
    known: dict[str, Any] = {name: 1 if name in columns else fixed[name] for name in ("cu", "co")}
    as_critical_ratio(Newsvendor(known["cu"], known["co"], ends or (0, 1)))
    if isinstance(contexts, str):
        raise InputError(f"contexts = {contexts!r} is a string; give a list of column names such as [{contexts!r}]")
    chosen = None if contexts is None else tuple(contexts)
    wish = Wish(names, chosen, columns, as_count(horizon, "horizon"))
    edges = None if support is None else (_edge(fixed["low"]), _edge(fixed["high"]))
    return Request(wish, Terms(fixed["cu"], fixed["co"], edges), decider)


def open_tables(
    connection: duckdb.DuckDBPyConnection, request: Request, history: Given, targets: Given | None
) -> Opened:
    """Look at both tables: files, or dataframes."""
    names = request.wish.names
    past = view(connection, "history", history, names)
    ahead = None if targets is None else view(connection, "targets", targets, names)
    with complaints(history if isinstance(history, Path) else "history"):
        if connection.execute("SELECT count(*) FROM (SELECT 1 FROM history LIMIT 1)").fetchall() == [(0,)]:
            raise InputError("history has no rows; give past demand")
        layout = lay_out(connection, request.wish, past, ahead)
    job = Job(request.decider, request.terms, layout.date, layout.contexts)
    return Opened(connection, layout, job, {name: past[name] for name in names.ids})


def as_asked(opened: Opened, decisions: str) -> duckdb.DuckDBPyRelation:
    """Decisions under the user's names, one row per target, by item and date."""
    connection, when = opened.connection, quoted(WHEN)
    moment = connection.sql(f"SELECT {when} FROM {decisions} LIMIT 0").types[0]
    date = when
    if str(moment).startswith("TIMESTAMP"):
        days = connection.sql(f"SELECT count(*) FROM {decisions} WHERE {when} <> date_trunc('day', {when})").fetchall()
        date = f"{when}::DATE" if days == [(0,)] else when
    parts = (
        [quoted(ITEM)]
        if len(opened.ids) == 1
        else [f"split_part({quoted(ITEM)}, {literal(BETWEEN)}, {i})" for i in range(1, len(opened.ids) + 1)]
    )
    ids = [
        f"CAST({part} AS {kind}) AS {quoted(name)}"
        for part, (name, kind) in zip(parts, opened.ids.items(), strict=bool(opened.ids))
    ]
    columns = [*ids, f"{date} AS {quoted(opened.layout.date)}", *map(quoted, DECISION.names)]
    order = ", ".join([*map(quoted, opened.ids), when, quoted(ROW)])
    return connection.sql(f"SELECT {', '.join(columns)} FROM {decisions} ORDER BY {order}")


def _edge(end: Number | None) -> float:
    """An end of the support; nan where a column has it."""
    return float("nan") if end is None else float(as_exact(end, "support"))


def _is_number(text: str) -> bool:
    try:
        as_exact(text, "")
    except ValueError:
        return False
    return True


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)
