"""Few rows of many items: the week that they share, the week of each, and errors as wide as those of who borrows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from provend.estimators import PanelNewsvendor
from provend.estimators._panel_rows import Items, Panel
from provend.estimators._weeks import OFF, Days, Week, _of_days
from provend.tables import read_contexts

Floats = NDArray[np.float64]
COMING = pd.date_range("2024-07-01", periods=7)  # from a Monday on


def dated(items: int, days: int) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.bool_]]:
    """The same days of each item, up to a Sunday; the number of the item and whether it is a weekend, row by row."""
    dates = pd.date_range(end="2024-06-30", periods=days)
    X = pd.DataFrame({"unique_id": np.repeat([f"{j:03}" for j in range(items)], days), "ds": np.tile(dates, items)})
    return X, np.repeat(np.arange(items), days), (X["ds"].dt.day_of_week >= 5).to_numpy()


def orders_of(model: PanelNewsvendor, items: int) -> Floats:
    """One line per item, from Monday to Sunday."""
    names = np.repeat([f"{j:03}" for j in range(items)], 7)
    return model.predict(pd.DataFrame({"unique_id": names, "ds": np.tile(COMING, items)})).reshape(items, 7)


@pytest.mark.parametrize("ratio", [1, 9])
def test_eight_days_show_the_weekends_that_all_items_share(ratio: int) -> None:
    X, item, off = dated(30, 8)
    y = np.random.default_rng(0).poisson((10.0 + item) * np.where(off, 1.0, 3.0)).astype(float)
    model = PanelNewsvendor(ratio, 1, support=(0, 500)).fit(X, y)
    orders = orders_of(model, 30)
    assert (orders[:, OFF].mean(axis=1) < 0.7 * orders[:, ~OFF].mean(axis=1)).mean() > 0.9
    stranger = model.predict(pd.DataFrame({"unique_id": "new", "ds": COMING}))
    assert stranger[OFF].max() < 0.7 * stranger[~OFF].min()
    assert "weekends" in model.basis_ or "the week of each item" in model.basis_


def test_items_have_weeks_of_their_own() -> None:
    """Every other one sells more on weekends, the others less, so that there is nothing they share."""
    X, item, off = dated(30, 14)
    busy = np.where(item % 2 == 0, off, ~off)
    y = np.random.default_rng(1).poisson(np.where(busy, 60.0, 20.0)).astype(float)
    model = PanelNewsvendor(1, 1, support=(0, 500)).fit(X, y)
    orders = orders_of(model, 30)
    rises = orders[:, OFF].mean(axis=1) / orders[:, ~OFF].mean(axis=1)
    assert rises[::2].min() > 1.5
    assert rises[1::2].max() < 0.7
    assert "the week of each item" in model.basis_


def test_a_weekday_of_an_item_counts_where_weekdays_come_again() -> None:
    """Each item is closed on another day."""
    X, item, _ = dated(28, 14)
    closed = X["ds"].dt.day_of_week.to_numpy() == item % 7
    y = np.where(closed, 0.0, np.random.default_rng(2).poisson(50.0, item.size))
    orders = orders_of(PanelNewsvendor(1, 1, support=(0, 500)).fit(X, y), 28)
    own = orders[np.arange(28), np.arange(28) % 7]
    assert np.median(own) < 25
    assert np.median(orders) > 40


@pytest.mark.parametrize("items", [2, 30])
def test_the_week_of_an_item_is_not_that_of_the_others(items: int) -> None:
    """One in two is closed on Wednesdays, of the others all days are alike: neither gets half of what the other has."""
    X, item, _ = dated(items, 56)
    closed = (X["ds"].dt.day_of_week.to_numpy() == 2) & (item % 2 == 0)
    y = np.where(closed, 0.0, np.random.default_rng(5).poisson(50.0, item.size))
    orders = orders_of(PanelNewsvendor(1, 1, support=(0, 500)).fit(X, y), items)
    rest = np.delete(orders, 2, axis=1)
    assert orders[::2, 2].max() < 5
    assert orders[1::2].min() > 40
    assert rest.min() > 40


def test_how_far_weekdays_differ_against_all_pairs_of_rows() -> None:
    """With items of different lengths, one of them without any two rows of a weekday."""
    X, item, _ = dated(5, 40)
    kept = X.groupby("unique_id").cumcount(ascending=False) < np.array([5, 12, 40, 23, 31])[item]
    X, item = X[kept].reset_index(drop=True), item[kept]
    contexts = read_contexts(X[["ds"]])
    panel = Panel.of(Items(np.unique(X["unique_id"].to_numpy(str)), item), contexts)
    days = Days.of(panel, contexts)
    assert days is not None
    left = np.random.default_rng(6).normal(1.0, 2.0, item.size)
    found, weekday = _of_days(panel.lines(left), days), X["ds"].dt.day_of_week.to_numpy()
    assert np.isnan(found[0])
    for j in range(1, 5):
        total = weight = 0.0
        for kind in (range(5), range(5, 7)):
            rows = [i for i in np.flatnonzero(item == j) if weekday[i] in kind]
            apart = left - np.mean(left[rows])
            pairs = [(a, b) for a in rows for b in rows if a != b]
            alike = [apart[a] * apart[b] for a, b in pairs if weekday[a] == weekday[b]]
            others = [apart[a] * apart[b] for a, b in pairs if weekday[a] != weekday[b]]
            if alike and others:
                total += len(alike) * (np.mean(alike) - np.mean(others))
                weight += len(alike)
        assert found[j] == pytest.approx(total / weight, abs=1e-12)


def test_noise_has_hardly_a_week() -> None:
    """On average over worlds without weekdays, orders of one item vary by little from day to day."""
    varied = []
    for seed in range(20):
        X, item, _ = dated(20, 8 + seed % 13)
        y = np.random.default_rng(seed).poisson(40.0, item.size).astype(float)
        orders = orders_of(PanelNewsvendor(1, 1, support=(0, 500)).fit(X, y), 20)
        varied.append(float(orders.std(axis=1).mean()))
    assert np.mean(varied) < 0.25 * np.sqrt(40)


@pytest.mark.parametrize("days", [8, 14, 30])
def test_items_above_or_below_the_forecast_on_all_days_have_no_weekdays_for_that(days: int) -> None:
    """Nor do weekdays move the level of an item, whose mean they leave as it is."""
    X, item, _ = dated(40, days)
    contexts = read_contexts(X[["ds"]])
    panel = Panel.of(Items(np.unique(X["unique_id"].to_numpy(str)), item), contexts)
    laid_out, found = Days.of(panel, contexts), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        noise, apart = rng.normal(size=item.size), 3 * rng.normal(size=40)
        found.append(Week.of(panel.lines(noise + apart[item]), laid_out).of_day > 0)
        week = Week(worth=2.0, noise=1.0, of_day=0.5)
        one, other = (week.effects(panel.lines(values), laid_out) for values in (noise, noise + apart[item]))
        assert other[0] == pytest.approx(one[0], abs=1e-12)
        assert other[1] == pytest.approx(one[1], abs=1e-12)
    assert np.mean(found) < 0.5


def test_a_row_is_judged_by_the_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given how far items and weekdays differ, what the week adds to a past row does not depend on its own demand."""
    X, item, off = dated(12, 16)
    contexts = read_contexts(X[["ds"]])
    panel = Panel.of(Items(np.unique(X["unique_id"].to_numpy(str)), item), contexts)
    days = Days.of(panel, contexts)
    rng = np.random.default_rng(3)
    missed = panel.lines(rng.normal(size=item.size) + np.where(off, 2.0, 0.0) * (item % 3))
    week = Week.of(missed, days)
    assert week.worth < 1e6
    differ = week._worth_of_day(missed, days)
    monkeypatch.setattr(Week, "_worth_of_day", lambda *_: differ)
    table, past = week.effects(missed, days)
    for j, t in ((0, 0), (5, 9), (11, 15)):
        other = missed.copy()
        other[j, t] += 7.0
        changed, moved = week.effects(other, days)
        assert moved[j, t] == pytest.approx(past[j, t], abs=1e-12)
        assert not np.allclose(changed[j], table[j])
        assert np.array_equal(np.delete(changed, j, axis=0), np.delete(table, j, axis=0))


def test_there_is_no_week_without_dates_or_with_fewer_than_eight_days() -> None:
    X, _, off = dated(30, 7)
    y = np.random.default_rng(0).poisson(np.where(off, 10.0, 30.0)).astype(float)
    for table in (X, X.assign(ds=X["ds"].dt.day_of_week.astype(str))):
        week = PanelNewsvendor(support=(0, 500)).fit(table, y).pool_.week
        assert week.described == ""
        assert week.of_any_item.tolist() == [0.0] * 7


def test_what_is_lent_is_as_wide_as_the_errors_of_who_borrows() -> None:
    """Large items vary by a few percent of their size, small ones by half: none gets the errors of the other."""
    X, item, _ = dated(60, 8)
    small = item % 2 == 0
    y = np.random.default_rng(4).poisson(np.where(small, 4.0, 2000.0)).astype(float)
    model = PanelNewsvendor(19, 1, support=(0, 10_000)).fit(X, y)
    orders, widths = orders_of(model, 60), model.histories_.widths[:-1]
    assert widths[::2].min() > 4 * widths[1::2].max()
    assert orders[1::2].max() < 1.15 * 2000
    assert 5 < np.median(orders[::2]) < 11
