"""Few rows of one item: too few to tell days apart, so that looking for differences must cost next to nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import poisson

from provend import Newsvendor, Optimal, worst_case_regret
from provend.estimators import ContextualNewsvendor
from provend.estimators._library import DEAREST
from provend.levels import learn_roughly
from provend.tables import read_contexts

Floats = NDArray[np.float64]

WORLDS, ROWS, AHEAD, MEAN = 150, 8, 7, 10.0


def expected_cost(orders: np.ndarray, q: float) -> float:
    """Of demand that is Poisson, by its definition."""
    demand = np.arange(80)
    left = orders[:, None] - demand
    return float((poisson.pmf(demand, MEAN) * np.where(left > 0, (1 - q) * left, -q * left)).sum())


def test_eight_rows_of_noise_cost_what_their_quantile_costs() -> None:
    """At q = 0.9 the quantile is their largest; an order that leaves out rows that seem different is a worse guess."""
    cost = plain = 0.0
    for seed in range(WORLDS):
        dates = pd.DataFrame({"ds": pd.date_range("2024-03-01", periods=ROWS + AHEAD) + pd.Timedelta(days=seed % 7)})
        y = np.random.default_rng(seed).poisson(MEAN, ROWS).astype(float)
        orders = ContextualNewsvendor(9, 1).fit(dates[:ROWS], y).predict(dates[ROWS:])
        cost += expected_cost(orders, 0.9)
        plain += expected_cost(np.full(AHEAD, y.max()), 0.9)
    assert cost < 1.015 * plain


def test_eight_days_count_by_their_weekday() -> None:
    """Only one of seven weekdays was seen twice, so that no forecast can be judged; weekdays count nevertheless."""
    cost = plain = 0.0
    for seed in range(40):
        dates = pd.DataFrame({"ds": pd.date_range("2024-03-01", periods=ROWS + AHEAD) + pd.Timedelta(days=seed % 7)})
        rng = np.random.default_rng(seed)
        week = rng.uniform(20, 200, 7)[dates["ds"].dt.day_of_week]
        demand = rng.normal(week, 5)
        orders = ContextualNewsvendor(1, 1).fit(dates[:ROWS], demand[:ROWS]).predict(dates[ROWS:])
        cost += np.abs(orders - demand[ROWS:]).sum()
        plain += np.abs(np.quantile(demand[:ROWS], 0.5, method="inverted_cdf") - demand[ROWS:]).sum()
    assert cost < 0.97 * plain


@pytest.mark.parametrize(("ratio", "kept"), [(19, True), (99, False)])
def test_few_rows_are_not_left_for_the_ends_of_the_support(ratio: int, kept: bool) -> None:
    """At a high ratio the optimum orders the top now and then; within past demands it costs more, but not too much."""
    problem = Newsvendor(ratio, 1, (0, 1e4))
    dates = pd.DataFrame({"ds": pd.date_range("2024-03-01", periods=ROWS + 1)})
    past, target = dates[:ROWS], dates[ROWS:]
    y = np.random.default_rng(0).poisson(MEAN, ROWS).astype(float)
    model = ContextualNewsvendor(ratio, 1, support=(0, 1e4)).fit(past, y)
    best = ContextualNewsvendor(ratio, 1, policy=Optimal(), support=(0, 1e4)).fit(past, y)
    order, found, least = model.predict(target)[0], model.guarantee(target), best.guarantee(target).upper[0]
    assert best.predict(target)[0] > 100
    assert bool(order <= y.max()) == kept
    assert found.upper[0] <= (DEAREST if kept else 1.05) * least
    assert found.percent_of_no_data[0] <= 100
    assert bool(found.upper[0] > 1.05 * least) == kept
    ((d,),) = [block for block, _ in model._blocks(model._distinct(target)[0])]
    rule = model.decider_.rule(int(model.decider_.keys(np.sort(d)[None])[0]))
    assert worst_case_regret(rule.policy, np.sort(d)[: rule.reach], q=problem).upper == pytest.approx(
        found.upper[0], rel=0.01
    )


@pytest.mark.parametrize(("rows", "ratio"), [(9, 19), (18, 9)])
def test_staying_within_demands_never_promises_less_than_no_data(rows: int, ratio: int) -> None:
    """However far ahead: targets are further away than the one by which that was judged."""
    dates = pd.date_range("2024-03-01", periods=rows)
    ahead = pd.DataFrame({"ds": [dates[-1] + pd.Timedelta(days=int(lead)) for lead in np.geomspace(1, 8000, 40)]})
    y = np.random.default_rng(rows).poisson(20, rows).astype(float)
    model = ContextualNewsvendor(ratio, 1, support=(0, 100)).fit(pd.DataFrame({"ds": dates}), y)
    found = model.guarantee(ahead)
    assert model.predict(ahead)[0] <= y.max()
    assert (found.percent_of_no_data <= 100).all()


def test_rows_with_weights_have_the_best_rule_as_it_is() -> None:
    """What weights add to the price of staying within demands nobody has judged."""
    dates = pd.DataFrame({"ds": pd.date_range("2024-03-01", periods=15)})
    y, weights = np.random.default_rng(0).poisson(MEAN, 14).astype(float), np.tile([5.0, 1.0], 7)
    share = {}
    for policy in ("minimax", Optimal()):
        model = ContextualNewsvendor(97, 3, policy=policy, support=(0, 100)).fit(dates[:14], y, sample_weight=weights)
        share[policy] = float(model.guarantee(dates[14:]).percent_of_no_data[0])
    found, least = share.values()
    assert found < 1.1 * least


@pytest.mark.parametrize("rows", [8, 11])
def test_the_order_of_few_rows_does_not_matter(rows: int) -> None:
    rng = np.random.default_rng(rows)
    X = pd.DataFrame({"rain": rng.exponential(size=rows), "shop": rng.choice(["a", "b"], rows)})
    y, shuffled = rng.poisson(20 + 10 * X["rain"]).astype(float), rng.permutation(rows)
    one, other = learn_roughly(read_contexts(X), y), learn_roughly(read_contexts(X.iloc[shuffled]), y[shuffled])
    assert one.learned
    assert np.array_equal(other.past, one.past[shuffled])


@pytest.mark.parametrize("y", [np.full(9, 3.0), np.zeros(9), np.arange(5.0)], ids=str)
def test_nothing_to_tell_apart_roughly(y: Floats) -> None:
    """Demands that are all the same, or fewer than eight."""
    found = learn_roughly(read_contexts(pd.DataFrame({"x": np.sin(np.arange(y.size))})), y)
    assert not found.learned
    assert found.spread > 0


@pytest.mark.parametrize("ratio", [0.5, 0.9])
def test_columns_without_meaning_cost_little_with_14_rows(ratio: float) -> None:
    """Errors of 14 rows left out were too small: twelve columns explained everything, and orders cost twice as much."""
    cost = plain = 0.0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(14 + AHEAD, 12))).add_prefix("x")
        X["ds"] = pd.date_range("2024-03-01", periods=14 + AHEAD)
        y = rng.poisson(MEAN, 14).astype(float)
        orders = ContextualNewsvendor(ratio, 1 - ratio).fit(X[:14], y).predict(X[14:])
        cost += expected_cost(orders, ratio)
        plain += expected_cost(np.full(AHEAD, np.quantile(y, ratio, method="inverted_cdf")), ratio)
    assert cost < 1.06 * plain
