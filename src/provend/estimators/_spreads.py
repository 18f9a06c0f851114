"""How wide the errors of an item are, compared with those of others: what is lent has to fit who borrows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.estimators._panel_rows import Panel

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

FEWEST = 4  # items of two rows or more, from which on spreads are compared
LEAST = 1e-3  # of the mean variance of all: nobody is taken to be more regular than that when slopes are learned
PRIOR_ROWS = 1.0, 200.0  # how many rows of an item the spread to expect at its size is worth: the least and the most


@dataclass(frozen=True, eq=False)
class SpreadModel:
    """The variance of errors to expect of an item: ``level`` times its size to the power ``slope``.

    It counts as much as ``prior`` rows of the item. In units of size, the errors of counts are wider where sizes are
    small.
    """

    level: float
    slope: float
    prior: float

    @classmethod
    def of(cls, errors: Floats, panel: Panel, sizes: Floats) -> SpreadModel:
        """Learn from the errors of all items."""
        some = (panel.count > 1) & (sizes > 0)
        squares, rows, size = np.square(errors[some]), panel.known[some], sizes[some]
        variance = _sums(squares, rows) / (panel.count[some] - 1)
        mean = float(variance.mean()) if some.any() else 0.0
        if some.sum() < FEWEST or mean == 0:
            return cls(mean or 1.0, 0.0, PRIOR_ROWS[1])
        log = np.log(size) - np.log(size).mean()
        slope = log @ np.log(np.maximum(variance, LEAST * mean)) / max(float(log @ log), 1e-9)
        slope = float(np.clip(slope, -1.0, 0.0))
        level = float((variance / size**slope).mean())
        return cls(level, slope, _prior_rows(squares / (level * size**slope)[:, None], rows))

    def alike(self, errors: Floats, panel: Panel, sizes: Floats) -> Floats:
        """The errors in units of their item's width; what centring items on their own rows took from them is added."""
        larger = np.sqrt(panel.count / np.maximum(panel.count - 1, 1))
        found: Floats = errors * (larger / self.widths(errors, panel, sizes))[:, None]
        return found

    def ahead(self, errors: Floats, panel: Panel, sizes: Floats) -> Floats:
        """The width of the error to come of each item: its centre, a mean of few rows, is off, too."""
        found: Floats = self.widths(errors, panel, sizes) * np.sqrt(1 + 1 / panel.count)
        return found

    def widths(self, errors: Floats, panel: Panel, sizes: Floats) -> Floats:
        """The standard deviation of each item's errors, shrunk towards the one to expect at its size."""
        expected = self.level * np.where(sizes > 0, sizes, 1.0) ** self.slope
        total = _sums(np.square(errors), panel.known) + self.prior * expected
        found: Floats = np.sqrt(total / (panel.count - 1 + self.prior))
        return found


def _sums(values: Floats, known: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(known, values, 0.0).sum(axis=1), np.float64)


def _prior_rows(relative: Floats, known: NDArray[np.bool_]) -> float:
    """Many where what every other row says about an item's spread is not borne out by the rows between them."""
    odd = np.arange(relative.shape[1]) % 2 == 1
    rows = [np.maximum(known[:, turn].sum(axis=1), 1) for turn in (odd, ~odd)]
    halves = [_sums(relative[:, turn], known[:, turn]) / many for turn, many in zip((odd, ~odd), rows, strict=True)]
    lasting = float(np.cov(*halves)[0, 1])
    count = known.sum(axis=1)
    chance = float((_sums(relative, known) / count).var(ddof=1)) - lasting
    least, most = PRIOR_ROWS
    return float(np.clip(np.median(count) * chance / max(lasting, 1e-9), least, most))
