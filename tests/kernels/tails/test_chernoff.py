"""Chernoff's bounds: against tails in fractions and means in mpmath."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from provend._kernels.tails.chernoff import GENTLE, log_means, unlikely_until
from weighted_laws import tail_of


@pytest.mark.parametrize("seed", range(40))
def test_what_is_called_unlikely_is(seed: int) -> None:
    """Ones and zeros, heavy samples and certain ones, chances large and tiny; and not much further it is no more."""
    rng = np.random.default_rng(seed)
    w = rng.integers(1, 2 if seed % 4 == 0 else 30, int(rng.integers(1, 10)))
    d = rng.choice([0.0, 0.0625, 0.25, 1.0], w.size) * (1 if seed % 2 else -1)
    threshold, chance = int(rng.integers(1, w.sum() + 1)), 10.0 ** -float(rng.choice([1, 4, 13]))
    until = unlikely_until(d, w, threshold, chance)

    def tail(t: float) -> Fraction:
        return tail_of(
            [min(max(Fraction(t) + Fraction(x), Fraction(0)), Fraction(1)) for x in d.tolist()], w, threshold
        )

    assert until == 0 or tail(until) <= chance
    beyond = min(until + 0.25, 1.0)
    assert beyond == 1 or tail(beyond) > chance or tail(1.0) <= chance * 1e3


@pytest.mark.parametrize("seed", range(20))
def test_logarithms_of_means_are_rounded_up_and_hardly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 7, 200, 300]))
    d, x = rng.choice([0.0, 1e-9, 0.3, 1.0], n), (2 * rng.random((n, 3)) - 1) * GENTLE
    nodes = np.array([0.0, 1e-12, 0.7, 1 - 1e-12, 1.0])
    found = log_means(d, x, nodes)
    with mpmath.workdps(40):
        for t, row in zip(nodes.tolist(), found.tolist(), strict=True):
            p = [min(mpmath.mpf(t) + mpmath.mpf(each), 1) for each in d.tolist()]
            for k, log_mean in enumerate(row):
                factors = (1 + q * mpmath.expm1(mpmath.mpf(y)) for q, y in zip(p, x[:, k].tolist(), strict=True))
                exact = mpmath.fsum(map(mpmath.log, factors))
                assert exact <= log_mean <= exact + 1e-6
