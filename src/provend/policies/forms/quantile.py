"""The weighted quantile: the smallest a with sum_i w_i 1{y_i <= a} >= needed, for integer weights; ties are exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def how_many(weights: Integers, needed: int) -> NDArray[np.intp]:
    """How many demands it takes to reach ``needed``: ``weights[..., i]`` is the weight of the i-th smallest.

    Zero for a level that needs no weight, one more than there are where all together are not enough.
    """
    if needed <= 0:
        return np.zeros(weights.shape[:-1], np.intp)
    return np.asarray(np.count_nonzero(np.cumsum(weights, axis=-1) < needed, axis=-1) + 1)


def with_ends(ascending: Floats, support: tuple[float | Floats, float | Floats]) -> Floats:
    """Demands in ascending order, between the ends of the support: entry j is the order if it takes j demands."""
    padded = np.empty((*ascending.shape[:-1], ascending.shape[-1] + 2))
    padded[..., 0], padded[..., 1:-1], padded[..., -1] = support[0], ascending, support[1]
    return padded
