"""The one function that all engines run: from a batch of complete items to a batch of decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend.planning._one_by_one import failed, in_halves, starts
from provend.planning._position import with_position
from provend.planning._schema import (
    DECISION,
    DEMAND,
    DOUBT,
    FAILED,
    ITEM,
    KEYS,
    NOTE,
    OK,
    POSITION,
    SEEN,
    SET_ASIDE,
    UNSEEN,
    WHEN,
    WHENCE,
    Job,
    decided_schema,
)
from provend.planning._sound import AGAIN_THERE, Aside, by_terms, past_and_ahead, sound

TOLD = 3  # how many of the problems with rows set aside a message names
MANY = 0.05  # share of an item's past rows: up to this many left out are a note, more of them a status


def decide(batch: pa.Table, job: Job) -> pa.Table:
    """Decide every target among the rows of complete items; past rows of an item are contiguous, oldest first.

    Nothing wrong with one item affects another, and no decision depends on what else is in the batch.
    """
    before, ahead = past_and_ahead(batch)
    past, aside = sound(before)
    targets = with_position(past, ahead, job.terms.supply)
    found, places = [DECISION.empty_table()], []
    for terms, at in by_terms(past, targets, job.terms):
        asked = named(past, targets.take(at), job)
        found.append(failed(len(at), terms) if isinstance(terms, str) else in_halves(job.decider, *asked, terms))
        places += at
    decided = pa.concat_tables(found)
    in_place = decided if places == list(range(len(places))) else decided.take(np.argsort(places))
    decisions = _with_notes(in_place, targets, aside, _many(before, aside))
    orders = decisions["order"]
    level = pc.add(orders, targets[POSITION]) if POSITION in targets.column_names else orders
    keys = [targets[ITEM].cast(pa.string()), *(targets[name] for name in KEYS[1:])]
    columns = [*keys, *decisions.columns, level, *_left_out(targets, aside)]
    return pa.table(columns, schema=decided_schema(batch.schema))


def complete_items(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """A stream that may break inside an item, cut between items: the last of a batch waits for the next one."""
    waiting: pa.Table | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        new = pa.Table.from_batches([batch])
        table = new if waiting is None else pa.concat_tables([waiting, new])
        last = starts(table)[-1]
        if last:
            yield table.slice(0, last)
        waiting = table.slice(last)
    if waiting is not None:
        yield waiting


def named(past: pa.Table, targets: pa.Table, job: Job) -> tuple[pa.Table, pa.Table]:
    """What a decider sees: items, past demands, stock, and dates and contexts under the user's names."""
    names = [ITEM, job.date, *job.contexts]
    seen = [DEMAND, *(name for name in SEEN.values() if name in past.column_names)]
    known = past.select([ITEM, WHEN, *job.contexts, *seen]).rename_columns([*names, *seen])
    there = [POSITION] if POSITION in targets.column_names else []
    return known, targets.select([ITEM, WHEN, *job.contexts, *there]).rename_columns([*names, *there])


def _with_notes(decisions: pa.Table, targets: pa.Table, aside: Aside, many: set[str | None]) -> pa.Table:
    """The same decisions, with notes on what is doubtful, past rows that were left out, and the day a stock is of."""
    names = [name for name in (NOTE, DOUBT, WHENCE) if name in targets.column_names]
    if not aside and not any(targets[name].null_count < targets.num_rows for name in names):
        return decisions
    told = {name: targets[name].to_pylist() for name in names}
    nothing: list[str | None] = [None] * targets.num_rows
    notes, doubts, whence = (told.get(name, nothing) for name in (NOTE, DOUBT, WHENCE))
    changed = {name: decisions[name].to_pylist() for name in ("status", "message", "reason")}
    for at, item in enumerate(targets[ITEM].to_pylist()):
        is_made = changed["status"][at] != FAILED
        own = None if doubts[at] == changed["status"][at] == UNSEEN else changed["message"][at]  # the note says more
        said = [own, notes[at] if is_made else None, _note(aside[item]) if item in aside else None]
        changed["message"][at] = "; ".join(filter(None, said)) or None
        if changed["status"][at] == OK:
            changed["status"][at] = doubts[at] or (SET_ASIDE if item in many else OK)
        if changed["reason"][at] and whence[at]:
            changed["reason"][at] += f"; {whence[at]}"
    texts = {name: pa.array(values, pa.string()) for name, values in changed.items()}
    return pa.table([texts.get(name, decisions[name]) for name in DECISION.names], schema=DECISION)


def _many(before: pa.Table, aside: Aside) -> set[str | None]:
    """Items of which enough past rows are left out to matter, or some for no fault of a single row."""
    if not aside:
        return set()
    counts = pc.value_counts(before[ITEM].cast(pa.string()))
    sizes = dict(zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True))
    return {item for item, said in aside.items() if _twice(said) or len(said) > MANY * sizes[item]}


def _twice(aside: list[str]) -> int:
    return sum(said.endswith(AGAIN_THERE) for said in aside)


def _left_out(targets: pa.Table, aside: Aside) -> list[pa.Array]:
    """How many past rows of each target's item are left out, and how many of them because their date is there again."""
    if not aside:
        return [pa.repeat(pa.scalar(0, pa.int64()), targets.num_rows)] * 2
    mine = [aside.get(item, []) for item in targets[ITEM].to_pylist()]
    return [pa.array(map(len, mine), pa.int64()), pa.array(map(_twice, mine), pa.int64())]


def _note(aside: list[str]) -> str:
    kinds = list(Counter(aside).items())
    told = "; ".join(
        said if count == 1 or len(kinds) == 1 else f"{said} ({count} rows)" for said, count in kinds[:TOLD]
    )
    more = sum(count for _, count in kinds[TOLD:])
    told += f"; and {more} more" if more else ""
    return f"{len(aside)} past {'row' if len(aside) == 1 else 'rows'} set aside: {told}"
