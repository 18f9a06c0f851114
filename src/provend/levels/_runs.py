"""Runs of moments that are left out together: what is close in time reveals too much about a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LONGEST = 28  # moments: orders are placed ahead of time
FEWEST = 20  # runs
FOLDS = 20  # of moments that many rows share: with more moments, leaving out each of them hardly tells more
FOLDS_OF_RUNS = 10  # of runs: each costs a decomposition


def runs_of(time: Floats | None, size: int) -> NDArray[np.intp]:
    """The run of each row, counted from 0; each row is its own run if there is no time, or only one time for all."""
    if time is None:
        return np.arange(size)
    moments, at = np.unique(time, return_inverse=True)
    if moments.size == 1:  # a single run would have no standard error
        return np.arange(size)
    runs: NDArray[np.intp] = at.ravel() // _length(moments.size)
    return runs


def folds_of(time: Floats | None) -> NDArray[np.intp] | None:
    """The fold of each row, left out together in a regression: runs far apart, or moments where rows share them.

    None, so that each row is left out alone, if there is no time, only one for all, or too few for runs.
    """
    if time is None:
        return None
    moments, at = np.unique(time, return_inverse=True)
    if moments.size == 1:
        return None
    if moments.size < time.size:
        return at.ravel() % FOLDS
    length = _length(moments.size)
    return None if length == 1 else at.ravel() // length % FOLDS_OF_RUNS


def means_of(values: Floats, runs: NDArray[np.intp]) -> Floats:
    """The mean of each run: successive rows are hardly more than one piece of evidence."""
    many = np.bincount(runs)
    seen = np.flatnonzero(many)
    means: Floats = np.bincount(runs, values)[seen] / many[seen]
    return means


def _length(moments: int) -> int:
    """How many moments a run has."""
    return min(max(moments // FEWEST, 1), LONGEST)
