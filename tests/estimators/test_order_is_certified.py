"""The order given is the order certified: where dissimilarities are given, weights never see the demands they weigh."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.dissimilarity import Constant, Distance, Drift, Mismatch
from provend.estimators import RepeatedRowsWarning, RowOrderWarning
from provend.estimators._library import Brackets, Span
from provend.estimators._rules import decode

SHOPS = Mismatch("shop", 0.15) + Constant(0.02)
NAMES = ["minimax", "erm", "knn", "kernel", "exponential"]
OBJECTS = [
    pv.KNN(5),
    pv.OrderStatistic(4, k=5),
    pv.OrderStatistic(2, subset=[7, 0, 3]),
    pv.Exponential(0.8),
    pv.Kernel("gaussian", 0.1),
    pv.WeightedERM(np.arange(1, 31)),
    pv.WeightedQuantile(np.arange(30) % 4, 20),
    pv.Optimal(),
    pv.NoData(),
    pv.Mixture([pv.KNN(3), pv.Kernel("uniform", 0.1), pv.Optimal(), pv.NoData()], ["1/4"] * 4),
    pv.Mixture([pv.ERM(), pv.Mixture([pv.Exponential(0.7), pv.WeightedERM(np.arange(1, 31))], [0.5, 0.5])], [0.3, 0.7]),
]


def a_table(n: int = 30, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    shops = np.array(["a", "b", "c"])
    return pd.DataFrame({"shop": shops[rng.integers(0, 3, n)]}), rng.random(n), pd.DataFrame({"shop": shops})


@pytest.mark.parametrize("policy", [*NAMES, *OBJECTS], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_do_not_depend_on_the_demands_weighed(policy, weighted):
    x, y, targets = a_table()
    importance = np.random.default_rng(1).integers(1, 4, y.size) / 3 if weighted else None

    def found(demand):
        model = pv.ContextualNewsvendor(3, 1, policy=policy, dissimilarity=SHOPS, support=(0, 1))
        fitted = model.fit(x, demand, importance)
        return fitted.get_weights(targets), fitted.guarantee(targets).upper

    weights, upper = found(y)
    for other in (np.roll(np.sort(y), 9), np.roll(-np.sort(-y), 9), (y > 0.5).astype(float), y[::-1]):
        again, same = found(other)
        assert (again == weights).all()
        assert (same == upper).all()


@pytest.mark.parametrize("policy", OBJECTS, ids=str)
def test_policies_decide_as_they_would_on_the_rows_given(policy):
    """Mixtures with kernels and optimal members too: each target's own dissimilarities settle what they are."""
    x, y, targets = a_table()
    model = pv.ContextualNewsvendor(3, 1, policy=policy, dissimilarity=SHOPS, support=(0, 1)).fit(x, y)
    orders, found = model.predict(targets), model.guarantee(targets)
    for order, lower, upper, d in zip(orders, found.lower, found.upper, SHOPS(x, targets), strict=True):
        same = settled(policy, d)
        assert order == pytest.approx(same.order(y, d, q=0.75), abs=1e-14)
        exact = pv.worst_case_regret(same, d, q=pv.Newsvendor(3, 1))
        assert lower <= exact.upper
        assert exact.lower <= upper
        assert (upper - lower) / upper < 2e-3


def settled(policy, d):
    if isinstance(policy, pv.Mixture):
        return pv.Mixture([settled(member, d) for member in policy.policies], policy.probabilities)
    return policy.rounded(d) if hasattr(policy, "rounded") else policy


def regret(order: np.ndarray, mean: float, q: float) -> np.ndarray:
    """Of an order in [0, 1] when demand is 1 with probability ``mean``, else 0; costs q and 1 - q."""
    return order * (1 - mean) * (1 - q) + (1 - order) * mean * q - min((1 - mean) * (1 - q), mean * q)


