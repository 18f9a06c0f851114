"""The bracket contains the truth: exact oracles, no tolerance."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil

import mpmath
import numpy as np
import pytest

import oracle
import provend as pv
from cases import CASES, LIMITS, TIES, Case
from provend.regret import regret_in
from samplers import a_design, a_ratio, some_weights

Build = Callable[[np.random.Generator, int], pv.Policy]
SHAPES = ["uniform", "triangular", "epanechnikov", "gaussian", "exponential"]


def integers(rng: np.random.Generator, n: int) -> list[int]:
    return [*(int(x) for x in rng.integers(0, 7, n - 1)), 1]


def a_rank(rng: np.random.Generator, n: int) -> pv.OrderStatistic:
    """All ranks from 0 to above n, of all samples, the nearest or a subset (possibly empty)."""
    match int(rng.integers(3)):
        case 0:
            return pv.OrderStatistic(int(rng.integers(0, n + 3)))
        case 1:
            k = int(rng.integers(1, n + 1))
            return pv.OrderStatistic(int(rng.integers(0, k + 2)), k=k)
        case _:
            subset = rng.permutation(n)[: int(rng.integers(0, n + 1))].tolist()
            return pv.OrderStatistic(int(rng.integers(0, len(subset) + 2)), subset=subset)


def a_quantile(rng: np.random.Generator, n: int) -> pv.WeightedQuantile:
    w = some_weights(rng, n)
    total = sum(oracle.decimal(x) for x in w)
    threshold = total * Fraction(int(rng.integers(-1, 9)), 7)  # from below 0 to above the total, the total included
    return pv.WeightedQuantile(w, threshold)


def a_threshold_function(rng: np.random.Generator, n: int) -> pv.Counting:
    """A union of up to three "all of these" conditions: monotone, and no weighted count in general."""
    needed = [frozenset(np.flatnonzero(rng.random(n) < 0.5).tolist()) for _ in range(int(rng.integers(0, 4)))]
    return pv.Counting(lambda b: int(any(all(b[i] for i in group) for group in needed)))


def a_mixture(rng: np.random.Generator, n: int) -> pv.Mixture:
    builds = [BUILDS[name] for name in ("erm", "rank", "rank", "integer", "no-data", "quantile", "counting", "kernel")]
    members = [builds[int(i)](rng, n) for i in rng.integers(0, len(builds), int(rng.integers(1, 5)))]
    parts = rng.integers(0, 5, len(members)) + (np.arange(len(members)) == 0)
    return pv.Mixture(members, [Fraction(int(x), int(parts.sum())) for x in parts])


BUILDS: dict[str, Build] = {
    "erm": lambda rng, n: pv.ERM(),
    "knn": lambda rng, n: pv.KNN(int(rng.integers(1, n + 1))),
    "rank": a_rank,
    "exponential": lambda rng, n: pv.Exponential(float(rng.choice([1.0, 0.5, 0.95, 0.7, 0.37]))),
    "kernel": lambda rng, n: pv.Kernel(str(rng.choice(SHAPES)), float(rng.choice([0.01, 0.1, 0.3, 2.0]))),
    "integer": lambda rng, n: pv.WeightedERM(integers(rng, n), tie_break=rng.choice(["0", "1/3", "1"])),
    "weighted": lambda rng, n: pv.WeightedERM(some_weights(rng, n), tie_break=rng.choice(["0", "1/3", "1"])),
    "quantile": a_quantile,
    "mixture": a_mixture,
    "counting": a_threshold_function,
    "no-data": lambda rng, n: pv.NoData(),
}
UNWEIGHTED = {"erm", "knn", "rank", "no-data"}
REAL = {"exponential", "kernel"}  # tabulated for few samples, so just as tight


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("name", BUILDS)
def test_bracket_contains_the_exact_value(name: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *name.encode()])
    for _ in range(20):
        n = int(rng.integers(1, 9))
        d, q, policy = a_design(rng, n), a_ratio(rng, n), BUILDS[name](rng, n)
        exact = oracle.worst_case(oracle.kappa_of(policy, d, q), d, q)
        g = pv.worst_case_regret(policy, d, q=q)
        about = f"{policy!r} at d = {d.tolist()}, q = {q}: {g.lower!r} <= {float(exact)!r} <= {g.upper!r}"
        assert g.lower <= exact <= g.upper, about
        assert g.lower <= g.estimate <= g.upper, about
        assert g.gap <= 1e-9, about
        assert g.note == "", about
        if name in UNWEIGHTED:
            assert g.evaluations <= 30, about


@pytest.mark.parametrize("name", BUILDS)
def test_what_is_lost_at_the_mean_of_another_design(name: str) -> None:
    """A lower bound that is that loss but for rounding, and close to the worst case if the designs are."""
    rng = np.random.default_rng([*name.encode()])
    for _ in range(40):
        n = int(rng.integers(1, 9))
        d, q, policy = np.minimum(a_design(rng, n), 1.0), a_ratio(rng, n), BUILDS[name](rng, n)
        case = pv.worst_case_regret(policy, np.minimum(d + 0.01 * rng.random(n), 1.0), q=q).worst_case
        t = min(
            Fraction(case.mean) if case.side == "low" else Fraction(1 - case.mean), 1 - q if case.side == "low" else q
        )
        mean = t if case.side == "low" else 1 - t
        moved = [Fraction(x) if case.side == "low" else -Fraction(x) for x in d.tolist()]
        history = [min(max(mean + x, Fraction(0)), Fraction(1)) for x in moved]
        exact = oracle.regret_at(oracle.kappa_of(policy, d, q), history, mean, q)
        found = regret_in(case, policy, d, q)
        assert found <= exact, f"{policy!r} at d = {d.tolist()}, q = {q}, {case}"
        assert found >= exact * (1 - Fraction(1, 10**9)), f"{policy!r} at d = {d.tolist()}, q = {q}, {case}"


@pytest.mark.parametrize("seed", range(6))
def test_separable_bracket_contains_the_exact_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(4):
        n = int(rng.integers(1, 6))
        d, q = a_design(rng, n), a_ratio(rng, n)
        rank = int(rng.integers(1, n + 1))

        def tail(h: np.ndarray, rank: int = rank) -> float:
            state = [1.0] + [0.0] * len(h)
            for x in h:
                state = [s * (1 - x) + (state[k - 1] * x if k else 0.0) for k, s in enumerate(state)]
            return min(1.0, sum(state[rank:]))

        exact = oracle.worst_case(oracle.kappa_of(pv.OrderStatistic(rank), d, q), d, q)
        g = pv.worst_case_regret(pv.Separable(tail), d, q=q)
        # P is computed in floats here, so the bracket may be off by their rounding.
        assert g.lower * (1 - 1e-13) <= exact <= g.upper * (1 + 1e-13), f"rank {rank}, d = {d.tolist()}, q = {q}"
        assert g.gap < 2e-3
        assert "non-decreasing" in g.note


@pytest.mark.parametrize("seed", range(10))
def test_many_samples_unweighted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120)) if seed else 300
    d = a_design(rng, n)
    q = a_ratio(rng, n) if seed % 2 else Fraction(9, 10)
    rank = ceil(q * n) if seed % 3 else int(rng.integers(1, n + 1))
    exact = oracle.count_worst_case(d, rank, q)
    g = pv.worst_case_regret(pv.OrderStatistic(rank), d, q=q)
    with mpmath.workdps(60):
        # The oracle's own t is 2^-60 from the maximiser: what it misses is below 1e-30.
        assert mpmath.mpf(g.lower) <= exact * (1 + mpmath.mpf(10) ** -28)
        assert exact <= mpmath.mpf(g.upper)
    assert g.gap <= 1e-9
    assert g.evaluations <= 30


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_known_values(case: Case) -> None:
    g = pv.worst_case_regret(case.policy, case.d, q=case.q)
    if case.digits is None:
        assert g.lower <= case.value <= g.upper
        assert g.gap <= 1e-9
    else:
        half = Fraction(1, 2 * 10**case.digits)
        assert case.value - half <= g.lower
        assert g.upper <= case.value + half


@pytest.mark.parametrize(("zeta", "q"), LIMITS)
def test_erm_limit(zeta: float, q: str) -> None:
    limit = min(zeta, float(max(Fraction(q), 1 - Fraction(q))))
    g = pv.worst_case_regret(pv.ERM(), pv.constant(zeta, 10**6), q=q)
    assert g.gap <= 1e-9
    assert abs(g.upper - limit) < 0.03 * limit  # it is approached like 1 / sqrt(n)


@pytest.mark.parametrize(("q", "n"), TIES)
def test_ties_are_integers(q: str, n: int) -> None:
    """q n is an integer, so ERM is that very order statistic, for a float q as well."""
    rank = Fraction(q) * n
    assert rank.denominator == 1
    d = pv.drift(0.002, n)
    g = pv.worst_case_regret(pv.ERM(), d, q=float(q))
    ours = pv.worst_case_regret(pv.OrderStatistic(int(rank)), d, q=q)
    next_one = pv.worst_case_regret(pv.OrderStatistic(int(rank) + 1), d, q=q)
    assert (g.lower, g.upper) == (ours.lower, ours.upper)
    assert not next_one.lower <= g.upper <= next_one.upper


def test_real_weights_of_many_samples_stay_bracketed() -> None:
    """Beyond 20 samples real weights are rounded on a lattice; rational neighbours of theirs are exact."""
    d = pv.drift(0.01, 30)
    for gamma, limit in ((0.95, 1e-3), (0.8, 1e-3)):
        g = pv.worst_case_regret(pv.Exponential(gamma), d, q="0.9")
        assert "lattice" in g.note
        assert 0 < g.gap < limit
        # The weights times 1000, rounded, give a policy close by whose value is exact.
        near = pv.WeightedERM([round(1000 * gamma**i) for i in range(1, 31)])
        exact = pv.worst_case_regret(near, d, q="0.9")
        assert exact.gap <= 1e-9
        assert exact.lower == pytest.approx(g.estimate, rel=2e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_equal_kernel_weights_are_erm(shape: str) -> None:
    """Whatever the kernel, equal dissimilarities give equal weights: the tightness promised for those."""
    d = pv.constant(0.05, 40)
    erm = pv.worst_case_regret(pv.ERM(), d, q="0.9")
    g = pv.worst_case_regret(pv.Kernel(shape, 0.3), d, q="0.9")
    assert g.lower <= erm.upper
    assert erm.lower <= g.upper
    assert g.gap <= 1e-9


@pytest.mark.parametrize("threshold", ["-1e30", "0", "1e30"])
def test_extreme_thresholds_of_real_weights(threshold: str) -> None:
    w = np.random.default_rng(5).random(30)
    g = pv.worst_case_regret(pv.WeightedQuantile(w, threshold), pv.drift(0.01, 30), q="0.9")
    exact = Fraction(1, 10) if threshold == "1e30" else Fraction(9, 10)
    assert g.lower <= exact <= g.upper
    assert g.gap < 0.01  # on the lattice 0 cannot be told from just above 0


@pytest.mark.parametrize("ulps", [1, 3, 10, 1000, 10**6])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_just_below_one(n: int, ulps: int) -> None:
    """The kink is a few ulps from the left end, and the maximum sits on one of the two."""
    d, q = np.full(n, 1 - ulps * 2.0**-53), Fraction(51, 200)
    for policy in (pv.OrderStatistic(1), pv.OrderStatistic(n)):
        g = pv.worst_case_regret(policy, d, q=q)
        assert g.lower <= oracle.worst_case(oracle.kappa_of(policy, d, q), d, q) <= g.upper
        assert g.gap <= 1e-9


def test_profile_peaks_at_the_worst_case() -> None:
    d = pv.drift(0.01, 20)
    g = pv.worst_case_regret(pv.ERM(), d, q="0.9")
    profile = pv.regret_profile(pv.ERM(), d, np.linspace(0, 1, 4001), q="0.9")
    assert profile.max() <= g.upper
    assert profile.max() == pytest.approx(g.lower, rel=1e-4)
    (at_worst,) = pv.regret_profile(pv.ERM(), d, [g.worst_case.mean], q="0.9")
    assert at_worst == pytest.approx(g.lower, rel=1e-9)


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-12])
def test_rtol_is_honoured(rtol: float) -> None:
    for policy in (pv.KNN(27), pv.WeightedERM(list(range(1, 101)))):
        loose = pv.worst_case_regret(policy, pv.drift(0.001, 100), q="0.9", rtol=rtol)
        tight = pv.worst_case_regret(policy, pv.drift(0.001, 100), q="0.9", rtol=1e-11)
        assert loose.gap <= rtol
        assert loose.lower <= tight.upper
        assert tight.lower <= loose.upper
