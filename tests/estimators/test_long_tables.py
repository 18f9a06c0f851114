"""Tables so long that only some of their rows are learned from or weighed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from provend.estimators import ContextualNewsvendor


@pytest.mark.parametrize("rows", [6_000, 20_000])  # more than are weighed, and more than are learned from
def test_shops_that_take_turns_are_both_known(rows: int) -> None:
    shop, drawn = np.tile(["a", "b"], rows // 2), np.random.default_rng(1).uniform(0, 10, rows)
    y = drawn + np.where(shop == "b", 90, 0)
    model = ContextualNewsvendor(1, 1, support=(0, 100)).fit(pd.DataFrame({"shop": shop}), y)
    targets = pd.DataFrame({"shop": ["a", "b"]})
    orders = model.predict(targets)
    assert np.abs(orders - [5, 95]).max() < 0.6
    assert model.guarantee(targets).upper.max() < 3  # 12.5 where rows of one shop alone are weighed
