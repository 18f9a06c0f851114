"""The values of a column one by one, and as labels that are compared for equality only."""

from __future__ import annotations

from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend.tables.native import first_moments
from provend.tables.values import Array, Given, Series, Texts, as_text, is_missing

MISSING = "(missing)"


def as_labels(given: Given) -> Array:
    """The values of a series or an array as text, to be compared for equality only."""
    items = items_in(given)
    distinct = items.distinct if isinstance(items, Texts) else items
    texts = np.array([MISSING if is_missing(item) else as_text(item) for item in distinct], dtype=object)
    return texts if distinct is items else texts[codes_in(items, distinct)]


def codes_and_labels(given: Series) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    """The :func:`as_labels` of a series: which of the distinct labels each value has, and the distinct labels."""
    if isinstance(given.dtype, nw.String | nw.Categorical) and not given.is_null().any():  # many rows, few labels
        coded = given.to_arrow()
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded  # concatenated frames
        if not pa.types.is_dictionary(coded.type):
            coded = coded.dictionary_encode()
        code = np.asarray(coded.indices, np.intp)
        used = np.bincount(code, minlength=len(coded.dictionary)) > 0
        names = coded.dictionary.filter(used).to_pylist()
        if not pa.types.is_string(coded.dictionary.type):
            names = [as_text(name) for name in names]
        return (np.cumsum(used) - 1)[code], np.array(names, np.str_)
    texts = as_labels(given).tolist()
    distinct = list(dict.fromkeys(texts))
    return codes_in(texts, distinct), np.array(distinct, np.str_)


def codes_of(values: Array) -> NDArray[np.intp]:
    """Whole numbers from 0, in order of first appearance, equal where the values are equal."""
    if values.dtype.kind == "O":
        items = values.tolist()
        return codes_in(items, list(dict.fromkeys(items)))
    plain = values + 0.0 if values.dtype.kind == "f" else values  # zero has no sign
    return np.asarray(pa.array(plain).dictionary_encode().indices, np.intp)  # by hashing, which is faster than sorting


def codes_in(items: list[Any], distinct: list[Any]) -> NDArray[np.intp]:
    """For each item, the index of the distinct item it equals."""
    place = {item: at for at, item in enumerate(distinct)}
    return np.fromiter(map(place.__getitem__, items), np.intp, len(items))


def items_in(given: Given) -> list[Any]:
    """The values one by one, as texts if they are declared as such."""
    if isinstance(given, Texts):
        return given
    items = cast("list[Any]", given.to_list() if isinstance(given, nw.Series) else given.tolist())
    return Texts(items) if is_text(given) else first_moments(items)


def is_text(given: Given) -> bool:
    """Whether a dataframe declares the column as text; it then stays text, even if it could be read as numbers."""
    return isinstance(given, Texts) or (isinstance(given, nw.Series) and isinstance(given.dtype, nw.String))


def is_blank(item: object) -> bool:
    """Whether a value is missing, or a text that says nothing."""
    return is_missing(item) or (isinstance(item, str) and not item.strip())
