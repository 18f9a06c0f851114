"""The local maxima of a grid from which climbs start."""

from __future__ import annotations

import numpy as np
import pytest

from provend._kernels.game.lattice_game import peaks


@pytest.mark.parametrize("seed", range(5))
def test_peaks_are_the_highest_local_maxima(seed: int) -> None:
    values = np.random.default_rng(seed).random((9, 5))
    padded = np.pad(values, 1, constant_values=-1.0)
    around = np.max([padded[i : i + 9, j : j + 5] for i in range(3) for j in range(3)], axis=0)
    every = sorted(map(tuple, np.argwhere(values == around).tolist()), key=lambda at: -values[at])
    assert len(every) > 2
    assert peaks(values, 45, 0.0) == every
    assert peaks(values, 2, 0.0) == every[:2]
    assert peaks(values, 45, 0.9) == [at for at in every if values[at] > 0.9 * values.max()]


def test_what_was_skipped_is_no_peak() -> None:
    assert peaks(np.array([[0.0, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), 3, 0.5) == [(1, 1)]
