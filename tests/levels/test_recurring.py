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
from provend.levels._recurring import DOUBT, FIRM, NORMAL, ROUNDS, SETTLED, UNMISTAKABLE, Recurring

Floats = NDArray[np.float64]
Name = Callable[[date], object]
EPOCH = date(1970, 1, 1)
START = (date(2021, 3, 1) - EPOCH).days


def from_easter(day: date) -> object:
    apart = (day - easter(day.year)).days
    return apart if -52 <= apart <= 60 else None


def from_first(day: date) -> object:
    return day.month, day.weekday(), sum((day - timedelta(7 * k)).month == day.month for k in range(1, 5))


def from_last(day: date) -> object:
    return day.month, day.weekday(), sum((day + timedelta(7 * k)).month == day.month for k in range(1, 5))


def by_date(day: date) -> object:
    return day.month, day.day


def by_week(day: date) -> object:
    return tuple(day.isocalendar())[1:]


def slowly(
    errors: Floats, time: Floats, q: float, firm: float = FIRM
) -> tuple[dict[date, float], Callable[[date], float]]:
    """Day by day: what is added to each day of the past, and to any day."""
    days = sorted({EPOCH + timedelta(int(t // 1)) for t in time})
    sign, least = (1, 2 * q - 1) if q >= 0.5 else (-1, 1 - 2 * q)
    left = {day: sign * float(np.mean(errors[np.floor(time) == (day - EPOCH).days])) for day in days}
    low, high, above = np.quantile(list(left.values()), [0.25, 0.75, max(q, 1 - q)])
    spread = float(high - low) / NORMAL
    weekly = np.median(np.diff([day.toordinal() for day in days])) >= 7
    names: list[Name] = [by_date, from_easter, by_week] if weekly else [by_date, from_easter, from_first, from_last]
    pasts, number = dict[Name, dict[date, float]](), {name: {day: name(day) for day in days} for name in names}

    def either(said: list[float]) -> float:
        mean = sum(said) / len(said)
        return mean + (least * max(max(said) - above - mean, 0.0) if len(said) > 1 else 0.0)

    def in_two_years(values: list[float]) -> bool:
        """Whether the mean counts without the value that speaks most for it."""
        way = 1 if sum(values) > 0 else -1
        rest = sorted(way * value for value in values)[:-1]
        return weekly or (bool(rest) and sum(rest) / len(rest) > firm * spread / sqrt(len(rest)))

    def unusual(values: list[float]) -> tuple[float, float]:
        """The mean as far as it counts, and with what some year was above it."""
        mean = sum(values) / len(values) if values else 0.0
        limit = firm * spread / sqrt(len(values)) if values else 0.0
        if abs(mean) <= limit:
            return 0.0, 0.0
        kept = mean * (1 - (limit / mean) ** 2)
        return kept, kept + least * max(max(values) - above - mean, 0.0)

    def learned(name: Name, left: dict[date, float], final: bool) -> tuple[dict[object, float], dict[date, float]]:
        """What a calendar says of its numbers, and of each day by other years; years that differ matter at the end."""
        seen = defaultdict(list)
        for day in days:
            seen[number[name][day]].append(day)
        seen.pop(None, None)
        others = {day: unusual([left[one] for one in seen.get(number[name][day], []) if one != day]) for day in days}
        square = sum(mean**2 for mean, _ in others.values())
        if square == 0:
            return {}, dict.fromkeys(days, 0.0)
        share = sum(others[day][0] * left[day] for day in days) / square
        missed = sum((others[day][0] * (left[day] - min(share, 1) * others[day][0])) ** 2 for day in days)
        share = min(max(share - DOUBT * max(spread * sqrt(square), sqrt(missed)) / square, 0), 1)
        years = {n: [left[day] for day in same] for n, same in seen.items()}
        table = {n: share * unusual(each)[final] * in_two_years(each) for n, each in years.items()}
        return table, {day: share * others[day][final] for day in days}

    def but(name: Name) -> dict[date, float]:
        """The errors that all other calendars leave."""
        return {day: left[day] + pasts[name][day] for day in days}

    def put(name: Name, past: dict[date, float]) -> None:
        for day in days:
            left[day] -= past[day] - (pasts[name][day] if name in pasts else 0.0)
        pasts[name] = past

    while waiting := [name for name in names if name not in pasts]:
        tried = {name: learned(name, left, False)[1] for name in waiting}
        squares = {name: sum(left[d] ** 2 - (left[d] - tried[name][d]) ** 2 for d in days) for name in waiting}
        best = max(waiting, key=squares.__getitem__)
        if squares[best] <= 0:
            break
        put(best, tried[best])
    for _ in range(ROUNDS):
        before = dict(left)
        for name in list(pasts):
            put(name, learned(name, but(name), False)[1])
        if max(abs(left[day] - before[day]) for day in days) <= SETTLED * spread:
            break
    found = {name: learned(name, but(name), True) for name in pasts}

    meant = {name: defaultdict(list) for name in names}
    for name in names:
        for one in days:
            meant[name][number[name][one]].append(one)

    def twins(name: Name, n: object) -> dict[Name, object]:
        """The numbers, in this and other calendars, that have meant the same days so far."""
        same = meant[name][n]
        others = {other: other(same[0]) for other in names if other is not name and len(same) > 1}
        return {name: n} | {k: v for k, v in others.items() if v is not None and meant[k][v] == same}

    known = [(adds, twins(name, n)) for name, (table, _) in found.items() for n, adds in table.items() if adds]

    def ahead(day: date) -> float:
        return sign * sum(either([adds * (name(day) == n) for name, n in same.items()]) for adds, same in known)

    return {day: sign * sum(past[day] for _, past in found.values()) for day in days}, ahead


@pytest.mark.parametrize("step", [1, 7])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("firm", [FIRM, UNMISTAKABLE])
def test_against_plain_loops(seed: int, q: float, step: int, firm: float) -> None:
    rng = np.random.default_rng(seed)
    time = START + step * np.sort(rng.integers(0, int(rng.integers(500, 1600)) // step, 1000)) + rng.random(1000)
    dates = [EPOCH + timedelta(int(t)) for t in time]
    fourth = [day.month == 11 and day.weekday() == 3 and 22 <= day.day <= 28 for day in dates]
    holidays = np.isin(np.floor(time) // step * step % 364, step * rng.integers(0, 364 // step, 8)) | fourth
    errors = rng.standard_t(4, size=1000) + (6 + 4 * rng.random(1000)) * holidays
    found = Recurring.of(errors, time, q, firm)
    past, ahead = slowly(errors, time, q, firm)
    future = [dates[-1] + timedelta(k) for k in range(800)]
    if found is None:
        assert not any(ahead(day) for day in future)
        return
    assert found.past == pytest.approx([past[day] for day in dates], abs=1e-12)
    assert found.at(np.array([(day - EPOCH).days + 0.5 for day in future])) == pytest.approx(list(map(ahead, future)))


@pytest.mark.parametrize(("seed", "q"), [(17, 0.75), (279, 0.95), (481, 0.9)])
def test_calendars_that_explain_less_than_nothing_end_the_search(seed: int, q: float) -> None:
    """Weeks that differ from year to year: by the highest of them, errors may become larger."""
    rng = np.random.default_rng(seed)
    weeks, season = np.arange(315), rng.standard_t(2, size=52) * rng.choice([1, 2, 4])
    errors = rng.normal(size=315) + season[weeks % 52] * (1 + 0.7 * rng.normal(size=315))
    time = START + 7.0 * weeks
    found, (past, _) = Recurring.of(errors, time, q), slowly(errors, time, q)
    assert found is not None
    assert found.past == pytest.approx(list(past.values()))


def test_most_of_the_cases_above_have_days_that_recur() -> None:
    rng = np.random.default_rng(0)
    time = START + np.arange(1200.0)
    found = Recurring.of(rng.normal(size=1200) + 8 * (time % 365 < 3), time, 0.9)
    assert found is not None
    assert found.at(START + 1200 + np.arange(400.0)).max() > 4


def test_there_are_hardly_any_in_noise() -> None:
    """Neither in normal errors nor in those with many spikes; what is found moves forecasts by very little."""
    time = START + np.arange(1100.0)
    for draw in (lambda rng: rng.normal(size=1100), lambda rng: rng.standard_t(3, size=1100)):
        moved = list[float]()
        for seed in range(30):
            found = Recurring.of(draw(np.random.default_rng(seed)), time, 0.9)
            moved.append(0.0 if found is None else float(np.square(found.at(START + 1100 + np.arange(365.0))).mean()))
        assert np.mean(np.array(moved) > 0) < 0.6
        assert np.mean(moved) < 0.01


def test_a_year_and_a_few_days_say_nothing_of_another() -> None:
    """However unusual the few days are that are there twice."""
    rng = np.random.default_rng(0)
    for start in range(START, START + 365, 30):
        time = start + np.arange(393.0)
        assert Recurring.of(rng.normal(size=393) + 30 * ((time - start) % 364 < 3), time, 0.9) is None
    longer = start + np.arange(450.0)
    assert Recurring.of(rng.normal(size=450) + 30 * ((longer - start) % 364 < 3), longer, 0.9) is not None


def test_no_row_sees_its_own_error() -> None:
    """Up to the share that all days have in common."""
    rng = np.random.default_rng(1)
    time = START + np.arange(1100.0)
    holidays = np.isin(time % 365, [10, 90, 200, 290])
    errors = rng.normal(size=1100) - 9 * holidays
    changed, one = errors.copy(), int(np.flatnonzero(holidays)[5])
    changed[one] += 2.0
    before, after = Recurring.of(errors, time, 0.5), Recurring.of(changed, time, 0.5)
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


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_a_date_that_was_good_friday_is_a_day_like_any_other(q: float) -> None:
    """Nor is one that was the busy day before: the calendar that knows Easter has explained them."""
    days = pd.date_range("2021-01-01", "2024-12-31")
    y, past = shop(days, 0), days < "2024-02-01"
    model = ContextualNewsvendor(q, 1 - q, support=(0, 400)).fit(pd.DataFrame({"day": days[past]}), y[past])
    orders = dict(zip(days[~past], model.predict(pd.DataFrame({"day": days[~past]})), strict=True))
    for once in ("2024-04-01", "2024-04-02", "2024-04-06", "2024-04-07", "2024-04-14", "2024-04-15"):
        usual = orders[pd.Timestamp(once) + pd.Timedelta(days=28)]
        assert orders[pd.Timestamp(once)] == pytest.approx(usual, rel=0.15)


@pytest.mark.parametrize("q", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("start", ["2021-01-01", "2022-01-01", "2022-11-20"])
def test_a_spike_does_not_recur(start: str, q: float) -> None:
    """Not even where holidays do, and orders go by the highest of the years."""
    days, ahead = pd.date_range(start, "2023-12-31"), pd.DataFrame({"day": [pd.Timestamp("2024-06-14")]})
    y = shop(days, 0)
    model = ContextualNewsvendor(q, 1 - q, support=(0, 1000))
    usual = model.fit(pd.DataFrame({"day": days}), y).predict(ahead)
    y[days == "2023-06-14"] = 1000
    assert model.fit(pd.DataFrame({"day": days}), y).predict(ahead) == pytest.approx(usual, rel=0.2)
    assert "days that recur every year" in model.basis_


def test_a_good_friday_seen_once_is_no_date() -> None:
    days = pd.date_range("2022-11-20", "2023-12-31")
    model = ContextualNewsvendor(49, 1, support=(0, 400)).fit(pd.DataFrame({"day": days}), shop(days, 0))
    once, usual = model.predict(pd.DataFrame({"day": pd.to_datetime(["2024-04-07", "2024-04-28"])}))
    assert once == pytest.approx(usual, rel=0.15)


def test_a_fourth_thursday_is_no_third_one() -> None:
    """Thanksgiving was in the same week of three years, and is a week later in the fourth."""
    days = pd.date_range("2010-11-01", "2013-12-31")
    thanks = (days.month == 11) & (days.day_of_week == 3) & (days.day >= 22) & (days.day <= 28)
    y = np.where(thanks, 5.0, 80 + np.random.default_rng(0).normal(0, 9, days.size))
    past = days < "2013-11-01"
    model = ContextualNewsvendor(9, 1, support=(0, 120)).fit(pd.DataFrame({"day": days[past]}), y[past])
    orders = dict(zip(days[~past], model.predict(pd.DataFrame({"day": days[~past]})), strict=True))
    assert orders[pd.Timestamp("2013-11-21")] > 80
    assert orders[pd.Timestamp("2013-11-28")] < 60


def test_a_last_monday_that_was_always_the_fourth_is_both_or_neither() -> None:
    """Of two days that may be the holiday each counts by half; who must not run out relies on neither."""
    days = [date(2013, 1, 1) + timedelta(k) for k in range(1230)]
    time = np.array([(day - EPOCH).days for day in days], float)
    errors = np.random.default_rng(0).normal(size=time.size)
    memorial = [(5, 27), (5, 26), (5, 25)]
    errors[[days.index(date(2013 + k, *when)) for k, when in enumerate(memorial)]] = -10.0
    fourth, last = ((date(2016, 5, day) - EPOCH).days for day in (23, 30))
    middle, high = (Recurring.of(errors, time, q) for q in (0.5, 0.95))
    assert middle is not None
    assert high is not None
    assert middle.at(np.array([fourth, last])) == pytest.approx([-3.5, -3.5], abs=1.5)
    assert (high.at(np.array([fourth, last])) > -2.5).all()
    once_more = (date(2017, 5, 29) - EPOCH).days  # five Mondays again: not the fourth
    errors = np.append(errors, np.zeros(300))
    time = np.append(time, time[-1] + 1 + np.arange(300.0))
    errors[np.flatnonzero(time == last)[0]] = -10.0
    learned = Recurring.of(errors, time, 0.95)
    assert learned is not None
    assert learned.at(np.array([once_more]))[0] < -6
    assert learned.at(np.array([once_more - 7]))[0] > -2


@pytest.mark.parametrize("others", [0, 6])
def test_it_is_so_whatever_other_holidays_there_are(others: int) -> None:
    """Those which only one of the calendars knows do not decide about the one that both may mean."""
    days = [date(2012, 8, 1) + timedelta(k) for k in range(1380)]
    errors = np.random.default_rng(0).normal(size=len(days))
    for month in range(1, 1 + others):  # second Mondays
        errors[[day.month == month and day.weekday() == 0 and 8 <= day.day <= 14 for day in days]] = -10.0
    for year, day in ((2013, 27), (2014, 26), (2015, 25)):
        errors[days.index(date(year, 5, day))] = -10.0
    found = Recurring.of(errors, np.array([(day - EPOCH).days for day in days], float), 0.95)
    assert found is not None
    fourth, last, second = ((date(2016, *day) - EPOCH).days for day in ((5, 23), (5, 30), (6, 13)))
    assert (found.at(np.array([fourth, last], float)) > -2.5).all()
    assert (found.at(np.array([float(second)]))[0] < -8) == (others > 0)


def mondays(years: range, month: int, which: int) -> set[pd.Timestamp]:
    """The Monday of a month with that place, in each year."""
    each = (pd.date_range(f"{year}-{month:02}-01", periods=31, freq="D") for year in years)
    return {day[(day.month == month) & (day.day_of_week == 0)][which] for day in each}


def orders_after(days: pd.DatetimeIndex, holidays: set[pd.Timestamp], q: float, seed: int, asked: list[str]) -> Floats:
    """Orders learned from days of which holidays have 40 more."""
    y = 100 + np.random.default_rng(seed).normal(0, 5, days.size) + 40 * days.isin(list(holidays))
    model = ContextualNewsvendor(q, 1 - q, support=(0, 250)).fit(pd.DataFrame({"day": days}), y)
    return model.predict(pd.DataFrame({"day": pd.to_datetime(asked)}))


@pytest.mark.parametrize("q", [0.5, 0.9])
@pytest.mark.parametrize("seed", range(1, 4))
def test_a_first_monday_is_no_second_one(seed: int, q: float) -> None:
    """Counted from the end of May it has the place that second Mondays have this year, and is unusually early."""
    years = range(2012, 2017)
    holidays = mondays(years, 5, 0) | mondays(years, 5, -1) | mondays(years, 8, -1)
    asked = ["2017-04-24", "2017-05-01", "2017-05-08"]
    usual, first, second = orders_after(pd.date_range("2012-01-01", "2016-12-31"), holidays, q, seed, asked)
    assert first > usual + 24
    assert second < usual + 8


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_a_last_monday_is_not_the_fourth_again(q: float) -> None:
    """Ten years, in three of which they were different days, and are so again."""
    years = range(2011, 2021)
    thanks = {pd.Timestamp(year, 11, 22 + (3 - date(year, 11, 1).weekday()) % 7) for year in years}
    holidays = mondays(years, 5, -1) | mondays(years, 9, 0) | thanks
    asked = ["2021-05-10", "2021-05-24", "2021-05-31"]
    usual, fourth, last = orders_after(pd.date_range("2011-01-01", "2020-12-31"), holidays, q, 0, asked)
    assert last > usual + 20
    assert fourth < usual + 8


def test_years_that_differ_count_by_those_that_cost_most() -> None:
    """Low on average, but once nearly usual: who must not run out does not rely on it, who must not waste does."""
    time = START + np.arange(1461.0)
    errors = np.random.default_rng(0).normal(size=1461)
    for year, error in zip(range(2021, 2025), (-9.0, -9.0, -2.0, -9.0), strict=True):
        for month, low in ((5, -9.0), (7, error), (9, -9.0), (11, -9.0)):
            errors[(date(year, month, 5) - EPOCH).days - START] = low
    july, may = ((date(2025, month, 5) - EPOCH).days for month in (7, 5))
    found = {q: Recurring.of(errors, time, q) for q in (0.05, 0.5, 0.95)}
    low, middle, high = (one.at(np.array([july, may])) for one in found.values() if one is not None)
    assert low == pytest.approx(middle, abs=0.5)
    assert high[0] > middle[0] + 2
    assert high[1] == pytest.approx(middle[1], abs=0.5)


def test_times_that_are_no_dates_have_no_years() -> None:
    """Numbers that rise are a time without a calendar."""
    days = np.arange(1100.0)
    y = np.where(days % 365 < 3, 0.0, 50 + np.random.default_rng(0).normal(size=1100))
    model = ContextualNewsvendor(1, 1, support=(0, 100)).fit(pd.DataFrame({"t": days}), y)
    assert "days that recur" not in model.basis_
