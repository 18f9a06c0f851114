r"""Regret that is sure: what orders cost beyond others made without hindsight, less what chance may have added.

Orders a and b for a day are fixed before its demand D is known. Whatever the law of D, b costs in expectation at least
as much as the best order, so x = c(a, D) - c(b, D) has a mean m of at most the expected regret of a, given the past.
Let x_t, m_t be sums over the orders of date t. Two things are known before the demands: x_t is at least -u_t, where u_t
sums cu (a - b) where a > b and co (b - a) elsewhere, and it lies in an interval of length w_t, the sum of
(cu + co) |a - b|. For each :math:`\lambda > 0`

.. math:: \mathbb{E} \exp\Bigl(\sum_t \bigl(\lambda (x_t - m_t) - p_t\bigr)\Bigr) \le 1, \qquad
   p_t = \begin{cases} x_t^2 \, (-\log(1 - \lambda u_t) - \lambda u_t) / u_t^2 & \lambda u_t \le 0.8, \\
   \lambda^2 w_t^2 / 8 & \text{otherwise,} \end{cases}

by Fan's and by Hoeffding's inequality (docs, backtests). Here b is the order of the other policy that has been cheapest
so far. Days need not be alike, nor items independent of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from provend.backtesting._schedule import Orders

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
SCALES = (1.0, 2.0, 4.0)  # multiples of the expected size of x_t, a lambda for each: dependent items add up to more
NEAR = 0.8  # up to which Fan is expected to do better than Hoeffding


@dataclass(frozen=True, eq=False)
class Contest:
    """Every method against its rival: of the others, the one that has been cheapest for the item so far.

    Attributes
    ----------
    extra, more : array of shape (test rows, methods)
        What the order cost beyond the rival's, and how much larger it was; 0 where there is no rival.
    spread : array of shape (test rows, methods)
        Root mean square difference from the orders of the other methods; nan where that is not known before all
        demands.
    dates : array
        Date of each test row.
    rates : pair
        cu and co.
    """

    extra: Floats
    more: Floats
    spread: Floats
    dates: Floats
    rates: tuple[float, float]

    @classmethod
    def of(
        cls, costs: Floats, found: Orders, item: NDArray[np.int64], dates: Floats, rates: tuple[float, float]
    ) -> Contest:
        """Set up the contest item by item, as each item has its own rivals."""
        extra, more, spread = np.zeros((3, *costs.shape))
        for one in np.unique(item):
            rows = np.arange(*np.searchsorted(item, (one, one + 1)))
            extra[rows], more[rows] = _beyond_rivals(costs[rows], found.orders[rows])
            spread[rows] = _spread(found.orders[rows])
            if dates[rows[0]] > dates.min():  # its past may tell about tested demands of other items
                spread[rows] = np.nan
        spread[~found.first] = np.nan
        return cls(extra, more, spread, dates, rates)

    def at_least(self, rows: NDArray[np.int64], days: NDArray[np.int64]) -> Floats:
        """For each method, a lower confidence limit of the mean expected regret of its orders in some rows.

        The regret is conditional on the past the orders were made from; it is never negative, and neither is the
        limit. ``days`` counts the days each method has ordered for.
        """
        found = np.where(days > 0, 0.0, np.nan)
        if rows.size == 0:
            return found
        (cu, co), more = self.rates, self.more[rows]
        _, date = np.unique(self.dates[rows], return_inverse=True)
        tables = self.extra[rows], np.where(more > 0, cu, -co) * more, (cu + co) * np.abs(more)
        sums = np.zeros((3, date.max() + 1, days.size))
        for total, table in zip(sums, tables, strict=True):
            np.add.at(total, date, table)
        expected = self._expected(rows)
        for method in np.flatnonzero((days > 0) & (expected > 0)):
            unit = expected[method]
            found[method] = unit * _surely(*(sums[:, :, method] / unit)) / days[method]
        return found

    def _expected(self, rows: NDArray[np.int64]) -> Floats:
        """Root mean square of x_t if demand is below both orders with probability q, and items are independent."""
        known = rows[np.isfinite(self.spread[rows]).any(axis=1)]
        squares = np.nansum(self.spread[known] ** 2, axis=0) / max(np.unique(self.dates[known]).size, 1)
        return np.asarray(sqrt(self.rates[0]) * sqrt(self.rates[1]) * np.sqrt(squares))


def _beyond_rivals(costs: Floats, orders: Floats) -> tuple[Floats, Floats]:
    """What each order of one item cost beyond its rival's, and how much larger it was; oldest row first."""
    absent = ~np.isfinite(orders)
    paid = np.where(absent, np.inf, costs).cumsum(axis=0)
    so_far = np.vstack([np.where(absent[:1], np.inf, 0.0), paid[:-1]])
    found = np.zeros((2, *costs.shape))
    for method in range(costs.shape[1]):
        others = so_far.copy()
        others[:, method] = np.inf
        rival = others.argmin(axis=1)[:, None]
        there = np.isfinite(others.min(axis=1)) & ~absent[:, method]
        for kept, table in zip(found, (costs, orders), strict=True):
            beyond = table[:, method] - np.take_along_axis(table, rival, axis=1)[:, 0]
            kept[there, method] = beyond[there]
    return found[0], found[1]


def _spread(orders: Floats) -> Floats:
    """How far each order is from those of the other methods; methods that agree are expected to part."""
    apart = np.abs(orders[:, :, None] - orders[:, None, :])
    others = np.isfinite(apart).sum(axis=2) - 1
    return np.asarray(np.sqrt(np.nansum(apart**2, axis=2) / np.maximum(others, 1)))


def _surely(extra: Floats, down: Floats, length: Floats) -> float:
    """A lower limit of the sum of the means of ``extra``, in units of the root mean square expected of them."""
    budget, best = log(len(SCALES) / (1 - CONFIDENCE)), 0.0
    for scale in SCALES:
        rate = sqrt(2 * budget / extra.size) / scale
        near = rate * down <= NEAR
        part = np.where(near & (down > 0), rate * down, NEAR)
        with np.errstate(over="ignore"):  # what overflows is not sure
            fan = (-np.log1p(-part) - part) / part**2 * (rate * extra) ** 2
            price = budget + float(np.where(near, fan, (rate * length) ** 2 / 8).sum())
        best = max(best, float(extra.sum()) - price / rate)
    return best
