"""``level=``: what is moved, by which map, and that nothing weighed was looked at where the guarantee says so."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import provend as pv
from provend import InputError
from provend.dissimilarity import Constant, Distance, Drift
from provend.estimators import ContextualNewsvendor
from provend.levels import Power
from provend.tables import read_contexts

Floats = NDArray[np.float64]
N, Q, SUPPORT = 60, Fraction(4, 5), (0.0, 300.0)


class Numbers(BaseEstimator):  # type: ignore[misc]
    """A regression on the numbers of a table."""

    def fit(self, X: pd.DataFrame, y: Floats) -> Numbers:
        self.model_ = LinearRegression().fit(X[["price", "forecast"]], y)
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        found: Floats = self.model_.predict(X[["price", "forecast"]])
        return found


class Says(BaseEstimator):  # type: ignore[misc]
    """Says the same, or nonsense, whatever it is asked."""

    def __init__(self, what: float = 0.0, times: int = 1) -> None:
        self.what, self.times = what, times

    def fit(self, X: pd.DataFrame, y: Floats) -> Says:
        return self

    def predict(self, X: pd.DataFrame) -> Floats:
        return np.full(len(X) * self.times, self.what)


def history(seed: int = 0, n: int = N) -> tuple[pd.DataFrame, Floats]:
    """Days of two prices and a forecast that is about right; a dyadic one, so that differences are exact."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "date": pd.date_range("2024-01-01", periods=n),
            "price": rng.integers(1, 4, n) + rng.random(n).round(1),
            "forecast": rng.integers(200, 1200, n) / 8,
        }
    )
    return X, np.maximum((X["forecast"].to_numpy() + rng.integers(-80, 80, n) / 8), 0.0)


def targets(n: int = 5) -> pd.DataFrame:
    return history(99, n)[0].assign(date=pd.date_range("2024-03-10", periods=n))


def model(**options: Any) -> ContextualNewsvendor:
    return ContextualNewsvendor(4, 1, **{"support": SUPPORT, **options})


def moved_by_hand(fitted: ContextualNewsvendor, X: pd.DataFrame, levels: Floats, ahead: Floats) -> Floats:
    """T_0^-1(T_i(y)) on the scale the model says it uses; ``levels`` in units of demand."""
    power = fitted.level_.power
    unit, to = 2.0**power.exponent, 2.0**power.roots
    errors = (fitted.history_.y / unit) ** (1 / to) - np.maximum(levels / unit, 0) ** (1 / to)
    contexts = fitted.history_.contexts
    wide = fitted.level_.widths(read_contexts(targets(), like=contexts))
    own = fitted.decider_.demands.widths  # of rows that are weighed: those of a fit without them, or their own
    z = np.maximum(ahead / unit, 0)[:, None] ** (1 / to) + wide[:, None] * errors / own
    found: Floats = np.clip(unit * np.maximum(z, 0.0 if power.roots else -np.inf) ** to, *SUPPORT)
    return found


def quantile(values: Floats, weights: NDArray[Any] | None = None) -> float:
    """The smallest value up to which the weight is at least Q of all."""
    order = np.argsort(values, kind="stable")
    w = np.ones(values.size, int) if weights is None else weights
    total = [Fraction(int(x)) for x in np.cumsum(w[order])]
    return float(values[order][next(i for i, t in enumerate(total) if t >= Q * int(w.sum()))])


def test_a_column_moves_demand_by_its_difference_exactly() -> None:
    """Given dissimilarities: no demand is looked at to choose a scale, and the nearest k decide."""
    X, y = history()
    T = targets()
    fitted = model(policy=pv.KNN(7), dissimilarity=Drift(0.002, "date"), level="forecast").fit(X, y)
    moved = np.clip(T["forecast"].to_numpy()[:, None] + y - X["forecast"].to_numpy(), *SUPPORT)
    assert fitted.predict(T).tolist() == [quantile(row[-7:]) for row in moved]
    ages = (T["date"].to_numpy()[:, None] - X["date"].to_numpy()) / np.timedelta64(1, "D")
    for found, age in zip(fitted.guarantee(T), ages, strict=True):
        worst = pv.worst_case_regret(pv.KNN(7), 0.002 * age, q=pv.Newsvendor(4, 1, SUPPORT))
        assert found.lower <= worst.upper
        assert worst.lower <= found.upper
        assert found.upper == pytest.approx(worst.upper, rel=2e-3)


