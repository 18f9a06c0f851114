"""A plan as a file for spreadsheets, with its owner's own decisions beside it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

import pyarrow as pa
import pyarrow.parquet as pq

from provend._errors import InputError
from provend.planning import write_plan
from provend.web._child import Progress
from provend.web._decide import PLAN
from provend.web._wanted import Override


def as_file(folder: Path, kind: str, overrides: tuple[Override, ...], progress: Progress) -> bytes:
    """The bytes of a .csv or .xlsx file; text that a spreadsheet would run as a formula is defused."""
    if kind == "xlsx" and find_spec("openpyxl") is None:
        raise InputError("a workbook needs openpyxl; run pip install provend[excel], or download .csv")
    plan = with_overrides(pq.read_table(folder / PLAN), overrides)
    file = folder / f"{token_hex(8)}.{kind}"
    try:
        write_plan(file, plan.schema, plan.to_batches())
        return file.read_bytes()
    finally:
        file.unlink(missing_ok=True)


def with_overrides(plan: pa.Table, overrides: tuple[Override, ...]) -> pa.Table:
    """Add two columns right of the order; the guarantee beside them is that of the order, not of the override."""
    if not overrides:
        return plan
    quantities: list[float | None] = [None] * plan.num_rows
    reasons: list[str | None] = [None] * plan.num_rows
    for one in overrides:
        if one.row >= plan.num_rows:
            raise InputError(f"overrides: row {one.row} is not in the plan; it has {plan.num_rows} rows, from 0 on")
        quantities[one.row], reasons[one.row] = one.quantity, one.reason
    place = plan.column_names.index("order") + 1
    changed = plan.add_column(place, "override", pa.array(quantities, pa.float64()))
    return changed.add_column(place + 1, "override_reason", pa.array(reasons, pa.string()))
