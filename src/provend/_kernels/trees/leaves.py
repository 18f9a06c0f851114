"""Quantiles of the rows in each leaf of a forest, as machine code. Import only when they are asked for."""

import numpy as np

from provend._kernels.arithmetic.jit import trusting


@trusting
def quantiles_in_leaves(bins, first, nodes, y, q):  # type: ignore[no-untyped-def]
    """The q-quantile of y among the rows in each leaf, drawn for its tree or not; nan at inner nodes.

    Quantiles are those of ``np.quantile``, between the two order statistics next to q.
    """
    feature, where, child, value = nodes
    bins, order, number = np.ascontiguousarray(bins.T), np.argsort(y), y.size
    found, leaf, members = np.full(value.size, np.nan), np.empty(number, np.uint64), np.empty(number)
    for tree in range(first.size - 1):
        root, size = np.uint64(first[tree]), first[tree + 1] - first[tree]
        end = np.zeros(size + 1, np.int64)
        for i in range(number):
            node = np.uint64(0)
            while feature[root + node] >= 0:
                at = root + node
                node = np.uint64(child[at] + np.int64(bins[i, np.uint64(feature[at])] > where[at]))
            leaf[i] = node
            end[node + np.uint64(1)] += 1
        end = end.cumsum()
        fill = end[:-1].copy()
        for i in order:  # so that the members of each leaf ascend
            members[fill[leaf[i]]] = y[i]
            fill[leaf[i]] += 1
        for k in range(size):
            many = end[k + 1] - end[k]
            if many:
                place = q * (many - 1)
                low = np.int64(place)
                below, above = members[end[k] + low], members[end[k] + min(low + 1, many - 1)]
                found[root + np.uint64(k)] = below + (place - low) * (above - below)
    return found
