"""One order of a plan: the past days that count, and how much."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from provend._errors import InputError
from provend._validation import as_critical_ratio
from provend.planning import Explainer, Weighed, WeighedPeriods, WeighedSales
from provend.web._child import Progress
from provend.web._decide import NOT_DECIDED, PLAN, request_of, sales_of, written_day
from provend.web._plain import plain
from provend.web._usual import usual_cost
from provend.web._wanted import Wanted

Answer = dict[str, Any]

KEPT = 3  # plans, and single orders, that a worker remembers
DRAWN = 1500  # past days in a chart


def detail(wanted: Wanted, folder: Path, row: int, progress: Progress) -> Answer:
    """What an order was based on."""
    target, found = found_of(wanted, folder, row)
    support, ratio = (None, None) if found is None else (found.problem.support, float(as_critical_ratio(found.problem)))
    kept = (
        "order",
        "order_up_to",
        "guarantee",
        "percent_of_no_data",
        "effective_n",
        "reason",
        "basis",
        "status",
        "message",
    )
    answer: Answer = plain(
        {
            **{name: target[name] for name in kept},
            "in_periods": wanted.says("lead_time", "review"),
            "drawn": wanted.says("pack", "minimum") and not wanted.says("stock_seen") and found is not None,
            "pack": pack_of(wanted, found),
            "past": _past(found),
            "periods": _periods(found) if isinstance(found, WeighedPeriods) else None,
            "shelf": _shelf(found) if isinstance(found, WeighedSales) else None,
            "support": support,
            "row": row,
            "ratio": ratio,
            "usual": usual_cost(found, target["order_up_to"]) if found is not None else None,
        }
    )
    return answer


def _past(found: Weighed | WeighedSales | None) -> list[Answer]:
    """All days or periods that count, and the latest of the others; no shares where these differ by segment."""
    if found is None:
        return []
    if isinstance(found, WeighedSales):
        return _sold(found)
    size = found.shares.size
    kept: NDArray[np.intp] = np.flatnonzero((found.shares > 0) | (np.arange(size) >= size - DRAWN))[-2 * DRAWN :]
    return [
        {
            "date": found.dates[i],
            "item": found.items[i],
            "demand": found.demands[i],
            "brought": found.brought[i],
            "weight": found.shares[i],
            "d": found.d[i],
        }
        for i in kept.tolist()
    ]


def _sold(found: WeighedSales) -> list[Answer]:
    out = found.sales >= found.shelf
    return [
        {
            "date": found.dates[i],
            "demand": found.sales[i],
            "brought": found.brought[i],
            "stock": found.shelf[i],
            "sold_out": out[i],
            "weight": None,
            "d": found.d[i],
        }
        for i in range(found.sales.size)
    ]


def _periods(found: WeighedPeriods) -> Answer:
    """How the level came about that is ordered up to."""
    return {"days": found.days, "stock": found.stock, "classes": [vars(one) for one in found.classes]}


def _shelf(found: WeighedSales) -> Answer:
    """What the order consists of between the stock levels of the past, and the part of what was never in stock."""
    names = ("bottom", "top", "rows", "order", "part")
    segments = [{name: getattr(one, name) for name in names} for one in found.found.segments]
    return {
        "level": found.found.order,
        "guarantee": found.found.upper,
        "unseen": found.found.unseen,
        "segments": segments,
        "days": found.sales.size,
        "sold_out": int((found.sales >= found.shelf).sum()),
    }


@lru_cache(KEPT)
def found_of(wanted: Wanted, folder: Path, row: int) -> tuple[Answer, Weighed | WeighedSales | None]:
    """A row of the plan, and what it was based on: ``None`` if it was decided without data, or not at all."""
    target = target_of(wanted, folder, row)
    if target["status"] in NOT_DECIDED:
        return target, None
    explainer, ids, when, _ = _explainer(wanted, folder)
    return target, explainer.weighed(tuple(str(target[name]) for name in ids), written_day(target[when]))


def target_of(wanted: Wanted, folder: Path, row: int) -> Answer:
    """A row of the plan."""
    *_, plan = _explainer(wanted, folder)
    if not 0 <= row < len(plan):
        raise InputError(f"row {row} is not in the plan; it has {len(plan)} rows, from 0 on")
    return plan[row]


def pack_of(wanted: Wanted, found: Weighed | WeighedSales | None) -> float | None:
    """Units per pack: as said for all items, or as in a column; ``None`` if there are none, or not known here."""
    said = dict(wanted.supply).get("pack", 1.0 if wanted.says("minimum") else None)
    if isinstance(said, str):
        return None if found is None else found.pack
    return None if said is None else float(said)


@lru_cache(KEPT)
def _explainer(wanted: Wanted, folder: Path) -> tuple[Explainer, tuple[str, ...], str, list[Answer]]:
    sales = sales_of(wanted.upload)
    request, table, targets = request_of(wanted, sales)
    plan = [{"order_up_to": row["order"]} | row for row in pq.read_table(folder / PLAN).to_pylist()]
    return Explainer(request, table, targets), sales.ids, sales.report.names["ds"], plan
