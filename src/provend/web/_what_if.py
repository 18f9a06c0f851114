"""Another quantity than the one worked out: what it costs on ordinary days, and beyond the best order at worst."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from provend import WeightedQuantile, worst_case_regret
from provend._rational import read_exactly
from provend.newsvendor import Newsvendor
from provend.planning import Weighed, WeighedPeriods
from provend.web._child import Progress
from provend.web._detail import found_of, pack_of, target_of
from provend.web._plain import plain
from provend.web._usual import usual_cost
from provend.web._wanted import Wanted

Answer = dict[str, Any]

REMEMBERED = 20_000  # quantities asked for, of which a file may need all
CELLS = 200  # shares are rounded to this many parts of the largest, so that the regret of the rounded rule is exact
RTOL = 1e-3
UP = 1 + 1e-12  # more than a few roundings to nearest can take away


def what_if(wanted: Wanted, folder: Path, row: int, quantity: float, progress: Progress) -> Answer:
    """What is estimated and guaranteed of a quantity; that of the plan keeps what the plan says."""
    target, found = found_of(wanted, folder, row)
    level, order = _level(target, quantity), target["order"]
    rule = None
    if isinstance(found, Weighed) and not isinstance(found, WeighedPeriods):  # a mean over classes has no one place
        rule = at_its_share(found, level)
    whatever, no_data = of_quantity(wanted, folder, row, quantity)
    problem = _problem(wanted, folder, row)
    worth = [
        None if rule is None else rule["guarantee"],
        None if problem is None else _shifted(problem, target, quantity),
        whatever,
    ]
    answer: Answer = plain(
        {
            "row": row,
            "quantity": quantity,
            "up_to": level,
            "same": quantity == order,
            **{name: target[name] for name in ("order", "guarantee", "percent_of_no_data")},
            "pack": pack_of(wanted, found),
            "rule": rule,
            "guide": min((one for one in worth if one is not None), default=None),
            "whatever": whatever,
            "no_data": no_data,
            "usual": usual_cost(found, level),
            "usual_order": None if order is None else usual_cost(found, target["order_up_to"]),
        }
    )
    return answer


@lru_cache(REMEMBERED)
def of_quantity(wanted: Wanted, folder: Path, row: int, quantity: float) -> tuple[float | None, float | None]:
    """What holds for a quantity, and the regret without data; ``None`` if not known.

    The order of the plan has its guarantee. Any other quantity has that of a number chosen whatever the data say.
    """
    target, problem = target_of(wanted, folder, row), _problem(wanted, folder, row)
    if problem is None:
        return (target["guarantee"] if quantity == target["order"] else None), None
    if quantity == target["order"]:
        return target["guarantee"], problem.no_data_regret
    return regret_of_quantity(problem, _level(target, quantity)), problem.no_data_regret


def _problem(wanted: Wanted, folder: Path, row: int) -> Newsvendor | None:
    """Costs and support of an order, where they are known."""
    try:
        low, high = (float(end) for end in wanted.support or ())
        return Newsvendor(wanted.cu, wanted.co, (low, high))
    except ValueError:  # not the same for all rows
        _, found = found_of(wanted, folder, row)
        return None if found is None else found.problem  # packs may have widened its support


def _level(target: Answer, quantity: float) -> float:
    """A quantity together with what is in stock or on order."""
    return float(quantity if target["order"] is None else quantity + (target["order_up_to"] - target["order"]))


def at_its_share(found: Weighed, quantity: float) -> Answer:
    """Where the quantity lies among the demands that count, and the worst case of a rule that orders at that share.

    Such a rule orders the demand just below the quantity; what lies between is ordered on top.
    """
    counted = found.shares > 0
    weights = np.rint(CELLS * found.shares[counted] / found.shares.max()).astype(np.int64)
    below = found.brought[counted] <= quantity * (1 + 1e-12)
    reached, total = int(weights[below].sum()), int(weights.sum())
    rule = WeightedQuantile(weights, reached)
    regret = worst_case_regret(rule, found.d[counted], q=found.problem, rtol=RTOL)
    ordered = found.brought[counted][below].max(initial=found.problem.support[0])
    upper = as_shift(found.problem, regret.upper + found.price * found.problem.unit * (1 + 1e-9), quantity - ordered)
    return {
        "share": reached / total,
        "days_below": int(below.sum()),
        "days": int(counted.sum()),
        "guarantee": upper,
        "percent_of_no_data": 100 * upper / found.problem.no_data_regret,
    }


def _shifted(problem: Newsvendor, target: Answer, quantity: float) -> float | None:
    return None if target["guarantee"] is None else as_shift(problem, target["guarantee"], quantity - target["order"])


def as_shift(problem: Newsvendor, guarantee: float, more: float) -> float:
    """The worst case of a rule that always orders so much more than the one with this guarantee, or less.

    Every unit more costs at most ``co``, every unit less at most ``cu``, whatever demand is.
    """
    cu, co = float(read_exactly(problem.cu)), float(read_exactly(problem.co))
    return guarantee if more == 0 else (guarantee + max(co * more, -cu * more)) * UP


def regret_of_quantity(problem: Newsvendor, quantity: float) -> float:
    """The most that a fixed quantity can cost beyond the best: when demand is always at one end of the support.

    The regret is convex in the distribution, hence largest at a point mass, where it is the cost itself.
    """
    low, high = problem.support
    cu, co = float(read_exactly(problem.cu)), float(read_exactly(problem.co))
    return max(cu * (high - quantity), co * (quantity - low)) * UP
