"""Bagged trees as a forecast: bins learned from the history, trees grown in compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._kernels.trees import BINS
from provend.levels._quantiles import quantiles

Floats = NDArray[np.float64]
Nodes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]

TREES = 40
SHARE = 0.75  # of the features are tried at each node


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees grown on a matrix of features; ``past`` holds forecasts of its rows by trees that have not seen them."""

    edges: tuple[Floats, ...]
    nodes: Nodes
    first: NDArray[np.int64]
    past: Floats

    @classmethod
    def of(cls, matrix: Floats, z: Floats, runs: NDArray[np.intp], *, seed: int = 0) -> Trees:
        """Grow the trees."""
        from provend._kernels.trees.bagged import grown

        edges = tuple(_edges(column) for column in np.sort(matrix.T, axis=1))
        nodes, first, past = grown(_binned(matrix, edges), z, runs, TREES, SHARE, seed)
        return cls(edges, nodes, first, np.where(np.isnan(past), z.mean(), past))

    def predict(self, matrix: Floats) -> Floats:
        """The mean forecast of the trees."""
        from provend._kernels.trees.bagged import said

        forecasts: Floats = said(_binned(matrix, self.edges), self.first, self.nodes)
        return forecasts


def _edges(ascending: Floats) -> Floats:
    """The edges of the bins: between distinct values if there are few of them, at quantiles if there are many."""
    distinct = np.concatenate([ascending[:1], ascending[1:][ascending[1:] > ascending[:-1]]])
    if distinct.size <= BINS:
        between: Floats = (distinct[1:] + distinct[:-1]) / 2
        return between
    return np.unique(quantiles(ascending, np.arange(1, BINS) / BINS))


def _binned(matrix: Floats, edges: tuple[Floats, ...]) -> NDArray[np.uint8]:
    """The bin of each value, one row per feature."""
    columns = zip(edges, matrix.T, strict=True)
    return np.array([np.searchsorted(ends, column) for ends, column in columns], dtype=np.uint8)
