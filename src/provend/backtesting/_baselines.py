"""What others would order: empirical quantiles and quantile regressions, all with the interface of scikit-learn."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from threadpoolctl import threadpool_limits

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_count
from provend.backtesting._extras import optional
from provend.newsvendor import Newsvendor
from provend.tables import WEEKDAY, Contexts, Encoding, Table, labels_of, read_contexts, weekday

Floats = NDArray[np.float64]

MODELS = ("linear", "gbm", "hgb", "forest", "lgbm")
LEAST_LEAF = 20  # the default of "hgb"; a leaf with a single row cannot hold a quantile
MOST_CATEGORIES = 255  # beyond which scikit-learn's histograms cannot tell categories apart


def empirical_quantile(demands: ArrayLike, q: Fraction) -> float:
    """The least a such that at least q n of the n demands are at most a: the best fixed order for these demands."""
    values = np.asarray(demands, dtype=np.float64)
    rank = ceil(q * values.size)
    return float(np.partition(values, rank - 1)[rank - 1])


class Baseline(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Costs in, critical ratio out."""

    cu: Number
    co: Number

    @property
    def ratio(self) -> Fraction:
        """The critical ratio."""
        return Newsvendor(self.cu, self.co).critical_ratio


class EmpiricalQuantile(Baseline):
    """One order for all contexts: the empirical q-quantile of past demand, also known as SAA.

    Parameters
    ----------
    cu, co : number
        Underage and overage cost per unit.
    window : int, optional
        Use only this many of the latest rows; all of them if left out.

    Examples
    --------
    >>> EmpiricalQuantile(cu=9, co=1).fit(None, [3, 1, 2]).order_
    3.0
    """

    def __init__(self, cu: Number, co: Number, *, window: int | None = None) -> None:
        self.cu, self.co, self.window = cu, co, window

    def fit(self, X: Table, y: ArrayLike) -> EmpiricalQuantile:
        """Look at the demands ``y``, oldest first; the contexts do not matter."""
        first = 0 if self.window is None else -as_count(self.window, "window")
        self.order_ = empirical_quantile(np.asarray(y, dtype=np.float64)[first:], self.ratio)
        return self

    def predict(self, X: Table) -> Floats:
        """The same order for each row."""
        return np.full(len(X), self.order_)


class SameCategoryQuantile(Baseline):
    """One order per category: the empirical q-quantile of the past demands with the same value in one column.

    A category never seen before gets the quantile of all rows.

    Parameters
    ----------
    cu, co : number
        Underage and overage cost per unit.
    column : str
        The column that must agree; "weekday" is that of the date, if there is no such column.
    """

    def __init__(self, cu: Number, co: Number, *, column: str) -> None:
        self.cu, self.co, self.column = cu, co, column

    def fit(self, X: Table, y: ArrayLike) -> SameCategoryQuantile:
        """Look at the demands ``y`` category by category."""
        labels, demands, q = self._labels(X), np.asarray(y, dtype=np.float64), self.ratio
        self.orders_ = {str(name): empirical_quantile(demands[labels == name], q) for name in np.unique(labels)}
        self.fallback_ = empirical_quantile(demands, q)
        return self

    def predict(self, X: Table) -> Floats:
        """The order of each row's category."""
        return np.array([self.orders_.get(str(label), self.fallback_) for label in self._labels(X)], dtype=np.float64)

    def _labels(self, X: Table) -> NDArray[np.str_]:
        if self.column != WEEKDAY or WEEKDAY in (contexts := read_contexts(X)).kinds:
            return labels_of(X, self.column)
        return weekday(next(column.values for column in contexts.columns if column.calendar)).astype(np.str_)


class Seasonal(Baseline):
    """A baseline that knows the length of a season.

    Parameters
    ----------
    cu, co : number
        Underage and overage cost per unit.
    season : int
        Rows in a season: 7 for daily rows with a weekly pattern.
    """

    def __init__(self, cu: Number, co: Number, *, season: int = 7) -> None:
        self.cu, self.co, self.season = cu, co, season


