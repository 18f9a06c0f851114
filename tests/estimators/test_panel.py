"""One model for many items: the rule executed is the rule certified, and nobody's rows are counted twice."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from math import ceil

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from panels import ahead, panel
from provend import Newsvendor, minimax, worst_case_regret
from provend.estimators import ColumnWarning, PanelNewsvendor, SupportWarning

Floats = NDArray[np.float64]
DRIFT, ENOUGH, BORROWED, OLDEST, DEAREST = 5e-4, 30, 60, 14, 1.6  # what the docstring and ``basis_`` promise


def binomial_regret(weights: list[int], needed: int, d: Floats, q: Fraction, grid: int = 4001) -> float:
    """Worst case of one weighted threshold by its definition: demand is 0 or 1, past chances as far off as they may be.

    The order is 1 where the weight of the zeros stays below what is needed.
    """

    def ones_enough(p: Floats) -> Floats:
        """P(weight of zeros < needed) where row i is 1 with probability p[:, i]."""
        law = np.zeros((len(p), sum(weights) + 1))
        law[:, 0] = 1.0
        for i, w in enumerate(weights):
            shifted = np.zeros_like(law)
            shifted[:, w:] = law[:, : law.shape[1] - w]
            law = law * p[:, [i]] + shifted * (1 - p[:, [i]])
        return law[:, :needed].sum(axis=1)

    mu, ratio = np.linspace(0, 1, grid), float(q)
    low, high = np.clip(mu[:, None] - d, 0, 1), np.clip(mu[:, None] + d, 0, 1)
    short = np.maximum(mu - (1 - ratio), 0) * (1 - ones_enough(low))
    over = np.maximum(1 - ratio - mu, 0) * ones_enough(high)
    return float(max(short.max(), over.max()))


def lent_to_the_first(counts: list[int]) -> int:
    """Each lends as many rows as all others need to lend 60, of its latest 14."""
    return sum(min(count, OLDEST, ceil(BORROWED / (len(counts) - 1))) for count in counts[1:])


@pytest.mark.parametrize("counts", [[1, 2, 3, 4], [12, 40, 12, 5], [35, 35]], ids=str)
@pytest.mark.parametrize("costs", [(9, 1), (1, 3)])
def test_the_guarantee_is_that_of_the_rule_executed(counts: list[int], costs: tuple[int, int]) -> None:
    """The rule is found from outside: demands of two values show which weight of zeros makes it order 0."""
    X, y = panel(counts)
    model = PanelNewsvendor(*costs, support=(0, 100)).fit(X, y)
    targets = model._targets(ahead(["item 0", "nobody"]))
    q = Fraction(costs[0], sum(costs))
    for case, rows in targets.cases(model.pool_, model.histories_):
        rule, d = model._rule(case, q), np.array(model._design(case, q))
        own = 0 if case.stranger else counts[0]
        lent = len(counts) if case.stranger else lent_to_the_first(counts)
        step = DRIFT * float(norm.pdf(norm.ppf(float(q))))
        expected = [step * (k + 1) for k in range(own)] + [model.pool_.distance + OLDEST * step] * (
            0 if own >= ENOUGH else min(lent, BORROWED)
        )
        assert d == pytest.approx(expected[: d.size], abs=1e-8)
        assert d.size == len(expected) or own > 20  # of longer histories, a few lengths stand for all
        found = model.guarantee(ahead(["item 0", "nobody"]))[rows]
        if len(rule.parts) == 1 and not rule.top and not rule.bottom:
            part = rule.parts[0]
            worst = binomial_regret(part.weights.tolist(), part.needed, d, q) * sum(costs) * 100
            assert found.lower[0] <= worst * (1 + 1e-4)
            assert worst <= found.upper[0] * (1 + 1e-9)
        best = minimax(d, q=Newsvendor(*costs, (0, 100)))
        assert found.upper[0] <= 1.02 * DEAREST * best.guarantee.upper
        if found.upper[0] > 1.02 * best.guarantee.upper:  # the price of staying within past demands
            assert rule.is_supported
        assert found.upper[0] >= best.lower_bound * (1 - 1e-9)


def test_few_rows_are_not_left_for_the_ends_of_the_support() -> None:
    """At a high ratio the optimum orders the top now and then; within past demands it costs more, but not too much."""
    X, y = panel([8] * 70)
    for ratio, kept in ((19, True), (99, False)):
        model = PanelNewsvendor(ratio, 1, support=(0, 1e4)).fit(X, y)
        ((case, rows),) = model._targets(ahead(["item 0"])).cases(model.pool_, model.histories_)
        q = Fraction(ratio, ratio + 1)
        rule, d = model._rule(case, q), np.array(model._design(case, q))
        assert rule.is_supported == kept
        assert bool(model.predict(ahead(["item 0"]))[0] < 1000) == kept
        best = minimax(d, q=q).guarantee.upper
        share = model.guarantee(ahead(["item 0"])).percent_of_no_data[rows[0]] / 100 * float(q * (1 - q))
        assert share <= (DEAREST if kept else 1.02) * best
        assert worst_case_regret(rule.policy, d, q=q).upper == pytest.approx(share, rel=0.02)


@pytest.mark.parametrize("counts", [[3, 40, 8, 1], [5] * 70], ids=["few", "many"])
def test_orders_are_weighted_quantiles_of_moved_demands(counts: list[int]) -> None:
    """Own rows from the latest on and rows of others, moved by hand; quantiles by sorting and adding."""
    X, y = panel(counts)
    model = PanelNewsvendor(4, 1, support=(0, 600)).fit(X, y)
    pool, targets = model.pool_, model._targets(ahead(["item 0", "nobody"]))
    orders = model.predict(ahead(["item 0", "nobody"]))
    for case, rows in targets.cases(model.pool_, model.histories_):
        (t,) = rows
        item = int(targets.item[t])
        place = targets.listed[[t]], targets.expected[[t]]
        lent = pool.lenders.nearest(*place, case.borrowed, stranger=case.stranger)[0].tolist()
        others = len(counts) if case.stranger else lent_to_the_first(counts)
        assert len(set(lent)) == len(lent) == min(BORROWED, others)
        assert case.stranger or item not in pool.lenders.whose[lent]
        errors = [] if case.stranger else model.histories_.errors[item, ::-1][: counts[0]].tolist()
        width = model.histories_.widths[item]
        assert width > 0
        assert (width == 1) == case.stranger
        errors += [(pool.lenders.strangers if case.stranger else pool.lenders.errors)[j] * width for j in lent]
        scale = pool.forecast.power
        moved = [float(np.clip(scale.back(np.array(targets.level[t] + e)) * targets.size[t], 0, 600)) for e in errors]
        rule, order = model._rule(case, Fraction(4, 5)), 0.0
        for part in rule.parts:
            total, chosen = 0, 600.0 if part.needed > 0 else 0.0
            for value, weight in sorted(zip(moved, part.weights.tolist(), strict=True)):
                total += weight
                if total >= part.needed > 0:
                    chosen = value
                    break
            order += float(part.probability) * chosen
        assert orders[t] == pytest.approx(order + float(rule.top) * 600, rel=1e-9)


def test_every_lender_is_another_item() -> None:
    X, y = panel([2, 3] * 40)
    lenders = PanelNewsvendor().fit(X, y).pool_.lenders
    for many in (1, 2, 59, 60, 79):
        found = lenders.nearest(np.arange(80), lenders.expected, many)
        assert (lenders.lent == 1).all()
        assert all(j not in row and len(set(row)) == many for j, row in enumerate(found.tolist()))


def test_long_histories_do_not_borrow() -> None:
    """Other items' latest demands, which lenders lend, do not change the weights of who has rows enough."""
    X, y = panel([ENOUGH, ENOUGH - 1, 100])
    model = PanelNewsvendor(4, 1, support=(0, 200)).fit(X, y)
    targets = model._targets(ahead(["item 0", "item 1"]))
    cases = {case.own: case.borrowed for case, _ in targets.cases(model.pool_, model.histories_)}
    assert cases[30] == 0
    assert {many for own, many in cases.items() if own < ENOUGH} == {2 * OLDEST}


