"""The paper, reproduced: every table, figure and claim with the exact number beside the printed one."""

from provend.paper._item import Item, Result, Row
from provend.paper._registry import ITEMS, SECTIONS, run
from provend.paper._report import report, write

__all__ = ["ITEMS", "SECTIONS", "Item", "Result", "Row", "report", "run", "write"]
