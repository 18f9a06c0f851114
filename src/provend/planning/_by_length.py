"""A decider that leaves items with long histories to themselves, and pools the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from provend.planning._one_by_one import in_halves
from provend.planning._own_rows import OwnRows
from provend.planning._pooled import Pooled
from provend.planning._schema import BETWEEN, ITEM, Terms, contexts_in, is_number

Flags = NDArray[np.bool_]

LONG = 100  # past rows from which a model of the item's own, with its seasons and trees, costs less than one for all


@dataclass(frozen=True)
class ByLength:
    """Items with :data:`LONG` past rows or more are decided on these alone, all others by one model.

    So are targets that have something their own item has never seen, such as its first promotion, if others have.
    """

    own: OwnRows
    pooled: Pooled

    def owned(self, history: pa.Table, targets: pa.Table) -> Flags:
        """Which targets are decided on their own item's rows."""
        counts = pc.value_counts(_names(history))
        long = counts.field("values").filter(pc.greater_equal(counts.field("counts"), LONG))
        found = np.asarray(pc.is_in(_names(targets), value_set=long))
        for name in contexts_in(targets):
            found &= _familiar(history, targets, name) | ~self.pooled.knows(targets[name], name)
        return found

    def of(self, history: pa.Table, target: pa.Table) -> OwnRows | Pooled:
        """Who decides a target, given the sound past rows of its item."""
        return self.own if self.owned(history, target)[0] else self.pooled

    def decide_many(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Order and certify all targets, in their order."""
        own, found, places = self.owned(history, targets), [], []
        for decider, some in ((self.own, own), (self.pooled, ~own)):
            if some.any():
                found.append(in_halves(decider, history, targets.filter(some), terms))
                places.append(np.flatnonzero(some))
        return pa.concat_tables(found).take(np.argsort(np.concatenate(places)))


def _names(table: pa.Table) -> pa.ChunkedArray:
    return table[ITEM].cast(pa.string())


def _familiar(history: pa.Table, targets: pa.Table, name: str) -> Flags:
    """Whether the own rows of a target's item say anything about its value in a context.

    They do if they have that category, or, of numbers, either that number or several.
    """
    if is_number(history.schema.field(name).type):
        past = pa.table({"item": _names(history), "value": history[name]})
        ends = past.group_by("item").aggregate([("value", "min"), ("value", "max")])
        at = pc.index_in(_names(targets), value_set=ends["item"])
        low, high = ends["value_min"].take(at), ends["value_max"].take(at)
        several = pc.or_(pc.not_equal(low, high), pc.equal(low, targets[name]))
        return np.asarray(several.fill_null(True))
    past, ahead = (_pairs(table, name) for table in (history, targets))
    return np.asarray(pc.is_in(ahead, value_set=past))


def _pairs(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Items with what they have in a context, as text."""
    value = table[name].cast(pa.string()).fill_null("")
    return pc.binary_join_element_wise(_names(table).fill_null(""), value, BETWEEN)
