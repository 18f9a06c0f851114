"""Weights of past observations that follow from contexts other than by rank: kernels, honest trees and forests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from provend.dissimilarity._contexts import Contexts, Encoding
from provend.policies import Kernel

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CELLS = 1000  # integer weights up to this: their worst case is computed exactly
TREES = 50


@dataclass(frozen=True, eq=False)
class HonestForest:
    """Trees grown on every second row; the weights fall on the other rows alone.

    Which rows share a leaf with the target is thus decided by contexts and by demands that carry no weight: given
    those, the weights are fixed before the demands they weigh are seen, as the guarantee requires.
    """

    encoding: Encoding
    trees: RandomForestRegressor
    leaves: NDArray[np.int64]
    honest: NDArray[np.intp]
    size: int

    @classmethod
    def of(cls, past: Contexts, y: Floats, *, trees: int) -> HonestForest:
        """Grow the trees. One row alone serves both ends."""
        encoding, rows = Encoding.of(past), np.arange(y.size)
        matrix = encoding.matrix(past)
        grown, honest = (rows[0::2], rows[1::2]) if y.size > 1 else (rows, rows)
        forest = RandomForestRegressor(trees, min_samples_leaf=5, max_features=0.5, bootstrap=trees > 1, random_state=0)
        forest.fit(matrix[grown], y[grown])
        return cls(encoding, forest, forest.apply(matrix[honest]), honest, y.size)

    def weights(self, targets: Contexts) -> Integers:
        """Each tree shares one vote among the honest rows in the target's leaf; without any vote all count alike."""
        votes = np.zeros((targets.size, self.honest.size))
        for tree, at in enumerate(self.trees.apply(self.encoding.matrix(targets)).T):
            together = at[:, None] == self.leaves[None, :, tree]
            votes += together / np.maximum(together.sum(axis=1, keepdims=True), 1)
        votes[votes.sum(axis=1) == 0] = 1.0
        weights = np.zeros((targets.size, self.size), np.int64)
        weights[:, self.honest] = as_integers(votes)
        return weights


def kernel_weights(kernel: Kernel, d: Floats) -> Integers:
    """The kernel of each dissimilarity, rounded; rows out of reach stay at 0."""
    return as_integers(kernel.weights(d))


def as_integers(weights: Floats) -> Integers:
    """Weights of each row as integers of at most ``CELLS``."""
    top = weights.max(axis=1, keepdims=True)
    rounded: Integers = np.rint(weights * (CELLS / np.where(top > 0, top, 1.0))).astype(np.int64)
    return rounded
