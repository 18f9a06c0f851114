"""provend: newsvendor decisions from past demand in other contexts, with exact worst-case guarantees."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from provend._errors import InputError

if TYPE_CHECKING:
    from provend.backtesting import Backtest, backtest
    from provend.bounds import limiting_lower_bound, lower_bound
    from provend.certificate import Guarantee, WorstCase
    from provend.concentration import concentration_bound
    from provend.curves import LearningCurve, SamplesNeeded, learning_curve, samples_needed
    from provend.designs import constant, drift
    from provend.dissimilarity import (
        DissimilarityCheck,
        DissimilarityEstimate,
        DriftEstimate,
        check_dissimilarity,
        estimate_dissimilarity,
        estimate_drift,
    )
    from provend.estimators import ContextualNewsvendor, PanelNewsvendor
    from provend.instances import (
        ExpectedCurve,
        ExpectedRegret,
        Shifted,
        SimulatedRegret,
        expected_curve,
        expected_regret,
        simulated_regret,
    )
    from provend.metrics import average_costs, newsvendor_scorer, pairwise_costs, prescriptiveness_score, total_costs
    from provend.minimax import Minimax, Optimal, PriorPoint, ValueOfData, minimax, value_of_data
    from provend.mixtures import BestMixture, EffectiveSampleSize, best_mixture, effective_sample_size
    from provend.newsvendor import Newsvendor
    from provend.orders import Orders
    from provend.periods import OrderUpTo, ProtectionPeriod
    from provend.planning import plan
    from provend.policies import (
        ERM,
        KNN,
        Counting,
        DecidingPolicy,
        Exponential,
        Kernel,
        Mixture,
        NoData,
        OrderStatistic,
        Policy,
        Separable,
        WeightedERM,
        WeightedQuantile,
    )
    from provend.portfolio import BudgetedOrders, BudgetItem, budgeted_orders, total_guarantee
    from provend.regret import regret_profile, worst_case_regret
    from provend.service import (
        Conformal,
        OrderForService,
        ServiceCurve,
        ServiceLevel,
        order_for_service,
        samples_for_service,
        service_curve,
        service_level,
    )
    from provend.stockouts import (
        OrderWithStockouts,
        StockSegment,
        ValueOfStock,
        order_with_stockouts,
        value_of_stock,
    )
    from provend.tables import Sales, SalesReport, read_sales, read_targets
    from provend.tuning import Sensitivity, Tuned, sensitivity, tune
    from provend.wasserstein import WassersteinBound, wasserstein_bound

__all__ = [
    "ERM",
    "KNN",
    "Backtest",
    "BestMixture",
    "BudgetItem",
    "BudgetedOrders",
    "Conformal",
    "ContextualNewsvendor",
    "Counting",
    "DecidingPolicy",
    "DissimilarityCheck",
    "DissimilarityEstimate",
    "DriftEstimate",
    "EffectiveSampleSize",
    "ExpectedCurve",
    "ExpectedRegret",
    "Exponential",
    "Guarantee",
    "InputError",
    "Kernel",
    "LearningCurve",
    "Minimax",
    "Mixture",
    "Newsvendor",
    "NoData",
    "Optimal",
    "OrderForService",
    "OrderStatistic",
    "OrderUpTo",
    "OrderWithStockouts",
    "Orders",
    "PanelNewsvendor",
    "Policy",
    "PriorPoint",
    "ProtectionPeriod",
    "Sales",
    "SalesReport",
    "SamplesNeeded",
    "Sensitivity",
    "Separable",
    "ServiceCurve",
    "ServiceLevel",
    "Shifted",
    "SimulatedRegret",
    "StockSegment",
    "Tuned",
    "ValueOfData",
    "ValueOfStock",
    "WassersteinBound",
    "WeightedERM",
    "WeightedQuantile",
    "WorstCase",
    "average_costs",
    "backtest",
    "best_mixture",
    "budgeted_orders",
    "check_dissimilarity",
    "concentration_bound",
    "constant",
    "drift",
    "effective_sample_size",
    "estimate_dissimilarity",
    "estimate_drift",
    "expected_curve",
    "expected_regret",
    "learning_curve",
    "limiting_lower_bound",
    "lower_bound",
    "minimax",
    "newsvendor_scorer",
    "order_for_service",
    "order_with_stockouts",
    "pairwise_costs",
    "plan",
    "prescriptiveness_score",
    "read_sales",
    "read_targets",
    "regret_profile",
    "samples_for_service",
    "samples_needed",
    "sensitivity",
    "service_curve",
    "service_level",
    "simulated_regret",
    "total_costs",
    "total_guarantee",
    "tune",
    "value_of_data",
    "value_of_stock",
    "wasserstein_bound",
    "worst_case_regret",
]


# What each room exports. Rooms are opened when first asked for: "--help" does not wait for scipy, an order not for
# pictures or scikit-learn.
_ROOMS = {
    "backtesting": "Backtest backtest",
    "bounds": "limiting_lower_bound lower_bound",
    "certificate": "Guarantee WorstCase",
    "concentration": "concentration_bound",
    "curves": "LearningCurve SamplesNeeded learning_curve samples_needed",
    "designs": "constant drift",
    "dissimilarity": (
        "DissimilarityCheck DissimilarityEstimate DriftEstimate check_dissimilarity estimate_dissimilarity "
        "estimate_drift"
    ),
    "estimators": "ContextualNewsvendor PanelNewsvendor",
    "instances": "ExpectedCurve ExpectedRegret Shifted SimulatedRegret expected_curve expected_regret simulated_regret",
    "metrics": "average_costs newsvendor_scorer pairwise_costs prescriptiveness_score total_costs",
    "minimax": "Minimax Optimal PriorPoint ValueOfData minimax value_of_data",
    "mixtures": "BestMixture EffectiveSampleSize best_mixture effective_sample_size",
    "newsvendor": "Newsvendor",
    "orders": "Orders",
    "periods": "OrderUpTo ProtectionPeriod",
    "planning": "plan",
    "policies": (
        "Counting DecidingPolicy ERM Exponential KNN Kernel Mixture NoData OrderStatistic Policy Separable "
        "WeightedERM WeightedQuantile"
    ),
    "portfolio": "BudgetItem BudgetedOrders budgeted_orders total_guarantee",
    "regret": "regret_profile worst_case_regret",
    "service": (
        "Conformal OrderForService ServiceCurve ServiceLevel order_for_service samples_for_service service_curve "
        "service_level"
    ),
    "stockouts": "OrderWithStockouts StockSegment ValueOfStock order_with_stockouts value_of_stock",
    "tables": "Sales SalesReport read_sales read_targets",
    "tuning": "Sensitivity Tuned sensitivity tune",
    "wasserstein": "WassersteinBound wasserstein_bound",
    "datasets": "",
    "levels": "",
    "paper": "",
    "plots": "",
    "web": "",
}
# Rooms with names of their own.
_SHOWN = (
    "backtesting",
    "datasets",
    "dissimilarity",
    "estimators",
    "paper",
    "planning",
    "plots",
)
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __dir__() -> list[str]:
    return sorted([*__all__, *_SHOWN, "__version__"])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _ROOM_OF:
        found = getattr(import_module(f"provend.{_ROOM_OF[name]}"), name)
        globals()[name] = found
        return found
    if name in _ROOMS:
        return import_module(f"provend.{name}")
    raise AttributeError(f"module 'provend' has no attribute {name!r}")


class _Face(ModuleType):
    """The package itself: opening the room ``minimax`` must not hide the function of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value.minimax if name == "minimax" and isinstance(value, ModuleType) else value)


sys.modules[__name__].__class__ = _Face


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("provend")
    except PackageNotFoundError:  # run from its sources
        return "unknown"
