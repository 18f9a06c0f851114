"""The rows that are shipped to whoever decides, and the rows that come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._rational import Number
from provend.planning._supply import NOTHING_SAID, Supply

# Columns of the rows shipped. The prefix keeps them apart from the user's contexts beside them.
PREFIX = "provend_"
BETWEEN = "\x1f"  # joins the names of several id columns into one
ITEM, WHEN, ROW, TARGET, DEMAND, PROBLEM = (
    f"{PREFIX}{name}" for name in ("item", "when", "row", "target", "demand", "problem")
)
DELIVERED = ("pack", "minimum", "lead_time", "review")
TERMS = ("cu", "co", "low", "high", *DELIVERED)  # targets with equal terms are decided together
ON_TOP = ("stock", "on_order")  # every target has its own
TERM = {name: f"{PREFIX}{name}" for name in (*TERMS, *ON_TOP)}
POSITION, LEVEL = f"{PREFIX}position", f"{PREFIX}level"  # stock on hand and on order; the same plus the order
NOTE, DOUBT = f"{PREFIX}note", f"{PREFIX}doubt"  # what makes a target doubtful, and the status that it has for that
WHENCE = f"{PREFIX}whence"  # which past day a target's stock is of
ASIDE, TWICE = f"{PREFIX}aside", f"{PREFIX}twice"  # past rows of the item left out; those whose date is there again
SEEN = {"stock_seen": f"{PREFIX}shelf", "sold_out": f"{PREFIX}sold_out"}  # of past days
SHELF, SOLD_OUT = SEEN["stock_seen"], SEEN["sold_out"]
KEYS = (ITEM, WHEN, ROW)

Row = dict[str, Any]  # of a table, as Python values
Status = Literal[
    "ok",
    "rows set aside",
    "asked for twice",
    "stock counted again",
    "not after its past",
    "context never seen",
    "no data",
    "failed",
    "pooled: few rows of its own",
    "pooled: no history of its own",
]
OK: Status = "ok"
SET_ASIDE: Status = "rows set aside"
TWO: Status = "asked for twice"
AGAIN: Status = "stock counted again"
EARLY: Status = "not after its past"
UNSEEN: Status = "context never seen"
NO_DATA: Status = "no data"
FAILED: Status = "failed"
FEW: Status = "pooled: few rows of its own"
NONE: Status = "pooled: no history of its own"

DECISION = pa.schema(
    [
        ("order", pa.float64()),
        ("guarantee", pa.float64()),
        ("percent_of_no_data", pa.float64()),
        ("effective_n", pa.float64()),
        ("policy", pa.string()),
        ("basis", pa.string()),
        ("reason", pa.string()),
        ("status", pa.string()),
        ("message", pa.string()),
    ]
)


@dataclass(frozen=True)
class Terms:
    """Costs and support of one decision, read exactly if given as text; without a support, the item's range is used.

    ``seed`` is the seed of an item's draws.
    """

    cu: Number
    co: Number
    support: tuple[float, float] | None = None
    supply: Supply = NOTHING_SAID
    seed: int = 0

    def of_item(self, name: str | None) -> Terms:
        """The same terms; if anything is drawn, with the item's own seed."""
        if self.supply.orders is None:
            return self
        return replace(self, seed=int.from_bytes(blake2b(repr(name).encode(), digest_size=6).digest()))


class Decider(Protocol):
    """The interface to whatever decides: deciders are pickled and shipped to where the rows are."""

    def decide_many(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """One row of :data:`DECISION` per target, from the sound past rows of complete items.

        Both tables hold the item as :data:`ITEM`, and the date and the contexts under their own names; the history also
        holds the demand, and what was on the shelf if that is known. Targets hold the stock on hand and on order as
        :data:`POSITION` if it counts: orders come on top of it. Rows of an item are contiguous, oldest first. No
        decision may depend on which other items are in the same batch: engines cut batches as they please.
        """


@dataclass(frozen=True)
class Job:
    """Everything that is the same for every item.

    Attributes
    ----------
    decider : Decider
        Who decides.
    terms : Terms
        The terms where a row has none of its own.
    date : str
        Name of the date among the contexts.
    contexts : tuple of str
        Names of the other contexts.
    """

    decider: Decider
    terms: Terms
    date: str
    contexts: tuple[str, ...]


def decided_schema(rows: pa.Schema) -> pa.Schema:
    """Schema of the decisions on rows of this schema: target, what was decided, the stock including the order, ...

    ... and how many past rows of the item were left out.
    """
    keys = [(ITEM, pa.string()), *(rows.field(name) for name in KEYS[1:])]
    return pa.schema([*keys, *DECISION, (LEVEL, pa.float64()), (ASIDE, pa.int64()), (TWICE, pa.int64())])


def day(when: object) -> str:
    """A date as text, without the hour where that is midnight."""
    return str(when).removesuffix(" 00:00:00")


def contexts_in(table: pa.Table) -> list[str]:
    """The contexts of what a decider sees: all that is neither item, date, demand nor stock."""
    return [name for name in table.column_names[2:] if name not in (DEMAND, POSITION, *SEEN.values())]


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers."""
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))


def table_of(**columns: str | Sequence[object] | NDArray[np.float64]) -> pa.Table:
    """A table of decisions, given by column; a text that is the same for all rows may be given once."""
    size = len(columns["order"])
    return pa.table([_column(columns[field.name], field.type, size) for field in DECISION], schema=DECISION)


def _column(values: str | Sequence[object] | NDArray[np.float64], kind: pa.DataType, size: int) -> pa.Array:
    return pa.repeat(pa.scalar(values, kind), size) if isinstance(values, str) else pa.array(values, kind)
