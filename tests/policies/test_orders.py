"""What a policy orders on real demands, against brute force in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pandas as pd
import polars as pl
import pytest

import oracle
import provend as pv
from samplers import a_design, a_ratio, some_weights

F = Fraction
SHAPES = ["uniform", "triangular", "epanechnikov", "gaussian", "exponential"]


def some_demands(rng: np.random.Generator, n: int, support: tuple[float, float]) -> list[float]:
    """Spread over the support, often with ties and with demands at its very ends."""
    lo, hi = support
    if rng.random() < 0.5:
        return [float(x) for x in rng.uniform(lo, hi, n)]
    return [float(x) for x in rng.choice(np.linspace(lo, hi, 5), n)]


def supports(rng: np.random.Generator) -> tuple[float, float]:
    return [(0.0, 1.0), (0.0, 120.0), (-3.0, 7.5), (1e6, 1e6 + 1)][int(rng.integers(4))]


def by_hand(policy: pv.Policy, y: list[float], d: np.ndarray, q: Fraction, support: tuple[float, float]) -> float:
    """The order, from the definitions alone."""
    n, top = len(y), float(support[1])
    nearest = sorted(range(n), key=lambda i: (min(d[i], 1), i))
    match policy:
        case pv.ERM():
            return sorted(y)[ceil(q * n) - 1]
        case pv.KNN(k=k):
            return sorted(y[i] for i in nearest[:k])[ceil(q * k) - 1]
        case pv.OrderStatistic(rank=rank):
            chosen = range(n) if policy.subset is None else policy.subset
            chosen = nearest[: policy.k] if policy.k is not None else chosen
            ladder = [float(support[0]), *sorted(y[i] for i in chosen)]
            return ladder[rank] if rank < len(ladder) else top
        case pv.WeightedERM():
            w, share = [oracle.decimal(x) for x in policy.weights], oracle.decimal(policy.tie_break)
            least = oracle.quantile(y, w, q * sum(w), support)
            most = oracle.quantile(y, w, q * sum(w), support, strict=True)
            return float(share * F(least) + (1 - share) * F(most))
        case pv.WeightedQuantile():
            w = [oracle.decimal(x) for x in policy.weights]
            return oracle.quantile(y, w, oracle.decimal(policy.threshold), support)
        case pv.Exponential() | pv.Kernel():
            w = oracle.weights_of(policy, d)
            return oracle.quantile(y, w, q * sum(w), support) if any(w) else by_hand(pv.NoData(), y, d, q, support)
        case pv.NoData():
            return float(F(support[0]) + q * (F(support[1]) - F(support[0])))
        case pv.Counting(kappa=kappa):
            for a in [float(support[0]) - 1, *sorted(set(y))]:
                if kappa(tuple(int(x <= a) for x in y)):
                    return max(a, float(support[0]))
            return top
    raise TypeError(policy)


def every_policy(rng: np.random.Generator, n: int) -> list[pv.Policy]:
    w = some_weights(rng, n)
    total = sum(oracle.decimal(x) for x in w)
    k = int(rng.integers(1, n + 1))
    subset = rng.permutation(n)[:k].tolist()
    return [
        pv.ERM(),
        pv.KNN(k),
        *(pv.OrderStatistic(rank) for rank in (0, 1, n, n + 1, n + 5)),
        pv.OrderStatistic(int(rng.integers(0, k + 2)), k=k),
        pv.OrderStatistic(int(rng.integers(0, k + 2)), subset=subset),
        pv.Exponential(float(rng.choice([1.0, 0.5, 0.9]))),
        *(pv.Kernel(shape, float(rng.choice([0.02, 0.3, 1.5]))) for shape in SHAPES),
        *(pv.WeightedERM(w, tie_break=share) for share in ("0", "1/3", "1")),
        *(pv.WeightedQuantile(w, total * F(part, 4)) for part in range(-1, 6)),
        pv.NoData(),
        pv.Counting(lambda b: int(sum(b) >= n - 1 or b[0])),
        pv.Counting(lambda b: 0),
        pv.Counting(lambda b: 1),
    ]


@pytest.mark.parametrize("seed", range(30))
def test_orders_equal_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(6):
        n, support = int(rng.integers(1, 9)), supports(rng)
        y, d, q = some_demands(rng, n, support), a_design(rng, n), a_ratio(rng, n)
        for policy in every_policy(rng, n):
            expected = by_hand(policy, y, d, q, support)
            order = policy.order(y, d, q=q, support=support)
            assert order == expected, f"{policy!r}, y = {y}, d = {d.tolist()}, q = {q}, support = {support}"
            assert type(order) is float


@pytest.mark.parametrize("seed", range(8))
def test_mixture_orders_the_convex_combination(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, support = int(rng.integers(2, 9)), supports(rng)
    y, d, q = some_demands(rng, n, support), a_design(rng, n), a_ratio(rng, n)
    members = every_policy(rng, n)
    parts = rng.integers(0, 4, len(members)) + (np.arange(len(members)) == 0)
    shares = [F(int(x), int(parts.sum())) for x in parts]
    combined = sum(p * F(by_hand(m, y, d, q, support)) for p, m in zip(shares, members, strict=True))
    order = pv.Mixture(members, shares).order(y, d, q=q, support=support)
    assert order == pytest.approx(float(combined), rel=1e-14, abs=1e-14)


def test_mixture_draws_its_members_as_often_as_it_says() -> None:
    y, d = [0.2, 0.4, 0.6, 0.8], pv.constant(0.1, 4)
    mixture = pv.Mixture([pv.OrderStatistic(1), pv.OrderStatistic(3), pv.NoData()], [0.2, 0.5, 0.3])
    generator = np.random.default_rng(1)
    drawn = [mixture.order(y, d, q=0.75, random_state=generator) for _ in range(4000)]
    for order, share in ((0.2, 0.2), (0.6, 0.5), (0.75, 0.3)):
        assert drawn.count(order) / 4000 == pytest.approx(share, abs=5 * (share * (1 - share) / 4000) ** 0.5)
    assert set(drawn) == {0.2, 0.6, 0.75}
    assert mixture.order(y, d, q=0.75) == pytest.approx(0.2 * 0.2 + 0.5 * 0.6 + 0.3 * 0.75)
    # An integer seed is reproducible; a nested mixture is drawn down to one member.
    nested = pv.Mixture([mixture, pv.OrderStatistic(4)], [0.5, 0.5])
    seeds = [nested.order(y, d, q=0.75, random_state=seed) for seed in range(60)]
    assert set(seeds) == {0.2, 0.6, 0.75, 0.8}
    assert seeds == [nested.order(y, d, q=0.75, random_state=seed) for seed in range(60)]


def test_random_state_is_ignored_by_other_policies() -> None:
    assert pv.ERM().order([0.3, 0.1], [0.1, 0.2], q=0.5, random_state=3) == 0.1


# Ties that floats get wrong: sums of 0.1, and products of q and n.
@pytest.mark.parametrize(
    ("weights", "q", "rank"),
    [
        ([0.1] * 10, 0.3, 3),
        ([0.1] * 10, 0.7, 7),
        ([0.1] * 100, 0.07, 7),
        ([0.1, 0.2, 0.3, 0.4], 0.6, 3),
        ([1] * 100, 0.29, 29),
    ],
)
def test_exact_ties(weights: list[float], q: float, rank: int) -> None:
    n = len(weights)
    y, d = np.arange(1, n + 1) / n, pv.constant(0.1, n)
    assert pv.WeightedERM(weights).order(y, d, q=q) == y[rank - 1]
    assert pv.WeightedERM(weights, tie_break=0).order(y, d, q=q) == y[rank]
    half = pv.WeightedERM(weights, tie_break=0.5).order(y, d, q=q)
    assert half == pytest.approx((y[rank - 1] + y[rank]) / 2)
    reached = sum(F(str(w)) for w in weights[:rank])
    assert pv.WeightedQuantile(weights, reached).order(y, d, q=q) == y[rank - 1]
    assert pv.WeightedQuantile(weights, reached + F(1, 10**30)).order(y, d, q=q) == y[rank]


@pytest.mark.parametrize(("q", "n"), [(0.07, 100), (0.29, 100), (0.55, 100), (0.57, 100), (0.58, 50), (0.28, 25)])
def test_erm_at_an_integer_product(q: float, n: int) -> None:
    y = np.random.default_rng(n).permutation(np.arange(1, n + 1)) / n
    rank = int(F(str(q)) * n)
    assert pv.ERM().order(y, pv.drift(0.001, n), q=q) == rank / n
    assert pv.KNN(n).order(y, pv.drift(0.001, n), q=q) == rank / n
    assert pv.Exponential(1.0).order(y, pv.drift(0.001, n), q=q) == rank / n


@pytest.mark.parametrize("seed", range(10))
def test_real_weights_with_exact_ties(seed: int) -> None:
    """Weights too fine for a lattice: the tie is decided by exact sums, not by floats."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    w = [F(1, int(x)) for x in rng.integers(10**6, 10**7, n)]
    y = rng.permutation(n) / n
    by_demand = np.argsort(y)
    place = int(rng.integers(1, n))
    reached = sum((w[i] for i in by_demand[:place]), F(0))
    at_tie = pv.WeightedQuantile(w, reached).order(y, pv.constant(0.1, n), q="1/2")
    above = pv.WeightedQuantile(w, reached + F(1, 10**60)).order(y, pv.constant(0.1, n), q="1/2")
    assert (at_tie, above) == (y[by_demand[place - 1]], y[by_demand[place]])


