"""Tails of weighted counts at many points, against the law in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from provend._kernels.arithmetic.rounding import recurrence_error
from provend._kernels.tails.weighted_many import weighted_tails


def exactly(d: np.ndarray, w: np.ndarray, threshold: int, t: float) -> Fraction:
    """P(sum >= threshold), sums as a dictionary."""
    law = {0: Fraction(1)}
    for each, weight in zip(d.tolist(), w.tolist(), strict=True):
        p, after = min(Fraction(t) + Fraction(each), Fraction(1)), dict[int, Fraction]()
        for total, chance in law.items():
            after[total] = after.get(total, Fraction(0)) + chance * (1 - p)
            after[total + weight] = after.get(total + weight, Fraction(0)) + chance * p
        law = after
    return sum((chance for total, chance in law.items() if total >= threshold), Fraction(0))


@pytest.mark.parametrize("seed", range(60))
def test_tails_have_the_stated_relative_error(seed: int) -> None:
    """Odd and even numbers of samples, certain ones, thresholds that are met, out of reach, near either end."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9))
    w = rng.integers(1, 2 if seed % 5 == 0 else 12, size)
    d = rng.choice([0.0, 0.125, 0.3, 0.75, 1.0], size) * rng.choice([0.5, 1.0])
    thresholds = np.unique(rng.integers(-1, int(w.sum()) + 3, int(rng.integers(1, 4))))
    nodes = np.concatenate([rng.random(3) ** 4, [1 - d[0], 0.0, 1.0, 1 - 1e-9]])
    found, error = weighted_tails(d, w, thresholds, nodes), recurrence_error(size, int(w.sum()), thresholds.size)
    for t, row in zip(nodes.tolist(), found, strict=True):
        for threshold, tail in zip(thresholds.tolist(), row.tolist(), strict=True):
            exact = float(exactly(d, w, threshold, t))
            assert abs(tail - exact) <= error * exact
