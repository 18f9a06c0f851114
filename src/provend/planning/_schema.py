"""The rows that are shipped to whoever decides, and the rows that come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import pyarrow as pa

from provend._rational import Number

# Of the rows shipped. The prefix keeps them apart from a user's contexts, which stand beside them.
PREFIX = "provend_"
ITEM, WHEN, ROW, TARGET, DEMAND, PROBLEM = (
    f"{PREFIX}{name}" for name in ("item", "when", "row", "target", "demand", "problem")
)
TERM = {name: f"{PREFIX}{name}" for name in ("cu", "co", "low", "high")}
KEYS = (ITEM, WHEN, ROW)

Row = dict[str, Any]  # of a table, as Python has it
Status = Literal["ok", "rows set aside", "no data", "failed"]
OK: Status = "ok"
SET_ASIDE: Status = "rows set aside"
NO_DATA: Status = "no data"
FAILED: Status = "failed"

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
    """Costs and support of one decision, read exactly where they were given as text; no support: the item's range."""

    cu: Number
    co: Number
    support: tuple[float, float] | None = None


class Decider(Protocol):
    """The seam: whoever decides is shipped, pickled, to where the rows are."""

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """One row of :data:`DECISION` per target, from the sound past rows of one item, oldest first.

        Both tables hold the date and the contexts under their own names; the history holds the demand, too.
        """


@dataclass(frozen=True)
class Job:
    """All that is the same for every item.

    Attributes
    ----------
    decider : Decider
        Who decides.
    terms : Terms
        What holds where a row has no terms of its own.
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
    """Of decisions on rows of this schema: which target, and what was decided."""
    return pa.schema([*(rows.field(name) for name in KEYS), *DECISION])