@pytest.mark.parametrize(
    "convert", [list, tuple, np.array, pd.Series, pl.Series, lambda x: pd.Series(x, index=range(9, 9 - len(x), -1))]
)
def test_any_column_will_do(convert) -> None:
    y, d, w = [0.5, 0.1, 0.9, 0.3], [0.2, 0.1, 0.4, 0.3], [1, 2, 3, 4]
    assert pv.KNN(3).order(convert(y), convert(d), q=0.5) == 0.3
    assert pv.WeightedERM(convert(w)).order(convert(y), convert(d), q=0.5) == 0.3
    g = pv.worst_case_regret(pv.WeightedERM(convert(w)), convert(d), q=0.5)
    assert g.upper == pv.worst_case_regret(pv.WeightedERM(w), d, q=0.5).upper
    np.testing.assert_array_equal(g.worst_case.history.shape, (4,))


def test_input_is_left_alone() -> None:
    y, d = np.array([0.5, 0.1, 0.9]), np.array([0.2, 3.0, 0.1])
    for policy in every_policy(np.random.default_rng(0), 3):
        policy.order(y, d, q=0.5)
        pv.worst_case_regret(policy, d, q=0.5)
    assert y.tolist() == [0.5, 0.1, 0.9]
    assert d.tolist() == [0.2, 3.0, 0.1]


