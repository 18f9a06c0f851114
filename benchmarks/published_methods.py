"""The methods of a published comparison, on weekday, month and year, for series prepared as ours are.

Each has one parameter, the one that served best on the last fifth of the days learned from, ratio by ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import QuantileRegressor

import provend as pv


class Days(NamedTuple):
    """What a method sees of each day: numbers for trees, and indicators for what measures distances."""

    numbers: np.ndarray
    indicators: np.ndarray

    @classmethod
    def of(cls, dates: pd.Series) -> Days:
        """Weekday, month and year of each date."""
        numbers = np.column_stack([dates.dt.day_of_week, dates.dt.month, dates.dt.year]).astype(np.float64)
        weekday, month, year = numbers.T.astype(int)
        return cls(numbers, np.column_stack([np.eye(7)[weekday], np.eye(12)[month - 1], year - year.min()]))

    def part(self, rows: slice) -> Days:
        """Some of the days."""
        return Days(self.numbers[rows], self.indicators[rows])


Method = Callable[[float, Days, np.ndarray, Days, Sequence[float]], np.ndarray]  # one row of orders per ratio


def weighted_quantiles(weights: np.ndarray, y: np.ndarray, ratios: Sequence[float]) -> np.ndarray:
    """Quantiles of past demand, one row of weights per day ahead."""
    by_size = np.argsort(y, kind="stable")
    reached = np.cumsum(weights[:, by_size], axis=1)
    reached /= reached[:, -1:]
    places = [np.minimum((reached < q - 1e-12).sum(axis=1), y.size - 1) for q in ratios]
    return y[by_size][np.array(places)]


def forest_weights(leaf: float, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """How often a past day shares a leaf with the day ahead."""
    model = RandomForestRegressor(100, min_samples_leaf=int(leaf), random_state=0).fit(past.numbers, y)
    weights = np.zeros((len(ahead.numbers), y.size))
    for own, other in zip(model.apply(ahead.numbers).T, model.apply(past.numbers).T, strict=True):
        together = own[:, None] == other
        weights += together / together.sum(axis=1, keepdims=True)
    return weighted_quantiles(weights, y, ratios)


def distances(past: Days, ahead: Days) -> np.ndarray:
    spread = past.indicators.std(axis=0)
    spread = np.where(spread > 0, spread, np.inf)
    apart = (ahead.indicators[:, None] - past.indicators) / spread
    return np.sqrt(np.square(apart).sum(axis=2))


def nearest(k: float, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """The k nearest days, all alike."""
    places = np.argsort(distances(past, ahead), axis=1, kind="stable")[:, : int(k)]
    weights = np.zeros((len(places), y.size))
    np.put_along_axis(weights, places, 1.0, axis=1)
    return weighted_quantiles(weights, y, ratios)


def kernel(bandwidth: float, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """Gaussian weights."""
    apart = np.square(distances(past, ahead))
    weights = np.exp((apart.min(axis=1, keepdims=True) - apart) / (2 * bandwidth**2))
    return weighted_quantiles(weights, y, ratios)


def linear(penalty: float, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """Linear quantile regression; the penalty is in units of mean demand."""
    models = [QuantileRegressor(quantile=q, alpha=penalty * y.mean(), solver="highs") for q in ratios]
    return np.array([one.fit(past.indicators, y).predict(ahead.indicators) for one in models])


def boosted(trees: float, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """LightGBM, a model per ratio."""
    options = {"n_estimators": int(trees), "learning_rate": 0.05, "num_leaves": 15, "verbose": -1, "n_jobs": 1}
    models = [LGBMRegressor(objective="quantile", alpha=q, **options) for q in ratios]
    return np.array([one.fit(past.numbers, y).predict(ahead.numbers) for one in models])


METHODS: dict[str, tuple[Method, tuple[float, ...]]] = {
    "random-forest weights": (forest_weights, (5, 10, 20)),
    "k-NN weights": (nearest, (10, 20, 40, 80)),
    "kernel weights": (kernel, (0.25, 0.5, 1.0, 2.0)),
    "linear": (linear, (0.0, 0.001, 0.01)),
    "LightGBM": (boosted, (50, 100, 200)),
}


def orders_of(name: str, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """The orders of a method with the parameter that served best on the last fifth of the past, ratio by ratio."""
    method, parameters = METHODS[name]
    cut = int(0.8 * y.size)
    older, later = past.part(slice(cut)), past.part(slice(cut, None))
    tried = [method(one, older, y[:cut], later, ratios) for one in parameters]
    costs = [
        [pv.average_costs(y[cut:], orders, q, 1 - q) for orders, q in zip(found, ratios, strict=True)]
        for found in tried
    ]
    best = np.argmin(costs, axis=0).tolist()
    found = {at: method(parameters[at], past, y, ahead, ratios) for at in set(best)}
    return np.array([found[at][place] for place, at in enumerate(best)])
