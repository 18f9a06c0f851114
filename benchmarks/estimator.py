"""Orders with guarantees for many targets, beside weighted quantiles found row by row without any guarantee."""

import time
from collections.abc import Iterator

import numpy as np

import provend as pv
from provend.dissimilarity import Distance, Mismatch

TARGETS, ROWS = 1000, 500


def row_by_row(d: np.ndarray, y: np.ndarray, q: float) -> list[float]:
    """What a user would write: for each target sort, cumulate the weights, take the quantile."""
    orders = []
    for row in d:
        weights = np.maximum(0.1 - row, 0.0)
        weights = weights / weights.sum() if weights.any() else np.full(y.size, 1 / y.size)
        by_demand = np.argsort(y)
        reached = np.cumsum(weights[by_demand])
        orders.append(float(y[by_demand][np.searchsorted(reached, q)]))
    return orders


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    pv.minimax(pv.drift(0.001, 100), q=0.9)  # so that no kernel is loaded while the clock runs
    rng = np.random.default_rng(0)
    weekday = rng.integers(0, 7, ROWS + TARGETS).astype(str)[:, None]
    place = rng.normal(size=(ROWS + TARGETS, 3))
    y = rng.poisson(30, ROWS).astype(float)
    for name, table, model in (
        ("seven designs that repeat", weekday, Mismatch("x0", 0.1)),
        ("every design differs", place, Distance(0.03)),
    ):
        past, targets = table[:ROWS], table[ROWS:]
        fitted = pv.ContextualNewsvendor(9, 1, dissimilarity=model, support=(0, 100)).fit(past, y)
        start = time.perf_counter()
        fitted.predict(targets)
        found = fitted.guarantee(targets)
        ours = time.perf_counter() - start
        d = model(past, targets)
        start = time.perf_counter()
        row_by_row(d, y, 0.9)
        others = time.perf_counter() - start
        yield (
            f"{TARGETS:,} orders with guarantees, {ROWS} past rows, {name}; other: orders only, row by row",
            f"{TARGETS / ours:,.0f} a second",
            f"{TARGETS / others:,.0f} a second",
            f"{others / ours:.1f}",
            f"brackets {np.mean(1 - found.lower / found.upper):.0%} wide",
        )