@pytest.mark.parametrize(("policy", "d", "n", "mean"), [(pv.KNN(5), 0.0, 100, 0.9), ("minimax", 0.1, 1000, 0.7)])
def test_ties_are_not_broken_by_demand(policy, d, n, mean):
    rng = np.random.default_rng(0)
    x, found = np.zeros((n, 1)), []
    for _ in range(20):
        y = rng.permutation((np.arange(n) < mean * n).astype(float))
        model = pv.ContextualNewsvendor(1, 1, policy=policy, dissimilarity=d, support=(0, 1)).fit(x, y)
        found.append(2 * regret(model.predict(x[:1])[0], mean, 0.5))
    assert np.mean(found) <= model.guarantee(x[:1]).upper[0]


def test_all_of_many_rows_at_the_same_distance_count():
    x, y = np.zeros((1000, 1)), np.random.default_rng(0).random(1000)
    model = pv.ContextualNewsvendor(1, 1, dissimilarity=0.1, support=(0, 1)).fit(x, y)
    assert model.get_weights(x[:1])[0] == pytest.approx(np.full(1000, 1e-3))


@pytest.mark.parametrize("policy", ["tree", "forest"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_are_weighed_do_not_grow_the_trees(policy, weighted):
    rng = np.random.default_rng(0)
    x, y, importance = rng.random((100, 2)), rng.random(100), rng.integers(1, 4, 100) if weighted else None

    def weights(demand):
        model = pv.ContextualNewsvendor(9, 1, policy=policy, dissimilarity=0.05, support=(0, 1))
        return model.fit(x, demand, importance).get_weights(x[:10])

    before = weights(y)
    used = before.any(axis=0)
    assert 0 < used.sum() <= 50
    assert (weights(np.where(used, 1 - y, y)) == before).all()
    assert not np.array_equal(weights(np.where(used, y, 1 - y**3)), before)  # the others do


def test_a_row_stays_one_observation_however_important():
    rng = np.random.default_rng(0)
    x, y = np.zeros((5, 1)), rng.random(5)
    for policy in ("erm", "minimax", pv.KNN(5)):
        model = pv.ContextualNewsvendor(1, 1, policy=policy, dissimilarity=0.0, support=(0, 1))
        alone, ten = model.fit(x, y).guarantee(x[:1]), model.fit(x, y, np.full(5, 10)).guarantee(x[:1])
        assert ten.upper == alone.upper
        uneven = model.fit(x, y, [10, 1, 1, 1, 1])
        assert uneven.guarantee(x[:1]).upper > alone.upper
        assert uneven.predict(x[:1])[0] == y[0]
        assert uneven.get_weights(x[:1])[0] == pytest.approx(np.array([10, 1, 1, 1, 1]) / 14)


def test_importance_is_that_of_weighted_erm():
    x, y, targets = a_table()
    importance = np.random.default_rng(1).integers(0, 5, y.size)
    used = importance > 0
    for k, policy in ((used.sum(), "erm"), (7, pv.KNN(7))):
        model = pv.ContextualNewsvendor(3, 1, policy=policy, dissimilarity=SHOPS, support=(0, 1))
        model.fit(x, y, importance)
        for order, upper, d in zip(
            model.predict(targets), model.guarantee(targets).upper, SHOPS(x, targets)[:, used], strict=True
        ):
            weights = np.zeros(used.sum(), int)
            nearest = np.argsort(d, kind="stable")[:k]
            weights[nearest] = importance[used][nearest]
            same = pv.WeightedERM(weights)
            assert order == same.order(y[used], d, q="3/4")
            exact = pv.worst_case_regret(same, d, q=pv.Newsvendor(3, 1))
            assert exact.lower <= upper <= exact.upper * 1.002
    assert (model.get_weights(targets)[:, ~used] == 0).all()


def test_only_ratios_of_importance_matter():
    x, y, targets = a_table()
    importance = np.random.default_rng(1).random(y.size)
    models = [
        pv.ContextualNewsvendor(3, 1, dissimilarity=SHOPS, support=(0, 1)).fit(x, y, importance * factor)
        for factor in (1, 1e-3, 1e300)
    ]
    assert (models[0].predict(targets) == models[1].predict(targets)).all()
    assert (models[0].guarantee(targets).upper == models[2].guarantee(targets).upper).all()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1] * 29 + [-1], "at least 0"),
        ([1] * 29 + [np.inf], "finite"),
        ([0] * 30, "zero for every row"),
        ([1], "30 rows"),
    ],
)
def test_importance_that_is_none(weights, message):
    x, y, _ = a_table()
    with pytest.raises(pv.InputError, match=message):
        pv.ContextualNewsvendor().fit(x, y, weights)


