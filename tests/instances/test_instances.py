"""Fixed instances: closed forms, enumeration of every history, integrals in high precision, and simulation."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import prod

import mpmath
import numpy as np
import pytest
from scipy import stats

import oracle
import provend as pv
from provend.instances import Shifted, expected_curve, expected_regret, simulated_regret

UNIFORM = stats.uniform()
NORMAL = stats.truncnorm(-2, 4 / 3, loc=0.6, scale=0.3)
D = [0.02, 0.3, 0.11, 0.2]  # not sorted
POLICIES = {
    "erm": pv.ERM(),
    "knn": pv.KNN(3),
    "rank": pv.OrderStatistic(2, k=3),
    "subset": pv.OrderStatistic(1, subset=[3, 1]),
    "bottom": pv.OrderStatistic(0),
    "top": pv.OrderStatistic(5),
    "integers": pv.WeightedERM([3, 1, 2, 2]),
    "tie-break": pv.WeightedERM([1, 1, 2, 1], tie_break=0.25),
    "quantile": pv.WeightedQuantile([0.5, 0.25, 0.125, 0], 0.6),
    "exponential": pv.Exponential(0.8),
    "gaussian": pv.Kernel("gaussian", 0.1),
    "uniform-kernel": pv.Kernel("uniform", 0.15),
    "counting": pv.Counting(lambda b: int(b[0] and (b[1] or b[2] or b[3]))),
    "mixture": pv.Mixture([pv.ERM(), pv.OrderStatistic(1), pv.Exponential(0.8)], ["1/2", "1/4", "1/4"]),
}


def chance(policy: pv.Policy, d: list[float], q: Fraction, h: list) -> object:
    """P(h) as the sum over all outcomes of the counting function."""
    kappa = oracle.kappa_of(policy, d, q)
    outcomes = product((0, 1), repeat=len(h))
    return sum(
        mpmath.mpf(kappa(b).numerator)
        / kappa(b).denominator
        * prod(x if bit else 1 - x for x, bit in zip(h, b, strict=True))
        for b in outcomes
        if kappa(b)
    )


@pytest.mark.parametrize("q", ["0.9", "1/2", "0.07"])
def test_one_uniform_sample(q: str) -> None:
    exact = Fraction(q)
    closed = exact / 2 - Fraction(1, 3) + (1 - exact) ** 2 / 2
    found = expected_regret(pv.ERM(), [UNIFORM], UNIFORM, q=q)
    assert found.value == pytest.approx(float(closed), abs=1e-14)
    assert found.optimal_cost == pytest.approx(float(exact * (1 - exact) / 2), abs=1e-14)
    assert found.optimal_order == pytest.approx(float(exact), abs=1e-14)
    assert found.cost == found.optimal_cost + found.value
    assert 0 < found.error < 1e-12


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (5, 2), (5, 0), (5, 6), (40, 36), (400, 361)])
def test_order_statistics_of_uniforms(n: int, rank: int) -> None:
    """The regret of order a is (a - q)^2 / 2, and the moments of a beta distribution are rational."""
    q = Fraction(9, 10)
    mean, square = Fraction(rank, n + 1), Fraction(rank * (rank + 1), (n + 1) * (n + 2))
    exact = (square - 2 * q * mean + q**2) / 2
    found = expected_regret(pv.OrderStatistic(rank), [UNIFORM] * n, UNIFORM, q=q)
    assert found.value == pytest.approx(float(exact), rel=1e-11)
    assert abs(found.value - float(exact)) <= found.error


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("q", [Fraction(9, 10), Fraction(1, 4)])
def test_every_form_against_an_integral_in_high_precision(name: str, q: Fraction) -> None:
    """Future uniform, past y + d capped at 1: the integrand is a polynomial between the kinks."""
    policy = POLICIES[name]

    def integrand(y: object) -> object:
        p = chance(
            policy,
            D,
            q,
            [min(y + oracle.decimal(x).numerator / mpmath.mpf(oracle.decimal(x).denominator), 1) for x in D],
        )
        ratio = mpmath.mpf(q.numerator) / q.denominator
        return p * (ratio - y) + max(y - ratio, 0)

    kinks = sorted({0.0, 1.0, float(q), *(1 - x for x in D)})
    exact = float(mpmath.quad(integrand, kinks, maxdegree=3))
    shifted = [Shifted(UNIFORM, x) for x in D]
    plain = [lambda y, x=x: np.minimum(np.asarray(y) + x, 1) for x in D]
    for past in (shifted, plain):
        found = expected_regret(policy, past, UNIFORM, q=q, d=D)
        assert found.value == pytest.approx(exact, abs=2e-11)
    assert ("drawn" in found.note) == (name in ("mixture", "tie-break"))


def test_separable_policy_is_taken_by_its_chance() -> None:
    past = [Shifted(UNIFORM, x) for x in D]
    as_chance = pv.Separable(lambda h: float(np.prod(h)))  # the largest demand
    expected = expected_regret(pv.OrderStatistic(4), past, UNIFORM, q=0.9)
    assert expected_regret(as_chance, past, UNIFORM, q=0.9).value == pytest.approx(expected.value, abs=1e-13)


def test_many_samples_with_weights() -> None:
    """Beyond twenty samples integer weights go by a lattice: weights that amount to other policies."""
    past = [Shifted(NORMAL, 0.01 * i) for i in range(1, 31)]
    knn = expected_regret(pv.KNN(12), past, NORMAL, q=0.9).value
    assert expected_regret(pv.WeightedERM([7] * 12 + [0] * 18), past, NORMAL, q=0.9).value == pytest.approx(
        knn, abs=1e-12
    )
    doubled = [past[i // 2] for i in range(60)]
    split = expected_regret(pv.WeightedERM([1, 2, 3] * 10), past, NORMAL, q=0.9)
    simulated = simulated_regret(pv.WeightedERM([1, 2, 3] * 10), past, NORMAL, q=0.9, repetitions=4000, random_state=1)
    assert abs(split.value - simulated.mean) < 4 * simulated.standard_error
    assert expected_regret(pv.KNN(24), doubled, NORMAL, q=0.9).value != pytest.approx(knn, rel=1e-3)


def test_real_weights_beyond_the_table() -> None:
    """21 real weights: all 2^21 subsets, on a Gauss rule, for cdfs y^a that have no kinks."""
    n, q = 21, 0.9
    powers = 1 + 0.1 * np.arange(1, n + 1)
    weights = 0.93 ** np.arange(1, n + 1)
    sums = np.zeros(1)
    for weight in weights[::-1]:
        sums = np.concatenate([sums, sums + weight])
    kappa = (sums >= q * weights.sum()).astype(float)

    def integrand(y: float) -> float:
        table = kappa
        for h in y**powers:
            table = table[: table.size // 2] * (1 - h) + table[table.size // 2 :] * h
        return float(table[0]) * (q - y) + max(y - q, 0)

    x, w = np.polynomial.legendre.leggauss(16)
    exact = sum(
        (b - a) / 2 * sum(w * [integrand(float(y)) for y in a + (b - a) * (x + 1) / 2])
        for a, b in pairwise([0, 0.5, q, 1])
    )
    found = expected_regret(pv.Exponential(0.93), [stats.beta(a, 1) for a in powers], UNIFORM, q=q)
    assert found.value == pytest.approx(exact, rel=1e-3)
    assert abs(found.value - exact) <= found.error < 0.02 * found.value
    assert "lattice" in found.note


@pytest.mark.parametrize("name", [*POLICIES, "no-data", "optimal"])
@pytest.mark.parametrize("mean", [0.02, 0.08, 0.1, 0.35, 0.8])
def test_bernoulli_instances_are_points_of_the_profile(name: str, mean: float) -> None:
    policy = {"no-data": pv.NoData(), "optimal": pv.Optimal()}.get(name) or POLICIES[name]
    history = [min(mean + x, 1) if mean <= 0.1 else max(mean - x, 0) for x in D]
    found = expected_regret(policy, [stats.bernoulli(p) for p in history], stats.bernoulli(mean), q=0.9, d=D)
    assert found.value == pytest.approx(pv.regret_profile(policy, D, [mean], q=0.9)[0], abs=1e-13)


def test_never_above_the_worst_case() -> None:
    rng = np.random.default_rng(5)
    for trial in range(12):
        n = int(rng.integers(1, 8))
        d = np.round(rng.random(n) * 0.4, 2)
        future = stats.beta(*rng.uniform(0.2, 3, 2))
        policy = [pv.ERM(), pv.KNN(n), pv.Exponential(0.7), pv.Kernel("triangular", 0.5), pv.NoData()][trial % 5]
        q = Fraction(int(rng.integers(1, 20)), 20)
        found = expected_regret(policy, [Shifted(future, x) for x in d], future, q=q, d=d)
        assert 0 <= found.value <= pv.worst_case_regret(policy, d, q=q).upper + found.error


def enumerated(
    policy: pv.DecidingPolicy, values: list[float], past: list[list[float]], future: list[float], q: pv.Newsvendor
) -> float:
    """Every history with its probability, the order the policy places, and its cost above the least one."""

    def cost(order: float) -> float:
        return sum(p * q.cost(order, y) for y, p in zip(values, future, strict=True))

    least = min(map(cost, values))
    total = 0.0
    for places in product(range(len(values)), repeat=len(past)):
        probability = prod(masses[i] for masses, i in zip(past, places, strict=True))
        total += probability * (cost(policy.order([values[i] for i in places], D[: len(past)], q=q)) - least)
    return total


@pytest.mark.parametrize(
    "name", ["erm", "knn", "rank", "bottom", "top", "integers", "quantile", "exponential", "counting"]
)
def test_discrete_demand_in_money_by_enumeration(name: str) -> None:
    problem = pv.Newsvendor(cu=3, co=1, support=(10, 50))
    values = [10.0, 13.5, 22.0, 50.0]
    past = [[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.7, 0.1, 0.1, 0.1], [0.25] * 4]
    future = [0.3, 0.3, 0.3, 0.1]
    as_scipy = [stats.rv_discrete(values=(values, masses)) for masses in (*past, future)]
    exact = enumerated(POLICIES[name], values, past, future, problem)
    found = expected_regret(POLICIES[name], as_scipy[:-1], as_scipy[-1], q=problem, d=D)
    assert found.value == pytest.approx(exact, rel=1e-11)
    assert found.optimal_order in values
    assert found.error < 1e-11  # atoms that are known cost no accuracy
    # As functions with jumps at unknown places, one written for arrays and one for numbers.
    for style in (np.asarray, float) if name == "erm" else (np.asarray,):
        cdfs = [lambda y, law=law, style=style: law.cdf(style(y)) for law in as_scipy]
        blind = expected_regret(POLICIES[name], cdfs[:-1], cdfs[-1], q=problem, d=D)
        assert blind.value == pytest.approx(exact, abs=1e-8)
        assert abs(blind.value - exact) <= blind.error


def test_a_mixture_is_the_average_of_its_members_and_the_combination_is_cheaper() -> None:
    past = [Shifted(NORMAL, x) for x in D]
    members = [pv.ERM(), pv.NoData(), pv.OrderStatistic(1)]
    shares = [0.5, 0.3, 0.2]
    mixture = pv.Mixture(members, shares)
    parts = [expected_regret(member, past, NORMAL, q=0.8).value for member in members]
    assert expected_regret(mixture, past, NORMAL, q=0.8).value == pytest.approx(np.dot(parts, shares), abs=1e-13)
    simulated = simulated_regret(mixture, past, NORMAL, q=0.8, random_state=3)
    assert simulated.averaged < simulated.mean
    assert abs(simulated.mean - np.dot(parts, shares)) < 4 * simulated.standard_error


def test_no_data_orders_its_order() -> None:
    """Not the top with probability q: the same on Bernoulli demands only."""
    order, best = 0.8, float(NORMAL.ppf(0.8))
    exact = float(mpmath.quad(lambda y: float(NORMAL.cdf(float(y))) - 0.8, [best, order]))
    assert expected_regret(pv.NoData(), [NORMAL], NORMAL, q=0.8).value == pytest.approx(exact, abs=1e-13)
    out_of_reach = pv.Kernel("uniform", 0.001)
    assert expected_regret(out_of_reach, [NORMAL], NORMAL, q=0.8, d=[0.5]).value == pytest.approx(exact, abs=1e-13)


@pytest.mark.parametrize("at", [0.125 + 1e-4, 0.125 - 1e-6, 0.25 + 1e-3, 0.7, 0.99999])
def test_a_jump_at_an_unknown_place(at: float) -> None:
    """Half the demand at 0, half at ``at``: regret of one uniform sample in closed form; no node may miss the jump."""

    def future(y: float) -> float:
        return 1.0 if y >= at else 0.5

    exact = 0.4 * at**2 / 2 + 0.1 * (1 - at) ** 2 / 2
    found = expected_regret(pv.ERM(), [UNIFORM], future, q=0.9)
    assert found.value == pytest.approx(exact, abs=1e-12)
    assert abs(found.value - exact) <= found.error
    assert found.optimal_order == pytest.approx(at, abs=1e-12)
    assert expected_regret(pv.ERM(), [UNIFORM], future, q=0.4).optimal_order == 0.0


def test_empirical_distributions() -> None:
    sample = np.random.default_rng(2).random(200)
    as_ecdf = stats.ecdf(sample).cdf
    as_law = stats.rv_discrete(values=(np.sort(sample), np.full(200, 1 / 200)))
    by_ecdf = expected_regret(pv.KNN(2), [as_ecdf] * 3, as_ecdf, q=0.7)
    by_law = expected_regret(pv.KNN(2), [as_law] * 3, as_law, q=0.7)
    assert by_ecdf.value == pytest.approx(by_law.value, abs=1e-12)
    assert by_ecdf.optimal_order == np.sort(sample)[139]


class OnlyCdf:
    """A distribution of one's own."""

    def cdf(self, y: np.ndarray) -> np.ndarray:
        return np.clip(y, 0, 1) ** 2


