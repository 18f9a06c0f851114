"""Categories that the forecast has never seen: orders for them look as sure as others, so it is said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.backtesting import backtest
from provend.estimators import ColumnWarning, ContextualNewsvendor, PanelNewsvendor

DAYS = pd.date_range("2024-01-01", periods=150)
SHOPS = pd.DataFrame({"date": DAYS.repeat(2), "shop": ["a", "b"] * 150})
SOLD = np.random.default_rng(0).poisson(np.where(SHOPS["shop"] == "a", 10, 100)).astype(np.float64)
TOMORROW = pd.DataFrame({"date": [DAYS[-1] + DAYS.freq] * 4, "shop": ["a", "c", None, "c"]})
TOLD = (
    "column 'shop' holds 'c' and a missing value: the forecast knows nothing of them, orders are those of average "
    "ones, and guarantees assume that they are like those known; correct them, or add past rows"
)
SUPPORT = (0, 200)


@pytest.mark.parametrize("options", [{}, {"dissimilarity": "split"}, {"dissimilarity": "cautious"}], ids=str)
def test_what_the_forecast_has_never_seen_is_said_once(options: dict[str, Any]) -> None:
    model = ContextualNewsvendor(9, 1, support=SUPPORT, **options).fit(SHOPS, SOLD)
    for ask in (model.predict, model.guarantee):
        with pytest.warns(ColumnWarning, match=TOLD) as caught:
            ask(TOMORROW)
        assert [warning.filename for warning in caught] == [__file__]
        ask(TOMORROW[:1])  # warnings are errors here
    model.evidence(TOMORROW)


@pytest.mark.parametrize("options", [{"dissimilarity": "certified"}, {"dissimilarity": 0.1}, {"level": None}], ids=str)
def test_where_nothing_is_assumed_of_what_was_never_seen(options: dict[str, Any]) -> None:
    """Its guarantee is (nearly) that of no data, or the user's own."""
    model = ContextualNewsvendor(9, 1, support=SUPPORT, **options).fit(SHOPS, SOLD)
    model.predict(TOMORROW)
    assert model.guarantee(TOMORROW[1:2]).percent_of_no_data > 50


def test_a_panel_says_the_same_but_of_items() -> None:
    weather = np.where(np.arange(300) // 2 % 3, "dry", "wet")
    table = SHOPS.rename(columns={"shop": "unique_id"}).assign(weather=weather)
    model = PanelNewsvendor(9, 1, support=SUPPORT).fit(table, SOLD * np.where(weather == "wet", 0.5, 1))
    ahead = TOMORROW[1:2].rename(columns={"shop": "unique_id"})
    for ask in (model.predict, model.decide, model.guarantee, model.certified):
        ask(ahead.assign(weather="dry"))  # a new item is nothing unusual
        with pytest.warns(
            ColumnWarning, match=r"column 'weather' holds 'snow': the forecast knows nothing of it, .* that it is like"
        ) as caught:
            ask(ahead.assign(weather="snow"))
        assert [warning.filename for warning in caught] == [__file__]


def test_months_to_come_are_known_by_their_season() -> None:
    days = pd.date_range("2023-01-01", periods=310)
    table = pd.DataFrame({"month": days.strftime("%B"), "weekday": days.strftime("%a")})
    sold = 50 + 20 * np.sin(2 * np.pi * days.day_of_year.to_numpy() / 365) + np.arange(310) % 5
    model = ContextualNewsvendor(9, 1, support=SUPPORT).fit(table, sold)
    model.predict(table[:1].assign(month="December"))


def test_plans_and_backtests_have_their_own_words_for_it() -> None:
    past = SHOPS.rename(columns={"date": "ds"}).assign(unique_id=SHOPS["shop"], y=SOLD)
    past["promo"] = np.where(np.arange(300) // 2 % 5, "no", "yes")
    past["y"] *= np.where(past["promo"] == "yes", 2.0, 1.0)  # so that a forecast is learned from it
    ahead = pd.DataFrame({"unique_id": ["a"], "ds": TOMORROW["date"][:1], "promo": "perhaps", "shop": "a"})
    for model in ("own", "pooled"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            plan = pv.plan(past, ahead, cu=9, co=1, model=model)
        assert plan["status"].tolist() == ["context never seen"]
        assert not [one for one in caught if issubclass(one.category, ColumnWarning)]
    late = past.assign(promo=np.where(np.arange(300) > 270, "late", past["promo"]))
    backtest(late.drop(columns="shop"), cu=9, co=1, policies=["minimax"], refit_every=40)
