"""Exponential smoothing with quantiles of its errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._validation import as_count
from provend.backtesting._baselines import Seasonal, empirical_quantile
from provend.backtesting._extras import optional
from provend.tables import Table

Floats = NDArray[np.float64]

FEWEST = 10  # rows; statsforecast learns nothing from fewer


class ExponentialSmoothing(Seasonal):
    """An ETS forecast plus the empirical q-quantile of its one-row-ahead errors; negative orders become 0.

    The form (errors, trend, season: none, additive or multiplicative) is chosen by the information criterion of
    statsforecast's ``AutoETS``, which must be installed. Errors further ahead are larger than those used here.
    """

    def fit(self, X: Table, y: ArrayLike) -> ExponentialSmoothing:
        """Look at the demands ``y``, oldest first; the contexts do not matter. Fewer than two seasons: the quantile."""
        demands, season = np.asarray(y, dtype=np.float64), as_count(self.season, "season")
        self.model_ = None
        if demands.size < max(2 * season, FEWEST) or np.ptp(demands) == 0:
            self.above_ = empirical_quantile(demands, self.ratio)
            return self
        self.model_ = optional("ets")(season_length=season).fit(demands)
        self.above_ = empirical_quantile(demands - self.model_.predict_in_sample()["fitted"], self.ratio)
        return self

    def predict(self, X: Table) -> Floats:
        """The rows that follow the history, in their order."""
        level = np.zeros(len(X)) if self.model_ is None else self.model_.predict(len(X))["mean"]
        return np.maximum(np.asarray(level, dtype=np.float64) + self.above_, 0.0)
