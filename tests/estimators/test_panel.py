"""One model for many items: the rule executed is the rule certified, and nobody's rows are counted twice."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from provend import InputError, Newsvendor, minimax, worst_case_regret
from provend._display import at_least
from provend.estimators import ContextualNewsvendor, PanelNewsvendor, SupportWarning

Floats = NDArray[np.float64]
DRIFT, ENOUGH, BORROWED, OLDEST, DEAREST = 5e-4, 30, 60, 14, 1.6  # what the docstring and ``basis_`` promise


def panel(counts: list[int], seed: int = 0, **more: Any) -> tuple[pd.DataFrame, Floats]:
    """Items of so many rows each, of sizes 5, 10, 15 and so on."""
    rng, names = np.random.default_rng(seed), [f"item {j}" for j in range(len(counts))]
    X = pd.DataFrame(
        {
            "unique_id": np.repeat(names, counts),
            "ds": np.concatenate([pd.date_range(end="2024-06-30", periods=n).to_numpy() for n in counts]),
            **more,
        }
    )
    return X, rng.poisson(np.repeat(5.0 * np.arange(1, len(counts) + 1), counts)).astype(float)


def ahead(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"unique_id": names, "ds": pd.Timestamp("2024-07-01")})


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
        errors += [(pool.lenders.strangers if case.stranger else pool.lenders.errors)[j] for j in lent]
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


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
def test_any_dataframe(make: Callable[[dict[str, Any]], Any]) -> None:
    X, y = panel([3, 40, 12])
    targets = ahead(["item 0", "item 2", "nobody"])
    expected = PanelNewsvendor(4, 1).fit(X, y).predict(targets)
    other = PanelNewsvendor(4, 1).fit(make({name: X[name].to_numpy() for name in X}), y)
    assert other.predict(make({name: targets[name].to_numpy() for name in targets})).tolist() == expected.tolist()


def test_columns_are_known_by_name() -> None:
    """Where they stand does not matter; others than in the history are refused."""
    X, y = panel([40, 40])
    rng = np.random.default_rng(0)
    X = X.assign(price=rng.normal(size=80), rain=rng.normal(size=80))
    y = y + 5 * X["price"].to_numpy() ** 2
    model = PanelNewsvendor(4, 1).fit(X, y)
    turned = model.predict(X[["rain", "price", "ds", "unique_id"]])
    assert turned.tolist() == model.predict(X).tolist()
    assert np.ptp(turned[:40]) > 1
    for wrong in (X.rename(columns={"rain": "snow"}), X.drop(columns="rain"), X.assign(more=1.0)):
        with pytest.raises(InputError, match="the history has ds, price, rain; give the same"):
            model.predict(wrong)


def test_names_are_compared_as_text() -> None:
    """1, 1.0 and "1" are one item."""
    X, y = panel([5, 5])
    model = PanelNewsvendor(4, 1).fit(X.assign(unique_id=np.repeat([1, 2], 5)), y)
    found = [model.predict(ahead(["x"]).assign(unique_id=[name]))[0] for name in (2, 2.0, "2")]
    assert len(set(found)) == 1
    assert found[0] != model.predict(ahead(["3"]))[0]


REFUSED: dict[str, tuple[Callable[[pd.DataFrame, Floats], object], str]] = {
    "an array": (lambda X, y: PanelNewsvendor().fit(X.to_numpy(), y), "X is a ndarray; give a dataframe"),
    "no item": (lambda X, y: PanelNewsvendor(item="sku").fit(X, y), "item = 'sku' is not a column of X; there are uni"),
    "no name": (lambda X, y: PanelNewsvendor().fit(X.assign(unique_id=["a", None] * 5), y), "lacks a name in row 1"),
    "nan": (
        lambda X, y: PanelNewsvendor().fit(pl.DataFrame({"unique_id": [1.0, np.nan] * 5, "ds": range(10)}), y),
        "lacks a name in row 1",
    ),
    "no context": (lambda X, y: PanelNewsvendor().fit(X[["unique_id"]], y), "no column but 'unique_id'"),
    "no rows": (lambda X, y: PanelNewsvendor().fit(X[:0], y[:0]), "X has 0 rows"),
    "twice": (lambda X, y: PanelNewsvendor().fit(pd.concat([X, X["ds"]], axis=1), y), "X names columns twice"),
    "no y": (lambda X, y: PanelNewsvendor().fit(X, None), "the target y is None"),  # type: ignore[arg-type]
    "short y": (lambda X, y: PanelNewsvendor().fit(X, y[1:]), "y has 9 entries for 10 rows"),
    "short score": (lambda X, y: PanelNewsvendor().fit(X, y).score(X, y[:1]), "y has 1 entries for 10 rows"),
    "support": (lambda X, y: PanelNewsvendor(support=(0, 1)).fit(X, y), r"outside support = \(0, 1\); widen it"),
    "costs": (lambda X, y: PanelNewsvendor(cu=-1).fit(X, y), "cu = -1 must be positive"),
    "kind": (lambda X, y: PanelNewsvendor(columns={"ds": "day"}).fit(X, y), "'ds' cannot be a 'day'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_clear_errors(what: str) -> None:
    call, message = REFUSED[what]
    with pytest.raises(InputError, match=message):
        call(*panel([5, 5]))


@pytest.mark.parametrize("y", [[np.nan] * 10, [np.inf] * 10, ["many"] * 10], ids=str)
def test_demands_that_are_none(y: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"NaN|infinity|convert"):
        PanelNewsvendor().fit(panel([5, 5])[0], y)


def test_a_scikit_learn_estimator() -> None:
    X, y = panel([5, 40])
    model = PanelNewsvendor(4, 1, support=(0, 100))
    wanted = {"cu": 4, "co": 1, "item": "unique_id", "support": (0, 100), "columns": None, "orders": None}
    assert model.get_params() == wanted | {"random_state": 0}
    for asked in (model.predict, model.guarantee):
        with pytest.raises(NotFittedError):
            asked(X)
    with pytest.raises(NotFittedError):
        model.score(X, y)
    assert model.fit(X, y) is model
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    again = clone(model).set_params(cu=1)
    assert not hasattr(again, "pool_")
    assert (again.fit(X, y).predict(X) <= model.predict(X)).all()
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(X).tolist() == model.predict(X).tolist()
    assert copy.guarantee(X).upper.tolist() == model.guarantee(X).upper.tolist()
    cost = np.where(y > model.predict(X), 4 * (y - model.predict(X)), model.predict(X) - y)
    assert model.score(X, y) == pytest.approx(-cost.mean())
    before = model.predict(X).tolist()
    assert model.fit(X, y).predict(X).tolist() == before


def test_time_that_is_not_recognised_is_said() -> None:
    """Numbers of days in a table of several items look like any number."""
    X, y = panel([20, 20])
    numbered = X.assign(ds=np.tile(np.arange(20), 2))
    assert "No column is taken for a time" in PanelNewsvendor().fit(numbered, y).basis_
    assert "No column is taken for a time" not in PanelNewsvendor().fit(X, y).basis_
    told = PanelNewsvendor(columns={"ds": "time"}).fit(numbered, y)
    assert "No column is taken for a time" not in told.basis_
    shuffled = np.random.default_rng(0).permutation(40)
    other = PanelNewsvendor(columns={"ds": "time"}).fit(numbered.iloc[shuffled], y[shuffled])
    assert other.predict(numbered[-1:]) == pytest.approx(told.predict(numbered[-1:]))


def test_the_basis_states_the_drift_that_the_design_has() -> None:
    X, y = panel([40, 40, 12])
    model = PanelNewsvendor(9, 1, support=(0, 10_000)).fit(X, y)
    step = float(model.past_of(ahead(["item 0"])).d[0])
    assert f"by no more than {at_least(step)} a row in Kolmogorov distance" in model.basis_


def test_a_failed_fit_leaves_nothing_behind() -> None:
    X, y = panel([40, 40, 12])
    model = PanelNewsvendor(9, 1, support=(0, float(y.max()) / 2))
    with pytest.raises(InputError, match="outside support"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X[-1:])


def test_tags_and_columns_are_those_of_its_sibling() -> None:
    X, y = panel([40, 40, 12])
    tags = PanelNewsvendor().__sklearn_tags__()
    assert tags == ContextualNewsvendor().__sklearn_tags__()
    assert PanelNewsvendor().fit(X, y).columns_["ds"] == "time"
