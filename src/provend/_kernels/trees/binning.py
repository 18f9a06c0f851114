"""Numbers as the few bins that trees tell apart, as machine code. Import only when they are needed."""

import numpy as np

from provend._kernels.arithmetic.jit import trusting
from provend._kernels.trees import BINS

HALVES = tuple(BINS >> k for k in range(1, BINS.bit_length()))  # 32, 16, ..., 1: steps that lead to any of 64 bins


@trusting
def put_edges(ascending, edges):  # type: ignore[no-untyped-def]
    """Put the edges of each feature's bins into a row of ``edges``, whose other places stay as they are.

    ``ascending`` has a row of sorted values for each feature. Edges are in the middle between distinct values if these
    are few, and at quantiles, as ``np.quantile`` has them, if they are many.
    """
    last = ascending.shape[1] - 1
    for f in range(len(ascending)):
        values, own, count = ascending[f], edges[f], 0
        for i in range(last):
            if values[i + 1] > values[i]:
                if count < BINS - 1:
                    own[count] = (values[i + 1] + values[i]) / 2
                count += 1
        if count < BINS:
            continue
        own[:] = np.inf
        count, before = 0, -np.inf
        for k in range(1, BINS):
            place = k / BINS * last
            low = int(place)
            part, below, above = place - low, values[low], values[min(low + 1, last)]
            gap = above - below
            cut = below + gap * part if part < 0.5 else above - gap * (1 - part)
            if cut > before:
                own[count] = cut
                count += 1
            before = cut


@trusting
def put_bins(matrix, edges, bins):  # type: ignore[no-untyped-def]
    """Put the bin of each value, which is how many edges are below it, into ``bins``, a row for each feature.

    All values take the same steps, without a question whose answer could not be foreseen.
    """
    for f in range(len(edges)):
        own = edges[f]
        for i in range(len(matrix)):
            value, at = matrix[i, f], np.uint64(0)
            for half in HALVES:
                at += np.uint64(own[at + np.uint64(half - 1)] < value) * np.uint64(half)
            bins[f, i] = at
