"""Integrals of weighted counts: against exact polynomials between the kinks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from oracle import integral
from provend._kernels.integrals.rounded import _Moved, rounded_values, without_lightest
from provend._kernels.integrals.terms import integrate_terms
from provend._kernels.maximise.side import LatticeTerm, RoundedTerm
from weighted_laws import tail_of


def exactly(d: np.ndarray, w: np.ndarray, levels: list[float], shares: list[float]) -> Fraction:
    """The integral, by a table of all outcomes."""
    weights = [Fraction(x) for x in w.tolist()]

    def value(b: tuple[int, ...]) -> Fraction:
        reached = sum((x for x, one in zip(weights, b, strict=True) if one), Fraction(0))
        return sum((Fraction(p) for p, level in zip(shares, levels, strict=True) if reached >= level), Fraction(0))

    table = [value(b) for b in product((0, 1), repeat=d.size)]
    return integral(table, [min(Fraction(x), Fraction(1)) for x in d.tolist()])


def a_count(seed: int) -> tuple[np.random.Generator, np.ndarray, list[float]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    d = rng.choice([0.0, 0.05, 0.3, 0.75, 1.0], n) if seed % 3 else rng.random(n) ** 3
    return rng, d, [1.0] if seed % 2 else [0.25, 0.75]


@pytest.mark.parametrize("seed", range(40))
def test_whole_weights(seed: int) -> None:
    rng, d, shares = a_count(seed)
    w = rng.integers(1, 40, d.size)
    levels = [int(level) for level in rng.integers(-1, w.sum() + 3, len(shares))]
    found = integrate_terms([LatticeTerm(d, w, levels, shares)])
    exact = exactly(d, w, [float(level) for level in levels], shares)
    assert found.lower <= exact <= found.upper <= found.lower + 2e-12


@pytest.mark.parametrize("seed", range(60))
def test_real_weights(seed: int) -> None:
    """Cells fine and coarse, weights that hardly weigh anything, levels that are met exactly."""
    rng, d, shares = a_count(seed)
    cells = float(rng.choice([5.0, 300.0, 1e5]))
    w = rng.random(d.size) ** float(rng.choice([1.0, 30.0]))
    w *= cells / w.sum()
    subsets = rng.random((len(shares), d.size)) < 0.5
    levels = [float(w[some].sum()) if seed % 4 == 0 else float(rng.uniform(-0.1, 1.1) * w.sum()) for some in subsets]
    found = integrate_terms([RoundedTerm(d, w, levels, shares)])
    # A float is taken for a level only to within the roundings of a sum of weights.
    near = 1e-12 * (cells + 1)
    lowest, highest = (exactly(d, w, [level + by for level in levels], shares) for by in (near, -near))
    assert found.lower <= lowest
    assert highest <= found.upper


@pytest.mark.parametrize("seed", range(20))
def test_real_weights_at_single_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 13))
    d, w = rng.random(n) * 0.5, rng.random(n) * 30
    level, nodes = float(rng.random() * w.sum()), rng.random(6)
    low, high = rounded_values(RoundedTerm(d, w, [level], [1.0]))(nodes)
    for t, lower, upper in zip(nodes.tolist(), low.tolist(), high.tolist(), strict=True):
        p = [min(Fraction(t) + Fraction(x), Fraction(1)) for x in d.tolist()]
        exact = tail_of(p, [Fraction(x) for x in w.tolist()], Fraction(level))
        assert lower * (1 - 1e-12) <= exact <= upper * (1 + 1e-12)


def test_what_is_conceded_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any probability that the sum moves further than allowed for is taken off below and added above."""
    d, w, t = np.array([0.1, 0.2, 0.3]), np.array([2.0, 3.0, 4.0]), 0.25
    given = np.zeros((1, 2, 1)), np.array([[[0.1], [0.05]]])
    monkeypatch.setattr(_Moved, "at", lambda self, nodes: given)
    low, high = rounded_values(RoundedTerm(d, w, [5.0], [1.0]))(np.array([t]))
    p = [Fraction(t) + Fraction(x) for x in d.tolist()]
    exact = float(tail_of(p, [Fraction(2), Fraction(3), Fraction(4)], Fraction(5)))
    assert (low[0], high[0]) == pytest.approx((exact - 0.1, exact + 0.05))


@pytest.mark.parametrize("seed", range(6))
def test_the_sum_moves_further_no_more_often_than_conceded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, w, nodes = rng.random(12) * 0.3, rng.random(12) * 30, rng.random(4)
    cells = np.rint(w).astype(np.int64)
    reached, conceded = _Moved(RoundedTerm(d, w, [9.0], [1.0]), cells).at(nodes)
    outcomes = np.array(list(product((0, 1), repeat=12)))
    moved = outcomes @ (w - cells)
    for node, t in enumerate(nodes.tolist()):
        p = np.minimum(t + d, 1.0)
        chance = np.prod(np.where(outcomes, p, 1 - p), axis=1)
        for k in range(conceded.shape[2]):
            assert chance[-moved > reached[node, 0, k]].sum() <= conceded[node, 0, k] * (1 + 1e-9)
            assert chance[moved > reached[node, 1, k]].sum() <= conceded[node, 1, k] * (1 + 1e-9)
    assert (conceded > 0).any()


def test_real_weights_of_many_samples_leave_a_few_cells() -> None:
    """Both ends are within some standard deviations of what rounding the weights moves: sqrt(200 / 12) / 2 is 2."""
    rng = np.random.default_rng(5)
    w = rng.random(200)
    w *= 20_000 / w.sum()
    found = integrate_terms([RoundedTerm(rng.random(200) * 0.1, w, [9_000.0], [1.0])])
    assert 4 < (found.upper - found.lower) * 20_000 < 24


def test_samples_without_weight_bring_no_kinks() -> None:
    w = 0.5 ** np.arange(60) * 2.0**14
    kept = without_lightest(RoundedTerm(np.linspace(0, 0.5, 60), w, [2.0**14], [1.0]))
    assert 0 < w[kept.w.size :].sum() <= kept.more < 0.01
    assert kept.d.size < 30


def test_cells_too_coarse_for_any_weight() -> None:
    found = integrate_terms([RoundedTerm(np.full(50, 0.1), np.full(50, 0.4), [10.0], [1.0])])
    assert 0 <= found.lower < 0.5 < found.upper <= 1 + 1e-9
