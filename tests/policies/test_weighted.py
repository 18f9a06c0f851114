"""Weighted counts of more samples than can be enumerated: groups of equal samples make them tractable."""

from __future__ import annotations

from fractions import Fraction
from math import lcm, log, sqrt

import numpy as np
import pytest

import provend as pv
from provend._kernels.maximise.side import rounding_range
from samplers import a_design, a_ratio

F = Fraction


def binomial(m: int, p: np.ndarray) -> np.ndarray:
    """P(k of m), a column per p, by an all-positive recurrence."""
    pmf = np.zeros((m + 1, p.size))
    pmf[0] = 1
    for _ in range(m):
        pmf[1:] = pmf[1:] * (1 - p) + pmf[:-1] * p
        pmf[0] *= 1 - p
    return pmf


def side(sizes: list[int], d: np.ndarray, counted: np.ndarray, c: float) -> float:
    """max over t of (c - t) P(the numbers of successes per group are ``counted``), on ever finer grids."""

    def objective(t: np.ndarray) -> np.ndarray:
        chance = counted.astype(float)[..., None] * np.ones(t.size)
        for m, x in zip(sizes, d, strict=True):  # group by group: the first axis is summed out
            chance = np.einsum("k...t,kt->...t", chance, binomial(m, np.minimum(t + x, 1)))
        return (c - t) * chance

    low, high = 0.0, c
    kinks = [1 - x for x in d if 0 < 1 - x < c]
    best = 0.0
    for _ in range(5):
        t = np.union1d(np.linspace(low, high, 201), [k for k in kinks if low < k < high])
        values = objective(t)
        best, at = max(best, float(values.max())), float(t[values.argmax()])
        low, high = max(0.0, at - (high - low) / 100), min(c, at + (high - low) / 100)
    return best


def grouped_truth(sizes: list[int], d: np.ndarray, w: list[Fraction], q: Fraction) -> float:
    """Worst case of weighted ERM, groups of ``sizes`` samples with one dissimilarity and one weight each."""
    unit = lcm(*(x.denominator for x in [q, *w]))  # whole numbers of any length: exact, and quicker than fractions
    whole = [int(x * unit) for x in w]
    weight = sum(np.ix_(*(np.array([x * j for j in range(m + 1)], object) for m, x in zip(sizes, whole, strict=True))))
    bottom = (weight >= q * sum(m * x for m, x in zip(sizes, whole, strict=True))).astype(bool)
    ones = np.flip(~bottom)  # successes are then the others of each group
    return max(side(sizes, d, bottom, float(q)), side(sizes, d, ones, float(1 - q)))


def a_case(rng: np.random.Generator) -> tuple[list[int], np.ndarray, np.ndarray]:
    sizes = [int(m) for m in rng.integers(6, 12, 3)]
    groups = np.sort(np.round(rng.random(3) * float(rng.choice([0.05, 0.3, 0.9])), 3))
    return sizes, groups, np.repeat(groups, sizes)


@pytest.mark.parametrize("seed", range(12))
def test_integer_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes, groups, d = a_case(rng)
    w, q = [F(int(x)) for x in rng.integers(1, 40, 3)], a_ratio(rng, 10)
    places = rng.permutation(d.size)
    g = pv.worst_case_regret(pv.WeightedERM(np.repeat([int(x) for x in w], sizes)[places]), d[places], q=q)
    truth = grouped_truth(sizes, groups, w, q)
    assert g.gap <= 1e-9
    assert g.lower * (1 - 1e-10) <= truth <= g.upper * (1 + 1e-12)  # the truth's own grid and rounding


