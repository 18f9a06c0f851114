"""Tails of weighted counts at many points, without their slopes, as machine code. Import only when it runs.

Samples come in two halves: the law of the one sum and the tails of the other, each over half the samples and with
few cells while few samples have entered, give the tails of both together. All terms are positive.
"""

import numpy as np

from provend._kernels.arithmetic.jit import compiled, fused
from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import NEAR_ONE
from provend._kernels.arithmetic.sums import block_product, block_sum
from provend._kernels.tails.counts import PIECE


@fused
def _enter(before, after, chances, w, pad, reached):  # type: ignore[no-untyped-def]
    """Let samples enter in pairs, ``chances`` those of moving up by w and of staying: all cells after that.

    Entry pad + i of ``before`` is cell i; entries below are constants, so that all cells come from somewhere, and
    cells from ``reached`` on are equal so far. Two arrays take turns: only then is the loop vectorised. Where a first
    cell has been ``reached``, what passes the last one is added up.
    """
    passed, end, counted = 0.0, before.size, reached > 0
    for j in range(0, w.size, 2):
        x1, y1, first = chances[j, 0], chances[j, 1], w[j]
        x2, y2, second = (chances[j + 1, 0], chances[j + 1, 1], w[j + 1]) if j + 1 < w.size else (0.0, 1.0, 0)
        if counted and pad + reached + first + second > end:
            with_second = y1 * block_sum(before, max(end - second, 0), end)
            with_both = x1 * block_sum(before, max(end - first - second, 0), max(end - first, 0))
            passed += x1 * block_sum(before, max(end - first, 0), end) + x2 * (with_second + with_both)
        reached = min(reached + first + second, end - pad)
        none, one, other, both = y1 * y2, x1 * y2, y1 * x2, x1 * x2
        q0, q1 = before[pad : pad + reached], before[pad - first : pad - first + reached]
        q2, q12 = before[pad - second : pad - second + reached], before[pad - first - second :]
        filled = after[pad : pad + reached]
        for i in range(filled.size):
            filled[i] = q0[i] * none + q1[i] * one + q2[i] * other + q12[i] * both
        before, after = after, before
    return before[pad:], passed


@compiled
def _law(before, after, chances, w, pad):  # type: ignore[no-untyped-def]
    """P(sum = i) for the cells i, and the probability of all sums beyond; entries below the cells are 0."""
    before[pad:] = after[pad:] = 0.0
    before[pad] = 1.0
    return _enter(before, after, chances, w, pad, 1)


@compiled
def _distribution(before, after, chances, w, pad):  # type: ignore[no-untyped-def]
    """P(sum > i) for the cells i if entries below the cells are 1, P(sum <= i) if they are 0."""
    before[pad:] = after[pad:] = 1.0 - before[0]
    return _enter(before, after, chances, w, pad, 0)[0]


@compiled
def _free(d, w, t, chances, weights):  # type: ignore[no-untyped-def]
    """Fill in the samples below probability 1: how many they are, their total weight, and that of the others."""
    size, total, certain = 0, 0, 0
    for i in range(d.size):
        x = t + d[i]
        if x >= 1 - NEAR_ONE:
            certain += w[i]
            continue
        chances[size, 0], chances[size, 1], weights[size] = x, 1.0 - x, w[i]
        total += w[i]
        size += 1
    return size, total, certain


@compiled
def _tails(d, w, thresholds, nodes):  # type: ignore[no-untyped-def]
    """Row by row the tails at one node; a sample that has reached probability 1 lowers the thresholds instead.

    Either ones are counted up to the last threshold or zeros up to what the first one allows, whichever is less.
    """
    half, tails, pad = (d.size + 1) // 2, np.ones(thresholds.shape), 2 * w.max()
    room, chances = np.zeros((4, pad + max(thresholds.max(), 0))), np.empty((d.size, 2))
    free = np.empty(d.size, np.int64)
    for node in range(nodes.size):
        one, first_total, certain = _free(d[:half], w[:half], nodes[node], chances, free)
        other, total, also = _free(d[half:], w[half:], nodes[node], chances[one:], free[one:])
        total, certain, size, asked = total + first_total, certain + also, one + other, thresholds[node]
        met = np.searchsorted(asked, certain, "right")
        if met == asked.size:
            continue
        last, zeros = asked[-1] - certain, total - (asked[met] - certain) + 1  # as many fail all thresholds
        if zeros <= 0:
            tails[node, met:] = 0.0
            continue
        chosen, below, end = (
            (chances[:size, ::-1], 0.0, pad + zeros) if zeros < last else (chances[:size], 1.0, pad + last)
        )
        if room[2, 0] != below:
            room[2:, :pad] = below
        law, passed = _law(room[0, :end], room[1, :end], chosen[:one], free[:one], pad)
        others = _distribution(room[2, :end], room[3, :end], chosen[one:], free[one:size], pad)
        for j in range(met, asked.size):
            if j > met and asked[j] == asked[j - 1]:
                tails[node, j] = tails[node, j - 1]
            elif zeros < last:  # at most this many zeros
                most = max(zeros - (asked[j] - asked[met]), 0)
                tails[node, j] = block_product(law[:most], others[:most])
            else:
                needed = asked[j] - certain
                beyond = passed + block_sum(law, needed, last)
                tails[node, j] = beyond + block_product(law[:needed], others[:needed])
    return tails


def weighted_tails(d: Floats, w: Integers, thresholds: Integers, nodes: Floats) -> Floats:
    """Row t, entry j: P(sum w_i B(min(1, t + d_i)) >= thresholds_j), weights positive and thresholds ascending.

    A matrix of thresholds has a row for every node.
    """
    if w.size == 0:
        return np.array(np.broadcast_to(thresholds <= 0, (nodes.size, thresholds.shape[-1])), np.float64)
    lightest_first = np.argsort(w, kind="stable")
    halves = np.concatenate([lightest_first[::2], lightest_first[1::2]])
    d, w = d[halves], w[halves]
    rows = np.ascontiguousarray(np.broadcast_to(thresholds, (nodes.size, thresholds.shape[-1])))
    at_once = max(PIECE // max(d.size * int(thresholds.max()), 1), 1)
    slices = [slice(i, i + at_once) for i in range(0, nodes.size, at_once)]
    return np.concatenate([_tails(d, w, rows[part], nodes[part]) for part in slices])
