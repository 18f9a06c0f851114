"""scikit-learn estimators: from a table of past demands and contexts to orders with guarantees."""

from provend.estimators._basis import FOR_ALL
from provend.estimators._contextual import ContextualNewsvendor
from provend.estimators._deciders import check_names
from provend.estimators._evidence import Evidence
from provend.estimators._guarantees import OrderGuarantee, OrderGuarantees, SupportWarning
from provend.estimators._panel import PanelNewsvendor
from provend.estimators._panel_decisions import PanelDecisions
from provend.estimators._past import RepeatedRowsWarning, RowOrderWarning
from provend.tables import ColumnWarning

__all__ = [
    "FOR_ALL",
    "ColumnWarning",
    "ContextualNewsvendor",
    "Evidence",
    "OrderGuarantee",
    "OrderGuarantees",
    "PanelDecisions",
    "PanelNewsvendor",
    "RepeatedRowsWarning",
    "RowOrderWarning",
    "SupportWarning",
    "check_names",
]
