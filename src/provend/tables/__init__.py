"""A user's table: what its columns are taken for, contexts, encodings, histories of many items. One set of rules."""

from provend.tables.columns import KINDS, MISSING, Column, ColumnWarning, is_code, texts_of
from provend.tables.contexts import Contexts, labels_of, read_contexts
from provend.tables.encoding import Encoding
from provend.tables.files import read_file
from provend.tables.history import History, read_demand, read_history
from provend.tables.items import items_of
from provend.tables.values import Table

__all__ = [
    "KINDS",
    "MISSING",
    "Column",
    "ColumnWarning",
    "Contexts",
    "Encoding",
    "History",
    "Table",
    "is_code",
    "items_of",
    "labels_of",
    "read_contexts",
    "read_demand",
    "read_file",
    "read_history",
    "texts_of",
]
