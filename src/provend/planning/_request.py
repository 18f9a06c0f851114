"""What is asked for: checked once, the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_count, as_critical_ratio, as_exact
from provend.newsvendor import Newsvendor
from provend.planning._choice import Choice, Chosen, choose
from provend.planning._doubts import doubted
from provend.planning._rows import Layout, lay_out
from provend.planning._schema import BETWEEN, DECISION, DELIVERED, ITEM, LEVEL, ON_TOP, ROW, SEEN, WHEN, Job, Terms
from provend.planning._source import Given, Names, complaints, literal, quoted, view
from provend.planning._state import Facts
from provend.planning._supply import NOTHING_SAID, Supply
from provend.planning._values import extreme
from provend.planning._wish import Wish

NAIVE = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")  # without a time zone
USUAL_NAMES, USUAL_CHOICE = Names(), Choice()


@dataclass(frozen=True)
class Request:
    """A plan to be made: the options, checked and read.

    Attributes
    ----------
    wish : Wish
        What the columns are, and how far to plan ahead.
    terms : Terms
        Costs and support that are the same for all targets.
    choice : Choice
        Who is to decide.
    """

    wish: Wish
    terms: Terms
    choice: Choice

    def options(self) -> Facts:
        """The request as plain values, to be written down and compared."""
        return {name: _plain(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Opened:
    """The tables of a request in a database, and how their rows are to be read."""

    connection: duckdb.DuckDBPyConnection
    layout: Layout
    job: Job
    ids: dict[str, str]
    chosen: Chosen
    date_type: str


def read_request(
    costs: tuple[Number, Number],
    names: Names = USUAL_NAMES,
    *,
    support: tuple[Number, Number] | None = None,
    horizon: int = 1,
    choice: Choice = USUAL_CHOICE,
    supply: Supply = NOTHING_SAID,
) -> Request:
    """Check the options: costs ``(cu, co)``, ends of the support and supply are numbers or names of columns."""
    low, high = _ends(support)
    given: dict[str, Any] = {"cu": costs[0], "co": costs[1], "low": low, "high": high, **dict(supply.said())}
    seen = {name: given.pop(name) for name in SEEN if name in given}
    columns = {name: value for name, value in given.items() if isinstance(value, str) and not _is_number(value)}
    fixed: dict[str, Any] = {name: None if name in columns else value for name, value in given.items()}
    ends = None if fixed["low"] is None or fixed["high"] is None else (fixed["low"], fixed["high"])
    known: dict[str, Any] = {name: 1 if name in columns else fixed[name] for name in ("cu", "co")}
    as_critical_ratio(Newsvendor(known["cu"], known["co"], ends or (0, 1)))
    wish = Wish(names, columns, as_count(horizon, "horizon"), seen)
    supply.refuse_contradictions(wish.horizon, support=support is not None)
    _refuse_bad(supply.with_values(dict.fromkeys(columns.keys() & {*DELIVERED, *ON_TOP}, 1)))
    edges = None if support is None else (_edge(fixed["low"]), _edge(fixed["high"]))
    return Request(wish, Terms(fixed["cu"], fixed["co"], edges, supply), choice)


def _ends(support: Any) -> tuple[Any, Any]:
    """Both ends of the support, if it is given."""
    if support is None:
        return None, None
    if not isinstance(support, Sequence | np.ndarray) or isinstance(support, str | bytes) or np.shape(support) != (2,):
        raise InputError(f"support = {support!r} is no pair; give the lowest and the highest demand, as in (0, 100)")
    return support[0], support[1]


def _refuse_bad(supply: Supply) -> None:
    """Refuse numbers that cannot be packs, periods or stock; columns are checked row by row."""
    supply.orders  # noqa: B018
    supply.period  # noqa: B018
    for name in ON_TOP:
        value = getattr(supply, name)
        if value is not None and as_exact(value, name) < 0:
            raise InputError(f"{name} = {value!r} is negative; give a number of units, or a column")


def open_tables(
    connection: duckdb.DuckDBPyConnection, request: Request, history: Given, targets: Given | None
) -> Opened:
    """Open both tables, which are files or dataframes."""
    names, horizon = request.wish.names, request.wish.horizon
    if targets is not None and horizon > 1:
        raise InputError(f"horizon = {horizon} with targets: these say which dates are decided; give one of them")
    past = view(connection, "history", history, names)
    ahead = None if targets is None else view(connection, "targets", targets, names)
    with complaints(history if isinstance(history, Path) else "history"):
        if connection.execute("SELECT count(*) FROM (SELECT 1 FROM history LIMIT 1)").fetchall() == [(0,)]:
            raise InputError("history has no rows; give past demand")
        layout = lay_out(connection, request.wish, past, ahead)
        odd = extreme(connection, request.wish, request.terms, layout)
        layout = replace(layout, doubts=(*layout.doubts, *odd))
        kinds, new = request.choice.own.columns or {}, request.choice.new_items
        layout = doubted(connection, request.wish, layout, past, kinds, new_items=new)
        chosen = choose(connection, request.choice, layout, request.terms)
    job = Job(chosen.decider, request.terms, layout.date, layout.contexts)
    return Opened(
        connection, layout, job, {name: past[name] for name in names.ids}, chosen, (ahead or past)[names.date]
    )


def as_asked(
    opened: Opened, decisions: str, names: Sequence[str] = DECISION.names, *, in_kind: bool = False
) -> duckdb.DuckDBPyRelation:
    """Decisions under the user's names, one row per target, by item and date; ``names`` are what is told of each.

    Days are dates; ``in_kind``, those of targets, or else of a history, that have them as timestamps are such, too.
    """
    connection, when = opened.connection, quoted(WHEN)
    moment = connection.sql(f"SELECT {when} FROM {decisions} LIMIT 0").types[0]
    date = when
    if in_kind and opened.date_type in NAIVE:
        date = f"{when}::{opened.date_type}"
    elif str(moment).startswith("TIMESTAMP"):
        days = connection.sql(f"SELECT count(*) FROM {decisions} WHERE {when} <> date_trunc('day', {when})").fetchall()
        date = f"{when}::DATE" if days == [(0,)] else when
    parts = (
        [quoted(ITEM)]
        if len(opened.ids) == 1
        else [f"split_part({quoted(ITEM)}, {literal(BETWEEN)}, {i})" for i in range(1, len(opened.ids) + 1)]
    )
    ids = [
        f"CAST({part} AS {kind}) AS {quoted(name)}"
        for part, (name, kind) in zip(parts, opened.ids.items(), strict=True)
    ]
    decided = [*map(quoted, names)]
    if opened.job.terms.supply.on_top:
        decided.insert(1, f"{quoted(LEVEL)} AS order_up_to")
    columns = [*ids, f"{date} AS {quoted(opened.layout.date)}", *decided]
    order = ", ".join([*map(quoted, opened.ids), when, quoted(ROW)])
    return connection.sql(f"SELECT {', '.join(columns)} FROM {decisions} ORDER BY {order}")


def _edge(end: Number | None) -> float:
    """An end of the support; nan where a column holds it."""
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
