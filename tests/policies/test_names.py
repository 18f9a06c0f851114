"""One grammar of policy names, whoever reads them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import provend as pv
from provend.cli._arguments import read_policy
from provend.policies.names import KINDS, PolicyName, parse

POLICIES = {
    "erm": pv.ERM(),
    "no-data": pv.NoData(),
    "knn:27": pv.KNN(27),
    "order:14": pv.OrderStatistic(14),
    "exp:0.95": pv.Exponential(0.95),
    "exponential:0.95": pv.Exponential(0.95),
    "kernel:gaussian:0.05": pv.Kernel("gaussian", 0.05),
    "kernel:exponential:0.05": pv.Kernel("exponential", 0.05),
}
D = pv.drift(0.01, 40)


@pytest.mark.parametrize("name", POLICIES)
def test_names_and_policies(name: str) -> None:
    assert parse(name).policy() == POLICIES[name] == read_policy(name)


def test_what_a_name_leaves_open() -> None:
    assert parse("exp") == parse("exponential") == PolicyName("exponential")
    assert parse("kernel:uniform") == PolicyName("kernel", "uniform")
    assert parse("minimax").policy() is parse("knn").policy() is None
    assert read_policy("minimax") == pv.Optimal()
    assert {parse(kind).kind for kind in KINDS if kind != "order"} == {*KINDS} - {"order"}


@pytest.mark.parametrize("name", ["", "ERM", "erm:1", "knn:1:2", "order", "gaussian", "kernel:gaussian:1:2", "forest"])
def test_no_names(name: str) -> None:
    with pytest.raises(pv.InputError, match="unknown; use erm, knn:K, exp:GAMMA"):
        parse(name)


def test_what_is_wrong_with_a_name() -> None:
    with pytest.raises(pv.InputError, match="'box' is not a kernel; choose one of uniform"):
        parse("kernel:box:1")
    with pytest.raises(pv.InputError, match="'x' is not a whole number; use erm"):
        parse("knn:x").policy()
    with pytest.raises(pv.InputError, match="--policy knn: its parameter is missing; use erm, knn:K"):
        read_policy("knn")
    with pytest.raises(pv.InputError, match=r"family = 'exp:0\.9' has a parameter already"):
        pv.tune("exp:0.9", D, q=0.9)
    with pytest.raises(pv.InputError, match=r"policy = 'knm:3': unknown; use erm, .* no-data, tree or forest, or give"):
        pv.ContextualNewsvendor(9, 1, policy="knm:3", dissimilarity=0.1).fit(np.eye(30), np.arange(30) % 7)


def test_families_go_by_the_same_names() -> None:
    """The kernel and the weights of that name are not the same family."""
    weights, kernel = pv.tune("exponential", D[:12], q=0.9), pv.tune("kernel:exponential", D[:12], q=0.9)
    assert isinstance(weights.policy, pv.Exponential)
    assert weights.policy == pv.tune("exp", D[:12], q=0.9).policy == pv.tune(pv.Exponential, D[:12], q=0.9).policy
    assert isinstance(kernel.policy, pv.Kernel)
    assert pv.tune("triangular", D[:12], q=0.9).policy == pv.tune("kernel:triangular", D[:12], q=0.9).policy


@pytest.mark.parametrize("name", ["knn:27", "order:14", "exp:0.95", "kernel:gaussian:0.05", "no-data"])
def test_the_estimator_and_the_backtest_take_names_with_parameters(name: str) -> None:
    X, y = pl.DataFrame({"ds": range(40)}), np.random.default_rng(0).poisson(9, 40).astype(float)
    options = {"support": (0, 30)}
    by_name, by_object = (
        pv.ContextualNewsvendor(9, 1, policy=policy, **options).fit(X[:30], y[:30]).predict(X[30:])
        for policy in (name, POLICIES[name])
    )
    np.testing.assert_array_equal(by_name, by_object)
    history = X.with_columns(pl.lit("a").alias("unique_id"), pl.Series("y", y))
    orders = pv.backtest(history, cu=9, co=1, policies=[name], test=0.25, refit_every=99, **options).orders
    np.testing.assert_array_equal(orders["order"], by_name)


def test_backtests_say_at_once_that_a_parameter_is_none() -> None:
    history = pl.DataFrame({"unique_id": ["a"] * 9, "ds": range(9), "y": range(9)})
    with pytest.raises(pv.InputError, match="'x' is not a whole number"):
        pv.backtest(history, cu=1, co=1, policies=["knn:x"])


def test_the_quantile_forest_has_a_name_of_its_own() -> None:
    """In the estimator a forest is the honest one."""
    y = np.random.default_rng(0).poisson(9, 60)
    history = pl.DataFrame({"unique_id": ["a"] * 60, "ds": range(60), "y": y})
    orders = pv.backtest(history, cu=3, co=1, policies=["quantile-forest", "forest"], refit_every=99).orders
    first, second = (orders.filter(pl.col("policy") == name)["order"] for name in ("quantile-forest", "forest"))
    assert first.to_list() == second.to_list()
