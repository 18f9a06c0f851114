"""How far past rows are from targets, as the estimator has it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import provend as pv
from provend.datasets import load_restaurant


def test_given_dissimilarities_are_given_back() -> None:
    X = np.arange(6.0)[:, None]
    model = pv.ContextualNewsvendor(3, 1, dissimilarity=lambda past, targets: abs(past - targets.T).T / 10, level=None)
    model.fit(X, [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(model.dissimilarities([[0.0], [5.0], [0.0]])[1], [0.5, 0.4, 0.3, 0.2, 0.1, 0.0])


@pytest.mark.parametrize("how", ["auto", "split"])
def test_the_guarantee_is_that_of_the_rule_at_these_distances(how: str) -> None:
    days = load_restaurant()
    X = pa.table({"ds": days.dates[:80]})
    model = pv.ContextualNewsvendor(9, 1, policy="erm", dissimilarity=how, support=(0, 100))
    model.fit(X, days.demand["steak"][:80])
    target = pa.table({"ds": days.dates[80:81]})
    d, weights = model.dissimilarities(target)[0], model.get_weights(target)[0]
    np.testing.assert_array_equal(np.isnan(d), np.isnan(model.brought(target)[0]))
    counted = weights > 0
    direct = pv.worst_case_regret(pv.ERM(), d[counted], q=model.newsvendor_)
    promised = model.guarantee(target)
    assert promised.lower[0] <= direct.upper * (1 + 1e-9)
    assert promised.upper[0] >= direct.lower * (1 - 1e-9)
