"""Quantiles, to the last bit those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from provend.levels._quantiles import quantiles


@pytest.mark.parametrize("seed", range(20))
def test_quantiles_are_those_of_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for size in (1, 2, 3, 8, 64, 65, 365, 1000):
        for values in (rng.normal(size=size), rng.poisson(3, size) * 1.0, rng.lognormal(0, 5, size)):
            for at in (np.array([0.25, 0.75]), np.arange(1, 64) / 64, np.array([0.0, 1.0])):
                assert quantiles(values, at).tobytes() == np.quantile(values, at).tobytes()
