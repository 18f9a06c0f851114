"""How long a count stays at each value while all probabilities rise, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import NEAR_ONE
from provend._kernels.tails.counts import PIECE


@compiled
def _add_laws(table, d, nodes, weights):  # type: ignore[no-untyped-def]
    """Add weight times P(j successes of the first k) to table[k, j], for every node."""
    n = d.size
    before, after = np.zeros(n + 2), np.zeros(n + 2)
    for node in range(nodes.size):
        before[:] = 0.0
        after[:] = 0.0
        before[1] = 1.0  # index j + 1 stands for j successes
        table[0, 0] += weights[node]
        for k in range(n):
            x = nodes[node] + d[k]
            x = 1.0 if x >= 1 - NEAR_ONE else x
            y = 1.0 - x
            row = table[k + 1]
            for j in range(k + 2):
                law = before[j + 1] * y + before[j] * x
                after[j + 1] = law
                row[j] += weights[node] * law
            before, after = after, before


def prefix_occupation(d: Floats, nodes: Floats, weights: Floats) -> Floats:
    """Row k, entry j: the weighted sum over nodes t of P(j successes), probabilities min(1, t + d_i) for i <= k."""
    table = np.zeros((d.size + 1, d.size + 1))
    at_once = max(PIECE // d.size**2, 1)
    for i in range(0, nodes.size, at_once):
        _add_laws(table, d, nodes[i : i + at_once], weights[i : i + at_once])
    return table


@compiled
def _add_weighted_laws(times, d, w, nodes, weights):  # type: ignore[no-untyped-def]
    """Add weight times P(the sum of the w_i that succeed is s) to times[s], for every node."""
    before, after = np.zeros(times.size), np.zeros(times.size)
    for node in range(nodes.size):
        before[:] = 0.0
        before[0] = 1.0
        reached = 0
        for i in range(d.size):
            x = nodes[node] + d[i]
            x = 1.0 if x >= 1 - NEAR_ONE else x
            step, y = w[i], 1.0 - x
            for s in range(min(step, reached + 1)):
                after[s] = before[s] * y
            for s in range(reached + 1, step):
                after[s] = 0.0
            for s in range(step, reached + 1):
                after[s] = before[s] * y + before[s - step] * x
            for s in range(max(step, reached + 1), reached + step + 1):
                after[s] = before[s - step] * x
            reached += step
            before, after = after, before
        for s in range(times.size):
            times[s] += weights[node] * before[s]


def weighted_occupation(d: Floats, w: Integers, nodes: Floats, weights: Floats) -> Floats:
    """Entry s: the weighted sum over nodes t of P(sum w_i B(min(1, t + d_i)) = s), positive integer weights w."""
    times = np.zeros(int(w.sum()) + 1)
    at_once = max(PIECE // (d.size * times.size), 1)
    for i in range(0, nodes.size, at_once):
        _add_weighted_laws(times, d, w, nodes[i : i + at_once], weights[i : i + at_once])
    return times