@pytest.mark.parametrize("spread", [0.1, 1.0, 5.0])
def test_the_scale_of_a_column_is_not_chosen_by_the_demands_it_moves(spread: float) -> None:
    """Errors in proportion to the forecast would ask for a root; a given dissimilarity is not about roots."""
    X, _ = history()
    y = X["forecast"].to_numpy() * np.random.default_rng(0).lognormal(0, spread / 10, N)
    fitted = model(policy=pv.ERM(), dissimilarity=0.05, level="forecast").fit(X, y)
    assert fitted.level_.power == Power()
    assert "without looking at the demands" in fitted.basis_


def test_orders_follow_the_forecast_of_the_target() -> None:
    X, y = history()
    T = targets(1)
    fitted = model(policy=pv.ERM(), dissimilarity=0.05, level="forecast").fit(X, y)
    at = {shift: fitted.predict(T.assign(forecast=80.0 + shift))[0] for shift in (0, 10, 1000, -1000)}
    assert at[10] == at[0] + 10
    assert (at[1000], at[-1000]) == (300.0, 0.0)


GIVEN: dict[str, Any] = {"number": 0.05, "model": Constant(0.01) + Distance(0.02, ("price",))}
LEARNED = ("auto", "cautious", "split", "certified")
LEVELS: dict[str, Any] = {"none": None, "auto": "auto", "column": "forecast", "regressor": Numbers()}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dissimilarity", [*GIVEN, *LEARNED])
def test_the_rule_executed_is_the_rule_certified(dissimilarity: str, level: str) -> None:
    """Orders are those of the policy on moved demands, guarantees those of the policy; both worked out outside."""
    X, y = history()
    T, policy = targets(), pv.Exponential(0.9)
    given = GIVEN.get(dissimilarity, dissimilarity)
    fitted = model(policy=policy, dissimilarity=given, level=LEVELS[level]).fit(X, y)
    rows = fitted.history_.rows
    halved = dissimilarity in ("split", "certified") or (level == "regressor" and dissimilarity in GIVEN)
    assert rows.tolist() == list(range(N // 2 if halved else 0, N))
    moved = np.tile(y[rows], (len(T), 1))
    if fitted.level_ is not None:
        levels, ahead = _levels(fitted, level, dissimilarity, X, y)
        moved = moved_by_hand(fitted, X, levels, ahead)
    d = fitted.dissimilarity_(fitted.history_.contexts, read_contexts(T, like=fitted.history_.contexts))
    nearest = np.argsort(d, axis=1, kind="stable")
    shares = np.rint(1000 * 0.9 ** np.arange(rows.size)).astype(int)
    for t, order in enumerate(fitted.predict(T)):
        weights = np.empty(rows.size, int)
        weights[nearest[t]] = shares
        assert order == pytest.approx(quantile(moved[t], weights), rel=1e-9)
        assert fitted.get_weights(T)[t, rows] == pytest.approx(weights / weights.sum())
        executed = pv.WeightedQuantile(weights, ceil(Q * int(weights.sum())))
        worst = pv.worst_case_regret(executed, d[t], q=Q)
        price = fitted.price_ * 5 * 300
        assert fitted.guarantee(T).upper[t] == pytest.approx(worst.upper * 5 * 300 + price, rel=2e-3)
        assert fitted.guarantee(T).upper[t] >= (worst.lower * 5 * 300 + price) * (1 - 1e-9)


def _levels(
    fitted: ContextualNewsvendor, level: str, dissimilarity: str, X: pd.DataFrame, y: Floats
) -> tuple[Floats, Floats]:
    """Forecasts of the rows weighed and of the targets, from fits of our own where that can be."""
    T, rows = targets(), fitted.history_.rows
    if level == "column":
        return X["forecast"].to_numpy()[rows], T["forecast"].to_numpy()
    if level == "regressor":
        learned = slice(0, {"certified": N // 4}.get(dissimilarity, N // 2) if rows[0] else N)
        trained = Numbers().fit(X[learned], y[learned])
        if rows[0]:
            return trained.predict(X.iloc[rows]), trained.predict(T)
        folds = np.array_split(np.arange(N), 5)
        past = [Numbers().fit(X.drop(index=fold), np.delete(y, fold)).predict(X.iloc[fold]) for fold in folds]
        return np.concatenate(past), trained.predict(T)
    power, contexts = fitted.level_.power, fitted.history_.contexts
    past = fitted.level_.at(contexts) if rows[0] else fitted.level_.forecast.past
    return power.back(past), power.back(fitted.level_.at(read_contexts(T, like=contexts)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dissimilarity", ["split", "certified", "number"])
def test_what_is_weighed_is_not_looked_at(dissimilarity: str, level: str) -> None:
    """Weights, levels and guarantees stay when demands weighed change, and change with the others."""
    X, y = history()
    T, given = targets(), GIVEN.get(dissimilarity, dissimilarity)

    def seen(demand: Floats) -> list[Floats]:
        fitted = model(dissimilarity=given, level=LEVELS[level]).fit(X, demand)
        ahead = read_contexts(T, like=fitted.history_.contexts)
        levels = np.zeros(1) if fitted.level_ is None else fitted.level_.power.back(fitted.level_.at(ahead))
        return [fitted.get_weights(T), fitted.guarantee(T).upper, levels, fitted.history_.rows]

    before = seen(y)
    weighed, shuffled = before[3].astype(int), np.random.default_rng(1)
    changed = y.copy()
    changed[weighed] = shuffled.permutation(300 - y[weighed])
    for one, other in zip(before, seen(changed), strict=True):
        assert other.tolist() == one.tolist()
    older = np.setdiff1d(np.arange(N), weighed)
    if older.size:
        changed = y.copy()
        changed[older] = 5 + 2 * X["price"].to_numpy()[older] * (1 + older % 3)
        pairs = zip(before, seen(changed), strict=True)
        differ = [not np.array_equal(one, other) for one, other in pairs]
        assert any(differ) or (dissimilarity, level) == ("certified", "none")  # one group: nothing to compare
        assert differ[2] or level in ("none", "column", "auto")


def test_importance_counts_on_moved_demands() -> None:
    X, y = history()
    importance = np.random.default_rng(3).integers(0, 4, N)
    fitted = model(policy=pv.ERM(), dissimilarity=0.05, level="forecast").fit(X, y, sample_weight=importance)
    moved = np.clip(targets()["forecast"].to_numpy()[:, None] + y - X["forecast"].to_numpy(), *SUPPORT)
    counted = importance > 0
    scaled = np.rint(1000 * importance[counted] / importance.max()).astype(int)
    assert fitted.predict(targets()).tolist() == [quantile(row[counted], scaled) for row in moved]


def test_a_forecast_that_only_rises_is_a_forecast() -> None:
    """Numbers that rise from row to row look like a time; the user says what they are."""
    X, y = history()
    X = X.assign(forecast=np.arange(N) * 2.0)
    T = targets().assign(forecast=130.0)
    for dissimilarity in (0.05, "auto", "split"):
        fitted = model(dissimilarity=dissimilarity, level="forecast").fit(X, y)
        assert fitted.columns_["forecast"] == "number"
        assert np.isfinite(fitted.predict(T)).all()
    with pytest.raises(InputError, match="taken for a time; forecasts are numbers"):
        model(level="forecast", columns={"forecast": "time"}).fit(X, y)


def test_a_regressor_that_knows_its_rows_by_heart_is_judged_by_others() -> None:
    """The spread is that of forecasts out of sample: else all contexts would seem worlds apart."""
    X, y = history()
    numbers = X[["price", "forecast"]]
    fitted = model(dissimilarity="split", level=DecisionTreeRegressor(random_state=0)).fit(numbers, y)
    d = fitted.dissimilarity_(fitted.history_.contexts, read_contexts(targets()[["price", "forecast"]]))
    assert np.median(d) < 0.1


@pytest.mark.parametrize("dissimilarity", [0.05, "auto", "split"])
def test_forecasts_below_zero_are_levels_too(dissimilarity: Any) -> None:
    X, y = history()
    X["forecast"] -= 100.0
    T = targets().assign(forecast=-20.0)
    fitted = model(dissimilarity=dissimilarity, level="forecast", policy=pv.ERM()).fit(X, y)
    orders = fitted.predict(T)
    assert ((orders >= 0) & (orders <= 300)).all()
    if dissimilarity == 0.05:
        moved = np.clip(-20.0 + y - X["forecast"].to_numpy(), *SUPPORT)
        assert orders.tolist() == [quantile(moved)] * 5


REFUSED: dict[str, tuple[Any, str]] = {
    "unknown": ("forcast", "level = 'forcast' is not a column of X; there are date, price, forecast"),
    "a date": ("date", "level = 'date' is taken for a time; forecasts are numbers"),
    "missing": ("gaps", "level = 'gaps': every row needs a forecast, a finite number"),
    "text": ("shop", "level = 'shop' is taken for a category; forecasts are numbers"),
    "nan": (Says(np.nan), "predict must return one finite number per row"),
    "shape": (Says(1.0, times=2), "predict must return one finite number per row"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("dissimilarity", [0.05, "auto", "split", "certified"])
def test_clear_errors(dissimilarity: Any, what: str) -> None:
    X, y = history()
    X = X.assign(gaps=[np.nan, 3.5] * (N // 2), shop=list("ab") * (N // 2))
    level, message = REFUSED[what]
    if what == "unknown":
        X = X[["date", "price", "forecast"]]
    with pytest.raises(InputError, match=message):
        model(dissimilarity=dissimilarity, level=level).fit(X, y)


def test_a_target_without_a_forecast() -> None:
    X, y = history()
    fitted = model(dissimilarity=0.05, level="forecast").fit(X, y)
    with pytest.raises(InputError, match="every row needs a forecast"):
        fitted.predict(targets().assign(forecast=np.nan))


@pytest.mark.parametrize("level", [3, object(), ["forecast"]], ids=["number", "object", "list"])
def test_what_is_no_level(level: Any) -> None:
    with pytest.raises(TypeError, match="give 'auto', None, the name of a column of forecasts or a regressor"):
        model(level=level).fit(*history())


def test_one_row_is_too_few_for_a_regressor() -> None:
    X, y = history()
    with pytest.raises(InputError, match="one row is too few"):
        model(level=Numbers()).fit(X[:1], y[:1])
    assert model(level=Numbers(), dissimilarity=0.1).fit(X[:4], y[:4]).predict(targets()).shape == (5,)


@pytest.mark.parametrize("level", LEVELS)
def test_a_scikit_learn_estimator(level: str) -> None:
    X, y = history()
    regressor = LEVELS[level]
    fitted = model(level=regressor).fit(X, y)
    assert fitted.get_params(deep=False)["level"] is regressor
    assert not hasattr(regressor, "model_")  # a copy was fitted
    again, copy = clone(fitted).fit(X, y), pickle.loads(pickle.dumps(fitted))
    for other in (again, copy):
        assert other.predict(targets()).tolist() == fitted.predict(targets()).tolist()
        assert other.guarantee(targets()).upper == pytest.approx(fitted.guarantee(targets()).upper)


def test_row_order_and_other_targets_do_not_matter() -> None:
    X, y = history()
    shuffled = np.random.default_rng(0).permutation(N)
    one, other = model().fit(X, y), model().fit(X.iloc[shuffled], y[shuffled])
    assert one.level_ is not None
    assert other.predict(targets()) == pytest.approx(one.predict(targets()), rel=1e-9)
    T = targets(40)
    assert [one.predict(T[i : i + 1])[0] for i in range(40)] == one.predict(T).tolist()
