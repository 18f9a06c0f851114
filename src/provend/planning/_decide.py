"""The one function all engines run: from a batch of complete items to a batch of decisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend.planning._schema import (
    DECISION,
    DEMAND,
    FAILED,
    ITEM,
    KEYS,
    OK,
    PROBLEM,
    ROW,
    SET_ASIDE,
    TARGET,
    TERM,
    WHEN,
    Job,
    Terms,
    decided_schema,
)

TOLD = 3  # rows set aside that a message names


def decide(batch: pa.Table, job: Job) -> pa.Table:
    """Decide for every target among the rows of complete items; rows of an item stand together, oldest first.

    Items that differ in their name alone are decided once. Nothing that is wrong with one item touches another.
    """
    known: dict[bytes, pa.Table] = {}
    found = [_item(rows, job, known) for rows in items(batch)]
    return pa.concat_tables(found) if found else decided_schema(batch.schema).empty_table()


def decide_stream(batches: Iterable[pa.RecordBatch], job: Job) -> Iterator[pa.RecordBatch]:
    """The same for a stream of batches that may break in the middle of an item."""
    for table in complete_items(batches):
        yield from decide(table, job).to_batches()


def complete_items(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The stream cut between items: the last item of a batch waits for the next one."""
    waiting: pa.Table | None = None
    for batch in batches:
        new = pa.Table.from_batches([batch])
        table = new if waiting is None else pa.concat_tables([waiting, new])
        last = _starts(table[ITEM].combine_chunks())[-1]
        if last:
            yield table.slice(0, last)
        waiting = table.slice(last)
    if waiting is not None and waiting.num_rows:
        yield waiting


def items(batch: pa.Table) -> Iterator[pa.Table]:
    """The rows of one item after the other."""
    if batch.num_rows == 0:
        return
    starts = _starts(batch[ITEM].combine_chunks())
    for start, stop in zip(starts, [*starts[1:], batch.num_rows], strict=True):
        yield batch.slice(start, stop - start)


def _starts(names: pa.Array) -> list[int]:
    """Where another item begins."""
    codes = pc.fill_null(names.dictionary_encode().indices, -1).to_numpy(zero_copy_only=False)
    return [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]


def _item(rows: pa.Table, job: Job, known: dict[bytes, pa.Table]) -> pa.Table:
    """The decisions for one item, at its targets."""
    is_target = rows[TARGET]
    targets, past = rows.filter(is_target), rows.filter(pc.invert(is_target))
    key = _contents(rows)
    if key not in known:
        known[key] = _decisions(past, targets, job)
    columns = [*(targets[name] for name in KEYS), *known[key].columns]
    return pa.table(columns, schema=decided_schema(rows.schema))


def _contents(rows: pa.Table) -> bytes:
    """What decisions depend on: everything but the name of the item and the numbers of its rows."""
    sink = pa.BufferOutputStream()
    rest = rows.drop_columns([ITEM, ROW]).take(np.arange(rows.num_rows)).combine_chunks()  # a slice starts mid-byte
    with pa.ipc.new_stream(sink, rest.schema) as stream:
        stream.write_table(rest)
    return blake2b(sink.getvalue()).digest()


def _decisions(past: pa.Table, targets: pa.Table, job: Job) -> pa.Table:
    past, aside = sound(past)
    found: list[pa.Table] = []
    places: list[int] = []
    for terms, at in by_terms(past, targets, job):
        found.append(_asked(past, targets.take(at), job, terms))
        places += at
    if not found:
        return DECISION.empty_table()
    decisions = pa.concat_tables(found).take(np.argsort(places))
    return decisions if not aside else _with_note(decisions, aside)


def sound(past: pa.Table) -> tuple[pa.Table, list[str]]:
    """The rows that can be used, and what is wrong with the others; a date that is there twice counts as neither."""
    problems = past[PROBLEM].to_pylist()
    when = past[WHEN].to_pylist()
    times = pc.value_counts(past.filter(pc.is_null(past[PROBLEM]))[WHEN].combine_chunks())
    several = {one["values"] for one in times.to_pylist() if one["counts"] > 1}
    told = [
        problem or (f"{_day(at)} is there more than once" if at in several else None)
        for problem, at in zip(problems, when, strict=True)
    ]
    return past.filter(pa.array([one is None for one in told], pa.bool_())), [one for one in told if one is not None]


def _day(when: object) -> str:
    return str(when).removesuffix(" 00:00:00")


def by_terms(past: pa.Table, targets: pa.Table, job: Job) -> Iterator[tuple[Terms | str, list[int]]]:
    """Targets of equal terms; text instead of terms says why there are none."""
    own = {name: _own(past, targets, column) for name, column in TERM.items() if column in targets.column_names}
    groups: dict[Terms | str, list[int]] = {}
    for at, problem in enumerate(targets[PROBLEM].to_pylist()):
        mine = {name: values[at] for name, values in own.items()}
        groups.setdefault(problem or _terms(job.terms, mine), []).append(at)
    yield from groups.items()


def _own(past: pa.Table, targets: pa.Table, column: str) -> list[float | None]:
    """A target's own value, or the latest one in the item's past."""
    latest = next((value for value in reversed(past[column].to_pylist()) if value is not None), None)
    return [latest if value is None else value for value in targets[column].to_pylist()]


def _terms(given: Terms, own: dict[str, float | None]) -> Terms | str:
    absent = [name for name, value in own.items() if value is None]
    if absent:
        return f"there is no {absent[0]} for this target, nor in the item's past; fill it in"
    known = {name: value for name, value in own.items() if value is not None}
    support = given.support and (known.get("low", given.support[0]), known.get("high", given.support[1]))
    return replace(given, cu=known.get("cu", given.cu), co=known.get("co", given.co), support=support)


def _asked(past: pa.Table, targets: pa.Table, job: Job, terms: Terms | str) -> pa.Table:
    """What the decider says, or why it does not."""
    if isinstance(terms, str):
        return _failed(targets.num_rows, terms)
    try:
        return job.decider.decide(*named(past, targets, job), terms).cast(DECISION)
    except Exception as error:  # an item that cannot be decided is a row with a status, not the end
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        return _failed(targets.num_rows, " ".join(f"{kind}{error}".split()))


def named(past: pa.Table, targets: pa.Table, job: Job) -> tuple[pa.Table, pa.Table]:
    """What a decider sees: date and contexts under the user's names, and past demands."""
    names = [job.date, *job.contexts]
    known = past.select([WHEN, *job.contexts, DEMAND]).rename_columns([*names, DEMAND])
    return known, targets.select([WHEN, *job.contexts]).rename_columns(names)


def _failed(size: int, message: str) -> pa.Table:
    said = {"status": FAILED, "message": message}
    return pa.table([pa.array([said.get(field.name)] * size, field.type) for field in DECISION], schema=DECISION)


def _with_note(decisions: pa.Table, aside: list[str]) -> pa.Table:
    """The same, saying that past rows were set aside."""
    told = "; ".join(aside[:TOLD]) + (f"; and {len(aside) - TOLD} more" if len(aside) > TOLD else "")
    note = f"{len(aside)} past {'row' if len(aside) == 1 else 'rows'} set aside: {told}"
    messages = [f"{one}; {note}" if one else note for one in decisions["message"].to_pylist()]
    status = [SET_ASIDE if one == OK else one for one in decisions["status"].to_pylist()]
    changed = {"status": pa.array(status, pa.string()), "message": pa.array(messages, pa.string())}
    return pa.table([changed.get(name, decisions[name]) for name in DECISION.names], schema=DECISION)
