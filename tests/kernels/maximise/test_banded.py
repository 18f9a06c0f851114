"""Weighted counts on a part of the lattice: what is left out is small, counted, and on the safe side."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from provend._kernels.maximise.banded import BandedTerm, banded_point
from provend._kernels.tails.lattice import lattice_point
from provend._kernels.tails.weighted_band import banded_tail
from provend.policies import Thresholds

ROUNDING = 1e-12


def a_count(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Dissimilarities, some equal and some at kinks, weights, thresholds with shares, and thresholds no lower."""
    d = np.round(rng.uniform(0, rng.choice([0.01, 0.3, 1]), n), int(rng.choice([1, 9])))
    w = rng.integers(1, rng.choice([2, 5, 60]), n).astype(np.int64)
    thresholds = np.sort(rng.integers(0, w.sum() + 2, 3))
    low = np.minimum(thresholds + rng.integers(0, 3), w.sum() + 1)
    return d, w, thresholds, rng.dirichlet(np.ones(3)), low


@pytest.mark.parametrize("seed", range(20))
def test_around_the_whole_lattice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for n in (1, 2, 7, 30, 150):
        count = a_count(rng, n)
        whole, banded = lattice_point(*count), banded_point(*count)
        for t in [0.0, 1e-6, 1 - count[0][0], *rng.random(3)]:
            exact, found = whole(t), banded(t)
            for name in ("f", "a_left", "b_left"):  # from above
                value = getattr(exact, name)
                assert value * (1 - ROUNDING) <= getattr(found, name) <= value * (1 + ROUNDING) + 1e-13 * n, name
            for name in ("low", "a_right", "b_right"):  # from below
                value = getattr(exact, name)
                assert value * (1 - ROUNDING) - 1e-13 * n <= getattr(found, name) <= value * (1 + ROUNDING), name


def test_what_is_missing_is_counted() -> None:
    """Masses add up: the count itself to 1, the conditional ones to the number of samples."""
    rng = np.random.default_rng(3)
    p, w = rng.uniform(0.1, 0.3, 2000), rng.integers(1, 9, 2000)
    beyond, never = np.array([1]), np.array([1.0])
    *found, _ = banded_tail(p, w, beyond, never, beyond, never)  # a threshold that any one meets: all is absorbed
    assert found[0] == pytest.approx(1)
    middle = np.array([int(p @ w)])
    F, A, B, missing, missing_A, missing_B, low = banded_tail(p, w, middle, never, middle, never)
    assert 0 < missing < 1e-14
    assert missing <= missing_A < 1e-10
    assert missing <= missing_B < 1e-10
    assert low == F
    assert A >= B > 0


def test_long_counts_use_it_and_agree() -> None:
    rng = np.random.default_rng(5)
    d, policy = rng.uniform(0, 0.1, 400), pv.WeightedERM(rng.integers(1, 400, 400))
    (form,) = policy.form(d, pv.Newsvendor(7, 3).critical_ratio)
    assert isinstance(form, Thresholds)
    (term,) = form.errs(d)[1]
    assert isinstance(term, BandedTerm)
    whole = lattice_point(term.d, term.w, *map(np.array, (term.thresholds, term.probabilities, term.thresholds)))
    g = pv.worst_case_regret(policy, d, q="0.7")
    assert g.gap <= 1e-9
    assert g.worst_case.side == "high"
    t = 1 - g.worst_case.mean
    assert g.lower * (1 - 1e-9) <= (0.7 - t) * whole(t).f <= g.upper * (1 + 1e-12)


def test_many_ranks_of_many_contexts() -> None:
    """A mixture of ranks is a weighted count of ones; two policies with the same decisions have the same regret."""
    d = np.random.default_rng(6).uniform(0, 0.01, 6000)
    ranks, shares = (2950, 3000, 3060), ["0.3", "0.3", "0.4"]
    mixed = pv.worst_case_regret(pv.Mixture([pv.OrderStatistic(r) for r in ranks], shares), d, q="0.5", rtol=1e-3)
    single = [pv.worst_case_regret(pv.OrderStatistic(r), d, q="0.5") for r in ranks]
    assert mixed.upper <= sum(float(s) * g.upper for s, g in zip(shares, single, strict=True)) * 1.001
    assert mixed.gap <= 1e-3
