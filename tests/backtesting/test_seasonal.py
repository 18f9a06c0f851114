"""What a planner's friends would order."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.backtesting import SeasonalNaive


def test_seasonal_naive_by_hand() -> None:
    y = np.array([1.0, 5, 2, 7, 3, 6, 2, 9])
    model = SeasonalNaive(cu=3, co=1, season=2).fit(None, y)
    changes = sorted(b - a for a, b in zip(y[:-2], y[2:], strict=True))
    change = changes[-(-Fraction(3, 4) * len(changes) // 1) - 1]
    assert model.predict(range(5)).tolist() == [2 + change, 9 + change, 2 + change, 9 + change, 2 + change]
    assert SeasonalNaive(cu=3, co=1, season=7).fit(None, y).predict([0]).tolist() == [6.0]  # too short: the quantile
    with pytest.raises(pv.InputError, match="season"):
        SeasonalNaive(1, 1, season=0).fit(None, y)


def test_in_a_backtest() -> None:
    """Demand that repeats every week costs nothing."""
    days = pd.DataFrame({"unique_id": "a", "ds": pd.date_range("2024-01-01", periods=84), "y": np.arange(84) % 7 + 1.0})
    found = pv.backtest(days, cu=1, co=1, policies=["static", "seasonal:7", "seasonal"])
    costs = dict(zip(found.summary["policy"], found.summary["total_cost"], strict=True))
    assert costs["seasonal:7"] == costs["seasonal"] == 0 < costs["static"]
