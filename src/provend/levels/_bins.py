"""Features as the few bins that trees tell apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from provend._kernels.trees import BINS
from provend.levels._quantiles import quantiles

Floats = NDArray[np.float64]


def edges_of(matrix: Floats) -> list[Floats]:
    """The edges of each feature's bins: between distinct values if they are few, at quantiles if they are many."""
    ascending = np.sort(matrix.T, axis=1)
    rises, between = ascending[:, 1:] > ascending[:, :-1], (ascending[:, 1:] + ascending[:, :-1]) / 2
    edges = [middle[up] for middle, up in zip(between, rises, strict=True)]
    many = [at for at, few in enumerate(edges) if few.size >= BINS]
    cuts = quantiles(ascending[many], np.arange(1, BINS) / BINS)
    distinct = np.diff(cuts, prepend=-np.inf) > 0
    for at, cut, up in zip(many, cuts, distinct, strict=True):
        edges[at] = cut[up]
    return edges


def binned(matrix: Floats, edges: Sequence[Floats]) -> NDArray[np.uint8]:
    """The bin of each value, one row per feature."""
    columns = zip(edges, matrix.T, strict=True)
    return np.array([ends.searchsorted(column) for ends, column in columns], dtype=np.uint8)
