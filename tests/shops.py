"""Small shops judged by brute force: every history of demands on a few values, and the worst laws that can be found.

Nothing here knows how orders are decided: a shop is asked for its order after each history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

Floats = np.ndarray
MEANS = 25  # levels of a distribution function that are tried, besides the ratio itself


@dataclass(frozen=True, eq=False)
class Shop:
    """Past stock, dissimilarities and the critical ratio; support [0, 1], cu + co = 1."""

    stock: Floats
    d: Floats
    q: float

    @property
    def places(self) -> list[float]:
        """Demands worth trying: the ends of the support, the stock levels, and just above the lowest of them."""
        inside = {float(c) for c in self.stock if 0 < c < 1}
        return sorted({0.0, 1.0} | inside | {min(c + 0.01, 1.0) for c in sorted(inside)[:1]})


def worst_regret(shop: Shop, order: Callable[[Floats], float], values: int = 2) -> float:
    """The largest expected regret found over laws on so many of the places, pasts shifted row by row to the worst."""
    return max(_on(shop, np.array(atoms), order) for atoms in combinations(shop.places, values))


def _on(shop: Shop, atoms: Floats, order: Callable[[Floats], float]) -> float:
    n, kinds = shop.stock.size, atoms.size
    known: dict[tuple[float, ...], float] = {}
    orders = np.empty((kinds,) * n)
    for history in product(range(kinds), repeat=n):
        sales = np.minimum(atoms[list(history)], shop.stock)
        if (key := tuple(sales.tolist())) not in known:
            known[key] = order(sales)
        orders[history] = known[key]
    over = orders - atoms.reshape(-1, *[1] * n)
    costs = np.maximum(-shop.q * over, (1 - shop.q) * over)  # by demand to come, then by history
    at_atoms = np.maximum(shop.q * (atoms - atoms[:, None]), (1 - shop.q) * (atoms[:, None] - atoms))
    levels = np.unique(np.concatenate([np.linspace(0, 1, MEANS), shop.q + np.array([-0.1, -0.03, 0.03])]).clip(0, 1))
    steps = levels if kinds == 2 else levels[:: max(1, levels.size // 7)]
    found = 0.0
    for cdf in product(steps, repeat=kinds - 1):
        if list(cdf) != sorted(cdf):
            continue
        law = np.diff([0.0, *cdf, 1.0])
        cost = np.tensordot(law, costs, 1)
        best = float((at_atoms @ law).min())
        found = max(found, *(_climbed(cost, np.array(cdf), shop.d, way) - best for way in (-1.0, 1.0)))
    return found


def _climbed(cost: Floats, cdf: Floats, d: Floats, way: float) -> float:
    """The expected cost is linear in the law of each past demand: move one row after the other to its worse end."""
    ends = [[np.diff([0.0, *np.clip(cdf + s * each, 0, 1), 1.0]) for s in (-1, 1)] for each in d]
    chosen = [way > 0] * d.size
    for i in range(d.size):
        rest = cost
        for j in reversed(range(d.size)):  # the last axis first, so that the others keep their numbers
            if j != i:
                rest = np.tensordot(rest, ends[j][chosen[j]], (j, 0))
        values = [float(rest @ end) for end in ends[i]]
        chosen[i] = values[1] > values[0]
    return max(values)
