"""Weights of past observations from honest trees and forests, based on their contexts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from provend.estimators._past import Past, at_random
from provend.estimators._rules import as_integers
from provend.policies import DecidingPolicy, WeightedERM
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TREES = 50


@dataclass(frozen=True, eq=False)
class HonestForest:
    """Trees grown on one half of the rows, drawn with a fixed seed; the weights fall on the other half alone.

    Thus contexts, and demands that carry no weight, decide which rows share a leaf with the target: given those, the
    weights are fixed before the demands they weigh are seen, as the guarantee requires.
    """

    encoding: Encoding
    trees: RandomForestRegressor
    leaves: NDArray[np.int64]
    honest: NDArray[np.intp]
    size: int

    @classmethod
    def of(cls, history: Past, *, trees: int) -> HonestForest:
        """Grow the trees. A single row serves both purposes: a tree of one row does not depend on its demand."""
        y, importance = history.y, history.importance
        encoding = Encoding.of(history.contexts)
        matrix = encoding.matrix(history.contexts)
        grown, honest = at_random(y.size) if y.size > 1 else (np.arange(1), np.arange(1))
        forest = RandomForestRegressor(trees, min_samples_leaf=5, max_features=0.5, bootstrap=trees > 1, random_state=0)
        forest.fit(matrix[grown], y[grown], None if importance is None else importance[grown])
        return cls(encoding, forest, forest.apply(matrix[honest]), honest, y.size)

    def weights(self, targets: Contexts) -> Integers:
        """Each tree splits one vote among the honest rows in the target's leaf; without any vote, all count equally."""
        votes = np.zeros((targets.size, self.honest.size))
        for tree, at in enumerate(self.trees.apply(self.encoding.matrix(targets)).T):
            together = at[:, None] == self.leaves[None, :, tree]
            votes += together / np.maximum(together.sum(axis=1, keepdims=True), 1)
        votes[votes.sum(axis=1) == 0] = 1.0
        weights = np.zeros((targets.size, self.size), np.int64)
        weights[:, self.honest] = as_integers(votes)
        return weights

    def policies(self, d: Floats, targets: Contexts, q: Fraction) -> list[DecidingPolicy]:
        """Weighted ERM, whatever the dissimilarities."""
        return [WeightedERM(weights) for weights in self.weights(targets)]
