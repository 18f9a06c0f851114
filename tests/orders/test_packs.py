"""Possible orders: the guarantee by brute force over multi-point demands, exact draws, and input that cannot be."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

import provend as pv
from oracle import kappa_of, worst_case
from provend.orders import _possible as room
from samplers import a_ratio

F = Fraction
Law = dict[int, F]  # probabilities of whole demands


# --- by hand: laws rounded to a set, policies and costs on them ------------------------------------------------------


def neighbours(grid: list[int], y: F) -> dict[int, F]:
    """The two possible orders around y with the probabilities that keep its mean."""
    for below, above in pairwise(grid):
        if below <= y <= above:
            share = (y - below) / F(above - below)
            return {order: p for order, p in ((below, 1 - share), (above, share)) if p}
    raise AssertionError(y)


def rounded_law(grid: list[int], law: Law) -> Law:
    out: Law = {}
    for y, p in law.items():
        for order, share in neighbours(grid, F(y)).items():
            out[order] = out.get(order, F(0)) + p * share
    return out


def cost(order: F, law: Law, q: F) -> F:
    return sum((p * (q * max(y - order, F(0)) + (1 - q) * max(order - y, F(0))) for y, p in law.items()), F(0))


def distance(one: Law, other: Law) -> F:
    points = sorted({*one, *other})
    gaps = (sum(one.get(y, F(0)) - other.get(y, F(0)) for y in points if y <= at) for at in points)
    return max((abs(gap) for gap in gaps), default=F(0))


def average_order(policy: pv.Policy, d: list[float], y: tuple[int, ...], q: F, support: tuple[int, int]) -> F:
    """The integral over the layers of the probability that they are stocked."""
    kappa, total = kappa_of(policy, d, q), F(support[0])
    levels = sorted({*support, *y})
    for low, high in pairwise(levels):
        total += (high - low) * (1 - F(kappa(tuple(int(one <= low) for one in y))))
    return total


def regret(policy: pv.Policy, d: list[float], past: list[Law], future: Law, q: F, grid: list[int]) -> F:
    """Expected cost of what is executed, demand and order drawn to possible ones, less that of the best possible."""
    seen = [rounded_law(grid, law) for law in past]
    total = F(0)
    for history in product(*(law.items() for law in seen)):
        y = tuple(demand for demand, _ in history)
        average = average_order(policy, d, y, q, (grid[0], grid[-1]))
        drawn = neighbours(grid, average)
        total += prod(p for _, p in history) * sum(p * cost(F(order), future, q) for order, p in drawn.items())
    return total - min(cost(F(order), future, q) for order in grid)


def a_law(rng: np.random.Generator, top: int) -> Law:
    parts = rng.integers(0, 5, top + 1) * (rng.random(top + 1) < 0.6)
    parts[rng.integers(top + 1)] += 1
    return {y: F(int(part), int(parts.sum())) for y, part in enumerate(parts.tolist()) if part}


def moved(rng: np.random.Generator, law: Law, top: int) -> Law:
    """Part of a law put elsewhere, most often at one end."""
    share, to = F(int(rng.integers(0, 4)), 10), int(rng.choice([0, top, rng.integers(top + 1)]))
    out = {y: p * (1 - share) for y, p in law.items()}
    out[to] = out.get(to, F(0)) + share
    return out


def some_policy(rng: np.random.Generator, n: int) -> pv.DecidingPolicy:
    ranks = [pv.OrderStatistic(int(r)) for r in rng.integers(0, n + 2, 2)]
    chosen = [pv.ERM(), pv.KNN(1), pv.NoData(), pv.WeightedERM([3, 1, 2][:n]), pv.Mixture(ranks, ["1/3", "2/3"])]
    return chosen[rng.integers(len(chosen))]


GRIDS = [[0, 1, 2, 3, 4, 5, 6], [0, 3, 6], [0, 4, 5, 6], [0, 6], [0, 1, 5, 6]]


@pytest.mark.parametrize("seed", range(60))
def test_never_above_the_guarantee(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, grid = int(rng.integers(1, 4)), GRIDS[rng.integers(len(GRIDS))]
    future = a_law(rng, 6)
    past = [moved(rng, future, 6) for _ in range(n)]
    d, q = [float(distance(law, future)) for law in past], a_ratio(rng, n)
    d = [float(np.nextafter(x, 2)) if x else 0.0 for x in d]
    policy = some_policy(rng, n)
    bound = pv.worst_case_regret(policy, d, q=q).upper * 6
    assert regret(policy, d, past, future, q, grid) <= F(bound)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize(
    "policy", [pv.ERM(), pv.KNN(2), pv.Mixture([pv.OrderStatistic(1), pv.NoData()], ["1/4", "3/4"])]
)
def test_the_guarantee_is_reached(grid: list[int], policy: pv.DecidingPolicy) -> None:
    d, q = [0.1, 0.05, 0.2], F(4, 5)
    found = pv.worst_case_regret(policy, d, q=q)
    mean = F(found.worst_case.mean)
    past = [{0: 1 - F(float(p)), 6: F(float(p))} for p in found.worst_case.history]
    assert float(regret(policy, d, past, {0: 1 - mean, 6: mean}, q, grid) / 6) == pytest.approx(found.upper, rel=1e-6)
    assert found.upper >= worst_case(kappa_of(policy, d, q), d, q)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_keeps_costs_and_shrinks_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid, one = GRIDS[seed % len(GRIDS)], a_law(rng, 6)
    other, q = moved(rng, one, 6), a_ratio(rng, 3)
    rounded = rounded_law(grid, one)
    assert all(cost(F(order), rounded, q) == cost(F(order), one, q) for order in grid)
    assert distance(rounded, rounded_law(grid, other)) <= distance(one, other)


@pytest.mark.parametrize("seed", range(20))
def test_the_average_drawn_costs_no_more_than_a_member_drawn(seed: int) -> None:
    """In the rounded problem costs are linear between neighbours and convex over all of them."""
    rng = np.random.default_rng(seed)
    grid, future, q = GRIDS[seed % len(GRIDS)], a_law(rng, 6), a_ratio(rng, 3)
    members = [F(grid[i]) for i in rng.integers(len(grid), size=3)]
    shares = [F(1, 2), F(1, 3), F(1, 6)]
    average = sum(p * order for p, order in zip(shares, members, strict=True))
    drawn = sum(p * cost(F(order), future, q) for order, p in neighbours(grid, average).items())
    assert drawn <= sum(p * cost(order, future, q) for p, order in zip(shares, members, strict=True))


# --- without a draw --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_rounding_an_order_stays_within_its_allowance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid, q, future = GRIDS[seed % len(GRIDS)], a_ratio(rng, 3), a_law(rng, 6)
    orders = pv.Orders(among=grid)
    allowance = orders.allowance(q=q, support=(0, 6)) * 6
    values = rng.random(20) * 6
    for value, order in zip(values.tolist(), orders.rounded(values, q=q, support=(0, 6)).tolist(), strict=True):
        assert order in neighbours(grid, F(value))
        assert cost(F(order), future, q) - cost(F(value), future, q) <= F(allowance)


def test_the_allowance_is_needed() -> None:
    """Demand 1 - q of the way up a pack with probability q, else at the top: everybody knows it, and rounds down."""
    q, future = F(3, 4), {3: F(3, 4), 24: F(1, 4)}
    orders, support = pv.Orders(12), (0, 24)
    order = pv.ERM().order([3] * 400 + [24] * 100, [0] * 500, q=q, support=support, orders=orders)
    assert order == 0.0
    best = min(cost(F(a), future, q) for a in (0, 12, 24))
    assert cost(F(0), future, q) - best == q * (1 - q) * 12
    assert q * (1 - q) * 12 > 10 * pv.worst_case_regret(pv.ERM(), [0] * 500, q=q).upper * 24  # without it: broken
    assert orders.allowance(q=q, support=support) * 24 == pytest.approx(float(q * (1 - q) * 12))
    assert orders.rounded(np.nextafter(3, 4), q=q, support=support) == 12.0


def test_a_hair_above_the_limit_is_above_it() -> None:
    for pack in range(2, 40):
        for y in range(1, pack):
            orders, options = pv.Orders(pack), {"q": 1 - F(y, pack), "support": (0, 3 * pack)}
            values = [y, np.nextafter(y, pack), pack + y, np.nextafter(pack + y, 0)]
            assert orders.rounded(values, **options).tolist() == [0, pack, pack, pack]


def test_demands_rounded_to_the_nearest_mislead() -> None:
    """Demand is always 5, packs hold 12, a unit short costs three units over: a pack is best, and is drawn."""
    q, n, support = F(3, 4), 400, (0, 24)
    future, guarantee = {5: F(1)}, F(pv.worst_case_regret(pv.ERM(), np.zeros(n), q=q).upper) * 24
    nearest = pv.ERM().order(np.zeros(n), np.zeros(n), q=q, support=support)  # 5 is nearer to 0
    best = min(cost(F(a), future, q) for a in (0, 12, 24))
    assert cost(F(nearest), future, q) - best > 5 * guarantee
    drawn = [
        pv.ERM().order(np.full(n, 5), np.zeros(n), q=q, support=support, orders=pv.Orders(12), random_state=seed)
        for seed in range(50)
    ]
    assert sum(cost(F(a), future, q) for a in drawn) / 50 - best <= guarantee


def test_an_allowance_in_money_is_not_too_small() -> None:
    for cu, co in product(("0.1", "0.7", "3.3", "19"), ("0.3", "1.1", "7")):
        exact = F(cu) * F(co) / (F(cu) + F(co)) * 12
        allowance = F(pv.Orders(12).allowance(q=pv.Newsvendor(cu, co, support=(0, 36))))
        assert exact <= allowance <= exact * (1 + F(1, 10**14))


# --- drawing ---------------------------------------------------------------------------------------------------------


def test_draws_are_unbiased_repeatable_and_possible() -> None:
    orders, support = pv.Orders(6, minimum=12), (0, 30)
    values = np.tile([0.0, 3.0, 12.0, 13.5, 29.9, 30.0], (20_000, 1))
    drawn = orders.drawn(values, support=support, random_state=5)
    assert drawn.shape == values.shape
    assert set(np.unique(drawn)) <= set(orders.possible(support))
    assert np.abs(drawn.mean(axis=0) - values[0]).max() < 5 * 6 / 20_000**0.5
    on_the_grid = [0, 2, 5]
    assert (drawn[:, on_the_grid] == values[:, on_the_grid]).all()
    assert (orders.drawn(values, support=support, random_state=5) == drawn).all()
    assert (orders.drawn(values, support=support, random_state=6) != drawn).any()
    by_item_and_date = [orders.drawn(values, support=support, random_state=[17, 20261116]) for _ in range(2)]
    assert (by_item_and_date[0] == by_item_and_date[1]).all()
    assert abs(np.corrcoef(drawn[:, 1], drawn[:, 3])[0, 1]) < 5 / 20_000**0.5  # independent of each other


class Digits(np.random.Generator):
    """Says what it is told, digit by digit."""

    def __init__(self, *said: int) -> None:
        super().__init__(np.random.PCG64(0))
        self.said = iter(said)

    def integers(self, high, size=None):
        value = next(self.said)
        return value if size is None else np.full(size, value)


def test_no_rows_take_no_draws() -> None:
    assert pv.Orders(6).drawn_each(np.empty((0, 3)), support=(0, 6), random_states=[]).shape == (0, 3)


def test_a_draw_that_floats_cannot_decide_is_decided_exactly() -> None:
    third = room.DIGITS // 3  # 1/3 has the digits 2^53 // 3 over and over, then a remainder of 2/3 or 1/3
    rest = int(F(1, 3) * room.DIGITS**2) - third * room.DIGITS
    for last, expected in ((rest - 1, 3.0), (rest + 1, 0.0)):
        assert pv.Orders(3).drawn(1.0, support=(0, 6), random_state=Digits(third, last)) == expected
    assert pv.Orders(3).drawn(3.0, support=(0, 6), random_state=Digits(0)) == 3.0
    assert pv.Orders(3).drawn(6.0, support=(0, 6), random_state=Digits(room.DIGITS - 1)) == 6.0
    assert pv.Orders(3).drawn(0.0, support=(0, 6), random_state=Digits(0)) == 0.0


def test_order_executes_what_was_proved() -> None:
    """Frequencies of drawn orders against the exact law of what ``regret`` above enumerates."""
    y, d, q, grid = (1, 4, 5), [0.0, 0.1, 0.2], F(1, 2), [0, 3, 6]
    policy = pv.Mixture([pv.OrderStatistic(2), pv.NoData()], ["2/3", "1/3"])
    exact: Law = {}
    for history in product(*(neighbours(grid, F(one)).items() for one in y)):
        average = average_order(policy, d, tuple(a for a, _ in history), q, (0, 6))
        for order, p in neighbours(grid, average).items():
            exact[order] = exact.get(order, F(0)) + p * prod(p for _, p in history)
    generator = np.random.default_rng(3)
    options = {"q": q, "support": (0, 6), "orders": pv.Orders(3)}
    drawn = [policy.order(y, d, **options, random_state=generator) for _ in range(3000)]
    assert set(drawn) == set(exact)
    for order, p in exact.items():
        assert drawn.count(order) / 3000 == pytest.approx(float(p), abs=5 * float(p * (1 - p) / 3000) ** 0.5)
    assert policy.order(y, d, **options, random_state=9) == policy.order(y, d, **options, random_state=9)


def test_whole_demands_need_no_draw() -> None:
    y, d = [7.0, 3.0, 9.0], [0.0, 0.1, 0.2]
    plain = pv.ERM().order(y, d, q=0.6, support=(0, 12))
    for state in (None, 1, 2, 3):
        assert pv.ERM().order(y, d, q=0.6, support=(0, 12), orders=pv.Orders(), random_state=state) == plain


def test_multiples_are_the_floats_people_write() -> None:
    assert pv.Orders("0.1").possible((0, 1.2)).tolist() == [float(f"{k / 10:.1f}") for k in range(13)]
    assert pv.Orders(0.1).possible((0, 0.3)).tolist() == [0.0, 0.1, 0.2, 0.3]
    assert pv.Orders(1, minimum=100).possible((0, 100)).tolist() == [0, 100]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: pv.Orders(0), "pack = 0 must be positive"),
        (lambda: pv.Orders("a dozen"), "pack = 'a dozen' is not a finite number"),
        (lambda: pv.Orders(1, minimum=-1), "minimum = -1 is negative"),
        (lambda: pv.Orders(2, among=[0, 4]), "among is given with pack = 2"),
        (lambda: pv.Orders(among=[4, 4]), "fewer than two orders"),
        (lambda: pv.Orders(12).possible((0, 100)), r"for example support = \(0, 108\)"),
        (lambda: pv.Orders(1, minimum=50).possible((0, 20)), r"for example support = \(0, 50\)"),
        (lambda: pv.Orders(among=[0, 5]).possible((0, 7)), r"support = \(0, 5\), with demands cut off there"),
        (lambda: pv.Orders(12).possible((-12, 24)), r"\(0, 24\), with demands cut off there"),
        (lambda: pv.Orders(among=[5, 10]).possible((12, 20)), "10 is the best of them for all such demand"),
        (lambda: pv.Orders(among=[5, 10]).possible((1, 2)), "5 is the best of them for all such demand"),
        (lambda: pv.Orders(12).possible((6, 24)), r"for example support = \(0, 24\)$"),
        (lambda: pv.Orders().drawn([3], support=(0, 8), random_state=None), "random_state = None is not a seed"),
        (lambda: pv.Orders("1e-9").possible((0, 1)), "more than 1,000,000 possible orders"),
        (lambda: pv.Orders(F(10**17, 3)).possible((0, 1e17)), "too many digits"),
        (lambda: pv.Orders().drawn([3, 9], support=(0, 8), random_state=1), "values hold 9.0, outside the support"),
        (lambda: pv.Orders().drawn(["x"], support=(0, 8), random_state=1), "values holds something"),
        (lambda: pv.Orders().drawn([3], support=(0, 8), random_state=-1), "random_state = -1 is not a seed"),
        (lambda: pv.ERM().order([3], [0], q=0.5, support=(0, 8), orders=12), "orders = 12 does not say"),
        (lambda: pv.Orders().rounded([np.nan], q=0.5, support=(0, 8)), "values hold nan"),
    ],
)
def test_what_cannot_be_is_refused(build, message: str) -> None:
    with pytest.raises(pv.InputError, match=message):
        build()
