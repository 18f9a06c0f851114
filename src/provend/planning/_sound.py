"""Which past rows count, and on which terms targets are decided: a whole batch of items at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend._validation import as_exact
from provend.planning._one_by_one import codes
from provend.planning._schema import DELIVERED, ITEM, NOTE, ON_TOP, POSITION, PROBLEM, TARGET, TERM, TERMS, WHEN, Terms
from provend.planning._supply import Supply

Aside = dict[str | None, list[str]]  # what is wrong with the rows of an item


def past_and_ahead(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Past rows and those to decide; where all past rows come first, nothing is copied."""
    ahead = rows[TARGET].to_numpy()
    before = int(ahead.size - ahead.sum())
    if ahead[before:].all():
        return rows.slice(0, before), rows.slice(before)
    return rows.filter(~ahead), rows.filter(ahead)


def sound(past: pa.Table) -> tuple[pa.Table, Aside]:
    """The rows that can be used, and what is wrong with the others; of rows that share a date, none is used."""
    usable = pc.is_null(past[PROBLEM]).to_numpy()
    rows = np.flatnonzero(usable)
    item = codes(past)[rows]
    when = past[WHEN].to_numpy()[rows]
    again = (item[1:] == item[:-1]) & (when[1:] == when[:-1])  # rows of an item are contiguous, by date
    twice = np.zeros(rows.size, bool)
    twice[1:] |= again
    twice[:-1] |= again
    usable[rows[twice]] = False
    if usable.all():
        return past, {}
    aside: Aside = {}
    for row in past.filter(~usable).select([ITEM, WHEN, PROBLEM]).to_pylist():
        said = row[PROBLEM] or f"{str(row[WHEN]).removesuffix(' 00:00:00')} is there more than once"
        aside.setdefault(row[ITEM], []).append(said)
    return past.filter(usable), aside


def by_terms(past: pa.Table, targets: pa.Table, given: Terms) -> Iterator[tuple[Terms | str, list[int]]]:
    """Groups of targets with equal terms; a text instead of terms says why there are none."""
    own = {name: _own(past, targets, TERM[name]) for name in TERMS if TERM[name] in targets.column_names}
    if not own and targets[PROBLEM].null_count == targets.num_rows > 0:
        yield _terms(given, {}), list(range(targets.num_rows))
        return
    groups: dict[Terms | str, list[int]] = {}
    known: dict[tuple[float | None, ...], Terms | str] = {}
    for at, problem in enumerate(targets[PROBLEM].to_pylist()):
        mine = tuple(values[at] for values in own.values())
        if mine not in known:
            known[mine] = _terms(given, dict(zip(own, mine, strict=True)))
        groups.setdefault(problem or known[mine], []).append(at)
    yield from groups.items()


def _own(past: pa.Table, targets: pa.Table, column: str) -> list[float | None]:
    """A target's own value, or the latest one in the item's past."""
    there = past.filter(pc.is_valid(past[column]))
    latest = dict(zip(there[ITEM].to_pylist(), there[column].to_pylist(), strict=True))
    both = zip(targets[ITEM].to_pylist(), targets[column].to_pylist(), strict=True)
    return [latest.get(item) if value is None else value for item, value in both]


def _terms(given: Terms, own: dict[str, float | None]) -> Terms | str:
    absent = [name for name, value in own.items() if value is None]
    if absent:
        return f"there is no {absent[0]} for this target, nor in the item's past; fill it in"
    known = {name: value for name, value in own.items() if value is not None}
    support = given.support and (known.get("low", given.support[0]), known.get("high", given.support[1]))
    supply = given.supply.with_values({name: value for name, value in known.items() if name in DELIVERED})
    return replace(given, cu=known.get("cu", given.cu), co=known.get("co", given.co), support=support, supply=supply)


def with_position(past: pa.Table, targets: pa.Table, given: Supply) -> pa.Table:
    """Targets with their stock on hand and on order, if that counts, with a problem where it is unknown.

    Of targets that have the same stock as the one before, a note says so: it can hardly be there for both.
    """
    if not given.on_top:
        return targets
    position, problems = np.zeros(targets.num_rows), targets[PROBLEM].to_pylist()
    notes: list[str | None] = [None] * targets.num_rows
    first = _first_of_item(targets)
    for name, value in given.said():
        if name in ON_TOP:
            column = TERM[name]
            if column in targets.column_names:
                own, values = targets[column].is_valid().to_numpy(), _own(past, targets, column)
            else:
                own, values = np.zeros(targets.num_rows, bool), [float(as_exact(value, name))] * targets.num_rows
            for at, units in enumerate(values):
                problems[at] = problems[at] or _doubt(name, units, later=not (first[at] or own[at]))
                position[at] += units or 0.0
                if not first[at] and units and units == values[at - 1]:
                    notes[at] = notes[at] or _again(name, units, targets[WHEN][at - 1].as_py())
    changed = {PROBLEM: pa.array(problems, pa.string())}
    table = pa.table([changed.get(name, targets[name]) for name in targets.column_names], names=targets.column_names)
    return table.append_column(POSITION, pa.array(position)).append_column(NOTE, pa.array(notes, pa.string()))


def _first_of_item(targets: pa.Table) -> NDArray[np.bool_]:
    item = codes(targets)
    return np.append(np.ones(min(item.size, 1), bool), item[1:] != item[:-1])


def _doubt(name: str, units: float | None, *, later: bool) -> str | None:
    """Why a stock cannot be used."""
    if units is None:
        return f"there is no {name} for this target, nor in the item's past; fill it in"
    if later:
        return f"{name} is what the item's first order finds; give it in the targets for later ones"
    return None if units >= 0 else f"{name} = {units:g} is negative; correct it"


def _again(name: str, units: float, before: object) -> str:
    """Why a stock that is given is doubtful."""
    day = str(before).removesuffix(" 00:00:00")
    return (
        f"{name} = {units:g} already counts for {day}, and units can be used only once: the order holds if they are "
        "there again; else give what this order will find, 0 if they will be used up"
    )