class SeasonalNaive(Seasonal):
    """The demand one season ago plus the empirical q-quantile of how much demand has changed over a season."""

    def fit(self, X: Table, y: ArrayLike) -> SeasonalNaive:
        """Look at the demands ``y``, oldest first; the contexts do not matter. Fewer than two seasons: the quantile."""
        demands, season = np.asarray(y, dtype=np.float64), as_count(self.season, "season")
        if demands.size < 2 * season:
            self.orders_ = np.full(1, empirical_quantile(demands, self.ratio))
        else:
            change = empirical_quantile(demands[season:] - demands[:-season], self.ratio)
            self.orders_ = np.maximum(demands[-season:] + change, 0.0)
        return self

    def predict(self, X: Table) -> Floats:
        """The rows that follow the history, in their order."""
        return np.resize(self.orders_, len(X))


class QuantileModel(Baseline):
    """A regression of the q-quantile of demand on the contexts, dates included; negative predictions become 0.

    Parameters
    ----------
    cu, co : number
        Underage and overage cost per unit.
    model : {"linear", "gbm", "hgb", "forest", "lgbm"}
        scikit-learn's ``QuantileRegressor`` without penalty, ``GradientBoostingRegressor`` or
        ``HistGradientBoostingRegressor`` with the quantile loss, ``RandomForestQuantileRegressor`` of quantile-forest,
        or ``LGBMRegressor`` of LightGBM with the quantile loss. All run on one thread: on tables of this size, more
        threads would only wait for each other. Leaves have at least 20 rows; all else is left at its default.
        Categories are one-hot in the linear model, categorical in "hgb" and ranks in the others. A date adds its
        weekday and, once the history spans 300 days, the season, as it does for ``ContextualNewsvendor``.
    random_state : int, optional
        Seed for the models that draw random numbers.
    """

    def __init__(self, cu: Number, co: Number, *, model: str = "linear", random_state: int | None = None) -> None:
        self.cu, self.co, self.model, self.random_state = cu, co, model, random_state

    def fit(self, X: Table, y: ArrayLike) -> QuantileModel:
        """Learn from the contexts ``X``, a dataframe, and the demands ``y``."""
        contexts = read_contexts(X)
        self.schema_, self.encoding_ = contexts.schema, Encoding.of(contexts)
        matrix = self._matrix(contexts)
        self.centre_ = matrix.mean(axis=0)
        spread = matrix.std(axis=0)
        self.scale_ = np.where(spread > 0, spread, 1.0)  # a constant column says nothing, and must not divide by 0
        with threadpool_limits(1):
            self.model_ = self._unfitted().fit(self._standardised(matrix), np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Table) -> Floats:
        """The predicted quantile in each context."""
        options = {"quantiles": float(self.ratio)} if self.model == "forest" else {}
        matrix = self._standardised(self._matrix(read_contexts(X, like=self.schema_)))
        with threadpool_limits(1):
            predicted = self.model_.predict(matrix, **options)
        return np.maximum(np.asarray(predicted, dtype=np.float64), 0.0)

    def _matrix(self, contexts: Contexts) -> Floats:
        encode = self.encoding_.one_hot if self.model == "linear" else self.encoding_.ordinal
        return encode(contexts)

    def _standardised(self, matrix: Floats) -> Floats:
        return (matrix - self.centre_) / self.scale_ if self.model == "linear" else matrix

    def _unfitted(self) -> Any:
        q, seed = float(self.ratio), self.random_state
        match self.model:
            case "linear":
                from sklearn.linear_model import QuantileRegressor

                return QuantileRegressor(quantile=q, alpha=0, solver="highs")
            case "gbm":
                from sklearn.ensemble import GradientBoostingRegressor

                return GradientBoostingRegressor(
                    loss="quantile", alpha=q, min_samples_leaf=LEAST_LEAF, random_state=seed
                )
            case "hgb":
                from sklearn.ensemble import HistGradientBoostingRegressor

                few = [len(seen) <= MOST_CATEGORIES for seen in self.encoding_.labels.values()]
                few += [True for column in self.schema_.columns if column.calendar]  # weekdays
                few = [False] * (self.centre_.size - len(few)) + few
                return HistGradientBoostingRegressor(
                    loss="quantile", quantile=q, categorical_features=few, random_state=seed
                )
            case "lgbm":
                return optional("lgbm")(
                    objective="quantile", alpha=q, min_child_samples=LEAST_LEAF, random_state=seed, n_jobs=1, verbose=-1
                )
            case "forest":
                return optional("forest")(min_samples_leaf=LEAST_LEAF, random_state=seed)
        raise InputError(f"model = {self.model!r} is unknown; use one of {', '.join(MODELS)}")
