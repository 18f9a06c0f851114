"""A change of level that has lasted: found where nobody would doubt it, nowhere else, and followed by orders."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from provend import ContextualNewsvendor
from provend.levels import learn_forecast
from provend.levels._runs import Moments
from provend.levels._step import (
    AGAIN,
    APART,
    AT_ONCE,
    BESIDE,
    LASTING,
    LIKELY,
    NORMAL,
    SHORTEST,
    STAYS,
    STILL,
    TRIED,
    Step,
    explained,
)
from provend.tables import read_contexts

Floats = NDArray[np.float64]


def slowly(errors: Floats, time: Floats) -> tuple[float, float] | None:
    """Moment by moment: the start and the size of the latest step among the places with the largest jumps."""
    moments = sorted(set(time.tolist()))
    missed = [float(np.mean(errors[time == t])) for t in moments]
    n, k = len(missed), SHORTEST
    jumps = {at: abs(np.mean(missed[at : at + k]) - np.mean(missed[at - k : at])) for at in range(k, n - k + 1)}
    usual = sum(abs(b - a) for a, b in pairwise(missed)) / (n - 1) / NORMAL
    jumps = {at: jump for at, jump in jumps.items() if jump > LIKELY * usual}
    places: list[int] = []
    while jumps and len(places) < TRIED:
        best = max(jumps, key=lambda at: jumps[at])
        places.append(best)
        jumps = {at: jump for at, jump in jumps.items() if abs(at - best) > k}
    for at in sorted(places, reverse=True):
        beside, since = missed[max(at - max(n - at, BESIDE), 0) : at], missed[at:]
        size, five = float(np.median(since) - np.median(beside)), SHORTEST // 2
        at_once = float(np.mean(missed[at : at + five]) - np.mean(missed[at - five : at]))
        apart = min(ks_2samp(missed[:at], since).statistic, ks_2samp(beside, since).statistic)
        later = abs(float(np.median(since[len(since) // 2 :]) - np.median(since[: len(since) // 2])))
        old = float(np.median(beside))
        still = all((float(np.mean(since[-last:])) - old) / size > least for last, least in STILL.items())
        again = any((float(np.mean(missed[i : i + k])) - old) / size > AGAIN for i in range(len(missed[:at]) - k + 1))
        enough = APART[1] if len(since) >= LASTING else APART[0]
        sure = at_once / size > AT_ONCE and later < STAYS * abs(size)
        if apart > enough + 1e-12 and sure and still and not again:
            return moments[at], size
    return None


def found(errors: Floats, time: Floats | None = None) -> Step | None:
    return Step.of(errors, Moments.of(np.arange(float(errors.size)) if time is None else time), calendar=False)


def noise(seed: int, n: int) -> Floats:
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("seed", range(30))
def test_against_plain_loops(seed: int) -> None:
    """Jumps that last, come back, or follow each other, with moments that repeat or are missing."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.integers(0, 300, int(rng.integers(25, 250)))).astype(float)
    errors = rng.normal(size=time.size)
    for at in rng.uniform(0, 300, int(rng.integers(1, 4))):
        errors += rng.normal() * 6 * (time >= at)
    step, wanted = found(errors, time), slowly(errors, time)
    assert (step is None) == (wanted is None)
    if step is not None:
        assert (step.start, step.size) == pytest.approx(wanted)


def test_the_worlds_above_have_steps_and_have_none() -> None:
    there = [found(noise(seed, 120) + 6 * (np.arange(120) >= 90)) is not None for seed in range(20)]
    assert all(there)
    assert not any(found(noise(seed, 120)) for seed in range(200))


@pytest.mark.parametrize("since", [SHORTEST - 1, SHORTEST])
def test_a_few_days_are_no_step(since: int) -> None:
    errors = noise(0, 100) + 20 * (np.arange(100) >= 100 - since)
    assert (found(errors) is not None) == (since == SHORTEST)


def test_what_comes_and_goes_is_no_step() -> None:
    """A closure like one before, a wave that rises slowly, and a walk that never stays anywhere."""
    days = np.arange(200)
    closed = (days >= 185) | ((days >= 60) & (days < 90))
    for before in (15, 9, 30):  # also where it was not as deep, or deeper
        assert found(noise(1, 200) - np.where(days < 90, before, 15) * closed) is None
    assert found(noise(1, 200) - np.where(days < 90, 5, 15) * closed) is not None
    assert found(noise(2, 200) + 15 * np.sin(2 * np.pi * days / 365)) is None
    walks = [found(np.cumsum(noise(seed, 300))) for seed in range(50)]
    assert sum(walk is not None for walk in walks) <= 5


def test_a_closure_that_is_over_is_no_step() -> None:
    """A shop that has been closed for three weeks and opened yesterday."""
    days = np.arange(120)
    for seed in range(20):
        assert found(noise(seed, 120) - 20 * (days >= 98)) is not None
        assert found(noise(seed, 120) - 20 * ((days >= 98) & (days < 119))) is None


