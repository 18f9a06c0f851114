"""Good prices for the Lagrangian of a count, by cutting planes.

Any prices give a bound, so nothing rests on the accuracy of the linear program that finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import TINY
from provend._kernels.maximise.lagrangian import Groups, Peaks, PricedSide, evaluate

MOST_ROUNDS, MOST_CUTS = 60, 400


class Bound(NamedTuple):
    """An upper bound on both sides together, with the price of each group."""

    upper: float
    price: Floats


def minimise(sides: Sequence[PricedSide], groups: Groups, *, rtol: float) -> Bound:
    """Good prices by Kelley's cutting planes, and the certified Lagrangian there."""
    cuts, gaps = _Cuts(groups), [np.inf] * 3
    best = Bound(np.inf, np.zeros(groups.sizes.size))
    for _ in range(MOST_ROUNDS):
        floor, price, value = cuts.solve()
        upper, found = evaluate(sides, groups, price, floor=floor, atol=rtol * max(value, TINY) / 4, share=0.3)
        if upper < best.upper:
            best = Bound(upper, price)
        gaps.append((best.upper - value) / best.upper)
        stalled = 100 * rtol > gaps[-1] > 0.9 * gaps[-4]  # at the tolerance of the linear program
        if gaps[-1] <= rtol or stalled or not cuts.add(sides, found, floor):
            break
    upper, _ = evaluate(sides, groups, best.price, floor=0.0, atol=rtol * best.upper / 16, share=1.0)
    return Bound(min(upper, best.upper), best.price)


class _Cuts:
    """min s + sum of price times distance, over the cuts s >= (c - t) f_j(t) - (1 - t) Lambda_j found so far.

    Columns: s, the price of each group (rising), and the total cost of the groups before it.
    """

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.rows: list[tuple[Integers, Floats, Floats]] = []  # j, t, (c - t) f_j(t)

    def add(self, sides: Sequence[PricedSide], found: Sequence[Peaks], floor: float) -> bool:
        """Add the cuts that are violated; False if none is."""
        before = len(self.rows)
        for side, peak in zip(sides, found, strict=True):
            new = (peak.value > floor + 1e-12)[:MOST_CUTS]
            j, t = peak.j[:MOST_CUTS][new], peak.t[:MOST_CUTS][new]
            if j.size:
                self.rows.append((j, t, (side.c - t) * side.tail(j, t)))
        return len(self.rows) > before

    def solve(self) -> tuple[float, Floats, float]:
        """s, the prices and the value of the linear program; the value is a lower bound up to its tolerance."""
        from scipy.optimize import linprog

        G, starts, sizes = self.groups.sizes.size, self.groups.starts, self.groups.sizes
        matrix, rhs = self._inequalities(G)
        equal, zero = _chain(G, sizes)
        costs = np.concatenate([[1.0], self.groups.distance, np.zeros(G)])
        bounds = [(0, 1)] * (1 + G) + [(0, int(start)) for start in starts]
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        solved = linprog(costs, matrix, rhs, equal, zero, bounds, method="highs", options=tight)
        if solved.x is None:
            return 0.0, np.zeros(G), 0.0
        price = np.maximum.accumulate(np.clip(solved.x[1 : G + 1], 0.0, 1.0))  # rebuilt: rising, whatever was solved
        return float(solved.x[0]), price, float(solved.fun)

    def _inequalities(self, G: int) -> tuple[object, Floats]:
        from scipy.sparse import coo_array

        i = np.arange(G - 1)
        entries = [(i, 1 + i, np.ones(G - 1)), (i, 2 + i, -np.ones(G - 1))]  # rising prices
        rhs = [np.zeros(G - 1)]
        row = G - 1
        for j, t, value in self.rows:
            at = row + np.arange(j.size)
            group = np.searchsorted(self.groups.starts, np.maximum(j - 1, 0), "right") - 1
            entries += [
                (at, np.zeros(j.size, int), -np.ones(j.size)),
                (at, 1 + group, -(1 - t) * (j - self.groups.starts[group])),
                (at, 1 + G + group, -(1 - t)),
            ]
            rhs.append(-value)
            row += j.size
        if row == 0:
            return None, np.zeros(0)
        rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        return coo_array((values, (rows, columns)), shape=(row, 1 + 2 * G)).tocsr(), np.concatenate(rhs)


def _chain(G: int, sizes: Integers) -> tuple[object, Floats]:
    """Equations: the groups before g + 1 cost what those before g cost, plus group g; those before the first, 0."""
    from scipy.sparse import coo_array

    g = np.arange(G - 1)
    rows = np.concatenate([[0], 1 + g, 1 + g, 1 + g])
    columns = np.concatenate([[1 + G], 2 + G + g, 1 + G + g, 1 + g])
    values = np.concatenate([[1.0], np.ones(G - 1), -np.ones(G - 1), -sizes[:-1]])
    return coo_array((values, (rows, columns)), shape=(G, 1 + 2 * G)).tocsr(), np.zeros(G)
