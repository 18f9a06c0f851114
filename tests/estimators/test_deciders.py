"""Deciders: who serves which policy, and orders, brackets and shares against definitions."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import ceil

import numpy as np
import pandas as pd
import pytest

import oracle
import provend as pv
from provend.dissimilarity import Drift, Mismatch
from provend.estimators import ContextualNewsvendor
from provend.estimators._buying import Asked
from provend.estimators._by_rank import ByRank
from provend.estimators._deciders import OneByOne, _by_name, _designs, _encoding
from provend.estimators._library import Library
from provend.estimators._past import Past
from provend.tables import Encoding, read_contexts

Q = Fraction(2, 3)
SUPPORT = (0.0, 1.0)
SHOPS = np.array(list("abc"))
MODEL = Mismatch("shop", 0.2)
TARGETS = read_contexts(pd.DataFrame({"shop": SHOPS}))


def fitted(policy: object, n: int = 9, weights: np.ndarray | None = None) -> tuple[ContextualNewsvendor, np.ndarray]:
    """An estimator, and the dissimilarities of its rows to the targets: many of them equal, so that ties decide."""
    rng = np.random.default_rng(n)
    table = pd.DataFrame({"shop": SHOPS[rng.integers(0, 3, n)]})
    model = ContextualNewsvendor(2, 1, policy=policy, dissimilarity=MODEL, support=SUPPORT)
    return model.fit(table, rng.integers(0, 5, n) / 4, weights), MODEL(table, pd.DataFrame({"shop": SHOPS}))


def nearest_order(y: np.ndarray, d: np.ndarray, k: int) -> float:
    """The order of k nearest rows from its definition: ties by the order of the rows."""
    near = sorted(range(y.size), key=lambda i: (d[i], i))[:k]
    return float(sorted(y[near])[ceil(Q * k) - 1])


@pytest.mark.parametrize(
    ("policy", "kind"),
    [
        ("erm", ByRank),
        (pv.KNN(3), ByRank),
        ("minimax", ByRank),
        (pv.Mixture([pv.KNN(3), pv.ERM()], ["1/2", "1/2"]), ByRank),
        (pv.Kernel("uniform", 0.1), OneByOne),
        (pv.OrderStatistic(2, subset=[0, 4]), OneByOne),
        (pv.Optimal(), OneByOne),
        ("tree", OneByOne),
    ],
    ids=str,
)
def test_one_rule_serves_all_targets_where_ranks_decide(policy: object, kind: type) -> None:
    model, _ = fitted(policy)
    assert type(model.decider_) is kind
    weighed, _ = fitted(policy, weights=np.arange(1.0, 10.0))
    assert type(weighed.decider_) is OneByOne


def test_minimax_has_a_library() -> None:
    assert isinstance(fitted("minimax")[0].decider_.rules, Library)


@pytest.mark.parametrize("k", [1, 3, 7, 9])
@pytest.mark.parametrize("n", [9, 40])
def test_nearest_rows_by_their_definition(n: int, k: int) -> None:
    model, d = fitted(pv.KNN(k), n)
    exact = [nearest_order(model.history_.y, row, k) for row in d]
    assert model.decider_.orders(d, TARGETS, SUPPORT).tolist() == exact


@pytest.mark.parametrize("policy", [pv.ERM(), pv.KNN(3), pv.KNN(7), pv.WeightedERM(range(9))], ids=str)
def test_brackets_contain_the_worst_case(policy: pv.Policy) -> None:
    model, d = fitted(policy)
    lower, upper = model.decider_.brackets([(d, TARGETS)])
    for row, low, high in zip(d, lower, upper, strict=True):
        exact = oracle.worst_case(oracle.kappa_of(policy, row, Q), row, Q)
        assert Fraction(low) <= exact <= Fraction(high)


@pytest.mark.parametrize("policy", ["minimax", pv.KNN(3), pv.Kernel("uniform", 0.1)], ids=str)
def test_blocks_do_not_matter(policy: object) -> None:
    together, d = fitted(policy)
    apart, _ = fitted(policy)
    blocks = [(d[[i]], TARGETS.take(np.array([i]))) for i in range(3)]
    for one, other in zip(together.decider_.brackets([(d, TARGETS)]), apart.decider_.brackets(blocks), strict=True):
        assert one.tolist() == other.tolist()


def test_shares_are_those_of_the_rows() -> None:
    model, d = fitted(pv.KNN(3))
    for row, shares in zip(d, model.decider_.shares(d, TARGETS), strict=True):
        near = sorted(range(row.size), key=lambda i: (row[i], i))[:3]
        assert shares.tolist() == [1 / 3 if i in near else 0 for i in range(row.size)]


def test_names_without_a_parameter_reach_what_is_near() -> None:
    designs = np.repeat([0.0, 1.0], [5, 15])[None]
    assert _by_name("knn", designs, Q).k == 5
    assert _by_name("exponential", designs, Q).gamma == pytest.approx(5 / 6)
    kernel = _by_name("kernel", designs, Q)
    assert (kernel.weights(designs[0]) > 0).tolist() == [True] * 5 + [False] * 15
    assert _by_name("knn:7", designs, Q).k == 7


@pytest.mark.parametrize("q", ["1/2", "3/4", "19/20"])
def test_a_target_like_nothing_before_promises_what_no_data_does(q: str) -> None:
    """Contexts of the past are like each other; one that is not has the rule of nothing known."""
    ratio = Fraction(q)
    library = Library.of(np.full((5, 40), 0.01), ratio)
    (key,) = library.keys(np.ones((1, 40))).tolist()
    promised = pv.worst_case_regret(library.rule(key).policy, np.ones(library.rule(key).reach), q=ratio)
    assert promised.upper <= float(ratio * (1 - ratio)) * 1.01
    (near,) = library.keys(np.full((1, 40), 0.01)).tolist()
    assert near != key


@pytest.mark.parametrize("known", [pv.drift(0.001, 100), np.linspace(0, 0.3, 80)])
@pytest.mark.parametrize(("further", "closer"), [(0.05, 1.0), (0.1, 1.0), (0.2, 1.0), (0.0, 0.2), (0.0, 0.05)])
def test_targets_unlike_all_representatives_promise_nearly_what_can_be_promised(
    known: np.ndarray, further: float, closer: float
) -> None:
    """Months ahead, or much closer than any context of the past was to another."""
    q = Fraction(9, 10)
    library, target = Library.of(known[None], q), known * closer + further
    rule = library.rule(int(library.keys(target[None])[0]))
    assert set(library.designs) == set(Library.of(known[None], q).designs)  # nothing was learned from the target
    promised = pv.worst_case_regret(rule.policy, target[: rule.reach], q=q, rtol=1e-4)
    assert promised.upper <= 1.08 * pv.minimax(target, q=q).lower_bound


@pytest.mark.parametrize(("column", "designs"), [("date", 1), ("shop", 30)])
def test_dates_alone_have_one_design(column: str, designs: int) -> None:
    """Moved to the end of the history, they are all the same; other columns may still tell rows apart."""
    table = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=30), "shop": np.repeat(SHOPS, 10)})
    contexts, model = read_contexts(table[["date"] if column == "date" else ["date", column]]), Drift(0.01)
    found = _designs(Past(contexts, np.arange(30.0), np.arange(30), 30), model)
    every = np.sort(model(contexts, contexts.take_at_the_end(np.arange(30))), axis=1)
    assert len(found) == designs
    assert np.array_equal(np.broadcast_to(found, every.shape), every)


def test_designs_are_sorted_by_the_encoding_that_a_forecast_has_learned() -> None:
    """It is that of the rows themselves; one learned from other rows is of no use."""
    rng = np.random.default_rng(1)
    y = rng.poisson(20 + 10 * np.sin(np.arange(300) * 2 * np.pi / 7)).astype(float)
    table = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=300), "heat": rng.normal(size=300)})
    model = ContextualNewsvendor(3, 1).fit(table, y)
    contexts, learned = model.history_.contexts, model.dissimilarity_
    assert model.level_ is not None
    assert _encoding(contexts, learned) is model.level_.forecast.encoding
    assert np.array_equal(model.level_.forecast.encoding.matrix(contexts), Encoding.fitted(contexts)[1])
    assert _encoding(read_contexts(table[:250]), learned) is not model.level_.forecast.encoding


@pytest.mark.parametrize("stock", [None, [5.0, 1.0, 3.0, 1.0, 1.0], [4.0, 4.0, 2.0, 1.0, 9.0]])
def test_each_distinct_target_is_asked_for_once(stock: list[float] | None) -> None:
    """Rows that agree in context and stock share a target, and each row finds its own."""
    heat, shops = np.array([2.0, np.nan, 2.0, np.nan, np.nan]), np.array(list("babaa"))
    have = None if stock is None else np.array(stock)
    asked = Asked.of(read_contexts(pd.DataFrame({"heat": heat, "shop": shops})), have)
    numbers, names = (column.values for column in asked.targets.columns)
    assert np.array_equal(numbers[asked.back], heat, equal_nan=True)
    assert names[asked.back].tolist() == shops.tolist()
    rows = list(zip(numbers.tolist(), names.tolist(), [0.0] * names.size, strict=True))
    if have is not None:
        assert asked.stock is not None
        assert asked.stock[asked.back].tolist() == stock
        rows = list(zip(numbers.tolist(), names.tolist(), asked.stock.tolist(), strict=True))
    assert len({str(row) for row in rows}) == len(rows)


@pytest.mark.parametrize("size", [1, 5, 64, 65, 200])
def test_a_group_is_represented_by_its_median_rank_by_rank(size: int) -> None:
    """Of many designs some are enough, as long as they are spread over all of them."""
    designs = np.linspace(0.01, 0.0101, size)[:, None] + 1e-4 * np.arange(40)
    (found,) = (one for one in Library.of(designs, Fraction(9, 10)).designs.values() if one[0] < 1)
    assert found == pytest.approx(np.median(designs, axis=0), abs=0.02 * 1e-4)


@pytest.mark.parametrize("n", [150, 400])
def test_order_of_rows_does_not_matter_where_no_two_are_alike(n: int) -> None:
    """Of a group of many designs some represent it, whichever rows come first."""
    days = np.arange(n + 7)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"date": pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D")})
        table["price"] = rng.normal(size=days.size)
        y, mixed = np.maximum(30 + 5 * table.price[:n] + rng.normal(0, 6, n), 0).to_numpy(), rng.permutation(n)
        one = ContextualNewsvendor(9, 1).fit(table[:n], y)
        other = ContextualNewsvendor(9, 1).fit(table[:n].iloc[mixed].reset_index(drop=True), y[mixed])
        assert other.predict(table[n:]) == pytest.approx(one.predict(table[n:]), rel=1e-9)


def test_rules_are_not_used_where_they_weigh_contexts_that_are_further_away() -> None:
    """Of some shops more days are known than of others; the rule for 13 days, with ten, promised less than no data."""
    shops = np.repeat(list("abcdefgh"), range(10, 18))
    y = np.random.default_rng(0).poisson(20, shops.size).astype(float)
    found = {}
    for policy in ("minimax", pv.Optimal()):
        model = ContextualNewsvendor(9, 1, support=(0, 60), dissimilarity=Mismatch("shop", 1.0), policy=policy)
        model.fit(pd.DataFrame({"shop": shops}), y)
        found[policy] = model.guarantee(pd.DataFrame({"shop": list("abcdefgh")})).upper
    assert (found["minimax"] < 1.15 * found[pv.Optimal()]).all()


@pytest.mark.parametrize("q", ["1/2", "9/10"])
def test_a_design_with_a_rule_of_its_own_promises_nearly_what_can_be_promised(q: str) -> None:
    """So many contexts near, and the others far away: other counts than those of the representatives."""
    ratio, rng = Fraction(q), np.random.default_rng(0)
    near = np.sort(rng.uniform(0, 0.05, (20, 60)), axis=1)
    library = Library.of(np.where(np.arange(60) < 40, near, 1.0), ratio)
    for count in (8, 20, 33, 39, 40, 60):
        target = np.where(np.arange(60) < count, near[0], 1.0)
        rule = library.rule(int(library.keys(target[None])[0]))
        promised = pv.worst_case_regret(rule.policy, target[: rule.reach], q=ratio, rtol=1e-4)
        assert promised.upper <= 1.1 * pv.minimax(target, q=ratio).lower_bound
    assert library.keys(target[None]) == library.keys(target[None])
    copied = pickle.loads(pickle.dumps(library))
    assert not copied.others
    assert copied.keys(target[None]) == library.keys(target[None])
