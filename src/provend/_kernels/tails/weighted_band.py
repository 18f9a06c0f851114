"""Weighted counts on the part of the lattice that holds mass, as machine code. Import only when a function runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.sums import block_sum
from provend._kernels.tails.weighted import add_sample, mixed_tail

FORGOTTEN = 1e-20  # mass of a cell at either end of the band that is left out, and counted
UP = 1.0 + 1e-6  # covers the rounding errors of what is counted


@compiled
def forget(Q, A, B, at, missing):  # type: ignore[no-untyped-def]
    """Empty one cell; what is ``missing`` from the three grows by what it held."""
    less = missing[0] + Q[at], missing[1] + A[at], missing[2] + B[at]
    Q[at] = A[at] = B[at] = 0.0
    return less


@compiled
def trim(Q, A, B, cells, little, missing):  # type: ignore[no-untyped-def]
    """The first and the last cell worth keeping, and what is ``missing``; ``cells``: begin, last, first useless one."""
    begin, last, useless = cells
    while last >= useless and last > begin:
        Q[last] = A[last] = B[last] = 0.0
        last -= 1
    while begin < last and Q[begin] < FORGOTTEN and A[begin] < little and B[begin] < little:
        missing = forget(Q, A, B, begin, missing)
        begin += 1
    while begin < last and Q[last] < FORGOTTEN and A[last] < little and B[last] < little:
        missing = forget(Q, A, B, last, missing)
        last -= 1
    return begin, last, missing


@compiled
def banded_tail(p, w, thresholds, probabilities, low_thresholds, low_probabilities):  # type: ignore[no-untyped-def]
    """``weighted.lattice_tail`` from below, with the most that F, A and B lack; the low F comes last.

    Index i stands for the sum top - 1 - i; outside begin..last all is zero. What passes the last threshold is
    absorbed, what cannot reach the first is rightly dropped, what is forgotten counts as missing. A and B are sums
    over samples of conditional laws, so each sample adds what is missing from Q to what is missing from them.
    """
    top = max(thresholds[-1], low_thresholds[-1])
    Q, A, B = np.zeros(top), np.zeros(top), np.zeros(top)
    Q[top - 1] = 1.0
    absorbed_Q = absorbed_A = absorbed_B = 0.0
    missing = 0.0, 0.0, 0.0
    remaining = w.sum()
    begin = last = top - 1
    for j in range(p.size):
        x, passing = p[j], min(w[j], last + 1)
        remaining -= w[j]
        passing_Q = block_sum(Q, begin, passing)
        absorbed_A += x * block_sum(A, begin, passing) + passing_Q + absorbed_Q
        absorbed_B += x * block_sum(B, begin, passing) + absorbed_Q
        absorbed_Q += x * passing_Q
        missing = missing[0], missing[1] + missing[0], missing[2] + missing[0]
        begin = max(begin - w[j], 0)
        add_sample(Q, A, B, (begin, last + 1, last + 1), x, w[j])
        reachable = top - max(0, thresholds[0] - remaining)
        begin, last, missing = trim(Q, A, B, (begin, last, reachable), FORGOTTEN * p.size, missing)
    cells = begin, last + 1
    F = mixed_tail(Q, absorbed_Q, cells, thresholds, probabilities)
    FA = mixed_tail(A, absorbed_A, cells, thresholds, probabilities)
    FB = mixed_tail(B, absorbed_B, cells, thresholds, probabilities)
    low = mixed_tail(Q, absorbed_Q, cells, low_thresholds, low_probabilities)
    return F, FA, FB, missing[0] * UP, missing[1] * UP, missing[2] * UP, low