def test_distributions_of_ones_own_and_shifts_of_shifts() -> None:
    own, scipy = expected_regret(pv.ERM(), [OnlyCdf()] * 3, UNIFORM, q=0.7), [stats.beta(2, 1)] * 3
    assert own.value == pytest.approx(expected_regret(pv.ERM(), scipy, UNIFORM, q=0.7).value, abs=1e-13)
    twice, once = Shifted(Shifted(NORMAL, 0.1), 0.2), Shifted(NORMAL, 0.1 + 0.2)
    values = [expected_regret(pv.ERM(), [past] * 5, NORMAL, q=0.7).value for past in (twice, once)]
    assert values[0] == pytest.approx(values[1], abs=1e-14)
    assert expected_regret(pv.ERM(), [Shifted(twice, 0.8)], NORMAL, q=0.7).value == pytest.approx(
        expected_regret(pv.OrderStatistic(0), [NORMAL], NORMAL, q=0.7).value, abs=1e-13
    )


def test_curve_is_k_nearest_neighbours_for_every_k() -> None:
    past = [Shifted(NORMAL, 0.0025 * i) for i in range(1, 61)]
    curve = expected_curve(past, NORMAL, q=0.9)
    for k in (1, 2, 9, 10, 29, 60):
        single = expected_regret(pv.KNN(k), past, NORMAL, q=0.9)
        assert curve.value[k - 1] == pytest.approx(single.value, abs=1e-13)
        assert expected_regret(pv.ERM(), past[:k], NORMAL, q=0.9).value == pytest.approx(single.value, abs=1e-13)
    assert curve.best == 29
    assert curve.n.tolist() == list(range(1, 61))
    assert (curve.error < 1e-11).all()


