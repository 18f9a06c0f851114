"""Protection periods: levels and guarantees by hand; worlds in which the promise is kept, reached, or not made."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb, prod

import numpy as np
import pytest

import provend as pv
from oracle import kappa_of, worst_case
from soundness.supply import judge_periods

F = Fraction
Law = dict[int, F]


def convolved(laws: list[Law]) -> Law:
    out: Law = {0: F(1)}
    for law in laws:
        sums: Law = {}
        for (a, p), (b, r) in product(out.items(), law.items()):
            sums[a + b] = sums.get(a + b, F(0)) + p * r
        out = sums
    return out


def cost(order: F, law: Law, problem: pv.Newsvendor) -> F:
    cu, co = F(problem.cu), F(problem.co)
    return sum((p * (cu * max(y - order, F(0)) + co * max(order - y, F(0))) for y, p in law.items()), F(0))


def expected_regret(decide, past: list[Law], future: Law, problem: pv.Newsvendor) -> F:
    """Over all histories of days, exactly."""
    total = F(0)
    for history in product(*(law.items() for law in past)):
        level = decide([y for y, _ in history])
        total += prod(p for _, p in history) * cost(F(level), future, problem)
    lo, hi = map(int, problem.support)
    return total - min(cost(F(a), future, problem) for a in range(lo, hi + 1))


def distance(one: Law, other: Law) -> F:
    points = sorted({*one, *other})
    return max(abs(sum(one.get(y, F(0)) - other.get(y, F(0)) for y in points if y <= at)) for at in points)


def a_day(rng: np.random.Generator) -> Law:
    parts = rng.integers(0, 4, 2) + np.array([1, 0])
    return {y: F(int(part), int(parts.sum())) for y, part in enumerate(parts.tolist()) if part}


# --- the promise -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_never_above_the_guarantee(seed: int) -> None:
    """Days of different laws, windows at their exact distances, all histories."""
    rng = np.random.default_rng(seed)
    lead, review = [(1, 1), (2, 1), (0, 2)][seed % 3]
    period, T = pv.ProtectionPeriod(lead, review), 7
    L = period.days
    coming = [a_day(rng) for _ in range(L)]
    past = [a_day(rng) if rng.random() < 0.5 else coming[rng.integers(L)] for _ in range(T)]
    future = convolved(coming)
    exact = [distance(convolved(past[s : s + L]), future) for s in range(T - L + 1)]
    d = [float(np.nextafter(float(x), 2)) if x else 0.0 for x in exact]
    problem = pv.Newsvendor(int(rng.integers(1, 6)), int(rng.integers(1, 3)), support=(0, L))
    policy = [pv.ERM(), pv.KNN(1), pv.Mixture([pv.OrderStatistic(1), pv.OrderStatistic(2)], ["1/3", "2/3"])][seed % 3]
    cache = {}

    def decide(days: list[int]) -> F:
        sums = tuple(sum(days[s : s + L]) for s in range(T - L + 1))
        if sums not in cache:
            cache[sums] = by_hand(sums, d, L, policy, problem)
        return cache[sums]

    found = period.order_up_to([1, 0, 1, 1, 0, 0, 1], d, policy=policy, q=problem)
    assert found.level == pytest.approx(float(decide([1, 0, 1, 1, 0, 0, 1])), rel=1e-15)
    assert expected_regret(decide, past, future, problem) <= F(found.guarantee.upper)


def by_hand(sums: tuple[int, ...], d: list[float], L: int, policy: pv.Policy, problem: pv.Newsvendor) -> F:
    """Each class on its own, layer by layer; then the average."""
    orders = []
    for c in range(min(L, len(sums))):
        kappa = kappa_of(policy, d[c::L], problem.critical_ratio)
        stocked = [1 - F(kappa(tuple(int(y <= a) for y in sums[c::L]))) for a in range(int(problem.support[1]))]
        orders.append(sum(stocked, F(0)))
    return sum(orders, F(0)) / len(orders)


@pytest.mark.parametrize("weeks", [3, 6])
def test_one_busy_day_a_week(weeks: int) -> None:
    """All demand on Mondays: every window holds one. The promise is reached; of overlapping windows it is broken."""
    week = pv.ProtectionPeriod(lead_time=4, review=3)
    problem = pv.Newsvendor(3, 1, support=(0, 10))
    T = 7 * (weeks + 1) - 1
    count = T - 7 + 1

    def days(mondays: tuple[int, ...]) -> np.ndarray:
        out = np.zeros(T)
        out[6::7] = 10 * np.array(mondays)
        return out

    found = week.order_up_to(days((1,) * weeks), np.zeros(count), policy=pv.ERM(), q=problem)
    assert [one.windows for one in found.classes] == [weeks] * 7
    worst = pv.worst_case_regret(pv.ERM(), np.zeros(weeks), q=problem)
    assert found.guarantee.upper == pytest.approx(worst.upper)
    mu = F(worst.worst_case.mean)
    future = {0: 1 - mu, 10: mu}

    def regret(decide) -> F:
        total = F(0)
        for mondays in product((0, 1), repeat=weeks):
            chance = mu ** sum(mondays) * (1 - mu) ** (weeks - sum(mondays))
            total += chance * cost(F(decide(days(mondays))), future, problem)
        return total - min(cost(F(0), future, problem), cost(F(10), future, problem))

    def proper(y: np.ndarray) -> float:
        return week.order_up_to(y, np.zeros(count), policy=pv.ERM(), q=problem).level

    def naive(y: np.ndarray) -> float:
        return pv.ERM().order(week.windows(y), np.zeros(count), q=problem)

    promised_by_naive = pv.worst_case_regret(pv.ERM(), np.zeros(count), q=problem).upper
    assert float(regret(proper)) == pytest.approx(found.guarantee.upper, rel=1e-6)
    assert regret(naive) > F(promised_by_naive) * F(3, 2)


def test_the_promise_holds_on_simulated_days() -> None:
    """A thousand histories of sixty days that drift; the mean regret is below the guarantee."""
    rng = np.random.default_rng(0)
    period, problem = pv.ProtectionPeriod(2, 1), pv.Newsvendor(4, 1, support=(0, 30))
    chance = np.linspace(0.30, 0.42, 60)  # of each of ten customers; 0.42 in days to come
    gaps = [np.abs(binomial(10, p) - binomial(10, 0.42)).max() for p in chance]
    d = period.dissimilarities(gaps)
    future = np.diff(binomial(30, 0.42), prepend=0)
    costs = [np.dot(future, problem.cost(np.full(31, a), np.arange(31.0))) for a in range(31)]
    policy = pv.KNN(6)
    guarantee = period.order_up_to(rng.binomial(10, chance), d, policy=policy, q=problem).guarantee.upper
    levels = [period_level(period, rng.binomial(10, chance), d, policy, problem) for _ in range(1000)]
    mean = float(np.mean([np.interp(level, range(31), costs) for level in levels])) - min(costs)
    assert 0 < mean < guarantee


@pytest.mark.parametrize("seed", [0, 2])
def test_plans_with_contexts_keep_the_promise_of_windows(seed: int) -> None:
    """All histories of some days, with a column that is passed on."""
    verdict = judge_periods([seed, 1])
    assert verdict.finding is None, verdict.finding
    assert verdict.exact > 20


def period_level(period, days, d, policy, problem) -> float:
    """As ``order_up_to``, without certifying a thousand times."""
    sums = period.windows(days)
    return float(
        np.mean([policy.order(sums[c :: period.days], d[c :: period.days], q=problem) for c in range(period.days)])
    )


def binomial(n: int, p: float) -> np.ndarray:
    return np.cumsum([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


# --- the parts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_classes_share_no_day_and_miss_no_window(seed: int) -> None:
    rng = np.random.default_rng(seed)
    period, T = pv.ProtectionPeriod(int(rng.integers(0, 5)), int(rng.integers(1, 4))), int(rng.integers(7, 30))
    days, L = rng.integers(0, 9, T), period.days
    sums = [int(days[s : s + L].sum()) for s in range(T - L + 1)]
    assert period.windows(days).tolist() == sums
    d = rng.random(len(sums)) * 0.2
    problem = pv.Newsvendor(2, 1, support=(0, 9 * L))
    found = period.order_up_to(days, d, policy=pv.ERM(), q=problem)
    assert sum(one.windows for one in found.classes) == len(sums)
    for one in found.classes:
        mine = slice(one.first, None, L)
        assert one.order == pv.ERM().order(sums[mine], d[mine], q=problem)
        exact = worst_case(kappa_of(pv.ERM(), d[mine], F(2, 3)), d[mine], F(2, 3)) if one.windows < 6 else None
        assert exact is None or one.guarantee.lower <= float(exact * 27 * L) * (1 + 1e-12)
        assert exact is None or F(one.guarantee.upper) >= exact * 27 * L
    ends = [
        sum(F(getattr(one.guarantee, end)) for one in found.classes) / len(found.classes) for end in ("lower", "upper")
    ]
    assert F(found.guarantee.lower) <= ends[0] <= ends[1] <= F(found.guarantee.upper)
    assert found.guarantee.upper == pytest.approx(float(ends[1]), rel=1e-14)


@pytest.mark.parametrize("seed", range(15))
def test_distances_of_sums(seed: int) -> None:
    """At least the distance of the convolutions, whatever the days; paired in the best of all orders."""
    rng = np.random.default_rng(seed)
    L, T = int(rng.integers(1, 4)), 6
    past, coming = [a_day(rng) for _ in range(T)], [a_day(rng) for _ in range(L)]
    exact = [[distance(day, other) for other in coming] for day in past]
    pairs = np.array([[np.nextafter(float(x), 2) if x else 0.0 for x in row] for row in exact])
    found = pv.ProtectionPeriod(L - 1, 1).dissimilarities(pairs)
    for s, given in enumerate(found):
        assert F(float(given)) >= distance(convolved(past[s : s + L]), convolved(coming))
        best = min(sum(F(pairs[s + i, j]) for i, j in enumerate(order)) for order in permutations(range(L)))
        assert F(float(given)) >= min(best, 1)
        assert given == pytest.approx(min(float(best), 1.0), rel=1e-14)
    one_each = pv.ProtectionPeriod(L - 1, 1).dissimilarities(pairs.max(axis=1))
    assert (one_each >= found).all()
    assert one_each[0] == pytest.approx(min(pairs.max(axis=1)[:L].sum(), 1.0))


def test_mondays_are_compared_with_mondays() -> None:
    """A period of a week that begins on another weekday than the window: all days have their like."""
    weekday = np.arange(28) % 7
    to_come = (np.arange(7) + 3) % 7
    d = np.where(weekday[:, None] == to_come, 0.001, 0.4)
    assert pv.ProtectionPeriod(5, 2).dissimilarities(d) == pytest.approx(np.full(22, 0.007))


def test_quantity_is_what_is_missing() -> None:
    found = pv.ProtectionPeriod(1, 1).order_up_to([5, 5, 5], [0, 0], policy=pv.ERM(), q=pv.Newsvendor(1, 1, (0, 20)))
    assert found.level == 10
    assert found.quantity(on_hand=3, on_order=4) == 3
    assert found.quantity(on_hand=3, on_order=4, waiting=2) == 5
    assert found.quantity(on_hand=11) == 0
    assert found.to_frame()["windows"].to_list() == [1, 1]
    assert "level=10" in repr(found)


@pytest.mark.parametrize("seed", range(20))
def test_too_much_stock_is_no_new_regret(seed: int) -> None:
    """Against the best level that can still be reached, max(level, position) regrets no more than the level."""
    rng = np.random.default_rng(seed)
    problem = pv.Newsvendor(int(rng.integers(1, 9)), 1, support=(0, 6))
    parts = rng.integers(0, 5, 7) + (np.arange(7) == seed % 7)
    law = {y: F(int(part), int(parts.sum())) for y, part in enumerate(parts.tolist())}
    for level, position in product(range(7), repeat=2):
        reached = max(level, position)
        reachable = min(cost(F(a), law, problem) for a in range(position, 7))
        best = min(cost(F(a), law, problem) for a in range(7))
        assert cost(F(reached), law, problem) - reachable <= cost(F(level), law, problem) - best


PROBLEM, ERM = pv.Newsvendor(1, 1, support=(0, 20)), pv.ERM()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pv.ProtectionPeriod(-1, 1), "lead_time = -1 must be an integer of at least 0"),
        (lambda: pv.ProtectionPeriod(2, 0), "review = 0 must be an integer of at least 1"),
        (lambda: pv.ProtectionPeriod(1.5, 1), "lead_time = 1.5 must be an integer"),
        (lambda: pv.ProtectionPeriod(3, 2).windows([1, 2]), "the history has 2 days, the period 5"),
        (lambda: pv.ProtectionPeriod(1, 1).windows([1, np.nan, 2]), r"days\[1\] = nan: demands are finite"),
        (lambda: pv.ProtectionPeriod(1, 1).dissimilarities(np.zeros((5, 3))), r"d has shape \(5, 3\)"),
        (lambda: pv.ProtectionPeriod(1, 1).dissimilarities([[0, -1], [0, 0]]), "at least 0"),
        (lambda: order([1, 2, 3], [0, 0, 0]), "d has 3 entries but there are 2 windows of 2 days"),
        (lambda: order([1, 2, 19], [0, 0]), r"days\[1\] to days\[2\] add up to 21, outside the support \[0, 20\]"),
        (lambda: order([1, 2], [0], q=0.5), "q = 0.5 is not a Newsvendor"),
        (lambda: order([1, 2], [0]).quantity(on_hand=-2), "on_hand = -2 is negative"),
        (
            lambda: order([1] * 6, [0] * 5, policy=pv.KNN(3)),
            r"policy = KNN\(k=3\) decides on classes of windows that share no day, the smallest of which has 2 of the "
            r"5 windows: k = 3 exceeds the 2 past contexts; choose k between 1 and 2",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, message: str) -> None:
    with pytest.raises(pv.InputError, match=message):
        call()


def test_a_policy_that_does_not_decide_is_refused() -> None:
    period = pv.ProtectionPeriod(1, 1)
    with pytest.raises(TypeError, match="does not decide"):
        period.order_up_to([1, 2], [0], policy=pv.Separable(min), q=PROBLEM)
    with pytest.raises(TypeError, match="does not decide"):
        pv.BudgetItem(PROBLEM, "erm", [1], [0])


def order(days: list[float], d: list[float], q: object = PROBLEM, policy: pv.DecidingPolicy = ERM) -> pv.OrderUpTo:
    return pv.ProtectionPeriod(1, 1).order_up_to(days, d, policy=policy, q=q)
