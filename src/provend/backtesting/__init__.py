"""How policies would have performed: rolling-origin backtests of many items, with the baselines to beat."""

from provend.backtesting._baselines import EmpiricalQuantile, QuantileModel, SameCategoryQuantile, SeasonalNaive
from provend.backtesting._hindsight import HindsightWarning
from provend.backtesting._results import FILES, Backtest
from provend.backtesting._run import backtest
from provend.backtesting._smoothing import ExponentialSmoothing

__all__ = [
    "FILES",
    "Backtest",
    "EmpiricalQuantile",
    "ExponentialSmoothing",
    "HindsightWarning",
    "QuantileModel",
    "SameCategoryQuantile",
    "SeasonalNaive",
    "backtest",
]
