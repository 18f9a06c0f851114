"""Forecasts that are hardly ever wrong: orders are near them, and guarantees no worse than those of poor ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from provend import ContextualNewsvendor

BOOKED = np.random.default_rng(0).integers(20, 70, 200).astype(float)
DAYS = pd.date_range("2024-01-01", periods=203)


@pytest.mark.parametrize("level", ["auto", "booked"])
@pytest.mark.parametrize("error", [0.0, 0.01, 1.0])
def test_orders_are_near_a_good_forecast(level: str, error: float) -> None:
    """The better it was, the fewer rows used to count, until half of the support was ordered."""
    noise = np.random.default_rng(1).normal(size=200)
    X = pd.DataFrame({"ds": DAYS, "booked": [*BOOKED, 25.0, 45.0, 65.0]})

    def orders_and_guarantees(error: float) -> tuple[np.ndarray, np.ndarray]:
        model = ContextualNewsvendor(9, 1, support=(0, 150), level=level).fit(X[:200], BOOKED + error * noise)
        return model.predict(X[200:]), model.guarantee(X[200:]).upper

    orders, guarantees = orders_and_guarantees(error)
    assert np.abs(orders - [25, 45, 65]).max() < 0.5 + 2 * error
    assert (guarantees < 1.4 * orders_and_guarantees(5.0)[1]).all()


@pytest.mark.parametrize("error", [1.0, 20.0])
def test_distances_are_in_units_of_errors_or_of_a_quarter_of_what_levels_differ_by(error: float) -> None:
    """Two hundredths of the density at the order, for a difference of levels by as much."""
    X = pd.DataFrame({"ds": DAYS[:200], "booked": BOOKED})
    y = BOOKED + error * np.random.default_rng(1).normal(size=200)
    distance = ContextualNewsvendor(9, 1, support=(-50, 150), level="booked").fit(X, y).dissimilarity_.models[0]
    density = np.exp(-(1.2815515655446004**2) / 2) / np.sqrt(2 * np.pi)
    narrow = distance.level.spread / (0.25 * np.std(distance.levels))
    assert (narrow < 1) == (error == 1)
    assert distance.scale == pytest.approx(0.02 * density * min(narrow, 1.0))
