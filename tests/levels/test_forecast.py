"""Forecasts: pieces earn their place, spikes and row orders do not matter, costs are what they would have been."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from provend.levels import Forecast, Power, best_power, learn_forecast
from provend.levels import _learning as learning
from provend.levels._cost import OTHERS, costs_of
from provend.levels._recent import Recent
from provend.levels._rows import Rows
from provend.levels._runs import Moments
from provend.tables import Encoding, read_contexts

Floats = NDArray[np.float64]


def days(n: int) -> pd.DataFrame:
    return pd.DataFrame({"date": pd.date_range("2024-01-01", periods=n)})


def learned(X: pd.DataFrame, y: Floats, q: float = 0.7) -> Forecast:
    return learn_forecast(read_contexts(X), y, q)


def weekly(n: int, seed: int) -> Floats:
    return 100 + 40 * (np.arange(n) % 7 >= 5) + 5 * np.random.default_rng(seed).normal(size=n)


def moved_by_noise(X: pd.DataFrame, seed: int) -> float:
    """How much the level of noise varies between contexts not seen, as a share of the variance of demand."""
    half = len(X) // 2
    found = learned(X[:half], np.random.default_rng(seed).gamma(9, size=half))
    ahead = read_contexts(X[half:], like=read_contexts(X[:half]))
    return float(np.mean((found.power.back(found.at(ahead)) - 9) ** 2)) / 9


def test_noise_hardly_moves_levels() -> None:
    """Chance lets a piece look useful, but then its share is small."""
    moved = [
        moved_by_noise(days(240).assign(x=np.random.default_rng(seed).normal(size=240)), seed) for seed in range(25)
    ]
    assert np.mean(moved) < 0.03
    assert np.median(moved) < 0.02


def test_noise_of_a_single_day_hardly_moves_levels_either() -> None:
    one = [pd.Timestamp("2024-01-01")] * 80
    tables = [pd.DataFrame({"date": one, "x": np.random.default_rng(seed).normal(size=80)}) for seed in range(20)]
    moved = [moved_by_noise(X, seed) for seed, X in enumerate(tables)]
    assert np.mean(moved) < 0.06
    assert np.median(moved) < 0.035


@pytest.mark.parametrize("seed", range(3))
def test_weekdays_make_a_regression(seed: int) -> None:
    found = learned(days(140), weekly(140, seed))
    assert "a regression" in found.pieces
    ahead = pd.DataFrame({"date": pd.date_range("2024-01-01", periods=147)[140:]})
    levels = found.power.back(found.at(read_contexts(ahead, like=read_contexts(days(140)))))
    assert levels == pytest.approx(100 + 40.0 * (np.arange(7) >= 5), abs=8)


def test_what_no_line_tells_apart_grows_trees() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"price": rng.normal(size=400), "rain": rng.normal(size=400)})
    y = 100 + 30 * (X["price"] * X["rain"] > 0) + rng.normal(size=400)
    assert "trees" in learned(X, y.to_numpy()).pieces


@pytest.mark.parametrize(("wanted", "lasts"), [("a change of level", 1), ("recent past", 60)])
def test_a_new_level_is_noticed(wanted: str, lasts: int) -> None:
    """What was sold before the change says little about what is sold now: a piece that knows the time is needed."""
    chosen = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = 50 + 50 * np.clip((np.arange(200) - 99) / lasts, 0, 1) + rng.normal(size=200)
        X = days(200).assign(noise=rng.normal(size=200))
        found = learned(X, y)
        ahead = X[-1:].assign(date=pd.Timestamp("2024-07-25"))
        level = found.power.back(found.at(read_contexts(ahead, like=read_contexts(X))))
        assert 80 < level[0] < 110
        chosen.append(found.pieces)
    assert any(wanted in pieces for pieces in chosen), chosen
    assert all(wanted in pieces or "trees" in pieces for pieces in chosen), chosen


def test_what_a_few_days_did_to_all_items_is_not_taken_for_their_weather() -> None:
    """Thirty items on fourteen days: 420 rows, but fourteen pieces of evidence on what the weather does."""
    learned_it = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shocks, weather = rng.normal(size=14), rng.normal(size=(14, 3))
        X = pd.DataFrame(np.tile(weather, (30, 1)), columns=["rain", "wind", "sun"])
        X.insert(0, "date", np.tile(days(14)["date"], 30))
        y = 100 + 20 * np.tile(shocks, 30) + 5 * rng.normal(size=420)
        learned_it.append(learned(X, y).learned)
    assert sum(learned_it) <= 6


def test_rows_of_too_few_days_have_one_level() -> None:
    """However clear a week's pattern is over thirty items: it has been seen once."""
    for count, many in ((11, False), (15, True)):
        X = pd.DataFrame({"date": np.tile(days(count)["date"], 30)})
        assert learned(X, np.tile(weekly(count, 0), 30)).learned == many


