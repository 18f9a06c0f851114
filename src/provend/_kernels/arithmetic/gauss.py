"""Integrals over [0, 1] of functions that are polynomials between kinks, by sums with positive weights.

Gauss-Legendre with N nodes is exact up to degree 2 N - 1. Far fewer suffice: a probability that moves with m samples
grows slowly into the complex plane, and N nodes on a piece of width w miss at most ``MISSED`` times w as long as
m w <= reach(N), which is about N^2 / 15. The proof is on the docs' page on rounding.
"""

from functools import cache

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import MISSED

MOST_NODES = 128  # of one rule; each rule is computed only once
LONGEST = 1000.0  # m w beyond which a piece of high degree is cut


def pieces(d: Floats) -> tuple[Floats, Integers]:
    """Edges of the pieces between the kinks 1 - d, and on each piece the number of samples that move."""
    kinks = np.sort(1 - d)
    edges = np.unique(np.concatenate([[0.0], kinks[(kinks > 0) & (kinks < 1)], [1.0]]))
    return edges, kinks.size - np.searchsorted(kinks, edges[:-1], "right")


def nodes_and_weights(edges: Floats, degrees: Integers, missed: float = MISSED) -> tuple[Floats, Floats]:
    """The points at which to evaluate, and the weight of each value; what is ``missed`` is relative to the width."""
    left, width, degree = _short_pieces(edges, degrees)
    count = np.minimum(degree // 2 + 1, np.searchsorted(reach(missed), degree * width) + 2)
    nodes, weights = [], []
    for N in np.unique(count).tolist():
        x, w = legendre(N)
        here = count == N
        nodes.append((left[here, None] + width[here, None] * x).ravel())
        weights.append((width[here, None] * w).ravel())
    return np.concatenate(nodes), np.concatenate(weights)


def _short_pieces(edges: Floats, degrees: Integers) -> tuple[Floats, Floats, Integers]:
    """Left ends, widths and degrees of the pieces, those that would take too many nodes being cut into equal parts."""
    left, width = edges[:-1], np.diff(edges)
    parts = np.where(degrees < 2 * MOST_NODES, 1, np.ceil(degrees * width / LONGEST)).astype(np.int64)
    part = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    width = width / parts
    return np.repeat(left, parts) + part * np.repeat(width, parts), np.repeat(width, parts), np.repeat(degrees, parts)


@cache
def legendre(N: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(N)
    return (x + 1) / 2, w / 2


@cache
def reach(missed: float = MISSED) -> Floats:
    """For N = 2, 3, ... nodes: the largest m w at which they miss no more than that.

    On the ellipse around the piece whose half-axes, in half-widths, add up to rho, |f| <= exp(m w (a - 1)) with
    a = (rho + 1 / rho) / 2; the error is at most (64 / 15) max|f| rho^(-2 N) / (1 - rho^-2) half-widths.
    """
    N, rho = np.arange(2, MOST_NODES + 1)[:, None], np.geomspace(1.1, 1e6, 800)
    spare = 2 * N * np.log(rho) + np.log1p(-(rho**-2.0)) + np.log(missed * 15 / 32)
    most: Floats = np.maximum((spare / ((rho + 1 / rho) / 2 - 1)).max(axis=1), 0.0)
    return most
