"""No instance beats the upper end, and the worst case returned attains the lower one."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import oracle
import provend as pv
from samplers import a_design, a_ratio, some_weights

CELLS = 40


def a_cdf(rng: np.random.Generator) -> np.ndarray:
    """A step cdf on [0, 1]: values on equal cells, the last of which need not be 1 (an atom at the top)."""
    kind = rng.integers(3)
    if kind == 0:  # anything
        return np.sort(rng.random(CELLS))
    if kind == 1:  # nearly Bernoulli: flat in the middle
        return np.clip(np.full(CELLS, rng.random()) + np.linspace(-0.02, 0.02, CELLS), 0, 1)
    steps = np.zeros(CELLS)
    steps[np.sort(rng.integers(0, CELLS, 3))] = rng.dirichlet(np.ones(3))
    return np.minimum(np.cumsum(steps), 1)


def moved(rng: np.random.Generator, F: np.ndarray, d: float) -> np.ndarray:
    """A cdf within d of F in sup norm: shifted by up to d either way, monotone by a running maximum (a contraction)."""
    shift = np.full(CELLS, rng.choice([-1.0, 1.0])) if rng.random() < 0.6 else rng.uniform(-1, 1, CELLS)
    G = np.clip(np.maximum.accumulate(F + min(d, 1.0) * shift), 0, 1)
    assert np.abs(G - F).max() <= min(d, 1.0) + 1e-15
    assert (np.diff(G) >= 0).all()
    return G


def policies(rng: np.random.Generator, n: int) -> list[pv.Policy]:
    rank = pv.OrderStatistic(int(rng.integers(0, n + 2)))
    return [
        pv.ERM(),
        pv.KNN(int(rng.integers(1, n + 1))),
        rank,
        pv.WeightedERM(some_weights(rng, n), tie_break=rng.choice(["0", "1/3", "1"])),
        pv.Exponential(0.7),
        pv.Kernel("epanechnikov", 0.3),
        pv.Mixture([pv.ERM(), rank, pv.NoData()], ["1/2", "1/4", "1/4"]),
        pv.Counting(lambda b: int(b[0] or sum(b) == n)),
    ]


@pytest.mark.parametrize("seed", range(12))
def test_no_instance_exceeds_the_guarantee(seed: int) -> None:
    rng = np.random.default_rng(seed)
    closest = 0.0
    for _ in range(6):
        n = int(rng.integers(1, 6))
        d, q = a_design(rng, n), a_ratio(rng, n)
        for policy in policies(rng, n):
            g, kappa = pv.worst_case_regret(policy, d, q=q), oracle.kappa_of(policy, d, q)
            for _ in range(6):
                future = a_cdf(rng)
                past = np.array([moved(rng, future, float(x)) for x in d])
                regret = oracle.expected_regret(kappa, past, future, q)
                assert regret <= g.upper + 1e-13, f"{policy!r}, d = {d.tolist()}, q = {q}"
                closest = max(closest, regret / g.upper)
    assert closest > 0.5  # the instances are bad enough for this to mean something


def on_ends(rng: np.random.Generator, n: int) -> list[pv.Policy]:
    return [*policies(rng, n), pv.WeightedQuantile(some_weights(rng, n), "1/2"), pv.NoData()]


@pytest.mark.parametrize("seed", range(12))
def test_worst_case_is_attained_by_enumeration(seed: int) -> None:
    """All 2^n outcomes, decided by ``order`` itself."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        n = int(rng.integers(1, 6))
        d, q = a_design(rng, n), a_ratio(rng, n)
        for policy in on_ends(rng, n):
            g = pv.worst_case_regret(policy, d, q=q)
            mean, history = Fraction(g.worst_case.mean), [Fraction(float(p)) for p in g.worst_case.history]
            assert all(
                abs(p - mean) <= min(Fraction(float(x)), 1) + Fraction(1, 2**52)
                for p, x in zip(history, d, strict=True)
            )
            assert (g.worst_case.side == "low") == (mean < 1 - q) or g.upper == 0

            def top(b: tuple[int, ...], policy=policy, d=d, q=q) -> Fraction:
                return 1 - Fraction(policy.order([1.0 - x for x in b], d, q=q))

            regret = oracle.regret_at(top, history, mean, q)
            # Mean and history are rounded to floats, hence the margin.
            assert g.lower * (1 - 1e-13) - 1e-16 <= regret <= g.upper, f"{policy!r}, d = {d.tolist()}, q = {q}"


@pytest.mark.parametrize(
    ("policy", "d", "q"),
    [
        (pv.KNN(27), pv.drift(0.001, 100), "0.9"),
        (pv.ERM(), pv.drift(0.001, 100), "0.9"),
        (pv.ERM(), pv.constant(0.1, 100), "0.07"),
        (pv.OrderStatistic(29), pv.drift(0.004, 100)[::-1], "0.29"),
        (pv.Mixture([pv.OrderStatistic(90), pv.OrderStatistic(95)], [0.25, 0.75]), pv.drift(0.002, 100), "0.9"),
    ],
)
def test_worst_case_is_attained_by_simulation(policy: pv.Policy, d: np.ndarray, q: str) -> None:
    rng = np.random.default_rng(7)
    g = pv.worst_case_regret(policy, d, q=q)
    mean, history, ratio = g.worst_case.mean, g.worst_case.history, float(Fraction(q))
    draws = 4000
    demands = (rng.random((draws, d.size)) < history).astype(float)
    orders = np.array([policy.order(y, d, q=q) for y in demands])
    # Cost of the order minus that of the best one, in expectation over the demand to come.
    cost = orders * (1 - mean) * (1 - ratio) + (1 - orders) * mean * ratio
    regrets = cost - min((1 - mean) * (1 - ratio), mean * ratio)
    error = 5 * regrets.std() / sqrt(draws)
    assert regrets.std() > 0
    assert g.lower - error <= regrets.mean() <= g.upper + error


def test_counts_of_a_hundred_samples() -> None:
    """The same for a million draws, through the number of zeros among the samples a k-NN policy looks at."""
    d, q, k = pv.drift(0.001, 100), 0.9, 37
    g = pv.worst_case_regret(pv.KNN(k), d, q="0.9")
    rng = np.random.default_rng(11)
    zeros = np.zeros(10**6, np.int64)
    for p in g.worst_case.history[:k]:
        zeros += rng.random(zeros.size) >= p
    orders_bottom = float((zeros >= 34).mean())  # ceil(0.9 * 37) = 34
    mean = g.worst_case.mean
    value = (mean - (1 - q)) * orders_bottom if g.worst_case.side == "high" else (1 - q - mean) * (1 - orders_bottom)
    assert value == pytest.approx(g.lower, rel=5 / sqrt(10**6 * orders_bottom / (1 - orders_bottom)))
