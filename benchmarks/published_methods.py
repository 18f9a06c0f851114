"""The methods of a published comparison, on weekday, month and year, with the parameters it chose from.

Its grids, and its way to choose: 10 folds of consecutive days, ratio by ratio. LightGBM is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from lightgbm import LGBMRegressor
from scipy.spatial.distance import cdist
from sklearn.linear_model import QuantileRegressor

import provend as pv
from benchmarks.forest_weights import forest_weights

FOLDS = 10
NEIGHBOURS = (1, 2, 4, 8, 16, 32, 64, 128)
BANDWIDTHS = tuple(np.arange(0.5, 3.25, 0.25))
ROUNDS = (50, 100, 200)


class Days(NamedTuple):
    """What a method sees of each day: numbers for boosted trees, standardised indicators for all others."""

    numbers: np.ndarray
    indicators: np.ndarray

    @classmethod
    def of(cls, dates: pd.Series, train: int) -> Days:
        """Weekday, month and year of each date; the standard is that of the first days, which are learned from."""
        numbers = np.column_stack([dates.dt.day_of_week, dates.dt.month, dates.dt.year]).astype(np.float64)
        weekday, month, year = numbers.T.astype(int)
        indicators = np.column_stack([np.eye(7)[weekday], np.eye(12)[month - 1], year])
        spread = indicators[:train].std(axis=0)
        return cls(numbers, (indicators - indicators[:train].mean(axis=0)) / np.where(spread > 0, spread, 1))

    def part(self, rows: slice | np.ndarray) -> Days:
        """Some of the days."""
        return Days(self.numbers[rows], self.indicators[rows])


Method = Callable[[Days, np.ndarray, Days, Sequence[float]], np.ndarray]  # orders by parameter, ratio and day


def weighted_quantiles(weights: np.ndarray, y: np.ndarray, ratios: Sequence[float]) -> np.ndarray:
    """Quantiles of past demand, one row of weights per day ahead."""
    by_size = np.argsort(y, kind="stable")
    reached = np.cumsum(weights[:, by_size], axis=1)
    reached /= reached[:, -1:]
    places = [np.minimum((reached < q - 1e-12).sum(axis=1), y.size - 1) for q in ratios]
    return y[by_size][np.array(places)]


def forest(past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """How often a past day shares a leaf with the day ahead."""
    found = forest_weights(past.indicators, y, ahead.indicators)
    return np.array([weighted_quantiles(weights, y, ratios) for weights in found])


def nearest(past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """The k nearest days, all alike; of days as near as each other, the earlier ones."""
    apart = cdist(ahead.indicators, past.indicators).round(9)
    near = y[np.argsort(apart, axis=1, kind="stable")[:, : max(NEIGHBOURS)]]
    by_size = [np.sort(near[:, :k], axis=1) for k in NEIGHBOURS]
    ranks = [[int(np.ceil(q * k - 1e-9)) - 1 for q in ratios] for k in NEIGHBOURS]
    return np.array([found[:, places].T for found, places in zip(by_size, ranks, strict=True)])


def kernel(past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """Gaussian weights."""
    apart = cdist(ahead.indicators, past.indicators, "sqeuclidean")
    apart -= apart.min(axis=1, keepdims=True)
    return np.array([weighted_quantiles(np.exp(-apart / (2 * width**2)), y, ratios) for width in BANDWIDTHS])


def linear(past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """Linear quantile regression without a penalty."""
    models = [QuantileRegressor(quantile=q, alpha=0, solver="highs") for q in ratios]
    return np.array([[one.fit(past.indicators, y).predict(ahead.indicators) for one in models]])


def boosted(past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """LightGBM, a model per ratio."""
    options = {"n_estimators": max(ROUNDS), "learning_rate": 0.05, "num_leaves": 15, "verbose": -1, "n_jobs": 1}
    models = [LGBMRegressor(objective="quantile", alpha=q, **options).fit(past.numbers, y) for q in ratios]
    return np.array([[one.predict(ahead.numbers, num_iteration=rounds) for one in models] for rounds in ROUNDS])


METHODS: dict[str, Method] = {
    "random-forest weights": forest,
    "k-NN weights": nearest,
    "kernel weights": kernel,
    "linear": linear,
    "LightGBM": boosted,
}


def for_each_kind(method: Method, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """The orders of a method, asked once for days of the same weekday, month and year."""
    _, first, kind = np.unique(ahead.numbers, axis=0, return_index=True, return_inverse=True)
    return method(past, y, ahead.part(first), ratios)[:, :, kind]


def orders_of(name: str, past: Days, y: np.ndarray, ahead: Days, ratios: Sequence[float]) -> np.ndarray:
    """The orders of a method with the parameters that served best in cross-validation, ratio by ratio."""
    found = for_each_kind(METHODS[name], past, y, ahead, ratios)
    if len(found) == 1:
        return found[0]
    costs = np.zeros(found.shape[:2])
    for fold in np.array_split(np.arange(y.size), FOLDS):
        rest = np.delete(np.arange(y.size), fold)
        tried = for_each_kind(METHODS[name], past.part(rest), y[rest], past.part(fold), ratios)
        costs += [
            [pv.average_costs(y[fold], orders, q, 1 - q) for orders, q in zip(one, ratios, strict=True)]
            for one in tried
        ]
    return found[np.argmin(costs, axis=0), np.arange(len(ratios))]
