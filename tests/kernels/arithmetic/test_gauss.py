"""The rules that integrate between kinks: nodes, weights, and what few nodes leave out."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest

from provend._kernels.arithmetic import gauss
from provend._kernels.arithmetic.rounding import MISSED, NODE, RULE


@cache
def rule(N: int) -> tuple[list[mpmath.mpf], list[mpmath.mpf]]:
    """Nodes and weights on [-1, 1] to 60 digits: Newton's method from where the floats are, from 15 digits to 120.

    They are symmetric, and only one half is computed; the floats are compared with both.
    """
    nodes, weights = [], []
    with mpmath.workdps(60):
        for node in gauss.legendre(N)[0].tolist()[: N // 2]:
            z = mpmath.mpf(2 * node - 1)
            for _ in range(3):
                P, slope = legendre(N, z)
                z -= P / slope
            nodes.append(z)
            weights.append(2 / ((1 - z * z) * legendre(N, z)[1] ** 2))
        middle = [mpmath.mpf(0)] * (N % 2)
        centre = [2 / legendre(N, z)[1] ** 2 for z in middle]
        return nodes + middle + [-z for z in reversed(nodes)], weights + centre + weights[::-1]


def legendre(N: int, z: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The polynomial and its derivative, by the three-term recurrence."""
    before, P = mpmath.mpf(1), z
    for k in range(2, N + 1):
        before, P = P, ((2 * k - 1) * z * P - (k - 1) * before) / k
    return P, N * (before - z * P) / (1 - z * z)


@pytest.mark.parametrize("N", [1, 2, 3, 10, 37, 64, 127, 128])
def test_nodes_and_weights_are_as_accurate_as_stated(N: int) -> None:
    x, w = gauss.legendre(N)
    with mpmath.workdps(60):
        nodes, weights = rule(N)
        assert max(abs((z + 1) / 2 - mpmath.mpf(node)) for z, node in zip(nodes, x.tolist(), strict=True)) < NODE / 2
        missed = sum(abs(exact / 2 - mpmath.mpf(weight)) for exact, weight in zip(weights, w.tolist(), strict=True))
    assert missed < RULE / 2


@pytest.mark.parametrize("N", [2, 3, 5, 8, 13, 21, 34, 55, 128])
def test_few_nodes_miss_no_more_than_stated(N: int) -> None:
    """All of m samples zero, m large: (1 - t)^m is exp(-m t), on a piece of width w; and not twenty times further."""
    with mpmath.workdps(60):
        nodes, weights = rule(N)
        for factor, enough in ((1, True), (20, False)):
            moved = mpmath.mpf(float(gauss.reach()[N - 2])) * factor
            summed = sum(w * mpmath.exp(-moved * (1 + z) / 2) for w, z in zip(weights, nodes, strict=True)) / 2
            assert (abs(summed - (1 - mpmath.exp(-moved)) / moved) <= MISSED) is enough


def test_reach_grows_with_the_nodes() -> None:
    assert (np.diff(gauss.reach()) > 0).all()


def test_pieces_end_at_the_kinks() -> None:
    edges, degrees = gauss.pieces(np.array([0.25, 0.5, 0.25, 1.0, 0.0]))
    assert edges.tolist() == [0, 0.5, 0.75, 1]
    assert degrees.tolist() == [4, 3, 1]
    assert gauss.pieces(np.ones(3))[0].tolist() == [0, 1]


@pytest.mark.parametrize("n", [3, 40, 300, 700])
def test_polynomials_of_any_degree(n: int) -> None:
    edges, degrees = np.array([0.0, 0.3, 1.0]), np.array([n, n])
    nodes, weights = gauss.nodes_and_weights(edges, degrees)
    assert weights.sum() == pytest.approx(1, abs=1e-13)
    assert weights @ nodes**n == pytest.approx(1 / (n + 1), rel=1e-11)
    assert nodes.size < 2.2 * n + 20
