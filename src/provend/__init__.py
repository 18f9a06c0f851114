"""provend: newsvendor decisions from past demand in other contexts, with exact worst-case guarantees."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from provend._errors import InputError
from provend.bounds import limiting_lower_bound, lower_bound
from provend.certificate import Guarantee, WorstCase
from provend.concentration import concentration_bound
from provend.curves import LearningCurve, SamplesNeeded, learning_curve, samples_needed
from provend.designs import constant, drift
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
from provend.tuning import Sensitivity, Tuned, sensitivity, tune
from provend.wasserstein import WassersteinBound, wasserstein_bound

if TYPE_CHECKING:
    from provend.backtesting import Backtest, backtest
    from provend.dissimilarity import (
        DissimilarityCheck,
        DissimilarityEstimate,
        DriftEstimate,
        check_dissimilarity,
        estimate_dissimilarity,
        estimate_drift,
    )
    from provend.estimators import ContextualNewsvendor, PanelNewsvendor
    from provend.planning import plan
    from provend.tables import Sales, SalesReport, read_sales

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


# Imported when first used: an order should not wait for pictures or for scikit-learn.
_MODULES = ("backtesting", "datasets", "dissimilarity", "estimators", "paper", "planning", "plots", "web")
_LATER = {
    "Backtest": "backtesting",
    "ContextualNewsvendor": "estimators",
    "PanelNewsvendor": "estimators",
    "DissimilarityCheck": "dissimilarity",
    "DissimilarityEstimate": "dissimilarity",
    "DriftEstimate": "dissimilarity",
    "Sales": "tables",
    "SalesReport": "tables",
    "backtest": "backtesting",
    "check_dissimilarity": "dissimilarity",
    "estimate_dissimilarity": "dissimilarity",
    "estimate_drift": "dissimilarity",
    "plan": "planning",
    "read_sales": "tables",
}


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _MODULES:
        return import_module(f"provend.{name}")
    if name in _LATER:
        return getattr(import_module(f"provend.{_LATER[name]}"), name)
    raise AttributeError(f"module 'provend' has no attribute {name!r}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("provend")
    except PackageNotFoundError:  # run from its sources
        return "unknown"
