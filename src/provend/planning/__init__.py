"""Many items at once: what to order of each, decided by one function on any engine."""

from provend.planning._decide import decide
from provend.planning._embedded import decide_all as embedded_engine
from provend.planning._own_rows import OwnRows
from provend.planning._plan import PlanWarning, plan
from provend.planning._request import Request, read_request
from provend.planning._run import Engine, Files, Summary, run
from provend.planning._schema import DECISION, Decider, Job, Row, Terms
from provend.planning._source import Names, columns_of
from provend.planning._spark import spark_engine

__all__ = [
    "DECISION",
    "Decider",
    "Engine",
    "Files",
    "Job",
    "Names",
    "OwnRows",
    "PlanWarning",
    "Request",
    "Row",
    "Summary",
    "Terms",
    "columns_of",
    "decide",
    "embedded_engine",
    "plan",
    "read_request",
    "run",
    "spark_engine",
]
