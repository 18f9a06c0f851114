"""Windows of consecutive days: their sums, and how far apart they are."""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._validation import as_dissimilarities, as_numbers, as_sample
from provend.certificate import rounded_up

Floats = NDArray[np.float64]


def window_sums(days: ArrayLike, length: int) -> Floats:
    """The demand of every ``length`` consecutive days, oldest first, each sum rounded once."""
    return np.array([fsum(window) for window in _sliding(as_sample(days, "days"), length).tolist()])


def window_dissimilarities(d: ArrayLike, length: int) -> Floats:
    """Dissimilarity of every window: at most the sum over its days (triangle inequality, day by day), and at most 1.

    With a column per day to come, days are paired in the best way: the law of a sum does not depend on their order.
    """
    array = as_numbers(d, "d")
    if array.ndim == 1:
        return _added_up(_sliding(as_dissimilarities(array), length))
    if array.ndim != 2 or array.shape[1] != length:
        raise InputError(
            f"d has shape {array.shape}; give one number per past day, or a row per past day with a column for each of "
            f"the {length} days to come"
        )
    checked = as_dissimilarities(array.ravel()).reshape(array.shape)
    return _added_up(np.array([_paired(window.T) for window in _sliding(checked, length)]))


def _paired(pairs: Floats) -> Floats:
    """The dissimilarities of past days and days to come, matched one to one so that their sum is least."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(pairs[linear_sum_assignment(pairs)])


def _added_up(windows: Floats) -> Floats:
    return np.array([min(rounded_up(fsum(window)), 1.0) for window in windows.tolist()])


def _sliding(days: Floats, length: int) -> Floats:
    if len(days) < length:
        raise InputError(f"the history has {len(days)} days, the period {length}; give at least as many days")
    return sliding_window_view(days, length, axis=0)
