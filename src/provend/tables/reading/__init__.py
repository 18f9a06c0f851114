"""Planners' files as they are: how they are written, what their columns mean, and which rows can be used."""

from provend.tables.dates import COMPACT_FORM
from provend.tables.reading.cleaning import NO_DEMAND, clean
from provend.tables.reading.glances import glance, has_texts
from provend.tables.reading.merging import Gaps
from provend.tables.reading.moments import decide_dates
from provend.tables.reading.numbers import DECIMALS, read_number
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.report import SalesReport, on_rows
from provend.tables.reading.roles import Roles, Said, find_roles
from provend.tables.reading.rules import Choices, Rules, decide_rules
from provend.tables.reading.sales import Sales, read_sales, understand, usable
from provend.tables.reading.source import Source
from provend.tables.reading.sources import from_frame, read_source
from provend.tables.reading.targets import read_targets, strangers_among

__all__ = [
    "COMPACT_FORM",
    "DECIMALS",
    "NO_DEMAND",
    "Choices",
    "Gaps",
    "Remarks",
    "Roles",
    "Rules",
    "Said",
    "Sales",
    "SalesReport",
    "Source",
    "clean",
    "decide_dates",
    "decide_rules",
    "find_roles",
    "from_frame",
    "glance",
    "has_texts",
    "on_rows",
    "read_number",
    "read_sales",
    "read_source",
    "read_targets",
    "strangers_among",
    "understand",
    "usable",
]
