"""One order of a plan: the past days that count, and what another quantity would guarantee."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from provend import WeightedQuantile, worst_case_regret
from provend._errors import InputError
from provend._rational import read_exactly
from provend._validation import as_critical_ratio
from provend.newsvendor import Newsvendor
from provend.planning import Explainer, Weighed, WeighedPeriods, WeighedSales
from provend.web._child import Progress
from provend.web._decide import PLAN, request_of, sales_of
from provend.web._plain import plain
from provend.web._wanted import Wanted

Answer = dict[str, Any]

KEPT = 3  # plans, and single orders, that a worker remembers
REMEMBERED = 20_000  # quantities asked for, of which a file may need all
DRAWN = 1500  # past days in a chart
CELLS = 200  # shares are rounded to this many parts of the largest, so that the regret of the rounded rule is exact
RTOL = 1e-3
NOT_DECIDED = ("failed", "no data")  # on past days
AFTERWARDS = (
    "The first holds for whoever orders at this share every time, and decided so beforehand; a quantity chosen after "
    "looking at these demands has no such guarantee."
)
PACKS = " It is that of the rule before it is rounded to packs."


def detail(wanted: Wanted, folder: Path, row: int, progress: Progress) -> Answer:
    """What an order was based on."""
    target, found = _found(wanted, folder, row)
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
            "pack": _pack(wanted, found),
            "past": _past(found),
            "periods": _periods(found) if isinstance(found, WeighedPeriods) else None,
            "shelf": _shelf(found) if isinstance(found, WeighedSales) else None,
            "support": support,
            "row": row,
            "ratio": ratio,
        }
    )
    return answer


def what_if(wanted: Wanted, folder: Path, row: int, quantity: float, progress: Progress) -> Answer:
    """What another quantity would guarantee: as a rule that orders at its share, and regardless of the data."""
    target, found = _found(wanted, folder, row)
    level = _level(target, quantity)
    rule = None
    if isinstance(found, Weighed) and not isinstance(found, WeighedPeriods):  # a mean over classes has no one place
        rule = at_its_share(found, level)
        rule["caveat"] += PACKS if wanted.says("pack", "minimum") else ""
    whatever, no_data = of_quantity(wanted, folder, row, quantity)
    answer = {
        "row": row,
        "quantity": quantity,
        "up_to": level,
        "order": target["order"],
        "guarantee": target["guarantee"],
        "pack": _pack(wanted, found),
    }
    found_: Answer = plain({**answer, "rule": rule, "whatever": whatever, "no_data": no_data})
    return found_


@lru_cache(REMEMBERED)
def of_quantity(wanted: Wanted, folder: Path, row: int, quantity: float) -> tuple[float | None, float | None]:
    """The most that a quantity can cost whatever the data say, and the regret without data; ``None`` if not known."""
    problem = _by_support(wanted)
    if problem is None:
        _, found = _found(wanted, folder, row)
        if found is None:
            return None, None
        problem = found.problem  # packs may have widened its support
    return regret_of_quantity(problem, _level(_target(wanted, folder, row), quantity)), problem.no_data_regret


def _level(target: Answer, quantity: float) -> float:
    """A quantity together with what is in stock or on order."""
    return float(quantity if target["order"] is None else quantity + (target["order_up_to"] - target["order"]))


def at_its_share(found: Weighed, quantity: float) -> Answer:
    """Where the quantity lies among the demands that count, and the worst case of a rule that orders at that share."""
    counted = found.shares > 0
    weights = np.rint(CELLS * found.shares[counted] / found.shares.max()).astype(np.int64)
    below = found.brought[counted] <= quantity * (1 + 1e-12)
    reached, total = int(weights[below].sum()), int(weights.sum())
    rule = WeightedQuantile(weights, reached)
    regret = worst_case_regret(rule, found.d[counted], q=found.problem, rtol=RTOL)
    upper = regret.upper + found.price * found.problem.unit * (1 + 1e-9)
    return {
        "share": reached / total,
        "days_below": int(below.sum()),
        "days": int(counted.sum()),
        "guarantee": upper,
        "percent_of_no_data": 100 * upper / found.problem.no_data_regret,
        "caveat": AFTERWARDS,
    }


def regret_of_quantity(problem: Newsvendor, quantity: float) -> float:
    """The most that a fixed quantity can cost beyond the best: when demand is always at one end of the support.

    The regret is convex in the distribution, hence largest at a point mass, where it is the cost itself.
    """
    low, high = problem.support
    cu, co = float(read_exactly(problem.cu)), float(read_exactly(problem.co))
    return max(cu * (high - quantity), co * (quantity - low)) * (1 + 1e-12)


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
def _found(wanted: Wanted, folder: Path, row: int) -> tuple[Answer, Weighed | WeighedSales | None]:
    """A row of the plan, and what it was based on: ``None`` if it was decided without data, or not at all."""
    target = _target(wanted, folder, row)
    if target["status"] in NOT_DECIDED:
        return target, None
    explainer, ids, when, _ = _explainer(wanted, folder)
    return target, explainer.weighed(tuple(str(target[name]) for name in ids), _day(target[when]))


def _target(wanted: Wanted, folder: Path, row: int) -> Answer:
    """A row of the plan."""
    *_, plan = _explainer(wanted, folder)
    if not 0 <= row < len(plan):
        raise InputError(f"row {row} is not in the plan; it has {len(plan)} rows, from 0 on")
    return plan[row]


def _pack(wanted: Wanted, found: Weighed | WeighedSales | None) -> float | None:
    """Units per pack: as said for all items, or as in a column; ``None`` if there are none, or not known here."""
    said = dict(wanted.supply).get("pack", 1.0 if wanted.says("minimum") else None)
    if isinstance(said, str):
        return None if found is None else found.pack
    return None if said is None else float(said)


def _day(moment: object) -> str:
    """A date written as in the plan and in the rows it was made from."""
    return str(moment).removesuffix(" 00:00:00")


@lru_cache(KEPT)
def _explainer(wanted: Wanted, folder: Path) -> tuple[Explainer, tuple[str, ...], str, list[Answer]]:
    sales = sales_of(wanted.upload)
    request, table, targets = request_of(wanted, sales)
    plan = [{"order_up_to": row["order"]} | row for row in pq.read_table(folder / PLAN).to_pylist()]
    return Explainer(request, table, targets), sales.ids, sales.report.names["ds"], plan


def _by_support(wanted: Wanted) -> Newsvendor | None:
    """Costs and support, if they are the same for all rows."""
    try:
        low, high = (float(end) for end in wanted.support or ())
        return Newsvendor(wanted.cu, wanted.co, (low, high))
    except ValueError:
        return None
