"""Two forecasts in one: with trees that see time, and with trees that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from provend.levels import Power, learn_forecast
from provend.levels import _learning as learning
from provend.levels._rows import Rows
from provend.tables import Encoding, read_contexts


def test_what_both_say_in_their_shares() -> None:
    """Of the past and of days to come, the level of the recent past included."""
    rng, days = np.random.default_rng(0), pd.DataFrame({"date": pd.date_range("2023-01-01", periods=260)})
    y = 100 + 40 * (np.arange(200) % 7 >= 5) + np.cumsum(rng.normal(0, 2, 200)) + 5 * rng.normal(size=200)
    past = read_contexts(days[:200])
    encoding, matrix = Encoding.fitted(past)
    rows, _ = Rows.of(encoding, matrix, past, y)
    power = Power.fitting(y)
    regression = learning._regression(learning._flat(encoding, power, rows), power, rows)
    seeing, blind = (learning._with_recent(one, rows) for one in learning._with_trees(regression, rows))
    ways = seeing, blind, learning._together(seeing, blind)
    seeing, blind, both = (learning._finished(one, rows, np.arange(200)) for one in ways)
    ahead = read_contexts(days[200:], like=past)
    assert abs(seeing.at(ahead) - blind.at(ahead)).max() > 1e-3
    for ours, theirs, found in (
        (seeing.past, blind.past, both.past),
        (seeing.at(ahead), blind.at(ahead), both.at(ahead)),
    ):
        assert found == pytest.approx(0.75 * ours + 0.25 * theirs)
    assert both.recent is not None
    assert both.pieces == "a regression and trees, and the level of the recent past"


def test_the_next_day_is_given_the_whole_of_what_was_missed_lately() -> None:
    """Less the same forecast without it, its level is what the recent past adds for orders placed soon."""
    rng, n = np.random.default_rng(3), 300
    y = 100 + lfilter([1.0], [1.0, -0.97], rng.normal(size=n))
    contexts = read_contexts(pd.DataFrame({"ds": pd.date_range("2024-01-01", periods=n + 1)}))
    past = contexts.take(np.arange(n))
    found = learn_forecast(past, y, 0.9)
    assert found.recent is not None
    assert found.recent.ahead[0] != 0
    tomorrow = contexts.take(np.array([n]))
    without = replace(found, recent=None)
    assert found.at(tomorrow) - without.at(tomorrow) == pytest.approx(found.recent.ahead[:1])
