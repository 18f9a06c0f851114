"""From orders to the numbers of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend.backtesting._policies import Method
from provend.backtesting._regret import LEAST_GROUP, best_fixed_orders, bootstrap_interval, date_blocks
from provend.backtesting._schedule import Orders
from provend.newsvendor import Newsvendor
from provend.tables import History

Floats = NDArray[np.float64]

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Ledger:
    """What every test day cost under every method.

    Attributes
    ----------
    item, blocks : array
        Item of each test row, and the block of dates it is resampled with.
    y : array
        Demand of each test row.
    costs, beyond_fixed, beyond_context : array of shape (test rows, methods)
        Cost; minus that of the best order for the item; minus that of the best order for its group of contexts.
    """

    item: NDArray[np.int64]
    blocks: NDArray[np.int64]
    y: Floats
    costs: Floats
    beyond_fixed: Floats
    beyond_context: Floats
    found: Orders

    @classmethod
    def of(cls, history: History, found: Orders, groups: tuple[str, ...], costs: Newsvendor) -> Ledger:
        """Compare orders with what happened."""
        rows, q = found.rows, costs.critical_ratio
        y, item = history.y[rows], history.groups(())[rows]
        paid = np.asarray(costs.cost(found.orders, y[:, None]))
        fixed = costs.cost(best_fixed_orders(y, item, q), y)
        context = costs.cost(best_fixed_orders(y, history.groups(groups)[rows], q, least=LEAST_GROUP), y)
        beyond_fixed, beyond_context = (paid - np.asarray(benchmark)[:, None] for benchmark in (fixed, context))
        return cls(item, date_blocks(history.when[rows]), y, paid, beyond_fixed, beyond_context, found)

    def rows(self, item: int) -> NDArray[np.int64]:
        """The test rows of one item."""
        return np.arange(*np.searchsorted(self.item, (item, item + 1)))


def by_item(ledger: Ledger, methods: list[Method], seed: int) -> Columns:
    """One row for each item and method, in that order; skipped ones with their status and no numbers."""
    parts = [_numbers(ledger, ledger.rows(item), seed) for item in range(len(ledger.found.status))]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    status = np.array([cell for row in ledger.found.status for cell in row])
    names = np.tile([method.name for method in methods], len(parts))
    return {"policy": names, "status": status, **columns}


def summary(ledger: Ledger, methods: list[Method], seed: int) -> Columns:
    """One row for each method, over all the items it got through."""
    status = np.array(ledger.found.status)
    counts = {"items": (status == "ok").sum(axis=0), "skipped": (status != "ok").sum(axis=0)}
    names = np.array([method.name for method in methods])
    return {"policy": names, **counts, **_numbers(ledger, np.arange(ledger.y.size), seed)}


def _numbers(ledger: Ledger, rows: NDArray[np.int64], seed: int) -> Columns:
    """The report on some test rows, one entry per method."""
    y, orders, costs = ledger.y[rows, None], ledger.found.orders[rows], ledger.costs[rows]
    ok = np.isfinite(orders)
    days = ok.sum(axis=0)
    both = ok & ok[:, :1]  # relative to the first method, on the days that both have
    served = np.where(ok, np.minimum(orders, y), 0.0).sum(axis=0)
    guarantee, no_data = _mean(ledger.found.guarantees[rows]), _mean(ledger.found.no_data[rows])
    low, high = bootstrap_interval(ledger.beyond_context[rows], ledger.blocks[rows], seed)
    return {
        "days": days,
        "total_cost": np.where(days > 0, np.where(ok, costs, 0.0).sum(axis=0), np.nan),
        "mean_cost": _mean(costs),
        "relative_cost": _ratio(np.where(both, costs, 0).sum(axis=0), np.where(both, costs[:, :1], 0).sum(axis=0)),
        "service_level": _mean(np.where(ok, orders >= y, np.nan)),
        "fill_rate": _ratio(served, np.where(ok, y, 0.0).sum(axis=0)),
        "regret_fixed": _mean(ledger.beyond_fixed[rows]),
        "regret_context": _mean(ledger.beyond_context[rows]),
        "regret_context_low": low,
        "regret_context_high": high,
        "guarantee": guarantee,
        "percent_of_no_data": 100 * _ratio(guarantee, no_data),
    }


def _mean(values: Floats) -> Floats:
    counted = np.isfinite(values)
    return _ratio(np.where(counted, values, 0.0).sum(axis=0), counted.sum(axis=0))


def _ratio(above: Floats | NDArray[np.int64], below: Floats | NDArray[np.int64]) -> Floats:
    """Their quotient; nan where there is nothing to divide by."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below > 0)
    return quotient
