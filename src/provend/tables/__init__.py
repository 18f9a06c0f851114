"""A user's table, by one set of rules: what its columns are taken for, contexts, encodings, histories of many items."""

from provend.tables.columns import KINDS, MISSING, Column, ColumnWarning, codes_and_labels, codes_of, is_code, texts_of
from provend.tables.contexts import Contexts, labels_of, read_contexts
from provend.tables.encoding import Encoding, weekday
from provend.tables.history import WEEKDAY, History, read_history
from provend.tables.items import items_of
from provend.tables.reading import (
    Choices,
    Roles,
    Said,
    Sales,
    SalesReport,
    Source,
    find_roles,
    glance,
    has_texts,
    read_sales,
    read_source,
    read_targets,
    understand,
)
from provend.tables.style import USUAL, Style
from provend.tables.values import Table

__all__ = [
    "KINDS",
    "MISSING",
    "USUAL",
    "WEEKDAY",
    "Choices",
    "Column",
    "ColumnWarning",
    "Contexts",
    "Encoding",
    "History",
    "Roles",
    "Said",
    "Sales",
    "SalesReport",
    "Source",
    "Style",
    "Table",
    "codes_and_labels",
    "codes_of",
    "find_roles",
    "glance",
    "has_texts",
    "is_code",
    "items_of",
    "labels_of",
    "read_contexts",
    "read_history",
    "read_sales",
    "read_source",
    "read_targets",
    "texts_of",
    "understand",
    "weekday",
]
