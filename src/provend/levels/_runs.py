"""Runs of moments that are left out together: what is close in time reveals too much about a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LONGEST = 28  # moments: orders are placed ahead of time
FEWEST = 20  # runs
FOLDS = 20  # of moments that many rows share: with more moments, leaving out each of them hardly tells more
FOLDS_OF_RUNS = 10  # of runs: each costs a decomposition


@dataclass(frozen=True, eq=False)
class Moments:
    """The distinct ``times`` of rows, ascending, and which of them each row is ``at``."""

    times: Floats
    at: NDArray[np.intp]

    @classmethod
    def of(cls, time: Floats) -> Moments:
        """Rows of the same time form one moment."""
        times, at = np.unique(time, return_inverse=True)
        return cls(times, at.ravel())

    @property
    def runs(self) -> NDArray[np.intp]:
        """The run of each row, counted from 0; each row is its own run if there is only one time for all."""
        if self.times.size == 1:  # a single run would have no standard error
            return np.arange(self.at.size)
        return self.at // _length(self.times.size)

    @property
    def folds(self) -> NDArray[np.intp] | None:
        """The fold of each row, left out together in a regression: runs far apart, or moments where rows share them.

        None, so that each row is left out alone, if there is only one time for all, or too few for runs.
        """
        if self.times.size == 1:
            return None
        if self.times.size < self.at.size:
            return self.at % FOLDS
        return None if _length(self.times.size) == 1 else self.runs % FOLDS_OF_RUNS


def means_of(values: Floats, runs: NDArray[np.intp]) -> Floats:
    """The mean of each run: successive rows are hardly more than one piece of evidence."""
    many = np.bincount(runs)
    seen = np.flatnonzero(many)
    means: Floats = np.bincount(runs, values)[seen] / many[seen]
    return means


def _length(moments: int) -> int:
    """How many moments a run has."""
    return min(max(moments // FEWEST, 1), LONGEST)
