"""Which past rows count, and on which terms targets are decided: a whole batch of items at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend.planning._one_by_one import codes
from provend.planning._schema import DELIVERED, ITEM, PROBLEM, TARGET, TERM, TERMS, WHEN, Terms, day

Aside = dict[str | None, list[str]]  # what is wrong with the rows of an item

AGAIN_THERE = "is there more than once"


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
        said = row[PROBLEM] or f"{day(row[WHEN])} {AGAIN_THERE}"
        aside.setdefault(row[ITEM], []).append(said)
    return past.filter(usable), aside


def by_terms(past: pa.Table, targets: pa.Table, given: Terms) -> Iterator[tuple[Terms | str, list[int]]]:
    """Groups of targets with equal terms; a text instead of terms says why there are none."""
    own = {name: own_values(past, targets, TERM[name]) for name in TERMS if TERM[name] in targets.column_names}
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


def own_values(past: pa.Table, targets: pa.Table, column: str) -> list[float | None]:
    """A target's own value, or the latest one in the item's past."""
    latest = latest_of(past, column, column)
    both = zip(targets[ITEM].to_pylist(), targets[column].to_pylist(), strict=True)
    return [latest.get(item) if value is None else value for item, value in both]


def latest_of(past: pa.Table, column: str, told: str) -> dict[str | None, Any]:
    """What the latest row of an item that has a value in one column has in another."""
    there = past.filter(pc.is_valid(past[column]))
    return dict(zip(there[ITEM].to_pylist(), there[told].to_pylist(), strict=True))


def _terms(given: Terms, own: dict[str, float | None]) -> Terms | str:
    absent = [name for name, value in own.items() if value is None]
    if absent:
        return f"there is no {absent[0]} for this target, nor in the item's past; fill it in"
    known = {name: value for name, value in own.items() if value is not None}
    support = given.support and (known.get("low", given.support[0]), known.get("high", given.support[1]))
    supply = given.supply.with_values({name: value for name, value in known.items() if name in DELIVERED})
    return replace(given, cu=known.get("cu", given.cu), co=known.get("co", given.co), support=support, supply=supply)
