"""Random designs, critical ratios and weights for tests that try many of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

RATIOS = ["0.9", "0.5", "0.1", "1/3", "2/3", "0.07", "0.29", "0.55", "0.8", "3/4", "0.95", "5/6", "0.37", "0.99"]


def a_ratio(rng: np.random.Generator, n: int) -> Fraction:
    """Often k / n, where q n is an integer and floats may err."""
    if n > 1 and rng.random() < 0.3:
        return Fraction(int(rng.integers(1, n)), n)
    return Fraction(str(rng.choice(RATIOS)))


def a_design(rng: np.random.Generator, n: int) -> np.ndarray:
    """Dissimilarities of every kind: zeros, repeated, above 1, with kinks inside, rounded and not, unsorted."""
    kind = rng.integers(8)
    if kind == 0:
        d = rng.random(n) * rng.choice([1e-3, 0.05, 0.3, 1.0])
    elif kind == 1:
        d = np.full(n, round(float(rng.random()) * float(rng.choice([0.2, 1.0])), 2))
    elif kind == 2:
        d = np.arange(1, n + 1) * float(rng.choice([0.001, 0.02, 0.1, 0.3]))
    elif kind == 3:
        d = rng.choice([0.0, 0.1, 0.2, 0.5, 1.0, 1.7], n)
    elif kind == 4:
        d = np.round(rng.random(n) * 0.4, 1)
    elif kind == 5:
        d = np.where(rng.random(n) < 0.5, 0.0, rng.random(n))
    elif kind == 6:
        d = rng.beta(0.3, 0.5, n)
    else:
        d = np.round(0.2 + 0.6 * rng.random(n), 2)
    return rng.permutation(d)


def some_weights(rng: np.random.Generator, n: int) -> list[object]:
    """Integers, fractions or short decimals, with zeros, but never all zero."""
    while True:
        kind = rng.integers(4)
        if kind == 0:
            w: list[object] = [int(x) for x in rng.integers(0, 6, n)]
        elif kind == 1:
            w = [Fraction(int(x), int(y)) for x, y in zip(rng.integers(0, 9, n), rng.integers(1, 9, n), strict=True)]
        elif kind == 2:
            w = [round(float(x), 3) for x in rng.random(n)]
        else:
            w = [float(x) for x in rng.choice([0.1, 0.2, 0.3, 0.7], n)]
        if any(w):
            return w
