"""What estimators say of tables, demands and regressors that cannot be used: one line with the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import provend as pv
from provend.estimators import ContextualNewsvendor, PanelNewsvendor

DAYS = pd.DataFrame({"unique_id": "a", "date": pd.date_range("2024-01-01", periods=30)})
PLAIN = pd.DataFrame({"price": np.arange(30.0) % 7, "size": np.arange(30.0) % 4})
Y = np.arange(30.0) % 6
NONE = "Input y contains NaN"
BOTH = [ContextualNewsvendor(), PanelNewsvendor()]


def refusal(model: Any, X: Any, y: Any) -> str:
    with pytest.raises(pv.InputError) as caught:
        model.fit(X, y)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    return message


@pytest.mark.parametrize("model", BOTH, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("X", "wanted", "remedy"),
    [
        (pl.DataFrame({"a": [1, 2]}).lazy(), "X is a LazyFrame", "collect it first"),
        ({"a": [1, 2]}, "X is a dict", "dataframe"),
        ([{"a": 1}, {"a": 2}], "X is a list", "dataframe"),
        (np.arange(30.0), "X is a one-dimensional ndarray", "dataframe"),
        (pd.Series(np.arange(30.0)), "X is a one-dimensional Series", "dataframe"),
        (pl.Series([1.0, 2.0]), "X is a one-dimensional Series", "dataframe"),
        ([1, 2, 3], "X is a one-dimensional list", "dataframe"),
        (None, "X is a NoneType", "dataframe"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_table(model: Any, X: Any, wanted: str, remedy: str) -> None:
    message = refusal(model, X, Y)
    flat = "" if isinstance(model, PanelNewsvendor) else "one-dimensional "
    assert message.startswith(wanted.replace("one-dimensional ", flat))
    assert remedy in message


@pytest.mark.parametrize("model", BOTH, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("y", "wanted"),
    [
        (
            np.where(np.arange(30) % 9 == 4, np.nan, Y),
            f"{NONE}: 3 of 30 demands are missing, the first in row 4",
        ),
        (np.where(np.arange(30) == 7, np.inf, Y), "Input y contains infinity: 1 of 30 demands, the first in row 7"),
        (
            pd.array([1, None] * 15, dtype="Int64"),
            f"{NONE}: 15 of 30 demands are missing, the first in row 1",
        ),
        ([1.0, None] * 15, f"{NONE}: 15 of 30 demands are missing, the first in row 1"),
        (["3"] * 5 + ["a"] * 25, "y holds 'a' in row 5, which is not a number"),
        (pd.Series(["a"] * 30, dtype="category"), "y holds 'a' in row 0, which is not a number"),
        (Y[:20], "y has 20 entries for 30 rows of X"),
        ([], "y has 0 entries for 30 rows of X"),
    ],
    ids=str,
)
def test_demands_that_are_none(model: Any, y: Any, wanted: str) -> None:
    assert refusal(model, DAYS, y).startswith(wanted)
    if len(y) == 30:
        with pytest.raises(pv.InputError, match=wanted):
            model.fit(DAYS, Y).score(DAYS, y)


def test_demands_written_as_text_count() -> None:
    model = ContextualNewsvendor().fit(DAYS, Y)
    assert model.fit(DAYS, Y.astype(str)).history_.y.tolist() == Y.tolist()


class Moody(LinearRegression):  # type: ignore[misc]
    """Learns, and then refuses."""

    def predict(self, X: Any) -> Any:
        raise KeyError("price")


@pytest.mark.parametrize("options", [{}, {"dissimilarity": "split"}, {"dissimilarity": 0.1}], ids=str)
def test_regressors_that_fail_are_named(options: dict[str, Any]) -> None:
    model = ContextualNewsvendor(level=LinearRegression(), **options)
    message = refusal(model, DAYS, Y)  # it cannot read names
    assert message.startswith(
        "level: LinearRegression failed in fit: ValueError: could not convert string to float: 'a'"
    )
    with pytest.raises(pv.InputError) as caught:
        ContextualNewsvendor(level=Moody(), **options).fit(PLAIN, Y)
    assert str(caught.value).startswith("level: Moody failed in predict: KeyError: 'price'; ")
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("level", "message"),
    [
        (LinearRegression, "level = LinearRegression is a class; give an instance: LinearRegression()"),
        (LogisticRegression(), r"level = LogisticRegression\(\) is a classifier, whose forecasts are classes; give"),
        (
            PLAIN["price"],
            "level = Series of 30 values is not a level; give 'auto', None, the name of a",
        ),
        (7, "level = 7 is not a level; give 'auto', None"),
    ],
)
def test_levels_that_are_none(level: Any, message: str) -> None:
    for options in ({}, {"dissimilarity": 0.1}, {"dissimilarity": "certified"}):
        with pytest.raises((TypeError, pv.InputError), match=message) as caught:
            ContextualNewsvendor(level=level, **options).fit(PLAIN, Y)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("knn:0", r"policy = 'knn:0': k = 0 must be an integer of at least 1$"),
        ("exp:2", r"policy = 'exp:2': gamma = 2.0 must lie in \(0, 1\]; 1 is ERM$"),
        ("kernel:gauss:0.1", r"policy = 'kernel:gauss:0.1': 'gauss' is not a kernel; choose one of .*[a-z]$"),
        ("magic", r"policy = 'magic': unknown; use erm, .*no-data, tree or forest, or give a policy$"),
        (
            "knn:few",
            r"policy = 'knn:few': 'few' is not a whole number; use erm, .*no-data, tree or forest, or give a policy$",
        ),
    ],
)
def test_policies_by_wrong_names(policy: str, message: str) -> None:
    with pytest.raises(pv.InputError, match=message) as caught:
        ContextualNewsvendor(policy=policy).fit(PLAIN, Y)
    assert "or give a policy" not in str(caught.value).replace("or forest, or give a policy", "")
    if policy.startswith("kernel"):
        assert "forest" not in str(caught.value)
