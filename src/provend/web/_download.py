"""A plan as a file for spreadsheets, with its owner's own decisions beside it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from secrets import token_hex

import pyarrow as pa
import pyarrow.parquet as pq

from provend._errors import InputError
from provend.planning import Style, write_plan
from provend.web._child import Progress
from provend.web._decide import PLAN, sales_of
from provend.web._wanted import Override, Upload, Wanted
from provend.web._what_if import of_quantity

KEPT = 3  # tables whose way of writing a worker remembers


def as_file(wanted: Wanted, folder: Path, kind: str, overrides: tuple[Override, ...], progress: Progress) -> bytes:
    """The bytes of a .csv or .xlsx file; text that a spreadsheet would run as a formula is defused.

    The file is written as the table was that its owner sent: their spreadsheet opens it without being asked.
    """
    plan = with_overrides(wanted, folder, overrides)
    file = folder / f"{token_hex(8)}.{kind}"
    try:
        write_plan(file, plan.schema, plan.to_batches(), _style(wanted.upload))
        return file.read_bytes()
    finally:
        file.unlink(missing_ok=True)


@lru_cache(KEPT)
def _style(upload: Upload) -> Style:
    return Style.like(sales_of(upload))


def with_overrides(wanted: Wanted, folder: Path, overrides: tuple[Override, ...]) -> pa.Table:
    """Add four columns right of the order: the owner's quantity and reason, what is ordered, and what that guarantees.

    ``guarantee`` stays that of the order worked out. ``final_guarantee`` is that of the page: where the quantity is the
    owner's own, the most it can cost whatever the past says.
    """
    plan = pq.read_table(folder / PLAN)
    if not overrides:
        return plan
    quantities: list[float | None] = [None] * plan.num_rows
    reasons: list[str | None] = [None] * plan.num_rows
    orders, guarantees = plan["order"].to_pylist(), plan["guarantee"].to_pylist()
    for one in overrides:
        if one.row >= plan.num_rows:
            raise InputError(f"overrides: row {one.row} is not in the plan; it has {plan.num_rows} rows, from 0 on")
        quantities[one.row], reasons[one.row], orders[one.row] = one.quantity, one.reason, one.quantity
        guarantees[one.row], _ = of_quantity(wanted, folder, one.row, one.quantity)
    added = {
        "override": pa.array(quantities, pa.float64()),
        "override_reason": pa.array(reasons, pa.string()),
        "final_order": pa.array(orders, pa.float64()),
        "final_guarantee": pa.array(guarantees, pa.float64()),
    }
    place = plan.column_names.index("order") + 1
    for name, values in reversed(added.items()):
        plan = plan.add_column(place, name, values)
    return plan
