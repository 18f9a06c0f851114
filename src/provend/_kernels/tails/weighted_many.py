"""Tails of weighted counts at many points, without their slopes, as machine code. Import only when it runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import NEAR_ONE
from provend._kernels.arithmetic.sums import block_sum
from provend._kernels.tails.counts import PIECE


@compiled
def _fill(laws, chances, w, pad, top):  # type: ignore[no-untyped-def]
    """Let samples enter in pairs, ``chances`` those of one and of zero: the law below ``top``, and what passed it.

    Entry pad + i of a law is that of the sum i; below are zeros, so that all sums come from somewhere. Two laws take
    turns: only then is the loop vectorised.
    """
    laws[:, : pad + top] = 0.0
    before, after = laws[0], laws[1]
    before[pad] = 1.0
    passed, reached, end = 0.0, 1, pad + top
    for j in range(0, w.size, 2):
        x1, y1, first = chances[j, 0], chances[j, 1], w[j]
        x2, y2, second = (chances[j + 1, 0], chances[j + 1, 1], w[j + 1]) if j + 1 < w.size else (0.0, 1.0, 0)
        if pad + reached + first + second > end:
            with_second = y1 * block_sum(before, max(end - second, 0), end)
            with_both = x1 * block_sum(before, max(end - first - second, 0), max(end - first, 0))
            passed += x1 * block_sum(before, max(end - first, 0), end) + x2 * (with_second + with_both)
        reached = min(reached + first + second, top)
        none, one, other, both = y1 * y2, x1 * y2, y1 * x2, x1 * x2
        q0, q1 = before[pad : pad + reached], before[pad - first : pad - first + reached]
        q2, q12 = before[pad - second : pad - second + reached], before[pad - first - second :]
        filled = after[pad : pad + reached]
        for i in range(filled.size):
            filled[i] = q0[i] * none + q1[i] * one + q2[i] * other + q12[i] * both
        before, after = after, before
    return before[pad : pad + top], passed


@compiled
def _tails(d, w, thresholds, nodes):  # type: ignore[no-untyped-def]
    """Row by row the tails at one node; a sample that has reached probability 1 lowers the thresholds instead.

    Either ones are counted up to the last threshold or zeros up to what the first one allows, whichever is less: both
    ways add positive numbers only.
    """
    tails, pad = np.ones((nodes.size, thresholds.size)), 2 * w.max()
    laws, chances, free = np.empty((2, pad + max(thresholds[-1], 0))), np.empty((d.size, 2)), np.empty(d.size, np.int64)
    for node in range(nodes.size):
        size, certain, total = 0, 0, 0
        for i in range(d.size):
            x = nodes[node] + d[i]
            if x >= 1 - NEAR_ONE:
                certain += w[i]
                continue
            chances[size, 0], chances[size, 1], free[size] = x, 1.0 - x, w[i]
            total += w[i]
            size += 1
        met = np.searchsorted(thresholds, certain, "right")
        if met == thresholds.size:
            continue
        last, zeros = thresholds[-1] - certain, total - (thresholds[met] - certain) + 1  # as many fail all thresholds
        if zeros <= 0:
            tails[node, met:] = 0.0
        elif zeros < last:
            law, _ = _fill(laws, chances[:size, ::-1], free[:size], pad, zeros)
            for j in range(met, thresholds.size):
                tails[node, j] = block_sum(law, 0, zeros - (thresholds[j] - thresholds[met]))
        else:
            law, passed = _fill(laws, chances[:size], free[:size], pad, last)
            for j in range(met, thresholds.size):
                tails[node, j] = passed + block_sum(law, thresholds[j] - certain, last)
    return tails


def weighted_tails(d: Floats, w: Integers, thresholds: Integers, nodes: Floats) -> Floats:
    """Row t, entry j: P(sum w_i B(min(1, t + d_i)) >= thresholds_j), weights positive and thresholds ascending."""
    heaviest_first = np.argsort(-w, kind="stable")
    d, w = d[heaviest_first], w[heaviest_first]
    at_once = max(PIECE // max(d.size * int(thresholds[-1]), 1), 1)
    parts = [_tails(d, w, thresholds, nodes[i : i + at_once]) for i in range(0, nodes.size, at_once)]
    return np.concatenate(parts)
