"""The best policy on hundreds of contexts, many of them alike: all of them count, and the proof is as close."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from provend._kernels.game.candidate import Candidate
from provend._kernels.game.prior import certified_prior
from provend.minimax import _nature
from provend.minimax._weights import integer_weights
from provend.regret import lengths


@pytest.mark.parametrize(("n", "zeta", "q"), [(1000, 0.1, 0.5), (1000, 0.1, 0.9), (300, 0.3, 0.5), (5000, 0.1, 0.999)])
def test_all_of_many_equal_contexts_count(n: int, zeta: float, q: float) -> None:
    best = pv.minimax(np.full(n, zeta), q=q)
    few = pv.best_mixture(np.full(n, zeta), q=q, k=200)
    np.testing.assert_allclose(best.weights, 100 / n, rtol=1e-12)
    assert best.gap <= 1e-6
    assert best.guarantee.upper <= few.guarantee.upper * (1 + 1e-7)
    y = np.linspace(0, 1, n)
    changed = best.policy.order(y[::-1], [zeta] * n, q=q)  # who comes first makes no difference
    assert best.policy.order(y, [zeta] * n, q=q) == pytest.approx(changed, abs=1e-12)


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_a_block_of_equal_contexts_beside_others(q: float) -> None:
    others = np.random.default_rng(1).uniform(0, 0.2, 20)
    best = pv.minimax(np.concatenate([np.full(700, 0.1), others]), q=q)
    assert best.gap <= 1e-3
    assert np.ptp(best.weights[:700]) == 0


def test_few_different_dissimilarities_of_many_contexts() -> None:
    d = np.round(np.random.default_rng(0).uniform(0, 0.1, 3000), 2)
    assert pv.minimax(d, q=0.5).gap <= 1e-3


def test_thousands_of_contexts_need_no_tie_breakers() -> None:
    d = np.sort(np.random.default_rng(0).uniform(0, 0.02, 3000))
    k = integer_weights(d, 0.5, Candidate(0.0118, 0.0118, 0.0), 16)
    assert k.max() == 16


def test_nothing_is_certified_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*arguments: object) -> object:
        calls.append(arguments[2:])
        return certified_prior(*arguments)

    monkeypatch.setattr(_nature, "certified_prior", counted)
    pv.minimax(np.random.default_rng(2).uniform(0, 1e-5, 2000), q=0.999)
    assert len(set(calls)) == len(calls)


def test_laws_without_a_cell_in_common_bound_nothing() -> None:
    d = np.concatenate([np.zeros(20), np.full(3000, 0.1)])
    prior = certified_prior(d, lengths(pv.Newsvendor(1, 1).critical_ratio)[1], Candidate(0.2, 0.2, 0.0), 400)
    assert 0 <= prior.bound < 1e-9