def test_neither_row_order_nor_other_targets_matter() -> None:
    X, y = panel([3, 40, 12, 1, 60])
    shuffled = np.random.default_rng(1).permutation(len(X))
    names = [f"item {j}" for j in range(5)] + ["nobody"]
    one = PanelNewsvendor(4, 1).fit(X, y)
    other = PanelNewsvendor(4, 1).fit(X.iloc[shuffled], y[shuffled])
    together = one.predict(ahead(names))
    assert other.predict(ahead(names)) == pytest.approx(together, rel=1e-9)
    assert [one.predict(ahead([name]))[0] for name in names] == together.tolist()
    assert one.predict(ahead(names[::-1] * 2)).tolist() == together[::-1].tolist() * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SupportWarning)
        alone = [one.guarantee(ahead([name])).upper[0] for name in names]
        assert one.guarantee(ahead(names)).upper.tolist() == alone


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "constant": lambda y: np.full(y.size, 7.0),
    "zeros": lambda y: np.zeros(y.size),
    "negative": lambda y: -1.0 - y,
    "both signs": lambda y: y - 10.0,
    "tiny": lambda y: y * 1e-300,
    "huge": lambda y: y * 1e300,
    "a spike": lambda y: np.where(np.arange(y.size) == 5, 1e6, y),
    "mostly zeros": lambda y: y * (np.arange(y.size) % 9 == 0),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("counts", [[1], [1, 1, 1], [40, 2, 9]], ids=str)
