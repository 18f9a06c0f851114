"""Deciders that know one item at a time, applied to many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend.planning._schema import DECISION, FAILED, ITEM, Decider, Terms


class OneByOne(ABC):
    """A decider for one item at a time; items that differ only in their names are decided once."""

    @abstractmethod
    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """One row of :data:`DECISION` per target, from the sound past rows of one item, oldest first."""

    def decide_many(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """The same for several items, each on its own: what goes wrong with one does not affect the others."""
        past = dict(items(history))
        nothing, known, found = history.slice(0, 0), dict[bytes, pa.Table](), []
        for name, asked in items(targets):
            mine, ahead = past.get(name, nothing).drop_columns([ITEM]), asked.drop_columns([ITEM])
            own = terms.of_item(name)
            key = _contents(mine) + _contents(ahead) + own.seed.to_bytes(8)
            if key not in known:
                known[key] = self._decided(mine, ahead, own)
            found.append(known[key])
        return pa.concat_tables(found)

    def _decided(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        try:
            return self.decide(history, targets, terms).cast(DECISION)
        except Exception as error:  # an item that cannot be decided becomes a row with a status, not a crash
            return failed(targets.num_rows, words_of(error))


def in_halves(decider: Decider, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
    """What the decider says, or why it fails; if it fails on several items, it is asked about each half separately."""
    mine = _of(history, targets)
    try:
        return decider.decide_many(mine, targets, terms).cast(DECISION)
    except Exception as error:
        begins = starts(targets)
        if len(begins) == 1:
            return failed(targets.num_rows, words_of(error))
    middle = begins[len(begins) // 2]
    halves = targets.slice(0, middle), targets.slice(middle)
    return pa.concat_tables(in_halves(decider, mine, half, terms) for half in halves)


def _of(history: pa.Table, targets: pa.Table) -> pa.Table:
    """The past rows of the targets' items."""
    coded = encoded(history)
    asked = pc.is_in(coded.dictionary, value_set=pc.unique(encoded(targets).cast(pa.string())))
    mine = np.append(np.asarray(asked), False)[coded.indices.fill_null(-1)]
    return history if mine.all() else history.filter(mine)


def items(table: pa.Table) -> list[tuple[str | None, pa.Table]]:
    """Name and rows of each item in turn."""
    begins = starts(table)
    stops = [*begins, table.num_rows][1:]
    return [
        (table[ITEM][start].as_py(), table.slice(start, stop - start))
        for start, stop in zip(begins, stops, strict=True)
    ]


def starts(table: pa.Table) -> list[int]:
    """Where each item begins; the rows of an item are contiguous."""
    if not table.num_rows:
        return []
    return [0, *(np.flatnonzero(np.diff(codes(table))) + 1).tolist()]


def codes(table: pa.Table) -> NDArray[np.int32]:
    """A number for the item of each row; -1 where it has no name."""
    return np.asarray(encoded(table).indices.fill_null(-1), np.int32)


def encoded(table: pa.Table) -> pa.DictionaryArray:
    """The items of the rows, dictionary-encoded; the dictionary may hold names that no row has."""
    whole = table[ITEM].combine_chunks()
    return whole if isinstance(whole, pa.DictionaryArray) else whole.dictionary_encode()


def failed(size: int, message: str) -> pa.Table:
    """``size`` decisions that could not be made."""
    said = {"status": FAILED, "message": message}
    return pa.table([pa.array([said.get(field.name)] * size, field.type) for field in DECISION], schema=DECISION)


def words_of(error: Exception) -> str:
    """An error in one line; those not about the input start with their type."""
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    return " ".join(f"{kind}{error}".split())


def _contents(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    whole = rows.take(np.arange(rows.num_rows)).combine_chunks()  # a slice may start mid-byte
    with pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole)
    return blake2b(sink.getvalue()).digest()