def test_neighbours_in_time_do_not_give_a_row_away_to_the_regression() -> None:
    """Demand that wanders: a row is forecast without the days around it."""
    contexts = read_contexts(days(400))
    y = np.random.default_rng(0).normal(size=400).cumsum()
    rows, back = Rows.of(*Encoding.fitted(contexts), contexts, y)
    assert rows.folds is not None
    run, fold = (label == label[back[200]] for label in (rows.runs, rows.folds))
    assert run.sum() == 20
    other = np.where(run, 1000.0, rows.y)
    forecast_of = [z - rows.directions.errors(z - z.mean())[:, 0] for z in (rows.y, other)]
    assert forecast_of[1][run] == pytest.approx(forecast_of[0][run])
    assert abs(forecast_of[1] - forecast_of[0])[~fold].mean() > 1


def test_what_lasts_is_preferred_to_what_helps_only_soon() -> None:
    """A forecast that errs less soon, but more on average over all leads, is not chosen."""
    n = 60
    rng = np.random.default_rng(0)
    y, time = 100 + 30 * rng.normal(size=n), np.arange(float(n))
    rows = Rows(np.zeros((n, 1)), np.zeros((n, 1)), y, time, None, Moments.of(time), np.arange(n), None, [], [], None)
    z = Power.fitting(y).of(y)
    flat = learning._flat(Encoding.of(read_contexts(days(n))), Power.fitting(y), rows)

    def missing(share: float) -> Floats:
        return z + share * (flat.past - z)  # the share of what one level misses that is still missed

    lasting = replace(flat, past=missing(0.5))
    pasts = np.array([missing(0.4), missing(0.9), missing(0.9)]) - flat.past
    soon = Recent(pasts, np.zeros(3), time[-1], 1.0)
    fleeting = replace(flat, past=missing(0.4), recent=soon)
    expected = np.mean([costs_of(flat.power, missing(share), y, 0.7) for share in (0.4, 0.9, 0.9)], axis=0)
    assert learning._costs(fleeting, y, 0.7) == pytest.approx(expected)
    assert costs_of(flat.power, fleeting.past, y, 0.7).mean() < costs_of(flat.power, lasting.past, y, 0.7).mean()
    assert learning._cheapest([flat, fleeting, lasting], rows, 0.7) is lasting
    assert learning._cheapest([flat, fleeting], rows, 0.7) is fleeting


@pytest.mark.parametrize("many", [150, 600])
def test_the_order_of_the_rows_does_not_matter(many: int) -> None:
    """Not even by rounding: of splits that are as good, another last bit has trees take another one."""
    rng = np.random.default_rng(5)
    X = days(many).assign(shop=rng.choice(["a", "b"], many), price=rng.normal(size=many))
    price = X["price"].to_numpy()
    y = weekly(many, 1) + 10 * (X["shop"] == "a").to_numpy() * (price > 0) + 4 * price**2
    shuffled = rng.permutation(many)
    one, other = learned(X, y), learned(X.iloc[shuffled], y[shuffled])
    assert one.pieces == other.pieces
    assert one.trees is not None
    assert np.array_equal(other.past, one.past[shuffled])
    targets = X.iloc[::11]
    ours, theirs = (
        found.at(read_contexts(targets, like=read_contexts(rows)))
        for found, rows in ((one, X), (other, X.iloc[shuffled]))
    )
    assert np.array_equal(theirs, ours)


def test_a_spike_moves_levels_little() -> None:
    """A hundred times the usual demand on one day: levels of other days move by less than a tenth of the spread."""
    y = weekly(140, 2)
    spiked = y.copy()
    spiked[70] *= 100
    before, after = learned(days(140), y), learned(days(140), spiked)
    others = np.arange(140) != 70
    levels = [one.power.back(one.past)[others] for one in (before, after)]
    assert after.learned
    assert np.abs(levels[1] - levels[0]).mean() < 0.1 * 40