@pytest.mark.parametrize("factors", [(0, 0, 0), (3, 3, 3), (4, 4, 5.2), (0.3, 0.3, 0), (0.4, 0.3, 0.1), (1, 3, 4)])
def test_what_returns_every_year_is_no_step(factors: tuple[float, float, float]) -> None:
    """Three weeks of a year are few of its days: a closure, or a season of presents, even if larger than ever."""
    days = pd.date_range("2021-01-01", periods=1300)
    season = (days.day_of_year >= 213) & (days.day_of_year < 234)
    each = np.array([*factors, 1.0])[days.year - 2021]
    y = np.random.default_rng(0).poisson(np.where(season, 100 * each, 100.0)).astype(float)
    n = int(np.flatnonzero((days.year == 2023) & (days.day_of_year == 213))[0]) + 14
    model = ContextualNewsvendor(9, 1, support=(0, 700)).fit(pd.DataFrame({"ds": days[:n]}), y[:n])
    assert "change of level" not in model.basis_


@pytest.mark.parametrize("n", [120, 200, 300, 400])
def test_what_a_column_explains_is_no_step(n: int) -> None:
    """After a first promotion of two weeks, orders went on as if it lasted."""
    promotion = (np.arange(n + 7) >= n - 14) & (np.arange(n + 7) < n)
    table = pd.DataFrame({"ds": pd.date_range("2023-01-01", periods=n + 7), "promotion": promotion})
    y = np.random.default_rng(0).poisson(np.where(promotion, 120, 40)).astype(float)
    model = ContextualNewsvendor(9, 1, support=(0, 200)).fit(table[:n], y[:n])
    assert "change of level" not in model.basis_
    assert model.predict(table[n:]).max() < 65


def columns(n: int, at: int) -> dict[str, Floats]:
    """What may stand beside demand that changes at a place, and whether it is the reason."""
    rng, days = np.random.default_rng(1), np.arange(n)
    lagged = np.where(days < at + 7, 100.0, 3.0)
    return {
        "price": np.where(days < at, 2.0, 2.5) + rng.normal(0, 0.02, n),
        "promotion": (days >= at).astype(float),
        "month": days // 30 + 1.0,
        "week": days // 7 + 1.0,
        "temperature": -9 * np.cos(days / 58) + rng.normal(0, 3, n),
        "index": 100 + np.cumsum(rng.random(n)),
        "noise": rng.normal(size=n),
        "demand a week before": lagged + rng.normal(size=n),
    }


def test_what_changes_on_other_days_too_explains_nothing() -> None:
    """A month of its own, or a temperature never seen before, kept orders at 100 where 3 were sold for 30 days."""
    found = {name: explained([column], 170) for name, column in columns(200, 170).items()}
    assert found == {name: name in ("price", "promotion") for name in found}
    assert explained([*columns(200, 170).values()], 170)


@pytest.mark.parametrize("at", [170, 180])
@pytest.mark.parametrize("name", ["month", "temperature", "demand a week before"])
def test_columns_that_explain_nothing_leave_the_step_there(name: str, at: int) -> None:
    """On the 180th day a month begins, too."""
    n = at + 30
    table = pd.DataFrame({"ds": pd.date_range("2024-01-01", periods=n + 7), name: columns(n + 7, at)[name]})
    y = np.random.default_rng(0).poisson(np.where(np.arange(n) < at, 100, 3)).astype(float)
    model = ContextualNewsvendor(9, 1, support=(0, 200)).fit(table[:n], y)
    assert "a change of level that has lasted" in model.basis_
    assert model.predict(table[n:]).max() < 25


@pytest.mark.parametrize(("early", "known"), [(0, True), (7, True), (9, False), (-2, True), (-4, False)])
def test_a_column_that_explains_changes_on_about_the_same_day(early: int, known: bool) -> None:
    days = np.arange(200)
    assert explained([(days >= 170 - early).astype(float)], 170) == known
    assert explained([((days >= 170 - early) | (days < 20)).astype(float)], 170) == known


