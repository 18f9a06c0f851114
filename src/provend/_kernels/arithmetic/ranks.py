"""Ranks of rows and weights by rank, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled


@compiled
def ranks_along(nearest, along):  # type: ignore[no-untyped-def]
    """For each row of both, at which place of ``nearest`` each entry of ``along`` is; both hold the same numbers."""
    found, place = np.empty(nearest.shape, np.int64), np.empty(nearest.shape[1], np.int64)
    for t in range(nearest.shape[0]):
        for rank in range(place.size):
            place[nearest[t, rank]] = rank
        for i in range(place.size):
            found[t, i] = place[along[t, i]]
    return found


@compiled
def reached(ranks, weights, needed):  # type: ignore[no-untyped-def]
    """How many entries of each row it takes until the weights of these ranks add up to ``needed``.

    Zero where nothing is needed, one more than there are where all together are not enough; ranks beyond the weights
    have none.
    """
    found = np.zeros(ranks.shape[0], np.int64)
    for t in range(ranks.shape[0]):
        total, i = 0, 0
        while total < needed and i < ranks.shape[1]:
            if ranks[t, i] < weights.size:
                total += weights[ranks[t, i]]
            i += 1
        found[t] = i if total >= needed else i + 1
    return found
