"""Tails of weighted counts at many points, against the law in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from provend._kernels.arithmetic.rounding import recurrence_error
from provend._kernels.tails.weighted_many import weighted_tails
from weighted_laws import tail_of


def exactly(d: np.ndarray, w: np.ndarray, threshold: int, t: float) -> Fraction:
    """P(sum >= threshold)."""
    return tail_of([min(Fraction(t) + Fraction(each), Fraction(1)) for each in d.tolist()], w, threshold)


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


def test_every_node_may_have_its_own_thresholds() -> None:
    rng = np.random.default_rng(1)
    d, w, nodes = rng.random(7) * 0.4, rng.integers(1, 9, 7), rng.random(5)
    thresholds = np.sort(rng.integers(0, int(w.sum()) + 2, (5, 3)), axis=1)
    found = weighted_tails(d, w, thresholds, nodes)
    for row, asked, t in zip(found, thresholds, nodes, strict=True):
        assert np.array_equal(row, weighted_tails(d, w, asked, np.array([t]))[0])