@pytest.mark.parametrize("support", [(0, 20), (0.5, 19.5), (0.3, 19.7)])
@pytest.mark.parametrize("costs", [("9/10", "1/10"), (1, 3)])
def test_whole_orders_stay_inside_the_support(support, costs):
    x, _, targets = a_table()
    rng = np.random.default_rng(0)
    for y in (np.full(30, support[0]), np.full(30, support[1]), rng.uniform(*support, 30)):
        options = {"dissimilarity": SHOPS, "support": support}
        whole = pv.ContextualNewsvendor(*costs, integer=True, **options).fit(x, y)
        real = pv.ContextualNewsvendor(*costs, **options).fit(x, y)
        orders = whole.predict(targets)
        assert (orders == np.rint(orders)).all()
        assert ((orders >= support[0]) & (orders <= support[1])).all()
        added = whole.guarantee(targets).upper - real.guarantee(targets).upper
        dearer = 0.9 if costs == ("9/10", "1/10") else 3
        assert (added >= dearer * np.abs(orders - real.predict(targets)) * (1 - 1e-12)).all()
        assert (added <= dearer * 0.81).all()
    with pytest.raises(pv.InputError, match="holds no whole number"):
        pv.ContextualNewsvendor(integer=True, support=(0.2, 0.8)).fit(x, np.full(30, 0.5))


def test_the_future_is_represented_at_the_end_of_the_history():
    """Targets to come resemble past contexts met again after the last of them, not before the first."""
    days = np.concatenate([np.arange(50), 500 + 10.0 * np.arange(50)])
    y = np.random.default_rng(0).random(100)
    model = pv.ContextualNewsvendor(9, 1, dissimilarity=Drift(0.001), support=(0, 1)).fit(days[:, None], y)
    nearest = next(iter(model.decider_.rules.designs.values()))
    assert nearest[:3] == pytest.approx([0, 0.01, 0.02])


def test_rows_sorted_by_demand_are_noticed():
    x, y, _ = a_table()
    dates = pd.DataFrame({"date": np.datetime64("2026-01-01") + np.arange(30)})
    model = pv.ContextualNewsvendor(policy="erm", dissimilarity=0.1)
    for ascending in (np.argsort(y), np.argsort(-y)):
        with pytest.warns(RowOrderWarning, match="sorted by demand"):
            model.fit(x.iloc[ascending], y[ascending])
        with pytest.warns(RowOrderWarning, match="sorted by demand"):
            model.fit(dates.iloc[ascending], y[ascending])
    model.fit(x, y)
    model.fit(dates, np.sort(y))  # demand that only ever grew


def test_rows_pasted_twice_are_noticed():
    """Only where they say when, and where their demands would hardly agree by chance."""
    y = np.random.default_rng(0).poisson(20, 40) * 1.0
    X = pd.DataFrame({"date": np.datetime64("2026-01-01") + np.arange(40), "shop": ["a", "b"] * 20})
    model = pv.ContextualNewsvendor(policy="erm", dissimilarity=0.1, support=(0, 100))

    def fitted(rows: np.ndarray, demand: np.ndarray = y, table: pd.DataFrame = X) -> list[str]:
        with warnings.catch_warnings(record=True, action="always") as said:
            model.fit(table.iloc[rows], demand[rows])
        return [str(one.message) for one in said if one.category is RepeatedRowsWarning]

    every, some = np.arange(40), np.append(np.arange(40), [3, 17, 17])
    for rows, copies in ((some, 3), (np.append(every, every), 40), (np.repeat(every, 2)[::-1], 40)):
        (said,) = fitted(rows)
        assert said.startswith(f"{copies} of {rows.size} rows repeat another one, its time and demand included")
    assert fitted(every) == []
    assert fitted(some, table=X[["shop"]]) == []  # without a time
    assert fitted(np.append(every, 3)) == []  # once may be chance
    assert fitted(some, y.clip(20, 20)) == []  # demands that are all the same
    table, demand = pd.concat([X, X]), np.append(y, y + (np.arange(40) % 9 == 0))
    assert fitted(np.arange(80), demand, table) == []  # nobody says what tells two rows of a day apart


