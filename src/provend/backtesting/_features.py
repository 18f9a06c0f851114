"""Contexts as numbers: any dataframe in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")


def is_category(series: nw.Series[Any]) -> bool:
    """Whether a column holds labels rather than quantities: text, categories, booleans and times of day do."""
    return isinstance(series.dtype, nw.Time) or not (series.dtype.is_numeric() or series.dtype.is_temporal())


def as_numbers(series: nw.Series[Any]) -> Floats:
    """A column of numbers as it is, a column of dates as days since 1970, a column of durations as days."""
    if series.dtype.is_temporal():
        numbers: Floats = series.to_numpy().astype("datetime64[us]").astype(np.int64) / DAY
        return np.where(series.is_null().to_numpy(), np.nan, numbers)
    if series.dtype.is_integer():  # pyarrow casts none above 2^53
        return np.array([np.nan if value is None else float(value) for value in series.to_list()], dtype=np.float64)
    return series.cast(nw.Float64).to_numpy().astype(np.float64)


def as_labels(series: nw.Series[Any]) -> NDArray[np.str_]:
    """The values of a column as text, to be compared for equality only."""
    return np.array([str(value) for value in series.to_list()])


@dataclass(frozen=True)
class Encoding:
    """How the columns of a training table become numbers.

    Attributes
    ----------
    numbers : mapping
        Columns taken as they are, dates as days since 1970 (to a model the date is the age of a row), and the median
        of each, which stands in for what is missing.
    labels : mapping
        The categories seen in each of the other columns, sorted. Unseen ones match none.
    """

    numbers: dict[str, float]
    labels: dict[str, NDArray[np.str_]]

    @classmethod
    def of(cls, contexts: Any) -> Encoding:
        """Learned from a table of contexts."""
        frame = nw.from_native(contexts, eager_only=True)
        labels = {name: np.unique(as_labels(frame[name])) for name in frame.columns if is_category(frame[name])}
        numbers = {name: _median(as_numbers(frame[name])) for name in frame.columns if name not in labels}
        return cls(numbers, labels)

    def one_hot(self, contexts: Any) -> Floats:
        """One indicator per category, for linear models; an unseen category has none of them."""
        frame = nw.from_native(contexts, eager_only=True)
        return self._beside(frame, [as_labels(frame[name])[:, None] == seen for name, seen in self.labels.items()])

    def ordinal(self, contexts: Any) -> Floats:
        """The rank of the category, for trees; -1 if unseen. The categorical columns come last."""
        frame = nw.from_native(contexts, eager_only=True)
        return self._beside(frame, [_rank(as_labels(frame[name]), seen)[:, None] for name, seen in self.labels.items()])

    def _beside(self, frame: nw.DataFrame[Any], encoded: list[NDArray[Any]]) -> Floats:
        plain = [np.nan_to_num(as_numbers(frame[name]), nan=centre)[:, None] for name, centre in self.numbers.items()]
        return np.hstack([*plain, *encoded, np.empty((len(frame), 0))]).astype(np.float64)


def _median(numbers: Floats) -> float:
    known = numbers[np.isfinite(numbers)]
    return float(np.median(known)) if known.size else 0.0


def _rank(labels: NDArray[np.str_], seen: NDArray[np.str_]) -> NDArray[np.int64]:
    at = np.minimum(np.searchsorted(seen, labels), seen.size - 1)
    return np.where(seen[at] == labels, at, -1)