@pytest.mark.parametrize("price", [-1e9, 1e9])
def test_targets_far_outside_stay_within_the_past(price: float) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"price": rng.normal(size=100)})
    found = learned(X, (50 + 10 * X["price"] + rng.normal(size=100)).to_numpy())
    level = found.at(read_contexts(pd.DataFrame({"price": [price]}), like=read_contexts(X)))[0]
    assert found.learned
    ends = found.past.min() - found.spread, found.past.max() + found.spread
    assert level == pytest.approx(ends[int(price > 0)])


@pytest.mark.parametrize(("rows", "noise"), [(20, 0.4), (50, 0.6)])
def test_lines_are_continued_as_far_as_there_is_evidence(rows: int, noise: float) -> None:
    """After weeks of drizzle a downpour counts as little more than the wettest day: by 0.02 deviations for each row."""
    rng = np.random.default_rng(0)
    rain = rng.permutation(np.linspace(0, 1, rows))
    found = learned(pd.DataFrame({"rain": rain}), 50 - 2 * rain + noise * rng.normal(size=rows))
    edge = 1 + 0.02 * rows * rain.std()
    wetter = pd.DataFrame({"rain": edge + np.array([-0.05, 0, 0.05, 9])})
    inside, at_edge, beyond, downpour = found.at(read_contexts(wetter))
    assert found.learned
    assert at_edge == beyond == downpour < inside


@pytest.mark.parametrize(
    "y", [np.full(50, 3.0), np.zeros(50), np.array([5.0]), np.array([1.0, 2.0, 3.0, 4.0])], ids=str
)
def test_too_little_to_learn_from(y: Floats) -> None:
    found = learned(days(y.size), y)
    assert not found.learned
    assert found.spread > 0
    assert np.isfinite(found.at(read_contexts(days(y.size)))).all()


@pytest.mark.parametrize("size", [1e-300, 1e-10, 1e10, 1e300])
def test_units_do_not_matter(size: float) -> None:
    y = weekly(100, 3) / 200
    one, other = learned(days(100), y), learned(days(100), y * size)
    assert other.pieces == one.pieces
    assert other.power.roots == one.power.roots
    assert other.power.back(other.past) / size == pytest.approx(one.power.back(one.past), rel=1e-6)


def test_negative_demands_take_no_roots() -> None:
    assert learned(days(100), weekly(100, 0) - 120).power.roots == 0


def test_very_long_histories_are_learned_from_their_latest_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old demands beyond the limit are brought along, not looked at."""
    monkeypatch.setattr(learning, "MOST_LEARNED", 100)
    y = weekly(140, 4)
    changed = np.concatenate([y[:40] * 3, y[40:]])
    one, other = learned(days(140), y), learned(days(140), changed)
    assert one.learned
    assert one.past.size == 140
    assert other.past.tolist() == one.past.tolist()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("q", ["1/2", "9/10", "1/20"])
def test_costs_row_by_row(q: str, seed: int) -> None:
    """Leave a row out, order its level plus the quantile of the errors of the others, in fractions for the rank."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    y, levels = rng.gamma(2, size=n).round(1), rng.random(n)
    power = Power(int(rng.integers(3)), 1)
    errors = power.of(y) - levels
    expected = np.zeros(n)
    for i in range(n):
        others = sorted(np.delete(errors, i).tolist())
        for r in (Fraction(q), *map(Fraction, OTHERS)):
            rank = max(ceil(r * (n - 1)), 1)
            order = float(power.back(np.array([levels[i] + others[rank - 1]]))[0])
            expected[i] += max(float(r) * (y[i] - order), (1 - float(r)) * (order - y[i]))
    assert 2 * costs_of(power, levels, y, float(Fraction(q))) == pytest.approx(expected)


def test_the_scale_on_which_errors_are_alike() -> None:
    """Errors in proportion to the forecast ask for roots, those of one size do not."""
    rng = np.random.default_rng(0)
    given = rng.uniform(1, 100, 400)
    assert best_power(given, given * rng.lognormal(0, 0.5, 400), 0.9)[0].roots == 2
    assert best_power(given, given + 5 + 0.5 * rng.uniform(-1, 1, 400), 0.9)[0].roots == 0


def test_costs_of_several_forecasts_at_once() -> None:
    rng = np.random.default_rng(0)
    y, levels, widths = rng.poisson(9, 50).astype(float), rng.random((3, 50)), rng.uniform(0.5, 2, 50)
    power = Power.fitting(y, 1)
    each = [costs_of(power, one, y, 0.9, widths) for one in levels]
    assert np.array_equal(costs_of(power, levels, y, 0.9, widths), each)