def test_knn_ties_go_to_the_earlier_entry() -> None:
    assert pv.KNN(2).order([0.1, 0.9, 0.5], [0.3, 0.1, 0.3], q=0.5) == 0.1
    assert pv.KNN(1).order([0.7, 0.2], [5.0, 1.0], q=0.5) == 0.7  # both count as 1


def test_newsvendor_brings_its_support() -> None:
    problem = pv.Newsvendor(cu=9, co=1, support=(10, 60))
    assert pv.OrderStatistic(0).order([20, 30], [0.1, 0.1], q=problem) == 10
    assert pv.OrderStatistic(3).order([20, 30], [0.1, 0.1], q=problem) == 60
    assert pv.NoData().order([20, 30], [0.1, 0.1], q=problem, support=(10, 60)) == 55


@pytest.mark.parametrize("policy", [pv.Exponential("19/20"), pv.Kernel("gaussian", "1/10")])
def test_parameters_may_be_strings_as_their_checks_say(policy: pv.Policy) -> None:
    number = pv.Exponential(0.95) if isinstance(policy, pv.Exponential) else pv.Kernel("gaussian", 0.1)
    y, d = [0.2, 0.5, 0.7], [0.05, 0.1, 0.2]
    assert policy.order(y, d, q=0.6) == number.order(y, d, q=0.6)


def test_weights_far_below_one() -> None:
    """Weights are relative: tiny ones, exact as given, decide like their ratios."""
    assert pv.WeightedERM(["1e-400", "1e-400", "2e-400"]).order([0.2, 0.3, 0.4], [0.1] * 3, q=0.5) == 0.3
    g = pv.worst_case_regret(pv.WeightedERM(["1e-400", 0]), [0.1, 0.1], q="1/2")
    assert g.lower <= F(9, 100) <= g.upper  # one sample: (0.5 - t) (t + 0.1) at t = 0.2