def test_the_order_of_the_past_follows_d() -> None:
    past = [Shifted(NORMAL, x) for x in D]
    turned = np.argsort(D)
    for policy in (pv.KNN(2), pv.Exponential(0.6), pv.Kernel("gaussian", 0.1), pv.Optimal()):
        given = expected_regret(policy, past, NORMAL, q=0.9, d=D).value
        ordered = expected_regret(policy, [past[i] for i in turned], NORMAL, q=0.9, d=np.sort(D)).value
        assert given == pytest.approx(ordered, abs=1e-12)
    by_position = expected_regret(pv.KNN(2), [past[i] for i in turned], NORMAL, q=0.9).value
    assert by_position == pytest.approx(expected_regret(pv.KNN(2), past, NORMAL, q=0.9, d=D).value, abs=1e-14)
    assert by_position != pytest.approx(expected_regret(pv.KNN(2), past, NORMAL, q=0.9).value, rel=1e-3)


def test_money_and_support_scale() -> None:
    problem = pv.Newsvendor(cu=18, co=2, support=(100, 300))
    stretched = stats.uniform(100, 200)
    plain = expected_regret(pv.ERM(), [UNIFORM] * 7, UNIFORM, q=0.9)
    money = expected_regret(pv.ERM(), [stretched] * 7, stretched, q=problem)
    assert money.value == pytest.approx(plain.value * 20 * 200, rel=1e-12)
    assert money.optimal_cost == pytest.approx(plain.optimal_cost * 20 * 200, rel=1e-12)
    assert money.optimal_order == pytest.approx(280)
    curve = expected_curve([stretched] * 7, stretched, q=problem)
    assert curve.value[-1] == pytest.approx(money.value, rel=1e-12)
    simulated = simulated_regret(pv.ERM(), [stretched] * 7, stretched, q=problem, random_state=0)
    assert abs(simulated.mean - money.value) < 4 * simulated.standard_error


