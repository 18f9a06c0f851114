"""The rows of many items side by side: one line per item, its latest rows at the right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from provend.tables import Contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

LONGEST = 200  # rows of an item that are kept: more would hardly lower its guarantee


@dataclass(frozen=True, eq=False)
class Panel:
    """``rows[j]`` are the rows of item j, oldest first, filled up with -1 at the left, ``count[j]`` their number."""

    names: NDArray[np.str_]
    rows: Rows
    count: Rows

    @classmethod
    def of(cls, items: NDArray[np.str_], contexts: Contexts) -> Panel:
        """By time, or as given where there is none; of long histories the latest rows."""
        names, code = np.unique(items, return_inverse=True)
        time = np.zeros(code.size) if contexts.time is None else contexts.time.values
        order = np.lexsort((time, code.ravel()))
        count = np.bincount(code.ravel(), minlength=names.size)
        width = min(int(count.max()), LONGEST)
        last = np.cumsum(count) - 1
        at = last[:, None] - np.arange(width - 1, -1, -1)
        inside = np.arange(width - 1, -1, -1) < count[:, None]
        return cls(names, np.where(inside, order[np.maximum(at, 0)], -1), np.minimum(count, width))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is a row."""
        return self.rows >= 0

    def lines(self, values: Floats) -> Floats:
        """Values of all rows of the table, laid out; 0 where there is none."""
        return np.where(self.known, values[self.rows], 0.0)

    def places(self, names: NDArray[np.str_]) -> Rows:
        """Which item each name is; -1 for those never seen."""
        at = np.minimum(np.searchsorted(self.names, names), self.names.size - 1)
        return np.where(self.names[at] == names, at, -1)


def fading_means(errors: Floats, known: NDArray[np.bool_], *, half_life: float, prior: float) -> Floats:
    """The mean of the errors up to each place of a line, recent ones counting more, with ``prior`` zeros added."""
    fading = [1.0, -(0.5 ** (1 / half_life))]
    total, weight = (lfilter([1.0], fading, x, axis=1) for x in (np.where(known, errors, 0.0), known * 1.0))
    means: Floats = total / (weight + prior)
    return means
