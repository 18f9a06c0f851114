"""Weighted thresholds for a target service: finer steps than those of ranks, where few demands are near."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.gauss import nodes_and_weights, pieces
from provend._kernels.arithmetic.rounding import integral_error, recurrence_error
from provend.policies import WeightedQuantile

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PARTS = 10  # the weight of a demand at distance zero
REACHES = 24  # how many distances at which weights reach zero are tried
MOST_NEIGHBOURS = 100  # that may have weight


class Candidate(NamedTuple):
    """Weights in the order of d, the threshold, and the expected service in the best world."""

    weights: Integers
    threshold: int
    best: float

    @property
    def policy(self) -> WeightedQuantile:
        """The candidate as a policy with whole-numbered weights."""
        return WeightedQuantile(self.weights.tolist(), self.threshold)


def weighted_candidates(d: Floats, goal: float, confidence: Fraction | None) -> list[Candidate]:
    """For weights that fall linearly to zero at various distances, the least threshold that meets the goal."""
    ascending = np.sort(d)
    last = min(d.size - 1, MOST_NEIGHBOURS)
    reaches = np.unique(ascending[np.unique(np.geomspace(1, max(last, 1), REACHES).astype(int))[: d.size - 1]])
    found = []
    for reach in reaches[reaches > ascending[0]].tolist():
        weights = np.rint(PARTS * np.maximum(1 - d / reach, 0.0)).astype(np.int64)
        if np.count_nonzero(weights) <= MOST_NEIGHBOURS and weights.any():
            found += _least_threshold(d, weights, goal, confidence)
    return found


def _least_threshold(d: Floats, weights: Integers, goal: float, confidence: Fraction | None) -> list[Candidate]:
    """One candidate, or none if even the total weight does not meet the goal."""
    from provend._kernels.tails.occupation import weighted_occupation

    used = weights > 0
    d, w = d[used], weights[used]
    nodes, shares = nodes_and_weights(*pieces(d))
    below = np.concatenate([[0.0], np.cumsum(weighted_occupation(d, w, nodes, shares))])
    rounding = recurrence_error(d.size, int(w.sum()))
    if confidence is None:
        meets = below[:-1] - rounding - integral_error(d.size, nodes.size) >= goal
    else:
        law = weighted_occupation(d, w, np.array([max(goal, 0.0)]), np.ones(1))
        meets = np.cumsum(law[::-1])[::-1] * (1 + rounding) <= float(1 - confidence)
    if not meets.any():
        return []
    threshold = int(np.argmax(meets))
    return [Candidate(weights, threshold, float(below[-1] - below[-1 - threshold]))]
