"""Weighted counts on the part of the lattice that holds mass, as machine code. Import only when one of them runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.sums import block_sum

FORGOTTEN = 1e-20  # mass of a cell at either end of the band that is left out, and counted
UP = 1.0 + 1e-6  # more than the roundings in what is counted


@compiled
def banded_tail(p, w, thresholds, probabilities, low_thresholds, low_probabilities):  # type: ignore[no-untyped-def]
    """``weighted.lattice_tail`` from below, with what F, A and B lack at most; the low F comes last.

    Index i stands for the sum top - 1 - i; outside begin..last all is zero. What passes the last threshold is
    absorbed, what cannot reach the first is dropped for good reason, what is forgotten is missing. A and B are sums
    over samples of conditional laws, so each sample adds what is missing from Q to what is missing from them.
    """
    top = max(thresholds[-1], low_thresholds[-1])
    Q, A, B = np.zeros(top), np.zeros(top), np.zeros(top)
    Q[top - 1] = 1.0
    absorbed_Q = absorbed_A = absorbed_B = 0.0
    missing_Q = missing_A = missing_B = 0.0
    remaining = w.sum()
    begin = last = top - 1
    little = FORGOTTEN * p.size
    for j in range(p.size):
        x = p[j]
        y = 1.0 - x
        step = np.uint64(w[j])
        remaining -= w[j]
        passing = min(w[j], last + 1)
        passing_Q = block_sum(Q, begin, passing)
        passing_A = block_sum(A, begin, passing)
        passing_B = block_sum(B, begin, passing)
        absorbed_A += x * passing_A + passing_Q + absorbed_Q
        absorbed_B += x * passing_B + absorbed_Q
        absorbed_Q += x * passing_Q
        missing_A += missing_Q
        missing_B += missing_Q
        begin = max(begin - w[j], 0)
        shifted = max(begin, min(last + 1, last + 1 - w[j]))  # from here on a sum has nothing below it to come from
        for i in range(np.uint64(begin), np.uint64(shifted)):
            q = Q[i]
            q_below = Q[i + step]
            A[i] = A[i] * y + A[i + step] * x + q_below
            B[i] = B[i] * y + B[i + step] * x + q
            Q[i] = q * y + q_below * x
        for i in range(np.uint64(shifted), np.uint64(last + 1)):
            q = Q[i]
            A[i] *= y
            B[i] = B[i] * y + q
            Q[i] = q * y
        reachable = top - max(0, thresholds[0] - remaining)
        while last >= reachable and last > begin:
            Q[last] = A[last] = B[last] = 0.0
            last -= 1
        while begin < last and Q[begin] < FORGOTTEN and A[begin] < little and B[begin] < little:
            missing_Q, missing_A, missing_B = missing_Q + Q[begin], missing_A + A[begin], missing_B + B[begin]
            Q[begin] = A[begin] = B[begin] = 0.0
            begin += 1
        while begin < last and Q[last] < FORGOTTEN and A[last] < little and B[last] < little:
            missing_Q, missing_A, missing_B = missing_Q + Q[last], missing_A + A[last], missing_B + B[last]
            Q[last] = A[last] = B[last] = 0.0
            last -= 1
    F = FA = FB = low = 0.0
    for j in range(thresholds.size):
        end = min(top - thresholds[j], last + 1)
        F += probabilities[j] * (absorbed_Q + block_sum(Q, begin, end))
        FA += probabilities[j] * (absorbed_A + block_sum(A, begin, end))
        FB += probabilities[j] * (absorbed_B + block_sum(B, begin, end))
    for j in range(low_thresholds.size):
        end = min(top - low_thresholds[j], last + 1)
        low += low_probabilities[j] * (absorbed_Q + block_sum(Q, begin, end))
    return F, FA, FB, missing_Q * UP, missing_A * UP, missing_B * UP, low
