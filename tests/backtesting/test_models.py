"""The quantile models a backtest compares with: what they learn, bear and need."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from histories import random_table, rows, table
from provend.backtesting import QuantileModel, SameCategoryQuantile, backtest
from provend.tables import Encoding, read_contexts


@pytest.mark.parametrize("model", ["linear", "gbm", "hgb", "forest", "lgbm"])
def test_models_bear_constant_columns_and_unseen_categories(model: str) -> None:
    kinds = ["a", "b"] * 20 + ["new"] * 10
    history = table([float(3 + i % 4) for i in range(50)], kind=kinds, always=[1.0] * 50, sure=[True] * 50)
    result = backtest(history, cu=2, co=1, policies=["static", model, "same:kind"], test=0.2, refit_every=20)
    assert [row["status"] for row in rows(result.by_item)] == ["ok"] * 3
    orders = result.orders.filter(pl.col("policy") == model)["order"]
    assert orders.is_between(0, 20).all()
    fallback = result.orders.filter(pl.col("policy") == "same:kind")["order"]
    assert fallback.to_list() == result.orders.filter(pl.col("policy") == "static")["order"].to_list()


def test_linear_model_without_numbers_is_the_quantile_of_each_category() -> None:
    history = random_table(items=1)
    X, y = history.select("weekday"), history["y"].to_numpy()
    linear, same = QuantileModel(4, 1).fit(X, y).predict(X), SameCategoryQuantile(4, 1, column="weekday").fit(X, y)
    cost = [np.mean(4 * np.maximum(y - a, 0) + np.maximum(a - y, 0)) for a in (linear, same.predict(X))]
    assert cost[0] == pytest.approx(cost[1])


def test_encodings_by_hand() -> None:
    past = pl.DataFrame(
        {"kind": ["b", "a", "b"], "ds": [date(1970, 1, 2)] * 3, "wet": [True, False, True], "size": [4, 5, 6]}
    )
    ahead = past.with_columns(kind=pl.Series(["c", "a", "0"]))
    schema = read_contexts(past)
    encoding, past, ahead = Encoding.of(schema), schema, read_contexts(ahead, like=schema)
    np.testing.assert_array_equal(encoding.ordinal(past), [[1, 4, 1, 1], [1, 5, 0, 0], [1, 6, 1, 1]])
    np.testing.assert_array_equal(encoding.ordinal(ahead)[:, 2], [-1, 0, -1])
    np.testing.assert_array_equal(encoding.one_hot(ahead)[:, 2:4], [[0, 0], [1, 0], [0, 0]])


def test_histograms_know_which_columns_are_categories() -> None:
    X = random_table(items=1).select("weekday", "rain", "ds")
    model = QuantileModel(1, 1, model="hgb", random_state=0).fit(X, np.arange(60.0))
    assert list(model.encoding_.numbers) == ["rain", "ds"]
    assert model.model_.is_categorical_.tolist() == [False, False, True]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["linear", "gbm", "hgb", "forest"])
def test_what_is_missing_sits_at_the_mean(model: str) -> None:
    gaps = [None, *np.linspace(0, 1, 58) ** 2, 1.0]
    X = pl.DataFrame({"rain": gaps, "kind": [None, *["a", "b"] * 29, "a"]})
    filled = X.with_columns(
        rain=pl.col("rain").fill_null(pl.col("rain").mean()), kind=pl.col("kind").fill_null("(missing)")
    )
    demand = np.arange(60.0)
    orders = [QuantileModel(3, 1, model=model, random_state=0).fit(one, demand).predict(one) for one in (X, filled)]
    np.testing.assert_array_equal(*orders)
