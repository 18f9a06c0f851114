"""The quantile models a backtest compares with: what they learn, bear and need."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from histories import policy_rows, random_table, rows, table
from provend import InputError
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
    np.testing.assert_array_equal(encoding.ordinal(past), [[1, 4, 1, 1, 4], [1, 5, 0, 0, 4], [1, 6, 1, 1, 4]])
    np.testing.assert_array_equal(encoding.ordinal(ahead)[:, 2], [-1, 0, -1])
    np.testing.assert_array_equal(encoding.one_hot(ahead)[:, 2:9], [[0, 0, 0, 0, 1, 0, 0]] * 3)  # it was a Friday
    np.testing.assert_array_equal(encoding.one_hot(ahead)[:, 9:11], [[0, 0], [1, 0], [0, 0]])


def test_a_date_adds_its_season_once_the_history_is_long_enough() -> None:
    days = pl.DataFrame({"ds": pl.date_range(date(2024, 1, 1), date(2024, 12, 31), eager=True)})
    short, long = (read_contexts(days[:rows]) for rows in (200, 366))
    assert [Encoding.of(past).one_hot(past).shape[1] for past in (short, long)] == [1 + 7, 1 + 7 + 4]
    assert [Encoding.of(past).ordinal(past).shape[1] for past in (short, long)] == [2, 3]


WEEKS = table(
    [float((3, 9, 4, 4, 20, 30, 2)[i % 7] + (i * 5) % 3) for i in range(120)],
    flag=["x" if i % 11 else "y" for i in range(120)],
)


@pytest.mark.parametrize("model", ["linear", "hgb", "lgbm"])
def test_models_see_the_weekday_of_a_date_as_well_as_that_in_a_column(model: str) -> None:
    names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    told = WEEKS.with_columns(day=WEEKS["ds"].dt.weekday().replace_strict(dict(enumerate(names, start=1))))
    bare, given = (
        policy_rows(backtest(one, cu=3, co=1, policies=["static", model], refit_every=40)) for one in (WEEKS, told)
    )
    assert bare[model]["relative_cost"] < 1.5 * given[model]["relative_cost"] < 0.75


def test_days_of_the_same_weekday_are_alike_unless_a_column_says_so() -> None:
    usual = backtest(WEEKS, cu=3, co=1, refit_every=40)
    assert usual.groups == ("flag", "weekday")
    told = WEEKS.with_columns(weekday=WEEKS["ds"].dt.weekday().cast(pl.String))
    given = backtest(told, cu=3, co=1, policies=["static", "same:weekday"], refit_every=40)
    assert set(given.groups) == {"flag", "weekday"}
    assert policy_rows(usual)["same:weekday"]["total_cost"] == policy_rows(given)["same:weekday"]["total_cost"]
    regrets = [policy_rows(one)["static"]["regret_context"] for one in (usual, given)]
    assert regrets[0] == regrets[1]
    told = told.rename({"weekday": "Tag"})
    assert set(backtest(told, cu=3, co=1, policies=["static"]).groups) == {"flag", "Tag"}
    mondays = WEEKS.with_columns(ds=pl.date_range(date(2024, 1, 1), date(2026, 4, 13), "1w", eager=True)[:120])
    assert backtest(mondays.drop("flag"), cu=3, co=1, policies=["static"]).groups == ()
    numbers = WEEKS.with_columns(ds=pl.Series(range(120)))
    assert backtest(numbers, cu=3, co=1, policies=["static"]).groups == ("flag",)
    with pytest.raises(InputError, match="'same:weekday' names no context"):
        backtest(numbers, cu=3, co=1, policies=["same:weekday"])


def test_histograms_know_which_columns_are_categories() -> None:
    X = random_table(items=1).select("weekday", "rain", "ds")
    model = QuantileModel(1, 1, model="hgb", random_state=0).fit(X, np.arange(60.0))
    assert model.model_.is_categorical_.tolist() == [
        False,
        False,
        True,
        True,
    ]  # rain, date; weekday as a column and of the date


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
