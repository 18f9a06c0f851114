"""Eight rows of one item: too few to tell days apart, so that looking for differences must cost next to nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import poisson

from provend.estimators import ContextualNewsvendor

WORLDS, ROWS, AHEAD, MEAN = 150, 8, 7, 10.0


def expected_cost(orders: np.ndarray, q: float) -> float:
    """Of demand that is Poisson, by its definition."""
    demand = np.arange(80)
    left = orders[:, None] - demand
    return float((poisson.pmf(demand, MEAN) * np.where(left > 0, (1 - q) * left, -q * left)).sum())


def test_eight_rows_of_noise_cost_what_their_quantile_costs() -> None:
    """At q = 0.9 the quantile is their largest; an order that leaves out rows that seem different is a worse guess."""
    cost = plain = 0.0
    for seed in range(WORLDS):
        dates = pd.DataFrame({"ds": pd.date_range("2024-03-01", periods=ROWS + AHEAD) + pd.Timedelta(days=seed % 7)})
        y = np.random.default_rng(seed).poisson(MEAN, ROWS).astype(float)
        orders = ContextualNewsvendor(9, 1).fit(dates[:ROWS], y).predict(dates[ROWS:])
        cost += expected_cost(orders, 0.9)
        plain += expected_cost(np.full(AHEAD, y.max()), 0.9)
    assert cost < 1.015 * plain
