"""A decider that leaves items with long histories to themselves, and pools the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provend.planning._own_rows import OwnRows
from provend.planning._pooled import Pooled
from provend.planning._schema import DECISION, ITEM, Terms

LONG = 100  # past rows from which a model of the item's own, with its seasons and trees, costs less than one for all


@dataclass(frozen=True)
class ByLength:
    """Items with :data:`LONG` past rows or more are decided on these alone, all others by one model."""

    own: OwnRows
    pooled: Pooled

    def of(self, rows: int) -> OwnRows | Pooled:
        """Who decides an item with so many sound past rows."""
        return self.own if rows >= LONG else self.pooled

    def decide_many(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Order and certify all targets, in their order."""
        counts = pc.value_counts(history[ITEM].cast(pa.string()))
        long = counts.field("values").filter(pc.greater_equal(counts.field("counts"), LONG))
        found, places = [], []
        for decider, which in ((self.own, True), (self.pooled, False)):
            mine, ahead = (
                np.asarray(pc.is_in(table[ITEM].cast(pa.string()), value_set=long)) == which
                for table in (history, targets)
            )
            if ahead.any():
                found.append(decider.decide_many(history.filter(mine), targets.filter(ahead), terms).cast(DECISION))
                places.append(np.flatnonzero(ahead))
        return pa.concat_tables(found).take(np.argsort(np.concatenate(places)))
