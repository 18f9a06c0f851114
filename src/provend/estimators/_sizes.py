"""The size of demand to expect of an item, given what does not change about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel
from provend.levels import Ridge
from provend.tables import Contexts, Encoding, codes_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SizeModel:
    """The mean demand to expect of an item, given the columns that are constant within each item."""

    columns: tuple[int, ...]
    encoding: Encoding | None
    ridge: Ridge | None
    mean: float

    @classmethod
    def of(cls, contexts: Contexts, panel: Panel, means: Floats) -> SizeModel:
        """Fit a regression of the logarithm of mean demand."""
        log = np.log(np.maximum(means, 1e-3 * (means.mean() or 1.0)))
        fixed = _attributes(contexts, panel)
        if not fixed or means.size < 3:  # whoever has sold nothing does not tell the size of those who sell
            return cls((), None, None, float((log[means > 0] if means.any() else log).mean()))
        items = _only(contexts.take(panel.rows[:, -1]), fixed)
        encoding = Encoding.of(items)
        return cls(fixed, encoding, Ridge.of(encoding.matrix(items), log), float(log.mean()))

    def at(self, contexts: Contexts) -> Floats:
        """The mean demand to expect in each context."""
        if self.encoding is None or self.ridge is None:
            return np.full(contexts.size, np.exp(self.mean))
        expected: Floats = np.exp(self.ridge.predict(self.encoding.matrix(_only(contexts, self.columns))))
        return expected


def _attributes(contexts: Contexts, panel: Panel) -> tuple[int, ...]:
    """The columns that are constant within every item but vary between items."""
    found = []
    latest = panel.rows[:, -1]
    for place, column in enumerate(contexts.columns):
        codes = codes_of(column.values)
        same = np.where(panel.known, codes[panel.rows] == codes[latest][:, None], True)
        if column.kind != "time" and same.all() and np.ptp(codes) > 0:
            found.append(place)
    return tuple(found)


def _only(contexts: Contexts, places: tuple[int, ...]) -> Contexts:
    return Contexts(tuple(contexts.columns[place] for place in places), contexts.size, contexts.native)
