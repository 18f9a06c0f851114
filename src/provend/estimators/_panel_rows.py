"""The rows of many items, laid out with one line per item and its latest rows on the right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from provend.tables import Contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

LONGEST = 200  # rows kept of each item: more would hardly lower its guarantee
HALF_LIFE, PRIOR = 15.0, 8.0  # of fading means, in rows: recent misses of forecasts, which are few at first


@dataclass(frozen=True, eq=False)
class Items:
    """The item of each row of a table: ``names`` are ascending and distinct, ``code`` is each row's place in them."""

    names: NDArray[np.str_]
    code: Rows

    @classmethod
    def of(cls, code: Rows, labels: NDArray[np.str_]) -> Items:
        """Build from names in any order."""
        order = np.argsort(labels, kind="stable")
        place = np.empty(order.size, np.intp)
        place[order] = np.arange(order.size)
        return cls(labels[order], place[code])

    def places_in(self, known: NDArray[np.str_]) -> Rows:
        """The place of each row's item among other ascending names; -1 if it is not among them."""
        if not known.size:
            return np.full(self.code.size, -1)
        at = np.minimum(np.searchsorted(known, self.names), known.size - 1)
        return np.where(known[at] == self.names, at, -1)[self.code]


@dataclass(frozen=True, eq=False)
class Panel:
    """``rows[j]`` holds the latest rows of item j, oldest first, padded on the left with -1; ``count[j]`` are there.

    ``code`` is the item of every row of the table, including those that are too old to be kept.
    """

    names: NDArray[np.str_]
    rows: Rows
    count: Rows
    code: Rows

    @classmethod
    def of(cls, items: Items, contexts: Contexts) -> Panel:
        """Sort rows by time, or keep their order if there is no time; of long histories, keep only the latest rows."""
        names, code = items.names, items.code
        time = np.zeros(code.size) if contexts.time is None else contexts.time.values
        order = np.arange(code.size) if _ascend(code, time) else np.lexsort((time, code))
        count = np.bincount(code, minlength=names.size)
        width = min(int(count.max(initial=1)), LONGEST)
        last = np.cumsum(count) - 1
        at = last[:, None] - np.arange(width - 1, -1, -1)
        inside = np.arange(width - 1, -1, -1) < count[:, None]
        return cls(names, np.where(inside, order[np.maximum(at, 0)], -1), np.minimum(count, width), code)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which places hold a row."""
        return self.rows >= 0

    def lines(self, values: Floats) -> Floats:
        """The values of the table's rows, laid out; 0 where there is no row."""
        return np.where(self.known, values[self.rows], 0.0)

    def totals(self, values: Floats) -> Floats:
        """Their sum per item, added up from the oldest: bit-identical whatever other items there are."""
        item = np.repeat(np.arange(self.count.size), self.count)
        return np.asarray(np.bincount(item, values[self.rows[self.known]], self.count.size), np.float64)

    def latest(self, count: Rows) -> Panel:
        """The same items with so many of their latest rows each."""
        kept = np.arange(self.rows.shape[1] - 1, -1, -1) < count[:, None]
        return Panel(self.names, np.where(kept, self.rows, -1), np.minimum(count, self.count), self.code)

    def largest(self, values: Floats) -> Floats:
        """The largest value of each item, among all of its rows."""
        found = np.full(self.count.size, -np.inf)
        np.maximum.at(found, self.code, values)
        return found


def _ascend(code: Rows, time: Floats) -> bool:
    """Whether rows are already sorted by item and time."""
    step = np.diff(code)
    return bool(((step > 0) | ((step == 0) & (np.diff(time) >= 0))).all())


def fading_means(errors: Floats, known: NDArray[np.bool_]) -> Floats:
    """The mean of the errors up to each place of a line, with more weight on recent ones and ``PRIOR`` zeros added."""
    fading = [1.0, -(0.5 ** (1 / HALF_LIFE))]
    total = lfilter([1.0], fading, np.where(known, errors, 0.0), axis=1)
    first, same = np.unique(known.sum(axis=1), return_index=True, return_inverse=True)[1:]  # known are on the right
    weight = lfilter([1.0], fading, known[first] * 1.0, axis=1)
    means: Floats = total / (weight + PRIOR)[same]
    return means
