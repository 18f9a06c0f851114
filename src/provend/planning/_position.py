"""What is on hand and on order when a target is decided, where that is from, and what is doubtful about it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._validation import as_exact
from provend.planning._one_by_one import codes
from provend.planning._schema import AGAIN, DOUBT, ITEM, NOTE, ON_TOP, POSITION, PROBLEM, TERM, WHEN, WHENCE, day
from provend.planning._sound import latest_of, own_values
from provend.planning._supply import Supply

Texts = list[str | None]


def with_position(past: pa.Table, targets: pa.Table, given: Supply) -> pa.Table:
    """Targets with their stock on hand and on order, if that counts, with a problem where it is unknown.

    Of targets that have the same stock as the one before, a note says so: it can hardly be there for both. Where the
    stock is that of a past row, the day of that row is told.
    """
    if not given.on_top:
        return targets
    position, problems = np.zeros(targets.num_rows), targets[PROBLEM].to_pylist()
    notes: Texts = [None] * targets.num_rows
    origins: Texts = [None] * targets.num_rows
    first = _first_of_item(targets)
    for name, value in given.said():
        if name in ON_TOP:
            column = TERM[name]
            if column in targets.column_names:
                own, values = targets[column].is_valid().to_numpy(), own_values(past, targets, column)
                origins = _joined(origins, _origins(name, values, own, past, targets), " and ")
            else:
                own, values = np.zeros(targets.num_rows, bool), [float(as_exact(value, name))] * targets.num_rows
            for at, units in enumerate(values):
                problems[at] = problems[at] or _doubt(name, units, later=not (first[at] or own[at]))
                position[at] += units or 0.0
                if not first[at] and units and units == values[at - 1]:
                    notes[at] = notes[at] or _again(name, units, targets[WHEN][at - 1].as_py())
    before = {name: _texts(targets, name) for name in (NOTE, DOUBT)}
    status = [said or (AGAIN if note else None) for said, note in zip(before[DOUBT], notes, strict=True)]
    texts = {PROBLEM: problems, NOTE: _joined(before[NOTE], notes, "; "), DOUBT: status, WHENCE: origins}
    columns = dict(zip(targets.column_names, targets.columns, strict=True))
    made = {name: pa.array(values, pa.string()) for name, values in texts.items()}
    return pa.table(columns | {POSITION: pa.array(position)} | made)


def _texts(targets: pa.Table, name: str) -> Texts:
    return targets[name].to_pylist() if name in targets.column_names else [None] * targets.num_rows


def _joined(some: Texts, others: Texts, between: str) -> Texts:
    return [between.join(filter(None, both)) or None for both in zip(some, others, strict=True)]


def _origins(name: str, values: list[float | None], own: NDArray[np.bool_], past: pa.Table, targets: pa.Table) -> Texts:
    """Which past day each value is of; ``None`` where the target has its own."""
    days = {} if own.all() else latest_of(past, TERM[name], WHEN)
    each = zip(values, own.tolist(), targets[ITEM].to_pylist(), strict=True)
    return [
        None if mine or units is None else f"{name} {units:g} is that of {day(days[item])}"
        for units, mine, item in each
    ]


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
    return (
        f"{name} = {units:g} already counts for {day(before)}, and units can be used only once: the order holds "
        "if they are there again; else give what this order will find, 0 if they will be used up"
    )
