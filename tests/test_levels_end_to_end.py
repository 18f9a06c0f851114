"""Promises about moved demand, judged by what orders cost, where what is left of demand keeps its distances."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from provend.estimators import PanelNewsvendor, _choices
from provend.estimators._levels import of_column
from soundness.draw import a_levelled_world
from soundness.judge import judge, tail

WORLDS = 8


@pytest.mark.slow
@pytest.mark.parametrize("level", ["column", "regressor"])
def test_promises_are_kept(level: str) -> None:
    verdicts = [judge(a_levelled_world(np.random.default_rng(seed), level), seed) for seed in range(WORLDS)]
    for verdict in verdicts:
        assert verdict.finding is None, verdict.finding.text
    assert sum(verdict.exact > 0 for verdict in verdicts) >= WORLDS - 2
    assert max(verdict.closest for verdict in verdicts) > 0.8  # the laws are bad enough for this to mean something


def test_a_scale_chosen_by_the_demands_it_moves_breaks_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Why given dissimilarities come with a scale that is fixed before: the judge sees the difference."""
    world = a_levelled_world(np.random.default_rng(22), "column")
    assert judge(world, 22).finding is None
    honest = _choices._given

    def looking(model: Any, history: Any, level: str, q: Any) -> Any:
        chosen = partial(of_column, y=history.y, q=float(q))
        monkeypatch.setattr(_choices, "plain_column", chosen)
        return honest(model, history, level, q)

    monkeypatch.setattr(_choices, "_given", looking)
    finding = judge(world, 22).finding
    assert finding is not None
    assert finding.kind == "regret"


@pytest.mark.parametrize("rows", [4, 40])
def test_items_of_one_law_keep_the_promise_of_a_panel(rows: int) -> None:
    """Sizes and levels are learned, so this is no proof; but on average over many items the regret must be within."""
    rng, items, mean = np.random.default_rng(rows), 300, 0.7
    X = pd.DataFrame(
        {
            "unique_id": np.repeat([f"{j:03}" for j in range(items)], rows),
            "ds": np.tile(pd.date_range("2024-01-01", periods=rows), items),
        }
    )
    y = 10.0 + 10.0 * (rng.random(items * rows) < mean)
    model = PanelNewsvendor(1, 1, support=(10, 20)).fit(X, y)
    targets = X[rows - 1 :: rows].assign(ds=pd.Timestamp("2024-03-01"))
    regrets = (20 - model.predict(targets)) * (2 * mean - 1)  # ordering the top is best
    most = 10 * (2 * mean - 1)
    assert tail(float(regrets.mean()) / most, float(model.guarantee(targets).upper.max()) / most, items) > 1e-3
