"""A user's table, by one set of rules: what its columns are taken for, contexts, encodings, histories of many items."""

from provend.tables.columns import KINDS, Column, ColumnWarning, is_code, texts_of
from provend.tables.contexts import Contexts, labels_of, read_contexts
from provend.tables.encoding import Encoding, weekday
from provend.tables.history import WEEKDAY, History, read_history
from provend.tables.items import items_of
from provend.tables.labels import MISSING, codes_and_labels, codes_of
from provend.tables.limits import share_at_limit
from provend.tables.native import as_frame, is_lazy, names_of
from provend.tables.reading import (
    DECIMALS,
    Choices,
    Roles,
    Said,
    Sales,
    SalesReport,
    Source,
    find_roles,
    glance,
    has_texts,
    read_number,
    read_sales,
    read_source,
    read_targets,
    strangers_among,
    understand,
)
from provend.tables.strangers import Strangers, find_strangers
from provend.tables.strangers import listed as listed_items
from provend.tables.strangers import written as written_item
from provend.tables.style import USUAL, Style
from provend.tables.values import Table
from provend.tables.values import as_numbers as as_floats

__all__ = [
    "DECIMALS",
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
    "Strangers",
    "Style",
    "Table",
    "as_floats",
    "as_frame",
    "codes_and_labels",
    "codes_of",
    "find_roles",
    "find_strangers",
    "glance",
    "has_texts",
    "is_code",
    "is_lazy",
    "items_of",
    "labels_of",
    "listed_items",
    "names_of",
    "read_contexts",
    "read_history",
    "read_number",
    "read_sales",
    "read_source",
    "read_targets",
    "share_at_limit",
    "strangers_among",
    "texts_of",
    "understand",
    "weekday",
    "written_item",
]
