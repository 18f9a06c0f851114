"""How far the promise is from the truth: worlds enumerated, climbed, and where it would break."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import provend as pv
from provend.stockouts import _plan
from provend.stockouts._segments import Days
from soundness.supply import judge_levelled_stock_outs, judge_stock_outs

Floats = np.ndarray


class Enumerated:
    """All histories of demands on a few points, what is ordered after each, and the regret in any world on them."""

    def __init__(self, stock: list[float], d: list[float], q: str, policy: pv.DecidingPolicy | None = None) -> None:
        self.q, self.d, levels = float(Fraction(q)), np.array(d), np.array(stock, float)
        inner = np.unique(np.clip([0.0, *stock, 1.0], 0, 1))
        self.points = np.unique(np.concatenate([inner, (inner[1:] + inner[:-1]) / 2]))
        self.ends = np.flatnonzero(np.isin(self.points, inner))  # of the segments
        self.histories = np.array(list(product(range(self.points.size), repeat=len(stock))))
        sales = np.minimum(self.points[self.histories], levels)
        self.plan = _plan.plan(levels, self.d, Fraction(q), (0.0, 1.0), policy)
        known: dict[tuple[float, ...], float] = {}
        for key in set(map(tuple, sales.tolist())):
            days = Days(np.array(key), levels, self.d)
            known[key] = float(sum(one.order(days, Fraction(q)) for one in self.plan.segments))
        self.costs = self._costs(np.array([known[tuple(row)] for row in sales.tolist()]))
        self.least = self._costs(self.points)

    def _costs(self, orders: Floats) -> Floats:
        over = orders[:, None] - self.points
        return np.maximum(-self.q * over, (1 - self.q) * over)

    def regret(self, law: Floats, past: Floats) -> float:
        """``past[i]`` is the law of demand i on the points, ``law`` that of the demand to come."""
        chances = np.prod([past[i][self.histories[:, i]] for i in range(self.d.size)], axis=0)
        return float(chances @ self.costs @ law - np.min(self.least @ law))


def climbed(world: Enumerated) -> float:
    """The worst of the worlds on the ends of segments, without shift, that a simplex search finds."""
    from scipy.optimize import minimize

    def loss(x: Floats) -> float:
        law = np.zeros(world.points.size)
        law[world.ends] = np.exp(x - x.max())
        return -world.regret(law / law.sum(), np.tile(law / law.sum(), (world.d.size, 1)))

    starts = np.random.default_rng(0).normal(0, 2, (12, world.ends.size))
    return max(-minimize(loss, x, method="Nelder-Mead", options={"maxiter": 3000, "fatol": 1e-10}).fun for x in starts)


def test_the_sum_is_attained_by_a_few_days_at_a_high_ratio() -> None:
    world = Enumerated([1 / 3, 2 / 3, 1], [0, 0, 0], "9/10")
    at_bottom = np.eye(world.points.size)[0]  # demand never comes, and the order is what few days cannot rule out
    worst = world.regret(at_bottom, np.tile(at_bottom, (3, 1)))
    parts = [pv.minimax([0] * n, q=0.9).guarantee.upper for n in (3, 2, 1)]
    assert world.plan.guarantee.upper == pytest.approx(sum(parts) / 3, rel=1e-12)
    assert worst == pytest.approx(world.plan.guarantee.upper, rel=1e-6)


def test_elsewhere_it_is_a_few_percent_above_the_truth() -> None:
    world = Enumerated([0.5, 1, 1], [0, 0, 0], "7/10", pv.ERM())
    assert world.plan.guarantee.upper == pytest.approx(0.0545267, abs=1e-7)
    assert 0.0499 < climbed(world) < world.plan.guarantee.upper
    best = Enumerated([0.5, 0.75, 1], [0, 0, 0], "4/5")
    assert best.plan.guarantee.lower < 0.0513 < climbed(best) < best.plan.guarantee.upper < 0.05498


def test_stock_that_follows_the_demands_it_is_weighed_with_breaks_the_promise() -> None:
    """After a good day nothing is stocked: then whether the second day counts says what the first one was."""
    q, mean = 0.5, 0.24
    regret, promised = 0.0, 0.0
    for first, second in product((0, 1), repeat=2):
        stock = [1.0, 0.0 if first else 1.0]
        found = pv.order_with_stockouts(np.minimum([first, second], stock), stock, [0, 0], q=q)
        chance = (mean if first else 1 - mean) * (mean if second else 1 - mean)
        regret += chance * (1 - q - mean) * found.order
        promised = max(promised, found.upper)
    assert regret > 1.3 * promised


def test_flags_alone_would_break_it() -> None:
    """Days that did not sell out taken for days of unlimited stock: sold-out days drop out above what they had."""
    q, rng, n = 0.75, np.random.default_rng(0), 40
    costs, promised = [], 0.0
    for _ in range(20):
        demand, shelf = rng.choice([0.0, 1.0], n, p=[0.7, 0.3]), np.full(n, 0.5)
        stock = np.where(demand > shelf, shelf, np.inf)
        found = pv.order_with_stockouts(np.minimum(demand, stock), stock, np.zeros(n), q=q)
        costs.append(0.05 * (1 - found.order))  # F = 0.7 < q: all that is left out costs 0.05
        promised = max(promised, found.upper)
    assert np.mean(costs) > 1.5 * promised


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_days_in_groups_keep_the_promise_exactly(block: int) -> None:
    """Shops with many days, tied, empty or endless stock: all histories, by how many of a group had which demand."""
    closest = 0.0
    for case in range(12 * block, 12 * block + 12):
        verdict = judge_stock_outs([11, case, 1])
        assert verdict.finding is None, verdict.finding
        closest = max(closest, verdict.closest)
    assert closest > 0.8  # the laws are bad enough for this to mean something


def test_plans_with_levels_keep_their_promises() -> None:
    verdict = judge_levelled_stock_outs([7, 1, 2])
    assert verdict.finding is None
    assert verdict.drawn
