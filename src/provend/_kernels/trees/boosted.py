"""Boosted regression trees as machine code: each tree forecasts what those before it leave. Import only when grown."""

import numpy as np

from provend._kernels.arithmetic.jit import trusting
from provend._kernels.trees.bagged import columns_of, first_state, grow, kept, next_draw, nodes_for, room_for


@trusting
def boosted(bins, y, runs, efforts, seed):  # type: ignore[no-untyped-def]
    """The nodes of all trees one after the other, where each begins, and forecasts of the rows themselves.

    ``efforts`` are the number of folds, the number of trees in each, the share of what a tree says that is kept, the
    fewest rows in a leaf and the share of the features tried at each node. Runs of rows are dealt to the folds; a row
    is forecast by the trees grown on the other folds, and contexts to come by those of all folds on average. The means
    that are boosted are part of the first tree of each fold.
    """
    (folds, trees, rate, leaf, share), n, number, features = efforts, y.size, runs.max() + 1, bins.shape[0]
    columns, of = columns_of(bins)
    limits = max(np.int64(round(share * features)), 1), leaf
    state = first_state(seed)
    dealt = np.arange(number)
    for j in range(number - 1):
        state, step = next_draw(state, number - j)
        dealt[j], dealt[j + step] = dealt[j + step], dealt[j]
    fold, past, first = dealt[runs] % folds, np.zeros(n), np.zeros(folds * trees + 1, np.uint64)
    nodes, room = nodes_for(folds * trees * (2 * n // leaf + 1)), room_for(n, features, columns.shape[1])
    for out in range(folds):
        drawn = (fold != out).astype(np.float64)
        mean = (drawn * y).sum() / drawn.sum()
        forecast, state = np.full(n, mean), first_state(seed + out + 1)  # whatever the other folds have drawn
        for tree in range(out * trees, (out + 1) * trees):
            told = np.zeros(n)
            left = y - forecast
            state, count = grow(bins, columns, of, (left, drawn), limits, state, nodes, first[tree], told, True, room)
            forecast += rate * told
            first[tree + 1] = first[tree] + count
            start = mean if tree == out * trees else 0.0
            for node in range(first[tree], first[tree + 1]):
                nodes[3][node] = (start + rate * nodes[3][node]) * trees
        past = np.where(fold == out, forecast, past)
    return kept(nodes, first[folds * trees]), first.astype(np.int64), past
