"""Features as the few bins that trees tell apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend._kernels.trees import BINS

Floats = NDArray[np.float64]


def edges_of(matrix: Floats) -> Floats:
    """The edges of each feature's bins, a row each: between distinct values if they are few, at quantiles if many.

    Where a feature has fewer bins than others, its last edges are infinite.
    """
    from provend._kernels.trees.binning import put_edges

    edges = no_edges(matrix.shape[1])
    put_edges(np.sort(matrix.T, axis=1), edges)
    return edges


def no_edges(features: int) -> Floats:
    """The edges of features that have one bin each."""
    return np.full((features, BINS - 1), np.inf)


def binned(matrix: Floats, edges: Floats) -> NDArray[np.uint8]:
    """The bin of each value, one row per feature."""
    from provend._kernels.trees.binning import put_bins

    bins = np.empty(matrix.T.shape, np.uint8)
    put_bins(np.ascontiguousarray(matrix), edges, bins)
    return bins
