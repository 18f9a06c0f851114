"""Service levels: against exact polynomials, against worlds drawn at random, and against what has a name already."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from time import perf_counter

import numpy as np
import pytest
from scipy import stats

import provend as pv
from oracle import exact_count_tail, expected_service, kappa_of
from provend.policies import Effort
from provend.service import _sides
from samplers import a_design, some_weights


def a_policy(rng: np.random.Generator, n: int) -> pv.Policy:
    """Anything that is evaluated exactly and needs no critical ratio."""
    kind = rng.integers(5)
    rank = int(rng.integers(0, n + 2))
    if kind == 0:
        return pv.OrderStatistic(rank)
    if kind == 1:
        return pv.OrderStatistic(rank, k=int(rng.integers(1, n + 1)))
    if kind == 2:
        return pv.WeightedQuantile(some_weights(rng, n), Fraction(int(rng.integers(-1, 12)), 4))
    if kind == 3:
        shares = [Fraction(1, 3), Fraction(2, 3)]
        return pv.Mixture([pv.OrderStatistic(rank), pv.OrderStatistic(int(rng.integers(0, n + 2)), k=1)], shares)
    return pv.Counting(lambda b: int(b[0] == 1 or sum(b) >= rank))


@pytest.mark.parametrize("seed", range(60))
def test_expected_service_is_the_exact_integral(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    d, policy = a_design(rng, n), a_policy(rng, n)
    worst, best = expected_service(kappa_of(policy, d, Fraction(1, 2)), d)
    level = pv.service_level(policy, d)
    assert level.worst.lower <= worst <= level.worst.upper <= level.worst.lower + 1e-9
    assert level.best.lower <= best <= level.best.upper <= level.best.lower + 1e-9


@pytest.mark.parametrize("policy", [pv.ERM(), pv.KNN(3), pv.Exponential(0.7), pv.Kernel("triangular", 0.4)])
def test_policies_that_decide_by_the_critical_ratio(policy: pv.Policy) -> None:
    d = [0.3, 0.05, 0.1, 0.5, 0.0]
    worst, best = expected_service(kappa_of(policy, d, Fraction(9, 10)), d)
    level = pv.service_level(policy, d, q=0.9)
    assert level.worst.lower <= worst <= level.worst.upper
    assert level.best.lower <= best <= level.best.upper
    with pytest.raises(pv.InputError, match=r"q is missing: .* decides by the critical ratio; give q"):
        pv.service_level(policy, d)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (19, 19), (19, 3), (100, 95), (7, 0), (7, 8)])
def test_without_shift_it_is_k_of_n_plus_one(n: int, k: int) -> None:
    for level in (
        pv.service_level(pv.OrderStatistic(k), np.zeros(n)),
        pv.service_level(pv.OrderStatistic(k), [0.0] * n),
    ):
        for bracket in (level.worst, level.best):
            assert bracket.lower <= Fraction(k, n + 1) <= bracket.upper <= bracket.lower + 1e-12


def test_the_largest_of_nineteen_covers_ninety_percent_at_a_twentieth() -> None:
    assert pv.service_level(pv.OrderStatistic(19), pv.constant(0.05, 19)).worst.lower == pytest.approx(0.9, abs=1e-12)


def test_the_top_of_the_support_always_meets_demand_and_a_fixed_order_need_not() -> None:
    top = pv.service_level(pv.OrderStatistic(4), [0.1, 0.5, 1.0])
    assert (top.worst.lower, top.best.upper) == (1.0, 1.0)
    for fixed in (pv.NoData(), pv.Kernel("uniform", 0.01)):
        level = pv.service_level(fixed, [0.1, 0.5, 1.0], q=0.9)
        assert level.worst.upper < 1e-12
        assert level.best.lower > 1 - 1e-12


# --- worlds --------------------------------------------------------------------------------------------------------


def a_cdf(rng: np.random.Generator, cells: int) -> np.ndarray:
    """On the grid 0, ..., cells - 1, with atoms: often one of them holds most."""
    mass = rng.dirichlet(np.full(cells, rng.choice([0.1, 1.0, 10.0])))
    return np.append(np.cumsum(mass)[:-1], 1.0)


def within(rng: np.random.Generator, future: np.ndarray, d: float) -> np.ndarray:
    """A cdf within d of another: often as high or as low as it may be."""
    shift = rng.choice([d, -d, d * (2 * rng.random() - 1)])
    moved = np.clip(future + shift, 0, 1)
    other = np.maximum.accumulate(np.clip(a_cdf(rng, future.size), future - d, future + d))
    chosen = moved if rng.random() < 0.7 else np.clip(other, 0, 1)
    return np.append(chosen[:-1], 1.0)


def service_in(policy: pv.DecidingPolicy, d: np.ndarray, past: list[np.ndarray], future: np.ndarray) -> np.ndarray:
    """P(Y_0 <= order) and P(Y_0 < order), over all histories on the grid."""
    laws = [np.diff(cdf, prepend=0.0) for cdf in past]
    top, found = future.size - 1, np.zeros(2)
    below = np.concatenate([[0.0], future])
    for history in product(range(future.size), repeat=len(past)):
        chance = np.prod([law[y] for law, y in zip(laws, history, strict=True)])
        order = int(policy.order(history, d, q=0.9, support=(0, top)))
        found += chance * np.array([future[order], below[order]])
    return found


@pytest.mark.parametrize("seed", range(25))
def test_no_world_is_worse_than_the_worst_or_better_than_the_best(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = np.round(rng.random(3) * 0.5, 2)
    policy = (
        pv.OrderStatistic(int(rng.integers(0, 5)))
        if seed % 2
        else pv.WeightedQuantile([3, 2, 1], int(rng.integers(1, 7)))
    )
    level = pv.service_level(policy, d)
    for _ in range(8):
        future = a_cdf(rng, 4)
        met, left_over = service_in(policy, d, [within(rng, future, x) for x in d], future)
        assert met >= level.worst.lower - 1e-12
        assert left_over <= level.best.upper + 1e-12


@pytest.mark.parametrize("policy", [pv.OrderStatistic(28), pv.WeightedQuantile(list(range(30, 0, -1)), 430)])
def test_the_stated_worlds_attain_both_ends(policy: pv.DecidingPolicy) -> None:
    d, rng = pv.drift(0.004, 30), np.random.default_rng(7)
    uniforms = rng.random((4000, 30))
    level = pv.service_level(policy, d)
    for past, truth in ((np.maximum(uniforms - d, 0.0), level.worst), (np.minimum(uniforms + d, 1.0), level.best)):
        orders = np.array([policy.order(y, d, q=0.9) for y in past])  # uniform demand: the order is its service
        assert abs(orders.mean() - truth.lower) < 4 * orders.std() / np.sqrt(orders.size)


def test_an_average_of_orders_promises_no_more_than_the_lowest() -> None:
    d, rng = pv.constant(0.05, 5), np.random.default_rng(3)
    mixture = pv.Mixture([pv.OrderStatistic(3), pv.OrderStatistic(5)], [0.5, 0.5])
    drawn = pv.service_level(mixture, d)
    lowest = pv.service_level(pv.OrderStatistic(3), d).worst.lower
    assert "average" in drawn.note
    stretch = 20.0  # y = (1 - exp(-20 u)) / (1 - exp(-20)): the scale on which the lower order counts most
    past = np.maximum(rng.random((4000, 5)) - d, 0.0)
    orders = [mixture.order(y, d, q=0.5) for y in -np.expm1(-stretch * past) / -np.expm1(-stretch)]
    service = -np.log1p(np.array(orders) * np.expm1(-stretch)) / stretch
    assert service.mean() < (drawn.worst.lower + lowest) / 2
    tied = pv.service_level(pv.WeightedERM([1, 1, 1, 1], tie_break=0.5), d[:4], q=0.5)
    assert tied.worst.lower == pv.service_level(pv.OrderStatistic(2), d[:4]).worst.lower
    assert tied.best.upper == pv.service_level(pv.OrderStatistic(3), d[:4]).best.upper
    assert "smallest" in tied.note


def test_it_falls_with_dissimilarity_and_rises_with_rank() -> None:
    rng = np.random.default_rng(0)
    d = rng.random(12) * 0.3
    by_shift = [pv.service_level(pv.OrderStatistic(10), d * scale).worst.lower for scale in (0, 0.5, 1, 2)]
    assert all(np.diff(by_shift) < 0)
    by_rank = [pv.service_level(pv.OrderStatistic(r), d).worst.lower for r in range(14)]
    assert all(np.diff(by_rank) > 0)
    assert all(pv.service_level(pv.OrderStatistic(r), d).best.lower > low for r, low in enumerate(by_rank[:-1]) if r)


# --- confidence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(59, 59), (93, 92), (20, 10), (1, 1)])
def test_confidence_without_shift_is_a_tolerance_limit(n: int, k: int) -> None:
    level = pv.service_level(pv.OrderStatistic(k), np.zeros(n), confidence=0.95)
    limit = stats.beta.ppf(0.05, k, n - k + 1)  # Wilks
    assert level.worst.lower == pytest.approx(limit, abs=1e-9)
    assert level.best.upper == pytest.approx(limit, abs=1e-9)
    assert level.confidence == Fraction(19, 20)


@pytest.mark.parametrize("seed", range(20))
def test_confidence_is_where_the_tail_crosses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = a_design(rng, int(rng.integers(2, 9)))
    k, miss = int(rng.integers(1, d.size + 1)), Fraction(int(rng.integers(1, 10)), 10)
    level = pv.service_level(pv.OrderStatistic(k), d, confidence=1 - miss)

    def exceeds(s: float, sign: int) -> bool:
        p = [min(max(Fraction(s) + sign * min(Fraction(x), Fraction(1)), Fraction(0)), Fraction(1)) for x in d.tolist()]
        return exact_count_tail(p, k) > miss

    assert level.worst.lower == 0 or not exceeds(level.worst.lower, 1)
    assert level.worst.upper == 1 or exceeds(level.worst.upper, 1)
    assert level.best.lower == 0 or not exceeds(level.best.lower, -1)
    assert level.best.upper == 1 or exceeds(level.best.upper, -1)
    assert max(level.worst.upper - level.worst.lower, level.best.upper - level.best.lower) < 1e-9


# --- real weights, long histories, speed -----------------------------------------------------------------------------


def test_real_weights_are_bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    d, policy = pv.drift(0.003, 40), pv.WeightedERM(list(range(60, 20, -1)))
    exact = pv.service_level(policy, d, q=0.9)
    assert exact.note == ""
    confident = pv.service_level(policy, d, q=0.9, confidence=0.9)
    monkeypatch.setattr(_sides, "EFFORT", Effort(1, 2**16))
    coarse = pv.service_level(policy, d, q=0.9)
    assert "lattices" in coarse.note
    also = pv.service_level(policy, d, q=0.9, confidence=0.9)
    pairs = [(exact.worst, coarse.worst), (exact.best, coarse.best)]
    for inside, outside in [*pairs, (confident.worst, also.worst), (confident.best, also.best)]:
        assert outside.lower < inside.lower <= inside.upper < outside.upper < outside.lower + 0.05


def test_many_samples_agree_with_the_closed_form() -> None:
    equal = pv.constant(0.01, 3000)
    nearly = equal + np.linspace(0, 1e-12, 3000)
    for rank in (2700, 3000, 5):
        closed, summed = (pv.service_level(pv.OrderStatistic(rank), d) for d in (equal, nearly))
        assert summed.worst.lower == pytest.approx(closed.worst.lower, abs=1e-9)
        assert summed.best.upper == pytest.approx(closed.best.upper, abs=1e-9)
        assert summed.worst.upper - summed.worst.lower < 1e-9


def test_it_is_a_hundred_times_faster_than_a_simulation() -> None:
    d, policy = pv.drift(0.001, 100), pv.OrderStatistic(95)
    expected = pv.service_level(policy, d).worst.lower
    times = []
    for _ in range(5):
        start = perf_counter()
        pv.service_level(policy, d)
        times.append(perf_counter() - start)
    start = perf_counter()
    past = np.maximum(np.random.default_rng(0).random((100_000, 100)) - d, 0.0)
    simulated = np.partition(past, 94, axis=1)[:, 94].mean()
    assert (perf_counter() - start) / min(times) > 100
    assert simulated == pytest.approx(expected, abs=1e-3)


def test_a_separable_policy_is_bracketed_by_its_monotony() -> None:
    d = np.array([0.1, 0.2])
    level = pv.service_level(pv.Separable(lambda h: float(h.mean())), d)
    # 1 - mean of integrals of min(1, u + d): 1/2 + d - d^2 / 2 each
    truth = 1 - np.mean(0.5 + d - d**2 / 2)
    assert level.worst.lower <= truth <= level.worst.upper <= level.worst.lower + 1e-3
    assert "conditional" in level.note


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1}, "confidence = 1 must lie strictly between 0 and 1"),
        ({"confidence": "95 percent"}, "confidence = '95 percent' is not a finite number"),
        ({"q": 2}, "q = 2 must lie strictly between 0 and 1"),
    ],
)
def test_bad_input_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(pv.InputError, match=message):
        pv.service_level(pv.OrderStatistic(1), [0.1], **options)


def test_what_is_no_policy_or_averages_inside_a_mixture_is_refused() -> None:
    with pytest.raises(TypeError, match="is not a policy"):
        pv.service_level("erm", [0.1])  # type: ignore[arg-type]
    inside = pv.Mixture([pv.Mixture([pv.WeightedERM([1, 1], tie_break=0.5)], [1]), pv.ERM()], [0.5, 0.5])
    with pytest.raises(pv.InputError, match=r"tie_break = 0.5 inside a Mixture averages two orders"):
        pv.service_level(inside, [0.1, 0.1], q=0.5)
    one = pv.Mixture([pv.WeightedERM([1, 1], tie_break="1"), pv.ERM()], [0.5, 0.5])
    assert pv.service_level(one, [0.1, 0.1], q=0.5).worst.lower > 0
