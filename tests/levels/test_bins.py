"""Bins of features, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from provend._kernels.trees import BINS
from provend.levels._bins import binned, edges_of

Floats = NDArray[np.float64]


def plainly(column: Floats) -> Floats:
    """Middles of distinct values if they are few, else the distinct ones among evenly spaced quantiles."""
    distinct = np.unique(column)
    if distinct.size <= BINS:
        return (distinct[1:] + distinct[:-1]) / 2
    return np.unique(np.quantile(column, np.arange(1, BINS) / BINS))


def features(rows: int, seed: int) -> Floats:
    """Numbers that all differ, counts of few and of many values, a flag, and a feature with one value."""
    rng = np.random.default_rng(seed)
    counts = [np.rint(rng.normal(size=rows) * width) / 7 for width in (0.5, 10, 30, 100)]
    return np.column_stack([rng.normal(size=rows), *counts, rng.random(rows) < 0.3, np.ones(rows)])


@pytest.mark.parametrize("rows", [1, 2, 40, BINS, BINS + 1, BINS + 2, 365, 2000])
@pytest.mark.parametrize("seed", range(4))
def test_against_numpy(rows: int, seed: int) -> None:
    matrix = features(rows, seed)
    edges = edges_of(matrix)
    ahead = np.vstack([matrix, features(50, seed + 10), np.full((1, matrix.shape[1]), 1e300), -matrix[:1]])
    found = binned(ahead, edges)
    for at, column in enumerate(matrix.T):
        expected = plainly(column)
        assert edges[at, : expected.size] == pytest.approx(expected, rel=1e-12, abs=1e-15)
        assert np.isinf(edges[at, expected.size :]).all()
        assert found[at].tolist() == np.searchsorted(edges[at, : expected.size], ahead[:, at]).tolist()