@pytest.mark.parametrize("name", POLICIES)
def test_simulation_agrees(name: str) -> None:
    past = [Shifted(NORMAL, x) for x in D[:3]] + [lambda y: y**2]
    exact = expected_regret(POLICIES[name], past, NORMAL, q=0.7, d=D)
    simulated = simulated_regret(POLICIES[name], past, NORMAL, q=0.7, d=D, repetitions=2000, random_state=11)
    assert abs(simulated.mean - exact.value) <= 4 * simulated.standard_error + 1e-12
    low, high = simulated.interval
    assert low <= simulated.mean <= high
    assert high - low == pytest.approx(2 * 1.959964 * simulated.standard_error, rel=1e-6)


def test_simulation_is_reproducible_and_sharpens() -> None:
    arguments = (pv.ERM(), [UNIFORM] * 5, UNIFORM)
    assert simulated_regret(*arguments, q=0.9, random_state=1) == simulated_regret(*arguments, q=0.9, random_state=1)
    few, many = (simulated_regret(*arguments, q=0.9, repetitions=n, random_state=1) for n in (100, 10_000))
    assert 5 < few.standard_error / many.standard_error < 20


BAD = [
    ({"policy": "erm"}, TypeError, "policy = 'erm' is not a policy"),
    ({"past": []}, ValueError, "past = .* must be a non-empty list"),
    ({"past": UNIFORM}, ValueError, "past = .* must be a non-empty list"),
    ({"past": [0.5]}, TypeError, r"past\[0\] = 0.5 is not a distribution"),
    ({"future": "normal"}, TypeError, "future = 'normal' is not a distribution"),
    (
        {"future": stats.norm(0.6, 0.3)},
        ValueError,
        "future is below 0, the bottom of the support, with probability 0.0228",
    ),
    ({"past": [stats.ecdf([-0.5, 0.5]).cdf]}, ValueError, r"past\[0\] is below 0, .* with probability 0.5"),
    ({"past": [stats.expon()]}, ValueError, r"past\[0\] is 0.632\d* at 1, so demand may exceed the support"),
    ({"past": [lambda y: 1 - y]}, ValueError, r"past\[0\] falls somewhere"),
    ({"past": [lambda y: 2 * y]}, ValueError, r"past\[0\] takes the value 1.01"),
    ({"past": [lambda y: np.nan * y]}, ValueError, r"past\[0\] takes the value nan"),
    ({"policy": pv.Kernel("gaussian", 0.1)}, ValueError, "depends on dissimilarities; give d, one for each of the 1"),
    ({"policy": pv.Mixture([pv.ERM(), pv.Optimal()], [0.5, 0.5])}, ValueError, "depends on dissimilarities"),
    ({"d": [0.1, 0.2]}, ValueError, "d has 2 entries for 1 past distributions"),
    ({"policy": pv.KNN(2)}, ValueError, "k = 2 exceeds the 1 past contexts"),
    ({"q": 1.5}, ValueError, "q = 1.5 must lie strictly between 0 and 1"),
]


@pytest.mark.parametrize(("change", "kind", "message"), BAD)
def test_bad_input(change: dict, kind: type, message: str) -> None:
    arguments = {"policy": pv.ERM(), "past": [UNIFORM], "future": UNIFORM, "q": 0.9, "d": None} | change
    policy, past, future = (arguments.pop(name) for name in ("policy", "past", "future"))
    for function in (expected_regret, simulated_regret):
        with pytest.raises(kind, match=message):
            function(policy, past, future, **arguments)


def test_bad_input_of_simulations_and_shifts() -> None:
    with pytest.raises(ValueError, match="repetitions = 1 must be an integer of at least 2"):
        simulated_regret(pv.ERM(), [UNIFORM], UNIFORM, q=0.9, repetitions=1)
    with pytest.raises(TypeError, match="Separable policy cannot be simulated"):
        simulated_regret(pv.Separable(lambda h: 1.0), [UNIFORM], UNIFORM, q=0.9)
    with pytest.raises(ValueError, match=r"by = 1\.2 must lie between 0 and 1"):
        Shifted(UNIFORM, 1.2)
