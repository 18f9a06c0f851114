"""What demand has done on the same days of other years."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from provend.levels import OtherYears
from provend.levels._other_years import ABOUT, AS_MUCH, YEAR
from provend.levels._step import BESIDE, SHORTEST
from provend.tables import read_contexts

Floats = NDArray[np.float64]


def slowly(days: Floats, demand: Floats, start: float) -> bool:
    """Place by place."""
    distinct = sorted(set(days.tolist()))
    means = [float(np.mean(demand[days == day])) for day in distinct]
    since = sum(day >= start for day in distinct)
    at = len(distinct) - since

    usual = float(np.median([means[k] for k in range(at) if distinct[k] >= start - YEAR]))

    def unusual(place: int) -> list[float]:
        level = float(np.mean(means[place : place + since]))
        return [level - usual, level - float(np.mean(means[max(place - max(since, BESIDE), 0) : place]))]

    now = unusual(at)
    for place in range(SHORTEST, at - since + 1):
        back = start - distinct[place]
        near = any(abs(back - k * YEAR) <= ABOUT for k in range(1, 9))
        if near and all(a * np.sign(b) > AS_MUCH * abs(b) for a, b in zip(unusual(place), now, strict=True)):
            return True
    return False


@pytest.mark.parametrize("seed", range(40))
def test_against_plain_loops(seed: int) -> None:
    """Seasons of some weeks, of which some come every year, with days that are missing or shared by rows."""
    rng = np.random.default_rng(seed)
    days = np.sort(rng.integers(0, 1200, int(rng.integers(200, 1500)))).astype(float)
    start = float(days[-int(rng.integers(10, 90))])
    demand = rng.normal(50, 3, days.size) + rng.choice([-30, 30]) * (days >= start)
    for year in (1, 2):
        first = start - YEAR * year + rng.uniform(-60, 60)
        demand += rng.choice([0, 12, -12, 25, -25]) * ((days >= first) & (days < first + 40))
    mixed = rng.permutation(days.size)
    assert OtherYears(days[mixed], demand[mixed]).know(start) == slowly(days, demand, start)


def test_the_worlds_above_are_of_both_kinds() -> None:
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        days = np.arange(800.0)
        demand = rng.normal(50, 3, 800) - 30 * (days >= 770)
        depth = seed % 4 * 10.0
        demand -= depth * ((days >= 400) & (days < 440))
        found.append((depth, OtherYears(days, demand).know(770.0)))
    assert all(known == (depth > AS_MUCH * 30) for depth, known in found)


@pytest.mark.parametrize(("shift", "known"), [(0, True), (ABOUT - 3, True), (100, False)])
def test_about_the_same_days(shift: int, known: bool) -> None:
    days = np.arange(800.0)
    busy = (days >= 770) | ((days >= 405 + shift) & (days < 435 + shift))
    assert OtherYears(days, 50 + 30.0 * busy).know(770.0) == known
    assert not OtherYears(days[500:], 50 + 30.0 * busy[500:]).know(770.0)


def test_what_has_just_begun_is_no_other_year() -> None:
    """A fall in two steps, and a level that has lasted for two years."""
    days = np.arange(300.0)
    assert not OtherYears(days, np.select([days < 268, days < 288], [50.0, 25.0])).know(288.0)
    long = np.arange(1500.0)
    assert not OtherYears(long, np.where(long < 700, 50.0, 10.0)).know(700.0)


def world(*changes: tuple[str, str, float], days: int = 1096) -> tuple[Floats, Floats]:
    """Days up to the end of 2024 with a level of 100, times something from one day to another."""
    dates = pd.date_range("2022-01-01", periods=days)
    demand = np.full(days, 100.0)
    for first, last, factor in changes:
        demand[(dates >= first) & (dates <= last)] *= factor
    return np.arange(float(days)), demand


def test_the_end_of_what_comes_every_year_is_no_reason_for_less() -> None:
    """After a week of bargains demand falls every year, but to what is usual; this year it stays far below."""
    bargains = [(f"{year}-11-20", f"{year}-11-27", 3.0) for year in (2022, 2023, 2024)]
    days, demand = world(*bargains, ("2024-12-05", "2024-12-31", 0.3))
    assert not OtherYears(days, demand).know(float(days[-27]))
    presents = [(f"{year}-12-01", f"{year}-12-24", 2.5) for year in (2022, 2023, 2024)]
    days, demand = world(*presents, ("2025-01-10", "2025-02-18", 0.03), days=1145)
    assert not OtherYears(days, demand).know(float(days[-40]))
    days, demand = world(*[(f"{year}-12-01", f"{year}-12-31", 2.5 + year % 2022) for year in (2022, 2023, 2024)])
    assert OtherYears(days, demand).know(float(days[-31]))


def test_a_season_that_comes_slowly_has_not_the_fall_of_this_year() -> None:
    """Every winter demand is nearly as far from usual, but it never gets there within days."""
    days = np.arange(1340.0)
    season = 100 - 70 * np.cos(2 * np.pi * (days - 1290) / YEAR)
    assert not OtherYears(days, np.where(days < 1310, season, 5.0)).know(1310.0)


def test_a_change_that_has_stayed_is_no_other_year() -> None:
    days, demand = world(("2023-12-04", "2024-12-31", 0.5), ("2024-12-02", "2024-12-31", 0.06))
    assert not OtherYears(days, demand).know(float(days[-30]))


def test_only_days_have_years() -> None:
    tables = pd.DataFrame({"ds": pd.date_range("2024-01-01", periods=3)}), pd.DataFrame({"t": [1.5, 2.5, 3.5]})
    dated, timed = (read_contexts(table, kinds={name: "time"}) for table, name in zip(tables, ("ds", "t"), strict=True))
    assert OtherYears.of(dated.time, np.ones(3)) is not None
    assert OtherYears.of(timed.time, np.ones(3)) is None
    assert OtherYears.of(None, np.ones(3)) is None