def test_demands_of_every_shape(shape: str, counts: list[int]) -> None:
    """Orders within the support, guarantees between 0 and what no data can promise."""
    X, y = panel(counts)
    demand = SHAPES[shape](y)
    model = PanelNewsvendor(4, 1).fit(X, demand)
    names = [f"item {j}" for j in range(len(counts))] + ["nobody"]
    low, high = model._targets(ahead(names)).support
    orders = model.predict(ahead(names))
    assert (low < high).all()
    assert ((low <= orders) & (orders <= high)).all()
    for j, count in enumerate(counts):
        own = demand[sum(counts[:j]) : sum(counts[:j]) + count]
        assert low[j] <= own.min()
        assert own.max() <= high[j] * (1 + 1e-12)
    with pytest.warns(SupportWarning):
        found = model.guarantee(ahead(names))
    assert (found.lower >= 0).all()
    assert (found.lower <= found.upper).all()
    assert (found.upper <= found.no_data_regret * (1 + 1e-3)).all()


@pytest.mark.parametrize(("cu", "co"), [("9/10", "1/10"), ("7", "3"), ("1/3", "1/7")])
def test_money_in_the_units_of_each_item(cu: str, co: str) -> None:
    """Brackets contain the worst case times (cu + co) times the width of the item's own support, in fractions."""
    X, y = panel([40, 41, 3, 7])
    names, money, q = (
        [f"item {j}" for j in range(4)],
        Fraction(cu) + Fraction(co),
        Fraction(cu) / (Fraction(cu) + Fraction(co)),
    )
    model = PanelNewsvendor(cu, co).fit(X, y * 0.1)
    targets = model._targets(ahead(names))
    with pytest.warns(SupportWarning):
        found = model.guarantee(ahead(names))
    for case, rows in targets.cases(model.pool_, model.histories_):
        worst = worst_case_regret(model._rule(case, q).policy, np.array(model._design(case, q)), q=q, rtol=1e-3)
        for j in rows:
            width = Fraction(float(targets.support[1][j])) - Fraction(float(targets.support[0][j]))
            lower, upper = (Fraction(float(end)) * money * width for end in (worst.lower, worst.upper))
            assert Fraction(float(found.lower[j])) <= lower
            assert upper <= Fraction(float(found.upper[j]))
            assert float(found.upper[j]) == pytest.approx(float(upper), rel=1e-9)
            assert found[int(j)].no_data_regret == pytest.approx(float(q * (1 - q) * money * width))


def test_strangers_are_decided_by_what_is_known_of_them() -> None:
    """The column that does not change within an item says how large a new one will be."""
    rng = np.random.default_rng(0)
    large = np.arange(60) % 2 == 0
    X = pd.DataFrame(
        {
            "unique_id": np.repeat([f"i{j}" for j in range(60)], 20),
            "ds": np.tile(pd.date_range("2024-01-01", periods=20), 60),
            "kind": np.repeat(np.where(large, "large", "small"), 20),
        }
    )
    y = rng.poisson(np.repeat(np.where(large, 100.0, 10.0), 20)).astype(float)
    model = PanelNewsvendor(1, 1, support=(0, 500)).fit(X, y)
    new = pd.DataFrame({"unique_id": ["a", "b", "c"], "ds": X["ds"].max(), "kind": ["large", "small", "unheard of"]})
    with pytest.warns(ColumnWarning, match="column 'kind' holds 'unheard of'"):
        orders = model.predict(new)
    assert orders[:2] == pytest.approx([100, 10], rel=0.3)
    assert 0 <= orders[2] <= 500


def test_contexts_are_used() -> None:
    """Several columns; weekends sell twice as much."""
    X, _ = panel([60] * 8)
    weekend = (X["ds"].dt.day_of_week >= 5).to_numpy()
    X = X.assign(price=np.random.default_rng(0).uniform(1, 2, len(X)), shop=np.where(np.arange(len(X)) % 2, "a", "b"))
    y = np.random.default_rng(1).poisson(20.0 * (1 + weekend)).astype(float)
    model = PanelNewsvendor(1, 1, support=(0, 150)).fit(X, y)
    days = X[-7:].assign(unique_id="item 0", ds=pd.date_range("2024-07-01", periods=7), price=1.5, shop="a")
    orders = model.predict(days)
    assert orders[5:].min() > 1.4 * orders[:5].max()
