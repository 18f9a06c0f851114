"""Many items at once: what to order of each, decided by one function on any engine."""

from provend.planning._by_length import ByLength
from provend.planning._by_period import ByPeriod
from provend.planning._calendar import next_dates
from provend.planning._choice import Choice
from provend.planning._cut_off import CutOff
from provend.planning._decide import decide
from provend.planning._embedded import decide_all as embedded_engine
from provend.planning._embedded import decide_here as single_engine
from provend.planning._explain import Explainer
from provend.planning._one_by_one import OneByOne
from provend.planning._output import write as write_plan
from provend.planning._own_rows import OwnRows
from provend.planning._plan import PlanWarning, plan
from provend.planning._pooled import Pooled
from provend.planning._request import Request, read_request
from provend.planning._run import Engine, Files, Summary, is_unfinished, run
from provend.planning._sales import as_history, under_its_names
from provend.planning._schema import DECISION, Decider, Job, Row, Terms
from provend.planning._source import Names, columns_of
from provend.planning._spark import spark_engine
from provend.planning._supply import Supply
from provend.planning._weighed import PeriodClass, Weighed, WeighedPeriods, WeighedSales
from provend.tables import Style

__all__ = [
    "DECISION",
    "ByLength",
    "ByPeriod",
    "Choice",
    "CutOff",
    "Decider",
    "Engine",
    "Explainer",
    "Files",
    "Job",
    "Names",
    "OneByOne",
    "OwnRows",
    "PeriodClass",
    "PlanWarning",
    "Pooled",
    "Request",
    "Row",
    "Style",
    "Summary",
    "Supply",
    "Terms",
    "Weighed",
    "WeighedPeriods",
    "WeighedSales",
    "as_history",
    "columns_of",
    "decide",
    "embedded_engine",
    "is_unfinished",
    "next_dates",
    "plan",
    "read_request",
    "run",
    "single_engine",
    "spark_engine",
    "under_its_names",
    "write_plan",
]
