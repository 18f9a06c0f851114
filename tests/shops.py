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
    cdfs = np.array([cdf for cdf in product(steps, repeat=kinds - 1) if list(cdf) == sorted(cdf)])
    laws = np.diff(cdfs, axis=1, prepend=0.0, append=1.0)
    cost, best = np.tensordot(laws, costs, 1), (laws @ at_atoms.T).min(axis=1)
    return max(float((_climbed(cost, cdfs, shop.d, way) - best).max()) for way in (0, 1))


def _climbed(cost: Floats, cdfs: Floats, d: Floats, way: int) -> Floats:
    """The expected cost is linear in the law of each past demand: move one row after the other to its worse end.

    For each distribution function at once: they are the first axis of all arrays.
    """
    shifted = np.clip(cdfs + np.array([-1, 1])[:, None, None, None] * d[:, None, None], 0, 1)
    ends = np.diff(shifted, axis=-1, prepend=0.0, append=1.0)  # by way, row, distribution function and atom
    chosen = [ends[way, i] for i in range(d.size)]
    for i in range(d.size):
        rest = cost
        for law in reversed(chosen[i + 1 :]):
            rest = np.einsum("c...k,ck->c...", rest, law)
        for law in chosen[:i]:
            rest = np.einsum("ck...,ck->c...", rest, law)
        values = np.einsum("ck,eck->ec", rest, ends[:, i])
        chosen[i] = ends[values.argmax(axis=0), i, np.arange(len(cdfs))]
    return values.max(axis=0)
