"""Planners' files as they are: how they are written, what their columns are, which rows can be used."""

from provend.tables.reading.cleaning import clean
from provend.tables.reading.merging import Gaps
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.report import SalesReport
from provend.tables.reading.roles import Roles, find_roles
from provend.tables.reading.rules import Choices, Rules, decide_rules
from provend.tables.reading.sales import Sales, read_sales, understand
from provend.tables.reading.sources import Source, read_source

__all__ = [
    "Choices",
    "Gaps",
    "Remarks",
    "Roles",
    "Rules",
    "Sales",
    "SalesReport",
    "Source",
    "clean",
    "decide_rules",
    "find_roles",
    "read_sales",
    "read_source",
    "understand",
]
