"""Which past rows count, and on which terms targets are decided: a whole batch of items at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend.planning._one_by_one import codes
from provend.planning._schema import ITEM, PROBLEM, TERM, WHEN, Terms

Aside = dict[str | None, list[str]]  # what is wrong with rows of an item


def sound(past: pa.Table) -> tuple[pa.Table, Aside]:
    """The rows that can be used, and what is wrong with the others; a date that is there twice counts as neither."""
    usable = pc.is_null(past[PROBLEM]).to_numpy()
    rows = np.flatnonzero(usable)
    item = codes(past)[rows]
    when = past[WHEN].to_numpy()[rows]
    again = (item[1:] == item[:-1]) & (when[1:] == when[:-1])  # rows of an item stand together, by date
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
    """Targets of equal terms; text instead of terms says why there are none."""
    own = {name: _own(past, targets, column) for name, column in TERM.items() if column in targets.column_names}
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
    return replace(given, cu=known.get("cu", given.cu), co=known.get("co", given.co), support=support)
