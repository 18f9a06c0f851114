"""Days that recur: against plain loops, found where they are, and hardly where there is nothing but noise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date, timedelta
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from dateutil.easter import easter
from numpy.typing import NDArray

from provend import ContextualNewsvendor
from provend.levels._recurring import DOUBT, FIRM, NORMAL, Recurring

Floats = NDArray[np.float64]
Name = Callable[[date], object]
EPOCH = date(1970, 1, 1)
START = (date(2021, 3, 1) - EPOCH).days


def from_easter(day: date) -> object:
    apart = (day - easter(day.year)).days
    return apart if -52 <= apart <= 60 else None


NAMES: tuple[Name, ...] = (
    lambda day: (day.month, day.day),
    from_easter,
    lambda day: tuple(day.isocalendar())[1:],
)


def slowly(errors: Floats, time: Floats) -> tuple[dict[date, float], Callable[[date], float]]:
    """Day by day: what is added to each day of the past, and to any day."""
    days = sorted({EPOCH + timedelta(int(t // 1)) for t in time})
    left = {day: float(np.mean(errors[np.floor(time) == (day - EPOCH).days])) for day in days}
    quartiles = np.quantile(list(left.values()), [0.25, 0.75])
    spread, tables = float(np.diff(quartiles)[0]) / NORMAL, list[tuple[Name, dict[object, float]]]()
    past = dict.fromkeys(days, 0.0)

    def firm(values: list[float]) -> float:
        mean = sum(values) / len(values) if values else 0.0
        limit = FIRM * spread / sqrt(len(values)) if values else 0.0
        return 0.0 if abs(mean) <= limit else mean * (1 - (limit / mean) ** 2)

    for name in NAMES:
        seen = defaultdict(list)
        for day in days:
            seen[name(day)].append(day)
        seen.pop(None, None)
        others = {day: firm([left[one] for one in seen.get(name(day), []) if one != day]) for day in days}
        square = sum(other**2 for other in others.values())
        if square == 0:
            continue
        share = sum(others[day] * left[day] for day in days) / square
        missed = sum((others[day] * (left[day] - min(share, 1) * others[day])) ** 2 for day in days)
        share = min(max(share - DOUBT * max(spread * sqrt(square), sqrt(missed)) / square, 0), 1)
        tables.append((name, {number: share * firm([left[day] for day in same]) for number, same in seen.items()}))
        for day in days:
            past[day] += share * others[day]
            left[day] -= share * others[day]
    return past, lambda day: sum(table.get(name(day), 0.0) for name, table in tables)


@pytest.mark.parametrize("seed", range(6))
def test_against_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    time = np.sort(rng.integers(START, START + int(rng.integers(500, 1600)), 1000)) + rng.random(1000)
    holidays = np.isin(np.floor(time) % 365, rng.integers(0, 365, 8))
    errors = rng.standard_t(4, size=1000) + 6 * holidays
    found = Recurring.of(errors, time)
    past, ahead = slowly(errors, time)
    days = [EPOCH + timedelta(int(t)) for t in time]
    future = [days[-1] + timedelta(k) for k in range(800)]
    if found is None:
        assert not any(ahead(day) for day in future)
        return
    assert found.past == pytest.approx([past[day] for day in days], abs=1e-12)
    assert found.at(np.array([(day - EPOCH).days + 0.5 for day in future])) == pytest.approx(list(map(ahead, future)))


def test_most_of_the_cases_above_have_days_that_recur() -> None:
    rng = np.random.default_rng(0)
    time = START + np.arange(1200.0)
    found = Recurring.of(rng.normal(size=1200) + 8 * (time % 365 < 3), time)
    assert found is not None
    assert found.at(START + 1200 + np.arange(400.0)).max() > 4


def test_there_are_hardly_any_in_noise() -> None:
    """Neither in normal errors nor in those with many spikes; what is found moves forecasts by very little."""
    time = START + np.arange(1100.0)
    for draw in (lambda rng: rng.normal(size=1100), lambda rng: rng.standard_t(3, size=1100)):
        moved = list[float]()
        for seed in range(30):
            found = Recurring.of(draw(np.random.default_rng(seed)), time)
            moved.append(0.0 if found is None else float(np.square(found.at(START + 1100 + np.arange(365.0))).mean()))
        assert np.mean(np.array(moved) > 0) < 0.6
        assert np.mean(moved) < 0.01


def test_a_year_and_a_few_days_say_nothing_of_another() -> None:
    """However unusual the few days are that are there twice."""
    rng = np.random.default_rng(0)
    for start in range(START, START + 365, 30):
        time = start + np.arange(393.0)
        assert Recurring.of(rng.normal(size=393) + 30 * ((time - start) % 364 < 3), time) is None
    longer = start + np.arange(450.0)
    assert Recurring.of(rng.normal(size=450) + 30 * ((longer - start) % 364 < 3), longer) is not None


def test_no_row_sees_its_own_error() -> None:
    """Up to the share that all days have in common."""
    rng = np.random.default_rng(1)
    time = START + np.arange(1100.0)
    holidays = np.isin(time % 365, [10, 90, 200, 290])
    errors = rng.normal(size=1100) - 9 * holidays
    changed, one = errors.copy(), int(np.flatnonzero(holidays)[5])
    changed[one] += 2.0
    before, after = Recurring.of(errors, time), Recurring.of(changed, time)
    assert before is not None
    assert after is not None
    others = holidays & (np.abs(time - time[one]) % 365 > 2)
    ratio = float(np.median(after.past[others] / before.past[others]))
    assert after.past[one] == pytest.approx(ratio * before.past[one], rel=0.02)
    same = holidays & (time != time[one]) & (np.abs(time - time[one]) % 365 == 0)
    assert np.all(np.abs(after.past[same]) < 0.97 * ratio * np.abs(before.past[same]))


def shop(days: pd.DatetimeIndex, seed: int) -> Floats:
    """A shop that is closed on Good Friday and at Christmas, and sells a lot on the day before both."""
    rng = np.random.default_rng(seed)
    fridays = {pd.Timestamp(easter(year)) - pd.Timedelta(days=2) for year in range(2015, 2030)}
    closed = np.array([day in fridays or (day.month, day.day) in ((12, 25), (12, 26)) for day in days])
    busy = np.array([day + pd.Timedelta(days=1) in fridays or (day.month, day.day) == (12, 24) for day in days])
    usual = rng.poisson(80 + 30 * (days.day_of_week.to_numpy() >= 4))
    return np.where(closed, 0.0, usual * (1 + busy)).astype(float)


def test_orders_know_the_holidays_of_other_years() -> None:
    days = pd.date_range("2021-01-01", "2024-12-31")
    y, past = shop(days, 0), days < "2024-02-01"
    model = ContextualNewsvendor(1, 1, support=(0, 400)).fit(pd.DataFrame({"day": days[past]}), y[past])
    orders = dict(zip(days[~past], model.predict(pd.DataFrame({"day": days[~past]})), strict=True))
    usual = np.median(list(orders.values()))
    for closed in ("2024-03-29", "2024-12-25", "2024-12-26"):
        assert orders[pd.Timestamp(closed)] < 0.2 * usual
    for busy in ("2024-03-28", "2024-12-24"):
        assert orders[pd.Timestamp(busy)] > 1.5 * usual
    assert "days that recur every year" in model.basis_


def test_times_that_are_no_dates_have_no_years() -> None:
    """Numbers that rise are a time without a calendar."""
    days = np.arange(1100.0)
    y = np.where(days % 365 < 3, 0.0, 50 + np.random.default_rng(0).normal(size=1100))
    model = ContextualNewsvendor(1, 1, support=(0, 100)).fit(pd.DataFrame({"t": days}), y)
    assert "days that recur" not in model.basis_
