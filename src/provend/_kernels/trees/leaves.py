"""The leaves that rows end up in, and quantiles in each, as machine code. Import only when they are asked for."""

import numpy as np

from provend._kernels.arithmetic.jit import inlined, trusting
from provend._kernels.trees.splits import ZERO


@inlined
def go_down(bins, root, nodes, at, going):  # type: ignore[no-untyped-def]
    """Put the leaf of each row of ``bins`` in the tree that begins at ``root`` into ``at``.

    All rows take a step down the tree before any takes the next one, as no step then has to wait for the last;
    ``going`` holds those that are still on their way.
    """
    feature, where, child, _ = nodes
    many = np.uint64(bins.shape[0])
    for i in range(many):
        at[i], going[i] = root, i
    while many:
        left = ZERO
        for j in range(many):
            i = going[j]
            node = at[i]
            f = feature[node]
            inner = np.uint64(f >= 0)
            below = child[node] + np.int64(bins[i, np.uint64(f) * inner] > where[node])
            at[i] = root + np.uint64(below) if inner else node
            going[left] = i
            left += inner
        many = left


@trusting
def quantiles_in_leaves(bins, first, nodes, y, q):  # type: ignore[no-untyped-def]
    """The q-quantile of y among the rows in each leaf, drawn for its tree or not; nan at inner nodes.

    Quantiles are those of ``np.quantile``, between the two order statistics next to q.
    """
    bins, order, number = np.ascontiguousarray(bins.T), np.argsort(y), y.size
    found, members = np.full(nodes[3].size, np.nan), np.empty(number)
    leaf, going = np.empty(number, np.uint64), np.empty(number, np.uint64)
    for tree in range(first.size - 1):
        root, size = np.uint64(first[tree]), first[tree + 1] - first[tree]
        go_down(bins, root, nodes, leaf, going)
        end = np.zeros(size + 1, np.int64)
        for i in range(number):
            leaf[i] -= root
            end[leaf[i] + np.uint64(1)] += 1
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
