"""What the data say for an order, against plain loops, and what they say against it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pandas as pd
import pytest

from provend.datasets import load_restaurant
from provend.dissimilarity import Constant, Drift, check_dissimilarity
from provend.estimators import ContextualNewsvendor

DAYS = load_restaurant()
X = pd.DataFrame({"date": DAYS.dates, "weekday": DAYS.weekdays})
Y = np.asarray(DAYS.demand["steak"], float)
PAST, AHEAD = slice(200, 400), slice(400, 403)


def fitted(**options: object) -> ContextualNewsvendor:
    return ContextualNewsvendor(9, 1, support=(0, 150), **options).fit(X[PAST], Y[PAST])


def cost(order: float, demand: float) -> Fraction:
    short = Fraction(demand) - Fraction(order)
    return 9 * short if short > 0 else -short


def test_numbers_by_plain_loops() -> None:
    forecast = pd.Series(Y).groupby(X["weekday"]).transform(lambda v: v.shift(1).rolling(4, min_periods=1).mean())
    table = X.assign(forecast=forecast.bfill())
    model = ContextualNewsvendor(9, 1, support=(0, 150), dissimilarity=Drift(0.001), level="forecast")
    found = model.fit(table[PAST], Y[PAST]).evidence(table[AHEAD])
    weights, d = model.get_weights(table[AHEAD]), Drift(0.001)(X[PAST], X[AHEAD])
    for target in range(3):
        assert found.effective_n[target] == pytest.approx(1 / sum(w * w for w in weights[target]))
        expected = sum(w * x for w, x in zip(weights[target], d[target], strict=True))
        assert found.dissimilarity[target] == pytest.approx(expected)
    levels, y = table["forecast"][PAST].to_list(), Y[PAST].tolist()
    rank = ceil(Fraction(9, 10) * 200) - 1
    above, one = sorted(a - b for a, b in zip(y, levels, strict=True))[rank], sorted(y)[rank]
    with_level = sum(cost(level + above, demand) for level, demand in zip(levels, y, strict=True))
    alone = sum(cost(one, demand) for demand in y)
    assert found.explained == pytest.approx(100 * (1 - float(with_level / alone)))
    errors = np.array(y) - levels
    assert found.check == check_dissimilarity(Drift(0.001), table[PAST], errors)
    assert list(found.to_frame().columns) == ["effective_n", "dissimilarity", "sentence"]
    assert len(found) == 3


def test_sentences_a_planner_can_judge() -> None:
    wrong = fitted(dissimilarity=0.01).evidence(X[AHEAD])
    assert wrong.explained == 0
    assert wrong.check.contradicted
    assert wrong.sentences[0].startswith(
        "200 of 200 past demands count, assumed to be 0.01 from the target on average. "
    )
    assert "contradict this: those with weekday" in wrong.sentences[0]
    assert wrong.sentences[0].endswith("while 0.01 is assumed. So the guarantee may be too low.")
    brought = fitted().evidence(X[AHEAD])
    assert brought.explained > 10
    assert brought.sentences[0].startswith(
        f"The level explains {brought.explained:.0f}% of what past demand would cost"
    )
    assert brought.sentences[0].endswith("do not contradict this: what sets groups of them apart may be chance.")
    assert "The level explains" in repr(brought)
    far = fitted(dissimilarity=Constant(0.9)).evidence(X[AHEAD])
    assert "do not contradict this: at worst those with weekday" in far.sentences[0]
    blind = ContextualNewsvendor(dissimilarity=0.1, support=(0, 9)).fit(np.zeros((4, 1)), [1.0, 2, 3, 4])
    assert blind.evidence(np.zeros((1, 1))).sentences[0].endswith("no column splits them into groups to compare.")


def test_a_level_that_explains_nothing_is_said_to() -> None:
    """Such as forecasts in other units than demand, which make orders dear without a word."""
    forecast = pd.Series(Y).rolling(7, min_periods=1).mean().shift(1).bfill()
    for column, told in ((100 * forecast, ": orders by it would have cost "), (0 * forecast + 50, ".")):
        table = X.assign(forecast=column)
        model = ContextualNewsvendor(9, 1, support=(0, 150), level="forecast", dissimilarity=0.05)
        found = model.fit(table[PAST], Y[PAST]).evidence(table[AHEAD])
        assert found.explained < 0.5
        nothing = "The level explains nothing of what past demand would cost without it"
        assert found.sentences[0].startswith(f"{nothing}{told}")
    assert "The level" not in fitted(level=None).evidence(X[AHEAD]).sentences[0]
