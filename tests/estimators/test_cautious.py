"""Cautious dissimilarities: far apart, and yet no order that no past demand supports."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.estimators import ContextualNewsvendor, _choices


def promotions(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Weekly sales that a price and a promotion move by their half."""
    rng = np.random.default_rng(seed)
    weeks, promoted = pd.date_range("2022-01-03", periods=n, freq="7D"), rng.random(n) < 0.2
    price = rng.uniform(2, 3, n) - promoted
    mean = 1500 * (1 + 1.5 * promoted) * (2.5 / price) ** 2
    x = pd.DataFrame({"date": weeks, "promoted": np.where(promoted, "yes", "no"), "price": price})
    return x, rng.poisson(rng.gamma(10, mean / 10)).astype(float)


@pytest.mark.parametrize(("n", "cu"), [(6, 19), (20, 49), (60, 49), (60, 1)])
@pytest.mark.parametrize("weighted", [False, True])
def test_orders_stay_within_past_demands_brought_to_the_target(n: int, cu: int, weighted: bool) -> None:
    x, y = promotions(n + 12)
    past, ahead = x[:n], x[n:]
    importance = np.arange(1.0, n + 1) if weighted else None
    cautious, auto = (
        ContextualNewsvendor(cu, 1, dissimilarity=name, support=(0, 40_000)).fit(past, y[:n], importance)
        for name in ("cautious", "auto")
    )
    orders, brought = cautious.predict(ahead), cautious.brought(ahead)
    assert (orders <= np.nanmax(brought, axis=1) * (1 + 1e-12)).all()
    assert (orders >= np.nanmin(brought, axis=1) * (1 - 1e-12)).all()
    if (n, cu) == (6, 19):  # the best rule there is goes to the top of the support
        assert (auto.predict(ahead) > 1.1 * orders).all()
        assert (cautious.guarantee(ahead).upper > auto.guarantee(ahead).upper).all()


def test_the_guarantee_is_that_of_the_rule_executed() -> None:
    x, y = promotions(26)
    model = ContextualNewsvendor(19, 1, dissimilarity="cautious", support=(0, 40_000)).fit(x[:20], y[:20])
    for row in (20, 23):
        target = x[row : row + 1]
        (((d,), _),) = model._blocks(model._distinct(target)[0])
        brought = model.brought(target)[0]
        ascending = np.argsort(d, kind="stable")
        rule = model.decider_.rule(int(model.decider_.keys(np.sort(d)[None])[0]))
        near = ascending[: rule.reach]
        order = rule.policy.order(brought[near], d[near], q=0.95, support=(0, 40_000))
        assert model.predict(target)[0] == pytest.approx(order)
        exact = pv.worst_case_regret(rule.policy, d[near], q=pv.Newsvendor(19, 1, (0, 40_000)))
        found = model.guarantee(target)
        assert found.lower[0] <= exact.upper
        assert exact.lower <= found.upper[0] < exact.upper * 1.01


def test_what_goes_wrong_in_an_estimate_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise pv.InputError("something else")

    x, y = promotions(40)
    monkeypatch.setattr(_choices, "estimate_scales", fails)
    with pytest.raises(pv.InputError, match="something else"):
        ContextualNewsvendor(9, 1, dissimilarity="cautious").fit(x, y)


def test_few_rows_and_none_to_tell_apart_are_said() -> None:
    x, y = promotions(40)
    few = ContextualNewsvendor(9, 1, dissimilarity="cautious", level=None).fit(x[:8], y[:8])
    assert "are ten times those of 'auto'" in few.basis_
    alike = ContextualNewsvendor(9, 1, dissimilarity="cautious").fit(np.zeros((30, 1)), y[:30])
    assert "count as alike" in alike.basis_
    assert "confidence limits" not in alike.basis_
    enough = ContextualNewsvendor(9, 1, dissimilarity="cautious").fit(x, y)
    assert "at upper confidence limits" in enough.basis_
    for model in (few, alike, enough):
        assert "never orders beyond the past demands" in model.basis_


def test_the_order_of_the_rows_does_not_matter() -> None:
    """Nor to the limits, which come from rows drawn again and again."""
    rng = np.random.default_rng(7)
    dates = pd.date_range("2023-05-01", periods=120)
    x, y = pd.DataFrame({"date": dates}), rng.poisson(50 + 15.0 * (dates.day_of_week >= 5)).astype(float)
    shuffled = rng.permutation(120)
    one, other = (
        ContextualNewsvendor(9, 1, dissimilarity="cautious").fit(x.iloc[rows], y[rows])
        for rows in (np.arange(120), shuffled)
    )
    assert one.scale_estimate_ is not None
    assert other.scale_estimate_ is not None
    assert other.scale_estimate_.upper == pytest.approx(one.scale_estimate_.upper, rel=1e-9)
    ahead = pd.DataFrame({"date": pd.date_range("2023-09-01", periods=12)})
    assert other.predict(ahead) == pytest.approx(one.predict(ahead), rel=1e-9)