def test_a_column_that_has_changed_before_explains_if_it_rarely_does() -> None:
    """A slip of the pen in a price, a promotion that hardly helped, a price that was changed long ago."""
    days, price = np.arange(185), np.full(185, 2.5)
    price[170:] = 1.9
    slip, raised = np.where(days == 40, 25.0, price), np.where(days < 60, 1.5, price)
    promoted = ((days >= 170) | ((days >= 60) & (days < 75))).astype(float)
    noise = np.random.default_rng(0).normal(0, 0.01, 185)
    assert [explained([column], 170) for column in (slip, slip + noise, raised, promoted)] == [True] * 4
    by_turns = (days // 15 % 2).astype(float)
    assert not explained([by_turns], 165)


def test_a_first_promotion_of_several_shops_is_no_step() -> None:
    """Each day has a row of each shop."""
    day = np.repeat(np.arange(200), 3)
    promotion = day >= 186
    table = pd.DataFrame({"ds": pd.Timestamp("2023-01-01") + pd.to_timedelta(day, "D"), "promotion": promotion})
    y = np.random.default_rng(0).poisson(np.where(promotion, 120, 40)).astype(float)
    assert "change of level" not in ContextualNewsvendor(9, 1, support=(0, 200)).fit(table, y).basis_
    told = ContextualNewsvendor(9, 1, support=(0, 200)).fit(table[["ds"]], y)
    assert "a change of level that has lasted" in told.basis_


def test_demand_that_has_been_there_now_and_then_takes_no_step() -> None:
    """Neither where only all that came before differs, nor where only the weeks before do."""
    rng = np.random.default_rng(0)
    rather = np.concatenate(
        [np.zeros(300), np.where(np.arange(28) % 2 * (np.arange(28) < 21), 20.0, 0.0), np.full(25, 20.0)]
    )
    once = np.concatenate([np.tile([20.0, 20.0, 0.0, 0.0, 0.0], 20), np.zeros(30), np.full(25, 20.0)])
    for demand in (rather, once):
        assert found(demand + 0.1 * rng.normal(size=demand.size)) is None


def test_growth_goes_on_after_a_step() -> None:
    """What a line in time says is learned from what the step leaves."""
    days = np.arange(1007)
    mean = 100 + 0.1 * days + 200.0 * (days >= 940)
    y = mean[:1000] + np.random.default_rng(0).normal(0, 5, 1000)
    table = pd.DataFrame({"ds": pd.date_range("2022-01-01", periods=1007)})
    model = ContextualNewsvendor(1, 1, support=(0, 800)).fit(table[:1000], y)
    forecast = model.level_.forecast
    assert forecast.growth is not None
    assert forecast.step is not None
    assert np.abs(model.predict(table[1000:]) - mean[1000:]).max() < 7


def test_years_count_that_are_too_long_ago_to_be_learned_from() -> None:
    """Of many shops the latest 10,000 rows are less than a year."""
    day = np.repeat(np.arange(420), 40)
    closed = (day >= 406) | ((day >= 41) & (day < 55))
    y = np.random.default_rng(0).poisson(np.where(closed, 0, 20)).astype(float)
    contexts = read_contexts(pd.DataFrame({"ds": pd.Timestamp("2023-11-04") + pd.to_timedelta(day, "D")}))
    assert learn_forecast(contexts, y, 0.5).step is None
    always = np.where(day < 200, 20.0, y)
    assert learn_forecast(contexts, always, 0.5).step is not None


def test_ten_hours_are_no_step() -> None:
    errors, hours = noise(6, 700) + 10 * (np.arange(700) >= 670), np.arange(700) / 24
    assert Step.of(errors, Moments.of(hours), calendar=True) is None
    assert Step.of(errors, Moments.of(hours), calendar=False) is not None
    assert Step.of(errors, Moments.of(24 * hours), calendar=True) is not None


def test_a_smaller_step_is_one_once_it_has_lasted() -> None:
    for since in (LASTING - 1, LASTING):
        worlds = [found(noise(seed, 100) + 2.5 * (np.arange(100) >= 100 - since)) for seed in range(40)]
        there = sum(step is not None for step in worlds)
        assert there > 18 if since == LASTING else there < 15


def test_a_level_that_moves_on_is_no_step() -> None:
    """As when a decline begins with a fall: it is not over."""
    days = np.arange(300)
    fall = np.where(days >= 60, -10.0, 0.0)
    assert found(noise(4, 300) + fall) is not None
    assert found(noise(4, 300) + fall - 0.1 * np.maximum(days - 60, 0)) is None


def test_the_size_is_that_of_the_latest_change() -> None:
    days = np.arange(300)
    step = found(noise(3, 300) + 40 * (days >= 100) - 100 * (days >= 260))
    assert step is not None
    assert step.start == 260
    assert step.size == pytest.approx(-100, abs=1.5)
    assert step.at(np.array([0.0, 259.0, 260.0, 400.0])).tolist() == [0, 0, step.size, step.size]


@pytest.mark.parametrize("q", [0.5, 0.9])
@pytest.mark.parametrize(("before", "since", "days"), [(100, 3, 12), (100, 3, 30), (100, 3, 90), (20, 60, 15)])
def test_orders_follow_demand_to_its_new_level(before: int, since: int, days: int, q: float) -> None:
    """With a week in demand, too; they stayed at the old level for a month or more."""
    rng, n = np.random.default_rng(days), 210
    week = 1 + 0.3 * (np.arange(n + 7) % 7 == 5)
    y = rng.poisson(np.where(np.arange(n) < n - days, before, since) * week[:n]).astype(float)
    table = pd.DataFrame({"ds": pd.date_range("2024-01-01", periods=n + 7)})
    model = ContextualNewsvendor(q, round(1 - q, 3), support=(0, 200)).fit(table[:n], y)
    wanted = np.quantile(rng.poisson(since * week[n:], (20_000, 7)), q, axis=0)
    assert np.abs(model.predict(table[n:]) - wanted).max() < 6 + 0.15 * since
    assert "a change of level that has lasted" in model.basis_


def test_a_level_that_stays_is_told_as_before() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"ds": pd.date_range("2024-01-01", periods=200)})
    assert "change of level" not in ContextualNewsvendor(9, 1).fit(table, rng.poisson(50, 200).astype(float)).basis_