@pytest.mark.parametrize("seed", range(6))  # both kernels, wide and narrow
def test_real_weights_are_bracketed(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    sizes, groups, d = a_case(rng)
    shape, bandwidth = str(rng.choice(["gaussian", "exponential"])), float(rng.choice([0.1, 0.4]))
    q = a_ratio(rng, 10)
    u = groups / bandwidth
    w = [F(float(x)) for x in (np.exp(-u * u / 2) if shape == "gaussian" else np.exp(-u))]
    g = pv.worst_case_regret(pv.Kernel(shape, bandwidth), d, q=q)
    truth = grouped_truth(sizes, groups, w, q)
    assert g.lower * (1 - 1e-10) <= truth <= g.upper * (1 + 1e-12)
    assert g.lower <= g.estimate <= g.upper


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_real_weights_of_a_hundred_samples(seed: int) -> None:
    """So many that the lattice bounds rest on Hoeffding's inequality rather than on what is possible at all."""
    rng = np.random.default_rng(200 + seed)
    sizes, groups = [50, 45, 5], np.array([0.0, 0.031, 0.1]) * float(rng.choice([1, 5]))
    w = [F(float(x)) for x in np.exp(-groups / 0.3)]
    q = a_ratio(rng, 10)
    g = pv.worst_case_regret(pv.Kernel("exponential", 0.3), np.repeat(groups, sizes), q=q)
    truth = grouped_truth(sizes, groups, w, q)
    assert g.lower * (1 - 1e-10) <= truth <= g.upper * (1 + 1e-12)
    assert "lattice" in g.note


def test_fractions_with_a_fine_unit_are_bracketed() -> None:
    """An exact lattice would do, but slowly: two coarse ones contain the truth."""
    sizes, groups = [9, 8, 7], np.array([0.0, 0.05, 0.1])
    w, q = [F(123457, 10**6), F(654321, 10**6), F(999983, 10**6)], F(7, 10)
    g = pv.worst_case_regret(pv.WeightedERM(np.repeat([float(x) for x in w], sizes)), np.repeat(groups, sizes), q=q)
    assert "fine unit" in g.note
    assert g.lower * (1 - 1e-10) <= grouped_truth(sizes, groups, w, q) <= g.upper * (1 + 1e-12)
    assert g.gap < 1e-3


@pytest.mark.parametrize("n", [3, 30, 300])
def test_rounding_range_holds_at_every_mean(n: int) -> None:
    """sum e_i Y_i leaves the range with at most the probability stated, by Hoeffding, or never."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        e, d = rng.uniform(-0.5, 0.5, n), a_design(rng, n).clip(0, 1)
        down, up, unlikely = rounding_range(e, d)
        if unlikely == 0:
            assert down <= e[e < 0].sum() + 1e-12  # the caller adds its slack for rounding
            assert e[e > 0].sum() - 1e-12 <= up
            continue
        reach = sqrt((e @ e) * log(1 / unlikely) / 2) * (1 - 1e-12)
        means = [e @ np.minimum(t + d, 1) for t in np.linspace(0, 1, 301)]
        assert down + reach <= min(means)
        assert max(means) <= up - reach
        assert unlikely < 1e-12
        assert n > 3


def test_several_local_maxima() -> None:
    """A heavy sample beside many light ones: the search must not settle for the first hill."""
    sizes, groups, w = [1, 25], np.array([0.4, 0.0]), [F(12), F(1)]
    for q in (F(1, 2), F(2, 3), F(3, 4), F(9, 10), F(1, 4)):
        g = pv.worst_case_regret(pv.WeightedERM([12] + [1] * 25), np.repeat(groups, sizes), q=q)
        assert g.lower * (1 - 1e-10) <= grouped_truth(sizes, groups, w, q) <= g.upper * (1 + 1e-12)
        assert g.gap <= 1e-9


@pytest.mark.parametrize("policy", [pv.Exponential(0.9), pv.Kernel("gaussian", 0.1), pv.Kernel("triangular", 0.237)])
def test_rounded_policies_are_exact_and_close(policy: pv.Exponential | pv.Kernel) -> None:
    d = pv.drift(0.01, 30)
    neighbour = policy.rounded(d, cells=5000)
    weights = np.asarray(neighbour.weights)
    assert weights.max() == 5000
    assert np.abs(weights / 5000 - policy.weights(d) / policy.weights(d).max()).max() <= 1e-4
    exact, real = pv.worst_case_regret(neighbour, d, q="0.9"), pv.worst_case_regret(policy, d, q="0.9")
    assert exact.gap <= 1e-9
    assert exact.note == ""
    assert exact.upper == pytest.approx(real.estimate, rel=0.01)


def test_rounded_needs_some_weight() -> None:
    with pytest.raises(ValueError, match=r"no past context any weight; choose a wider kernel or use NoData"):
        pv.Kernel("uniform", 0.1).rounded([0.5, 0.6])
    with pytest.raises(ValueError, match=r"cells = 0 must be an integer of at least 1"):
        pv.Exponential(0.9).rounded([0.5, 0.6], cells=0)
