"""From orders to the numbers of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend.backtesting._policies import Method
from provend.backtesting._regret import (
    LEAST_GROUP,
    best_fixed_orders,
    bootstrap_interval,
    date_blocks,
    static_orders,
)
from provend.backtesting._schedule import Orders
from provend.backtesting._sure import Contest
from provend.newsvendor import Newsvendor
from provend.tables import History

Floats = NDArray[np.float64]

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Ledger:
    """What every test day cost under every method.

    Attributes
    ----------
    item, dates : array
        Item and date of each test row.
    y, static : array
        Demand of each test row, and the cost of ordering the quantile of the demands before the test part.
    costs, beyond_fixed, beyond_context : array of shape (test rows, methods)
        The cost; the cost beyond the best order for the item; that beyond the best order for its group of contexts.
    contest : Contest
        Every method against the best of the others so far.
    """

    item: NDArray[np.int64]
    dates: Floats
    y: Floats
    static: Floats
    costs: Floats
    beyond_fixed: Floats
    beyond_context: Floats
    contest: Contest
    found: Orders

    @classmethod
    def of(cls, history: History, found: Orders, groups: tuple[str, ...], costs: Newsvendor) -> Ledger:
        """Compare the orders with what happened."""
        rows, q = found.rows, costs.critical_ratio
        y, item = history.y[rows], history.groups(())[rows]
        paid = np.asarray(costs.cost(found.orders, y[:, None]))
        fixed = costs.cost(best_fixed_orders(y, item, q), y)
        context = costs.cost(best_fixed_orders(y, history.groups(groups)[rows], q, least=LEAST_GROUP), y)
        beyond_fixed, beyond_context = (paid - np.asarray(benchmark)[:, None] for benchmark in (fixed, context))
        static = np.asarray(costs.cost(static_orders(_before(history, rows, item), item, q), y))
        dates, rates = history.when[rows], (float(costs.cost(0, 1)), float(costs.cost(1, 0)))
        contest = Contest.of(paid, found, item, dates, rates)
        return cls(item, dates, y, static, paid, beyond_fixed, beyond_context, contest, found)

    def rows(self, item: int) -> NDArray[np.int64]:
        """The test rows of one item."""
        return np.arange(*np.searchsorted(self.item, (item, item + 1)))


def by_item(ledger: Ledger, methods: list[Method], seed: int) -> Columns:
    """One row for each item and method, in that order; skipped ones have a status and no numbers."""
    parts = [_numbers(ledger, ledger.rows(item), seed) for item in range(len(ledger.found.status))]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    status = np.array([cell for row in ledger.found.status for cell in row])
    names = np.tile([method.name for method in methods], len(parts))
    return {"policy": names, "status": status, **columns}


def summary(ledger: Ledger, methods: list[Method], seed: int) -> Columns:
    """One row for each method, over all items it got through."""
    status = np.array(ledger.found.status)
    counts = {"items": (status == "ok").sum(axis=0), "skipped": (status != "ok").sum(axis=0)}
    names = np.array([method.name for method in methods])
    return {"policy": names, **counts, **_numbers(ledger, np.arange(ledger.y.size), seed)}


def pooled(ledger: Ledger, methods: list[Method]) -> Columns:
    """One row for each method: costs relative to the static quantile, with items weighted equally, and by money."""
    ok = np.isfinite(ledger.found.orders)
    items, place = np.unique(ledger.item, return_inverse=True)
    paid, static = np.zeros((2, items.size, len(methods)))
    np.add.at(paid, place, np.where(ok, ledger.costs, 0.0))
    np.add.at(static, place, np.where(ok, ledger.static[:, None], 0.0))
    relative = _ratio(paid, static)
    return {
        "policy": np.array([method.name for method in methods]),
        "items": np.isfinite(relative).sum(axis=0),
        "mean_of_items": _mean(relative),
        "ratio_of_totals": _ratio(paid.sum(axis=0), static.sum(axis=0)),
        "share_cheaper": _mean(np.where(np.isfinite(relative), relative < 1, np.nan)),
    }


def _before(history: History, rows: NDArray[np.int64], item: NDArray[np.int64]) -> list[Floats]:
    """The demands of each item before its first test row; none for an item without test rows."""
    starts = {int(one): int(rows[place]) for one, place in zip(*np.unique(item, return_index=True), strict=True)}
    return [history.y[first : starts.get(i, first)] for i, first in enumerate(history.bounds[:-1].tolist())]


def _numbers(ledger: Ledger, rows: NDArray[np.int64], seed: int) -> Columns:
    """The report on some test rows, one entry per method."""
    y, orders, costs = ledger.y[rows, None], ledger.found.orders[rows], ledger.costs[rows]
    ok = np.isfinite(orders)
    days = ok.sum(axis=0)
    dates = np.array([np.unique(ledger.dates[rows][made]).size for made in ok.T], dtype=np.int64)
    total = np.where(days > 0, np.where(ok, costs, 0.0).sum(axis=0), np.nan)
    both = ok & ok[:, :1]  # relative to the first method, on the days that both ordered for
    served = np.where(ok, np.minimum(orders, y), 0.0).sum(axis=0)
    guarantee, no_data = _mean(ledger.found.guarantees[rows]), _mean(ledger.found.no_data[rows])
    low, high = bootstrap_interval(ledger.beyond_context[rows], date_blocks(ledger.dates)[rows], seed)
    sure = ledger.contest.at_least(rows, days)
    return {
        "days": days,
        "dates": dates,
        "total_cost": total,
        "mean_cost": _mean(costs),
        "cost_per_date": _ratio(total, dates),
        "relative_cost": _ratio(np.where(both, costs, 0).sum(axis=0), np.where(both, costs[:, :1], 0).sum(axis=0)),
        "service_level": _mean(np.where(ok, orders >= y, np.nan)),
        "fill_rate": _ratio(served, np.where(ok, y, 0.0).sum(axis=0)),
        "regret_fixed": _mean(ledger.beyond_fixed[rows]),
        "regret_context": _mean(ledger.beyond_context[rows]),
        "regret_context_low": low,
        "regret_context_high": high,
        "guarantee": guarantee,
        "percent_of_no_data": 100 * _ratio(guarantee, no_data),
        "regret_at_least": sure,
        "exceeded": sure > guarantee,
    }


def _mean(values: Floats) -> Floats:
    counted = np.isfinite(values)
    return _ratio(np.where(counted, values, 0.0).sum(axis=0), counted.sum(axis=0))


def _ratio(above: Floats | NDArray[np.int64], below: Floats | NDArray[np.int64]) -> Floats:
    """The quotient; nan where there is nothing to divide by."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below > 0)
    return quotient
