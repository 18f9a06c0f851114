"""How long a count has each of its values while all probabilities rise, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats
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