def test_importance_multiplies_the_optimal_weights():
    x, y, targets = a_table(60)
    importance = np.random.default_rng(1).uniform(0.5, 1, y.size)
    model = pv.ContextualNewsvendor(3, 1, dissimilarity=Mismatch("shop", 0.3), support=(0, 1))
    plain, weighted = model.fit(x, y).get_weights(targets), model.fit(x, y, importance).get_weights(targets)
    product = plain * importance
    assert weighted == pytest.approx(product / product.sum(axis=1, keepdims=True), rel=2e-3)


@pytest.mark.parametrize("policy", [pv.OrderStatistic(1, subset=[3]), pv.Mixture([pv.WeightedERM(range(1, 31))], [1])])
def test_positions_are_those_of_the_rows_given(policy):
    x, y, _ = a_table()
    options = {"policy": policy, "support": (0, 1)}
    with pytest.raises(pv.InputError, match="only 15 of the 30 rows are weighed"):
        pv.ContextualNewsvendor(**options, dissimilarity="certified").fit(x, y)
    with pytest.raises(pv.InputError, match="only 29 of the 30 rows are weighed"):
        pv.ContextualNewsvendor(**options, dissimilarity=0.1).fit(x, y, np.arange(30))


def test_importance_of_any_size():
    x, y, targets = a_table()
    model = pv.ContextualNewsvendor(1, 1, policy=pv.KNN(1), dissimilarity=SHOPS, support=(0, 1))
    model.fit(x, y, np.append(np.full(29, 1e-310), 1.0))
    assert (model.get_weights(targets).sum(axis=1) == 1).all()
    assert (model.fit(x, y, 3).predict(targets) == model.fit(x, y).predict(targets)).all()
    with pytest.raises(pv.InputError, match="does not hold numbers"):
        model.fit(x, y, ["a"] * 30)


@pytest.mark.parametrize("policy", ["minimax", "knn", pv.KNN(7)])
def test_neither_company_nor_the_order_of_many_rows_matters(policy):
    """Euclidean distances on a grid tie or nearly do; more rows than represent the targets to come."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, (260, 2)) + np.array([0.5, 0.25]), rng.random(260)
    model = pv.ContextualNewsvendor(
        3, 1, policy=policy, dissimilarity=Distance(0.05, metric="euclidean"), support=(0, 1)
    )
    targets = x[:40] + 0.3
    together = model.fit(x, y).predict(targets)
    assert (together == [model.predict(row[None])[0] for row in targets]).all()
    distinct = rng.random((260, 2))
    orders, upper = (f(distinct[:9] + 0.01) for f in (model.fit(distinct, y).predict, model.guarantee))
    shuffled = rng.permutation(260)
    model.fit(distinct[shuffled], y[shuffled])
    assert (model.predict(distinct[:9] + 0.01) == orders).all()
    assert model.guarantee(distinct[:9] + 0.01).upper == pytest.approx(upper.upper)


def test_brackets_belong_to_their_rule_and_to_the_farthest_design():
    ends, q = np.array([0.05, 0.1, 0.2]), Fraction(3, 4)
    rules = [decode(pv.OrderStatistic(rank), ends, q) for rank in (1, 3)]
    known = Brackets()
    found = [known.of(rule, Span(key, ends, ends, np.arange(1))) for key, rule in enumerate(rules)]
    for (lower, upper), rule in zip(found, rules, strict=True):
        exact = pv.worst_case_regret(rule.policy, ends, q=q)
        assert lower <= exact.upper
        assert exact.lower <= upper <= exact.upper * 1.002
    assert found[0] != found[1]
    wide = known.of(rules[0], Span(0, ends / 2, ends, np.arange(2)))
    assert wide[1] == found[0][1]
    assert wide[0] < found[0][0]
    near = np.array([[0.0, 0.3], [0.1, 0.2]])
    span = Span.of(0, near, np.arange(2)).joined(Span.of(0, near + 0.5, np.arange(2, 4)))
    assert span.least.tolist() == [0.0, 0.2]
    assert span.most.tolist() == [0.6, 0.8]
