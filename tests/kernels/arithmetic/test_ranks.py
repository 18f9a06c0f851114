"""Ranks and weights by rank as machine code, against numpy."""

import numpy as np
import pytest

from provend._kernels.arithmetic.ranks import ranks_along, reached


def test_ranks_are_the_inverse_of_an_order() -> None:
    rng = np.random.default_rng(0)
    nearest, along = (rng.permuted(np.tile(np.arange(30), (5, 1)), axis=1) for _ in range(2))
    found = ranks_along(nearest, along)
    assert np.array_equal(np.take_along_axis(nearest, found, axis=1), along)
    for_all = ranks_along(nearest, np.broadcast_to(along[0], along.shape))
    assert np.array_equal(for_all[0], found[0])
    assert np.array_equal(np.take_along_axis(nearest, for_all, axis=1), np.tile(along[0], (5, 1)))


@pytest.mark.parametrize("needed", [-1, 0, 1, 7, 20, 21, 500])
def test_how_many_it_takes(needed: int) -> None:
    """Sums of the weights one after the other; ranks without a weight count for nothing."""
    rng = np.random.default_rng(1)
    ranks = rng.permuted(np.tile(np.arange(12), (6, 1)), axis=1)
    weights = np.array([5, 4, 0, 4, 3, 2, 2])
    sums = np.cumsum(np.append(weights, np.zeros(5, np.int64))[ranks], axis=1)
    expected = [0 if needed <= 0 else 1 + int((row < needed).sum()) for row in sums]
    assert reached(ranks, weights, needed).tolist() == expected
