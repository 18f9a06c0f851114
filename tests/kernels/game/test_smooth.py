"""Sums described by four cumulants, against their exact laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from provend._kernels.game.lattice_game import estimate
from provend._kernels.game.smooth_game import (
    balanced,
    beyond,
    cumulants,
    dearest,
    roughness,
    smooth_estimate,
    told_apart,
)
from provend._kernels.tails.laws import lattice_law


def a_sum(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Contexts at ascending dissimilarities, and weights that fall with them."""
    rng = np.random.default_rng(seed)
    d = np.sort(rng.random(int(rng.integers(60, 300)))) * 0.2
    return d, np.rint(24 * (1 - d / 0.25)).astype(np.int64)


def law_of(t: float, d: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The masses of the sums from 0 on."""
    masses, start = lattice_law(np.minimum(t + d, 1.0), k)
    return np.concatenate([np.zeros(start), masses])


@pytest.mark.parametrize("seed", range(5))
def test_cumulants_are_those_of_the_law(seed: int) -> None:
    d, k = a_sum(seed)
    for t, found in zip([0.05, 0.9], cumulants(np.array([0.05, 0.9]), d, k), strict=True):
        law = law_of(t, d, k)
        s = np.arange(law.size)
        mean = law @ s
        second, third, fourth = (law @ (s - mean) ** power for power in (2, 3, 4))
        assert found == pytest.approx([mean, second, third, fourth - 3 * second**2], rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_tails_are_close_to_exact_ones(seed: int) -> None:
    d, k = a_sum(seed)
    (one,) = cumulants(np.array([0.05]), d, k)
    exact = 1 - np.cumsum(law_of(0.05, d, k))
    for s in np.linspace(0, exact.size - 1, 50).astype(int).tolist():
        assert beyond(s + 0.5, tuple(one)) == pytest.approx(exact[s], abs=2e-3)


def test_a_sum_that_is_certain_has_a_sharp_tail() -> None:
    assert (beyond(3.5, (4.0, 0.0, 0.0, 0.0)), beyond(4.5, (4.0, 0.0, 0.0, 0.0))) == (1.0, 0.0)
    assert (beyond(1e9, (4.0, 1.0, 0.0, 0.0)), beyond(-1e9, (4.0, 1.0, 0.0, 0.0))) == (0.0, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_estimates_without_cells_are_close_to_those_with_many(seed: int) -> None:
    d, _ = a_sum(seed)
    for a, b in ((0.03, 0.1), (0.06, 0.06), (0.09, 0.2)):
        assert smooth_estimate(a, b, 0.1, d) == pytest.approx(estimate(a, b, 0.1, d, 100.0), rel=0.02, abs=1e-4)
        assert estimate(a, b, 0.1, d, 0.0) == smooth_estimate(a, b, 0.1, d)


@pytest.mark.parametrize(("a", "b"), [(0.02, 0.03), (0.01, 0.02)])
@pytest.mark.parametrize("size", [65, 127, 129, 365, 1000])
def test_of_many_contexts_some_stand_for_their_neighbours(size: int, a: float, b: float) -> None:
    """The estimate is that of the cumulants of all of them, at the threshold at which both hypotheses cost the same."""
    d, c = np.sort(np.random.default_rng(size).random(size)) * 0.05, 0.1
    low, high = c - a + d[d < (a + b) / 2], c + b - d[d < (a + b) / 2]
    w = np.log(high / (1 - high)) - np.log(low / (1 - low))
    laws = [tuple(sum_of(p, w)) for p in (low, high)]
    s = brentq(lambda s: a * beyond(s, laws[0]) - b * (1 - beyond(s, laws[1])), laws[0][0] - 5, laws[1][0] + 5)
    assert smooth_estimate(a, b, c, d) == pytest.approx(a * beyond(s, laws[0]), rel=2e-3)


def sum_of(p: np.ndarray, w: np.ndarray) -> list[float]:
    """The cumulants of a weighted sum of Bernoulli variables."""
    z = p * (1 - p)
    terms = (w * p, w**2 * z, w**3 * z * (1 - 2 * p), w**4 * z * (1 - 6 * z))
    return [float(term.sum()) for term in terms]


def test_without_contexts_that_count_a_prior_costs_what_it_costs_without_data() -> None:
    assert smooth_estimate(0.05, 0.1, 0.1, np.array([0.3])) == pytest.approx(0.05 * 0.1 / 0.15)


def test_the_balanced_level_is_where_the_dearer_side_changes() -> None:
    d, k = a_sum(1)
    low, high = ((t, cumulants(t, d, k)) for t in (np.linspace(0, 0.1, 20), np.linspace(0, 0.9, 20)))
    total = int(k.sum())
    level, here, after = balanced(total, 0.1, low, high)
    for at, costs in ((level, here), (level + 1, after)):
        assert costs == (dearest(at + 1, 0.1, *low), dearest(total - at, 0.9, *high))
    assert here[0] > here[1]
    assert after[0] <= after[1]


def test_how_far_worlds_are_told_apart() -> None:
    d, x = np.array([[0.3, 0.0, np.inf], [0.1, 0.5, 0.2]]), np.array([0.05, 0.2, 0.5])
    expected = [[sum(max(one - z, 0.0) ** 2 for z in row) for one in x] for row in d]
    assert told_apart(d, x) == pytest.approx(np.array(expected), rel=1e-14)


@pytest.mark.parametrize("k", [[24] * 150, [24] * 75 + [12] * 75, [23] * 75 + [24] * 75, [*range(1, 25)] * 6])
def test_roughness_is_seen_in_the_spectrum_of_the_law(k: list[int]) -> None:
    """It bounds the largest wave beyond the slowest, which is large where sums come in clumps."""
    weights = np.sort(np.array(k))
    p = np.full(weights.size, 0.1)
    law, _ = lattice_law(p, weights)
    spread = float(np.sqrt((p * (1 - p)) @ weights**2))
    size = 1 << 15
    waves = np.abs(np.fft.rfft(law, size))
    largest = waves[2 * np.pi * np.arange(waves.size) / size >= 3.5 / spread].max()
    variance, found = roughness(p, weights, 3.5, 0.2)
    assert variance == pytest.approx(spread**2)
    assert found >= largest * 0.97
    assert (found > 0.1) == (largest > 0.1)
