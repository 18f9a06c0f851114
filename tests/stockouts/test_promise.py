"""No world costs more than promised: shops by brute force, with laws and shifts chosen against them."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from shops import Shop, worst_regret

ROUNDING = 1e-9

# Stock and dissimilarities such that an error in one part of the decision breaks the promise (q, stock, d, policy).
AGAINST = {
    "one unlimited day, many that sell out": (0.9, [0.25] * 7 + [1.0], [0.0] * 8, None),
    "levels far apart": (0.75, [0.3, 0.3, 0.6, 0.6, 1.0, 1.0], [0.0] * 6, None),
    "tied levels, shifted": (0.8, [0.5, 0.5, 0.5, 0.5, 0.9, 0.9], [0.1, 0.0, 0.05, 0.0, 0.02, 0.02], None),
    "nobody saw the top": (0.75, [0.4] * 8, [0.0] * 8, None),
    "nobody saw the top, shifted": (0.9, [0.5] * 8, [0.01] * 8, None),
    "witnesses between levels": (0.5, [0.5] * 8 + [1.0], [0.0] * 9, None),
    "near days with little, far days with much": (0.9, [0.3, 0.3, 0.3, 1.0, 1.0, 1.0], [0, 0, 0, 0.2, 0.3, 0.4], None),
    "always enough": (0.75, [1.0, 1.5, np.inf, 1.0], [0.0, 0.1, 0.02, 0.0], None),
    "orders too little": (0.9, [0.5, 0.5, 1.0, 1.0], [0.05] * 4, pv.OrderStatistic(1)),
    "orders too much": (0.2, [0.5, 0.5, 1.0, 1.0], [0.05] * 4, pv.OrderStatistic(2)),
    "empty shelves": (0.6, [0.0, 0.0, 0.7, 0.7, 0.7], [0.0] * 5, pv.ERM()),
}


def judged(
    q: float, stock: list[float], d: list[float], policy: pv.DecidingPolicy | None, values: int
) -> tuple[float, float]:
    """The largest regret found, and the guarantee, which is known before any sales are."""
    shop, uppers = Shop(np.array(stock), np.array(d, float), q), set[float]()

    def order(sales: np.ndarray) -> float:
        found = pv.order_with_stockouts(sales, shop.stock, shop.d, q=str(q), policy=policy)
        uppers.add(found.upper)
        return found.order

    worst = worst_regret(shop, order, values)
    (upper,) = uppers
    return worst, upper


@pytest.mark.parametrize("name", AGAINST)
def test_no_world_costs_more_than_promised(name: str) -> None:
    worst, upper = judged(*AGAINST[name], values=2)
    assert worst <= upper + ROUNDING
    assert worst > 0.6 * upper  # the laws are bad enough for this to mean something


@pytest.mark.parametrize(
    ("q", "stock", "d"),
    [
        (0.9, [0.3, 0.6, 1.0], [0, 0, 0]),
        (0.75, [0.5, 0.5, 0.8], [0.1, 0, 0.05]),
        (0.2, [1.0, 1.0, 0.3], [0.05, 0.05, 0]),
        (0.8, [0.0, 0.7, 2.0], [0, 0.1, 0.1]),
    ],
)
@pytest.mark.parametrize("policy", [None, pv.ERM()])
def test_nor_does_one_of_three_demands(
    q: float, stock: list[float], d: list[float], policy: pv.DecidingPolicy | None
) -> None:
    worst, upper = judged(q, stock, d, policy, values=3)
    assert worst <= upper + ROUNDING
    assert worst > 0.5 * upper
