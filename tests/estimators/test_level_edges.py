"""Levels where it is easy to go wrong: few rows, very many rows, strange names, rows that were looked at."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import provend as pv
from provend.levels import AsTheyAre, learn_forecast, learn_roughly
from provend.levels import _learning as learning
from provend.tables import read_contexts


def weeks(n: int, effect: float = 9.0, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=n)})
    return X, 20 + effect * (np.arange(n) % 7 == 5) + rng.normal(size=n)


def test_rows_learned_from_are_forecast_without_themselves_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = weeks(120)
    contexts, latest = read_contexts(X), np.arange(60, 120)
    monkeypatch.setattr(learning, "MOST_LEARNED", 60)
    few = learn_forecast(contexts.take(latest), y[60:], 0.9)
    found = learn_forecast(contexts, y, 0.9)
    assert few.learned
    assert (found.past[60:] == few.past).all()
    assert (found.past[60:] != found.at(contexts)[60:]).any()


def test_names_with_braces() -> None:
    X, y = weeks(80)
    table = X.assign(**{"fc {rows}": 20.0 + np.arange(80) % 5})
    for dissimilarity in ("auto", "split", "certified", 0.05):
        model = pv.ContextualNewsvendor(level="fc {rows}", dissimilarity=dissimilarity, support=(0, 100)).fit(table, y)
        assert "'fc {rows}'" in model.basis_


@pytest.mark.parametrize(("effect", "moved"), [(9.0, True), (0.0, False)])
def test_limits_never_come_from_rows_that_decided_about_the_level(effect: float, moved: bool) -> None:
    X, y = weeks(160, effect, seed=1)
    model = pv.ContextualNewsvendor(dissimilarity="certified", support=(0, 100)).fit(X, y)
    assert (model.level_ is not None) == moved
    assert "from 40 older rows" in model.basis_
    alone = pv.ContextualNewsvendor(dissimilarity="certified", level=None, support=(0, 100)).fit(X, y)
    assert "from 80 older rows" in alone.basis_


def test_few_older_rows_move_nothing() -> None:
    X, y = weeks(20)
    model = pv.ContextualNewsvendor(dissimilarity="split", support=(0, 100)).fit(X, y)
    assert model.level_ is None
    assert isinstance(model.decider_.demands, AsTheyAre)


@pytest.mark.parametrize(
    ("rows", "level", "share"), [(11, "auto", 0.1), (11, None, 0.1), (12, None, 0.3), (12, "auto", 0.02)]
)
def test_differences_between_forecasts_count_less_where_rows_are_few(
    rows: int, level: str | None, share: float
) -> None:
    numbers = np.random.default_rng(1).permutation(rows).astype(float)  # in no order, so that they are no time
    X, y = pd.DataFrame({"size": numbers}), 10 * numbers + np.random.default_rng(2).normal(size=rows)
    model = pv.ContextualNewsvendor(9, 1, level=level, support=(-50, 200)).fit(X, y)
    forecast = learn_roughly(read_contexts(X), y) if rows < 12 else learn_forecast(read_contexts(X), y, 0.9)
    assert forecast.learned
    apart = abs(forecast.at(read_contexts(X[:1])) - forecast.at(read_contexts(X))) / forecast.spread
    expected = np.minimum(share * norm.pdf(norm.ppf(0.9)) * apart, 1)  # what normal demand would show, of which a share
    np.testing.assert_allclose(model.dissimilarity_(X, X[:1])[0], expected, rtol=1e-9)


def test_an_array_is_no_level() -> None:
    X, y = weeks(40)
    with pytest.raises(TypeError, match="level ="):
        pv.ContextualNewsvendor(level=y, support=(0, 100)).fit(X, y)


def test_demands_brought_are_those_the_order_is_a_quantile_of() -> None:
    X, y = weeks(80)
    model = pv.ContextualNewsvendor(9, 1, policy="erm", dissimilarity="split", support=(0, 100)).fit(X[:70], y[:70])
    brought = model.brought(X[70:])
    assert np.isnan(brought[:, :35]).all()
    weighed = np.sort(brought[:, 35:], axis=1)
    assert model.predict(X[70:]).tolist() == weighed[:, 31].tolist()  # the least with nine tenths of 35 at or below
