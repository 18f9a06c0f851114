"""A forecast of demand from contexts, to tell which past contexts resemble the one to come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from sklearn.ensemble import RandomForestRegressor

from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]

PENALTIES = np.logspace(-1, 5, 13)
TREES = 50
FEWEST = 5  # rows from which a forecast is tried at all


@dataclass(frozen=True, eq=False)
class Forecast:
    """The mean demand in a context: a ridge regression and a random forest, in the shares that fit the history best.

    The regression in turn is half one with a trend over time and half one without: trends go on less often than not.

    Attributes
    ----------
    past : array
        Forecasts of the past demands, each made without that demand: leave-one-out and out-of-bag.
    spread : float
        Standard deviation of the past demands around them; positive.
    """

    encoding: Encoding
    past: Floats
    spread: float
    centre: float
    shares: Floats
    coefficients: Floats
    forest: RandomForestRegressor | None
    power: int = 0  # the others are in units of two to this power

    @classmethod
    def of(cls, contexts: Contexts, y: Floats, *, random_state: int = 0) -> Forecast:
        """Learn from the history. The rows are taken in an order of their own, so that theirs does not matter.

        They are learned in units of a power of two near the largest demand, so that no size is too large or too small.
        """
        power = int(np.frexp(np.abs(y).max())[1])
        return cls._of_ordinary_size(contexts, np.ldexp(y, -power), random_state)._times_two_to(power)

    @classmethod
    def _of_ordinary_size(cls, contexts: Contexts, y: Floats, random_state: int) -> Forecast:
        encoding, mean = Encoding.of(contexts), float(y.mean())
        matrix = encoding.matrix(contexts)
        if y.size < FEWEST or float(np.ptp(y)) == 0:
            spread = float(y.std()) or 1.0
            return cls(encoding, np.full(y.size, mean), spread, mean, np.zeros(2), np.zeros(matrix.shape[1]), None)
        by_value = np.lexsort((*matrix.T, y))
        matrix, demand = matrix[by_value], y[by_value]
        trend, level = (_ridge(m, demand) for m in (matrix, encoding.without_time(matrix, contexts)))
        linear, coefficients = (trend[0] + level[0]) / 2, (trend[1] + level[1]) / 2
        forest = RandomForestRegressor(
            TREES, min_samples_leaf=3, max_features=0.75, oob_score=True, random_state=random_state
        ).fit(matrix, demand)
        left_out = np.column_stack([linear, forest.oob_prediction_]) - mean
        shares = _shares(left_out, demand - mean)
        past = np.empty(y.size)
        past[by_value] = mean + left_out @ shares
        spread = max(float((y - past).std()), 1e-9 * float(y.std()))
        return cls(encoding, past, spread, mean, shares, coefficients, forest)

    def _times_two_to(self, power: int) -> Forecast:
        spread = float(np.ldexp(self.spread, power)) or 1.0  # what underflows is no difference at all
        return replace(self, past=np.ldexp(self.past, power), spread=spread, power=power)

    def predict(self, contexts: Contexts) -> Floats:
        """The forecast for each context."""
        if self.forest is None:
            return np.full(contexts.size, np.ldexp(self.centre, self.power))
        matrix = self.encoding.matrix(contexts)
        both = np.column_stack([matrix @ self.coefficients, self.forest.predict(matrix) - self.centre])
        forecasts: Floats = np.ldexp(self.centre + both @ self.shares, self.power)
        return forecasts


def _ridge(matrix: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Leave-one-out forecasts and coefficients of the ridge regression with the best of them."""
    left, values, right = np.linalg.svd(matrix - matrix.mean(axis=0), full_matrices=False)
    mean, along = y.mean(), left.T @ y
    best: tuple[float, Any, float] | None = None
    for penalty in PENALTIES:
        kept = values**2 / (values**2 + penalty)
        leverage = np.minimum(left**2 @ kept + 1 / y.size, 0.95)
        errors = (y - mean - left @ (kept * along)) / (1 - leverage)
        if best is None or errors @ errors < best[0]:
            best = float(errors @ errors), errors, penalty
    assert best is not None
    return y - best[1], right.T @ (values / (values**2 + best[2]) * along)


def _shares(x: Floats, y: Floats) -> Floats:
    """How much of the differences in each column of x is found again in y: at least 0, together at most 1."""
    shares: Floats = nnls(x, y)[0]
    return shares / max(float(shares.sum()), 1.0)
