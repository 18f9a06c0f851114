"""Pictures, one function per question, each returning a plotly figure."""

from typing import TYPE_CHECKING, Any

from provend.plots._guarantees import concentration, learning_curve, sensitivity, tuning, worst_case
from provend.plots._optimal import optimal, value_of_data
from provend.plots._service import service
from provend.plots._stockouts import stockouts
from provend.plots._style import COLOURS

if TYPE_CHECKING:
    from provend.plots._backtest import backtest_costs, backtest_orders, backtest_regret

__all__ = [
    "COLOURS",
    "backtest_costs",
    "backtest_orders",
    "backtest_regret",
    "concentration",
    "learning_curve",
    "optimal",
    "sensitivity",
    "service",
    "stockouts",
    "tuning",
    "value_of_data",
    "worst_case",
]


def __getattr__(name: str) -> Any:
    """Pictures of a backtest need scikit-learn; the others should not have to wait for it."""
    if name.startswith("backtest_") and name in __all__:
        from provend.plots import _backtest

        return getattr(_backtest, name)
    raise AttributeError(f"module 'provend.plots' has no attribute {name!r}")
