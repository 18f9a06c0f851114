"""The paper, reproduced: every table, figure and claim with the exact number beside the printed one."""

from provend.paper._item import Item, Result, Row, Track
from provend.paper._layout import Layout, laid_out
from provend.paper._registry import ITEMS, SECTIONS, find, options_of, run
from provend.paper._report import VERDICTS, contents, count, report, shown, write

__all__ = [
    "ITEMS",
    "SECTIONS",
    "VERDICTS",
    "Item",
    "Layout",
    "Result",
    "Row",
    "Track",
    "contents",
    "count",
    "find",
    "laid_out",
    "options_of",
    "report",
    "run",
    "shown",
    "write",
]
