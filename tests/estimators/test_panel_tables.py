"""A panel as a table and as a scikit-learn estimator: what it reads, refuses and says."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from panels import ahead, panel
from provend import InputError, Orders
from provend._display import at_least
from provend.estimators import ContextualNewsvendor, PanelNewsvendor, SupportWarning

Floats = NDArray[np.float64]


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
    with pytest.raises(ValueError, match=r"NaN|infinity|not a number"):
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


def test_the_basis_says_from_what_items_it_was_learned() -> None:
    """The distance between items is an estimate only where there are some to compare; a forecast may need only some."""
    assumed, estimate = "is assumed, as there are too few rows", "which is an estimate"
    for counts, said in (([4] * 10, assumed), ([40], assumed), ([5, 4], estimate), ([40, 40, 12], estimate)):
        basis = PanelNewsvendor(9, 1).fit(*panel(counts)).basis_
        assert (assumed in basis, estimate in basis) == (said == assumed, said == estimate)
        assert f"learned from {len(counts)} items" in basis
    assert "learned from 50 of 60 items" in PanelNewsvendor(9, 1).fit(*panel([200] * 60)).basis_


def test_one_item_does_not_show_that_others_are_like_it() -> None:
    model = PanelNewsvendor(9, 1, support=(0, 10_000)).fit(*panel([40]))
    assert model.past_of(ahead(["nobody"])).d.min() >= 0.1


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


def test_parameters_set_after_fit_wait_for_the_next() -> None:
    """Half of a model must not change: what was used at fit decides and certifies; other items take what is current."""
    X, y = panel([40, 3])
    targets = ahead(["item 0", "item 1", "nobody"])
    model = PanelNewsvendor(4, 1).fit(X, y)
    with pytest.warns(SupportWarning):
        before = [model.predict(targets), model.guarantee(targets).upper]
    basis = model.basis_
    model.set_params(support=(0, 100), orders=Orders(pack=7), random_state=None, cu=1)
    with pytest.warns(SupportWarning):
        after = [model.predict(targets), model.guarantee(targets).upper]
    assert [found.tolist() for found in after] == [found.tolist() for found in before]
    assert model.basis_ == basis
    current, again = model.with_items(X, y), clone(model).fit(X, y)
    assert current.predict(targets).tolist() == again.predict(targets).tolist()
    assert not (current.predict(targets) % 7).any()
    assert "Support as given." in current.basis_
    given = current.guarantee(targets).no_data_regret
    current.set_params(support=None)
    assert current.guarantee(targets).no_data_regret == pytest.approx(given, abs=0)
