"""Exponential smoothing and LightGBM among the baselines: for real where they are installed, and said where not."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import provend as pv
from histories import policy_rows, random_table, rows, table
from provend.backtesting import ExponentialSmoothing, QuantileModel, backtest

WEEKS = table([float(10 + 3 * (i % 7) + i % 2) for i in range(84)], weekday=[f"d{i % 7}" for i in range(84)])


@pytest.fixture(scope="module")
def smoothed() -> ExponentialSmoothing:
    pytest.importorskip("statsforecast", reason="statsforecast is not installed: pip install provend[ets]")
    return ExponentialSmoothing(3, 1).fit(None, np.tile([5.0, 9, 9, 12, 20, 30, 2], 8) + np.arange(56) % 2)


def test_orders_are_the_forecast_plus_a_quantile_of_past_errors(smoothed: ExponentialSmoothing) -> None:
    from statsforecast.models import AutoETS

    y = np.tile([5.0, 9, 9, 12, 20, 30, 2], 8) + np.arange(56) % 2
    model = AutoETS(season_length=7).fit(y)
    errors = sorted(y - model.predict_in_sample()["fitted"])
    np.testing.assert_allclose(smoothed.predict(range(9)), model.predict(9)["mean"] + errors[42 - 1])  # 3/4 of 56
    assert smoothed.predict(range(7)).argmax() == 5


@pytest.mark.usefixtures("smoothed")
def test_short_and_constant_histories_are_given_their_quantile() -> None:
    assert ExponentialSmoothing(3, 1).fit(None, np.arange(13.0)).predict(range(2)).tolist() == [9, 9]
    assert ExponentialSmoothing(3, 1, season=1).fit(None, np.arange(9.0)).predict([0]).tolist() == [6]
    assert ExponentialSmoothing(3, 1).fit(None, np.full(40, 7.0)).predict(range(3)).tolist() == [7] * 3
    with pytest.raises(pv.InputError, match="season"):
        ExponentialSmoothing(1, 1, season=0).fit(None, np.arange(40.0))


@pytest.mark.usefixtures("smoothed")
def test_a_season_is_seen_in_a_backtest_and_it_is_among_the_usual() -> None:
    costs = policy_rows(backtest(WEEKS, cu=1, co=1, policies=["static", "ets:14", "ets"], refit_every=26))
    assert costs["ets"]["relative_cost"] < 0.5
    assert costs["ets:14"]["total_cost"] != costs["ets"]["total_cost"]
    usual = backtest(random_table(items=1, rows=40), cu=1, co=1, refit_every=30)
    assert "ets" in policy_rows(usual)
    assert "pip" not in usual.note


def test_lightgbm_learns_the_weekday() -> None:
    pytest.importorskip("lightgbm", reason="LightGBM is not installed: pip install provend[lgbm]")
    result = backtest(random_table(items=1, rows=300), cu=3, co=1, policies=["static", "lgbm"], refit_every=90)
    assert [row["status"] for row in rows(result.by_item)] == ["ok", "ok"]
    assert policy_rows(result)["lgbm"]["relative_cost"] < 0.9
    history = random_table(items=1, rows=300)
    low, high = (
        QuantileModel(cu, 1, model="lgbm", random_state=0)
        .fit(history.drop("y"), history["y"])
        .predict(history.drop("y"))
        for cu in (1, 9)
    )
    y = history["y"].to_numpy()
    assert (y <= low).mean() == pytest.approx(0.5, abs=0.08)
    assert (y <= high).mean() == pytest.approx(0.9, abs=0.05)


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [
        ("ets", "statsforecast.models", "statsforecast"),
        ("lgbm", "lightgbm", "lightgbm"),
        ("forest", "quantile_forest", "quantile-forest"),
    ],
)
def test_what_is_not_installed_is_asked_for(
    name: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    said = rf"the policy '{name}' needs the package {package}; run: pip install provend\[{name}\]"
    with pytest.raises(pv.InputError, match=said):
        backtest(random_table(), cu=1, co=1, policies=["static", name])


def test_what_is_not_installed_is_left_out_of_the_usual_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsforecast", None)
    usual = backtest(random_table(items=1, rows=40), cu=1, co=1, refit_every=30)
    assert "ets" not in policy_rows(usual)
    assert usual.note.endswith("Not among the policies: ets, which needs statsforecast; run: pip install provend[ets].")
