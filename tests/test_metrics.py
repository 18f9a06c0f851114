"""Costs of orders, against ddop's documented examples, scikit-learn's pinball loss and plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_pinball_loss
from sklearn.model_selection import KFold, cross_val_score

from provend.metrics import average_costs, newsvendor_scorer, pairwise_costs, prescriptiveness_score, total_costs

Y, A, SAA = [[2, 2], [2, 4], [3, 6]], [[1, 2], [3, 3], [4, 7]], [[4, 5], [4, 5], [4, 5]]
CU, CO = [2, 4], [1, 1]


def test_documented_examples_of_ddop() -> None:
    np.testing.assert_array_equal(pairwise_costs(Y, A, CU, CO), [[2, 0], [1, 4], [1, 1]])
    assert total_costs(Y, A, CU, CO) == 9
    np.testing.assert_array_equal(total_costs(Y, A, CU, CO, multioutput="raw_values"), [4, 5])
    np.testing.assert_allclose(average_costs(Y, A, CU, CO, multioutput="raw_values"), [4 / 3, 5 / 3])
    assert average_costs(Y, A, CU, CO) == 1.5
    np.testing.assert_allclose(prescriptiveness_score(Y, A, SAA, CU, CO, multioutput="raw_values"), [0.2, 0.375])
    assert prescriptiveness_score(Y, A, SAA, CU, CO) == pytest.approx(0.2875)


def test_pairwise_costs_is_the_definition() -> None:
    rng = np.random.default_rng(1)
    y, a = rng.integers(0, 9, (2, 50))
    slow = [3 * (d - o) if d > o else 2 * (o - d) for d, o in zip(y, a, strict=True)]
    np.testing.assert_array_equal(pairwise_costs(y, a, 3, 2), slow)
    assert total_costs(y, a, 3, 2) == sum(slow)


@pytest.mark.parametrize("multioutput", ["raw_values", "uniform_average", [3, 1]])
def test_average_costs_is_a_pinball_loss(multioutput: Any) -> None:
    rng = np.random.default_rng(2)
    y, a, weights = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)), rng.uniform(size=40)
    ours = average_costs(y, a, 8, 2, sample_weight=weights, multioutput=multioutput)
    theirs = mean_pinball_loss(y, a, alpha=0.8, sample_weight=weights, multioutput=multioutput)
    np.testing.assert_allclose(ours, 10 * np.asarray(theirs))


def test_shapes_and_columns_of_dataframes() -> None:
    assert pairwise_costs([1, 2], [2, 2], 1, 1).shape == (2,)
    assert pairwise_costs([[1], [2]], [2, 2], 1, 1).shape == (2, 1)
    for column in (pd.Series([2, 2, 3]), pl.Series([2, 2, 3])):
        assert total_costs(column, [1, 3, 4], 2, 1) == 4


def test_prescriptiveness_where_saa_costs_nothing() -> None:
    y = [[5, 5, 5], [5, 5, 7]]
    a = [[5, 6, 5], [5, 5, 7]]
    saa = [[5, 5, 5], [5, 5, 5]]
    scores = prescriptiveness_score(y, a, saa, 1, 1, multioutput="raw_values")
    np.testing.assert_array_equal(scores, [1, -np.inf, 1])
    assert prescriptiveness_score(y, a, saa, 1, 1, multioutput=[1, 0, 1]) == 1
    assert prescriptiveness_score([1, 2], [2, 3], [2, 3], 1, 1) == 0
    assert prescriptiveness_score([1, 2], [3, 4], [2, 3], 1, 1) == -1


def test_scorer_in_cross_validation() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    folds = KFold(3)
    expected = []
    for train, held_out in folds.split(X):
        orders = LinearRegression().fit(X[train], y[train]).predict(X[held_out])
        expected.append(-np.mean(9 * np.maximum(y[held_out] - orders, 0) + np.maximum(orders - y[held_out], 0)))
    np.testing.assert_allclose(
        cross_val_score(LinearRegression(), X, y, cv=folds, scoring=newsvendor_scorer(9, 1)), expected
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [1], -1, 1), "cu = -1 must be finite and at least 0; give a cost per unit"),
        (([1], [1], 1, float("nan")), "co = nan must be finite and at least 0"),
        (([1], [1], 0, 0), "cu = 0 and co = 0 are both 0, so nothing costs anything; make one of them positive"),
        ((Y, A, [1, 0], [1, 0]), r"are both 0 for output 1"),
        ((Y, A, [1, 2, 3], 1), r"cu = \[1, 2, 3\] does not fit 2 output\(s\); give one number, or one per output"),
        (([1], [1], "dear", 1), "cu = 'dear' is not a number; give a cost per unit"),
        (([], [], 1, 1), "y_true is empty; give at least one demand"),
        (([1, 2], [1], 1, 1), r"y_pred has shape \(1,\) but y_true has \(2,\); give one order per demand"),
        (([1, np.nan], [1, 2], 1, 1), r"y_true\[1\] = nan is not finite; drop the row or fill it in"),
        (([1], ["many"], 1, 1), "y_pred holds something that is not a number"),
        (([[[1]]], [1], 1, 1), r"y_true has 3 dimensions; give shape \(n,\) or \(n, outputs\)"),
    ],
)
def test_bad_input(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pairwise_costs(*arguments)


def test_bad_options() -> None:
    with pytest.raises(ValueError, match=r"multioutput = 'mean' is unknown; use 'uniform_average', 'raw_values'"):
        average_costs(Y, A, 1, 1, multioutput="mean")
    with pytest.raises(ValueError, match="multioutput = 'mean' is unknown; use 'cumulated' or 'raw_values'"):
        total_costs(Y, A, 1, 1, multioutput="mean")
    with pytest.raises(ValueError, match=r"multioutput has shape \(3,\); give one weight per output, 2 in all"):
        average_costs(Y, A, 1, 1, multioutput=[1, 1, 1])
    with pytest.raises(ValueError, match=r"sample_weight = \[0, 0, 0\] must be at least 0 and not all 0"):
        average_costs(Y, A, 1, 1, sample_weight=[0, 0, 0])
    with pytest.raises(ValueError, match="y_pred_saa has shape"):
        prescriptiveness_score([1, 2], [1, 2], [1], 1, 1)
    with pytest.raises(ValueError, match="cu = 0 and co = 0 are both 0"):
        newsvendor_scorer(0, 0)
