"""Weighted counts on the integers as machine code. Import only when one of the functions runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.sums import block_sum
from provend._kernels.tails.laws import spread


@compiled
def add_sample(Q, A, B, cells, x, w):  # type: ignore[no-untyped-def]
    """One more sample of weight w, a one with probability x, for the law Q and the sums A and B of conditional laws.

    ``cells``: the first cell that then holds mass, where to stop, and the first that was empty before.
    """
    begin, end, empty = cells
    y, step = 1.0 - x, np.uint64(w)
    shifted = max(begin, min(end, empty - w))  # from here on a sum has nothing below it to come from
    for i in range(np.uint64(begin), np.uint64(shifted)):
        q = Q[i]
        q_below = Q[i + step]
        A[i] = A[i] * y + A[i + step] * x + q_below
        B[i] = B[i] * y + B[i + step] * x + q
        Q[i] = q * y + q_below * x
    for i in range(np.uint64(shifted), np.uint64(end)):
        q = Q[i]
        A[i] *= y
        B[i] = B[i] * y + q
        Q[i] = q * y


@compiled
def mixed_tail(law, absorbed, cells, thresholds, probabilities):  # type: ignore[no-untyped-def]
    """sum_j probabilities_j law(S >= thresholds_j), including what was absorbed."""
    tail, (begin, end) = 0.0, cells
    for j in range(thresholds.size):
        tail += probabilities[j] * (absorbed + block_sum(law, begin, min(law.size - thresholds[j], end)))
    return tail


@compiled
def lattice_tail(p, w, thresholds, probabilities, low_thresholds, low_probabilities):  # type: ignore[no-untyped-def]
    """Weighted counts S = sum w_i B(p_i) on the integers: F, A, B, and F at the low thresholds.

    F = sum_j probabilities_j P(S >= thresholds_j) with thresholds ascending and positive; A and B are the
    sums over samples i of F with sample i fixed at one and at zero, so that F' = A - B and both rise in p.
    What has passed the last threshold is absorbed, what cannot reach the first is left alone. Index i stands for
    the sum top - 1 - i, for the reason given in ``counts.count_tail``.
    """
    top = max(thresholds[-1], low_thresholds[-1])
    Q, A, B = np.zeros(top), np.zeros(top), np.zeros(top)
    Q[top - 1] = 1.0
    absorbed_Q = absorbed_A = absorbed_B = 0.0
    remaining = w.sum()
    begin = top - 1  # index of the highest sum so far
    for j in range(p.size):
        x, passing = p[j], min(w[j], top)
        remaining -= w[j]
        passing_Q = block_sum(Q, begin, passing)
        absorbed_A += x * block_sum(A, begin, passing) + passing_Q + absorbed_Q
        absorbed_B += x * block_sum(B, begin, passing) + absorbed_Q
        absorbed_Q += x * passing_Q
        begin = max(begin - w[j], 0)
        add_sample(Q, A, B, (begin, top - max(0, thresholds[0] - remaining), top), x, w[j])
    cells = begin, top
    F = mixed_tail(Q, absorbed_Q, cells, thresholds, probabilities)
    FA = mixed_tail(A, absorbed_A, cells, thresholds, probabilities)
    FB = mixed_tail(B, absorbed_B, cells, thresholds, probabilities)
    return F, FA, FB, mixed_tail(Q, absorbed_Q, cells, low_thresholds, low_probabilities)


@compiled
def spread_tail(p, w, thresholds, probabilities):  # type: ignore[no-untyped-def]
    """An estimate, not a bound: real weights w in cells, each atom spread over two cells so that means are kept."""
    Q, _, highest = spread(p, w, 0.0)  # nothing is left out
    F = 0.0
    for j in range(thresholds.size):
        # Cell k stands for [k - 1/2, k + 1/2]: the tail from there, linear in between.
        at = thresholds[j] + 0.5
        k = int(np.floor(at))
        tail = 0.0
        for s in range(max(k + 1, 0), highest + 1):
            tail += Q[s]
        if 0 <= k <= highest:
            tail += Q[k] * (k + 1 - at)
        F += probabilities[j] * tail
    return F
