"""Dissimilarities that were not learned from the demands they help to weigh."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.dissimilarity._certified import Grouping, _limits, certified_limits
from provend.dissimilarity._kolmogorov import distance_limit
from provend.tables import read_contexts

LEVELS = {"a": 0.3, "b": 0.35, "c": 0.8}


def shops(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Bernoulli demand whose mean depends on the shop."""
    names = np.array(list(LEVELS))[rng.integers(0, 3, n)]
    return pd.DataFrame({"shop": names}), (rng.random(n) < [LEVELS[name] for name in names]).astype(float)


def test_limits_hold_together_as_often_as_stated():
    rng, means, alpha = np.random.default_rng(0), np.array([0.2, 0.5, 0.5, 0.9]), 0.2
    truth, failed = np.abs(means[:, None] - means[None, :]), 0
    for _ in range(300):
        found = _limits(
            [(rng.random(n) < p).astype(float) for n, p in zip((20, 30, 25, 40), means, strict=True)], alpha
        )
        failed += bool((found < truth).any())
    assert 0 < failed <= 0.2 * 300


def test_the_limit_of_two_samples_is_that_of_the_estimate():
    rng = np.random.default_rng(0)
    a, b = rng.random(40), rng.random(40) + 0.2
    assert distance_limit(a, b, 0.05) == pv.estimate_dissimilarity(a, b, confidence=0.95).upper
    assert distance_limit(a, np.append(b, 9.0), 0.05) == distance_limit(a, b, 0.05)  # the first 40 of 41
    first = np.append(9.0, b)
    assert distance_limit(a, first, 0.05) == distance_limit(a, first[:40], 0.05) > distance_limit(a, b, 0.05)


def test_groups():
    table = pd.DataFrame(
        {
            "shop": np.repeat(["a", "b"], 20),
            "date": np.datetime64("2026-11-16") + np.arange(40) % 7,
            "temperature": np.where(np.arange(40) % 10 == 9, np.nan, np.arange(40) + 0.5),
            "code": np.arange(40) % 3,
        }
    )
    contexts = read_contexts(table)
    grouping = Grouping.of(contexts)
    assert grouping.columns == ("shop", "temperature", "code", "weekday of date")
    assert grouping.ignored == ("date",)
    names = grouping.groups(contexts)
    assert names[0] != names[20]  # another shop
    assert (
        names[0]
        == grouping.groups(read_contexts(table.assign(date=table["date"] + pd.Timedelta(days=7)), like=contexts))[0]
    )
    assert "(missing)" in names[9]
    assert len(Grouping.of(read_contexts(table[["temperature"]])).edges["temperature"]) == 3


def test_what_is_known_about_no_group():
    rng = np.random.default_rng(0)
    x, y = shops(200, rng)
    x.loc[:2, "shop"] = "new"  # too few for a limit
    past = read_contexts(x)
    model = certified_limits(past, y)
    targets = pd.DataFrame({"shop": ["new", "never", "a"]})
    d = model(past, read_contexts(targets, like=past))
    assert d[0].tolist() == [0.0] * 3 + [1.0] * 197
    assert (d[1] == 1).all()
    assert (d[2][x["shop"] == "a"] == 0).all()
    assert (d[2][x["shop"] == "new"] == 1).all()


@pytest.mark.parametrize("dissimilarity", ["split", "certified"])
@pytest.mark.parametrize("dated", [False, True])
def test_rows_are_either_learned_from_or_weighed(dissimilarity, dated):
    rng = np.random.default_rng(0)
    x, y = shops(120, rng)
    if dated:
        x["date"] = np.datetime64("2016-01-01") + 7 * rng.permutation(120)
    targets = pd.DataFrame({"shop": list(LEVELS)})
    if dated:
        targets["date"] = np.datetime64("2026-05-01")  # a Friday, as all dates here

    def found(demand):
        model = pv.ContextualNewsvendor(3, 1, dissimilarity=dissimilarity, support=(0, 1)).fit(x, demand)
        d = model.dissimilarity_(model.history_.contexts, targets)
        return model.get_weights(targets), model.guarantee(targets).upper, d, model.history_.rows

    weights, upper, d, weighed = found(y)
    assert weighed.size == 60
    assert (np.delete(weights, weighed, axis=1) == 0).all()
    if dated:
        assert x["date"].iloc[weighed].min() > np.delete(x["date"].to_numpy(), weighed).max()
    others = np.ones(120, bool)
    others[weighed] = False
    again = found(np.where(others, y, 1 - y))
    assert (again[0] == weights).all()
    assert (again[1] == upper).all()
    assert (again[2] == d).all()
    shifted = np.where(others, np.where(x["shop"] == "a", y / 2, 1.0), y)
    assert not np.array_equal(found(shifted)[2], d)


def test_the_price_of_a_wrong_limit_is_part_of_the_guarantee():
    x, y = shops(400, np.random.default_rng(0))
    problem = pv.Newsvendor(3, 1, (0, 10))
    model = pv.ContextualNewsvendor(3, 1, policy=pv.NoData(), dissimilarity="certified", support=(0, 10)).fit(x, y)
    found = model.guarantee(pd.DataFrame({"shop": ["a"]}))
    price = model.dissimilarity_.alpha * 0.75 * problem.unit
    assert found.upper[0] == pytest.approx(problem.no_data_regret + price, rel=1e-12)
    assert found.upper[0] > problem.no_data_regret + 0.999 * price
    assert found.lower[0] <= problem.no_data_regret
    for said in ("certified", "(shop)", "100 other rows", "independent", "one distribution", "price"):
        assert said in found.basis


def test_regret_stays_below_the_certified_guarantee():
    """The exact regret of the orders, averaged over histories, in a world where the stated model holds."""
    rng, problem, many = np.random.default_rng(1), pv.Newsvendor(3, 1), 200
    targets, means = pd.DataFrame({"shop": list(LEVELS)}), np.array(list(LEVELS.values()))
    regrets, guaranteed = np.zeros((many, 3)), np.zeros(3)
    for k in range(many):
        x, y = shops(150, rng)
        model = pv.ContextualNewsvendor(3, 1, dissimilarity="certified", support=(0, 1)).fit(x, y)
        orders = model.predict(targets)
        regrets[k] = orders * (1 - means) + 3 * (1 - orders) * means - np.minimum(1 - means, 3 * means)
        guaranteed += model.guarantee(targets).upper / many
    mean, error = regrets.mean(axis=0), regrets.std(axis=0) / np.sqrt(many)
    assert (mean - 3 * error < guaranteed).all()
    assert (mean / guaranteed).max() > 0.5  # close enough to mean something
    assert (guaranteed < 0.5 * problem.no_data_regret).all()


def test_one_row_cannot_be_split():
    with pytest.raises(pv.InputError, match="cannot be split"):
        pv.ContextualNewsvendor(dissimilarity="certified", support=(0, 1)).fit([[1.0]], [0.5])


def test_a_number_that_runs_on_may_matter():
    """Only dates are taken not to matter; a column that happens to be sorted is no date."""
    x = np.linspace(0, 1, 200)[:, None]
    y = (np.random.default_rng(0).random(200) < np.where(x[:, 0] < 0.5, 0.05, 0.95)).astype(float)
    model = pv.ContextualNewsvendor(1, 1, dissimilarity="certified", support=(0, 1)).fit(x, y)
    assert "(x0)" in model.basis_
    assert "whatever" not in model.basis_
    assert (model.predict([[0.1]])[0] < 0.5) or model.guarantee([[0.1]]).upper[0] >= model.newsvendor_.no_data_regret


@pytest.mark.parametrize(
    ("n", "dissimilarity", "said"),
    [
        (4, "auto", "count as alike"),
        (100, "auto", "count as alike"),
        (4, "cautious", "count as alike"),
        (6, "cautious", "count as alike"),
        (8, "split", "count as alike"),
    ],
)
def test_few_rows_say_what_was_done(n, dissimilarity, said):
    rng = np.random.default_rng(0)
    x, y = np.zeros((n, 1)), rng.random(n)
    assert said in pv.ContextualNewsvendor(dissimilarity=dissimilarity, support=(0, 1)).fit(x, y).basis_


def test_groups_have_names_of_their_own():
    table = pd.DataFrame({"first": ["a\x1fb", "a", "a\\s"], "second": ["c", "b\x1fc", "c"]})
    assert len(set(Grouping.of(read_contexts(table)).groups(read_contexts(table)))) == 3


@pytest.mark.parametrize(("start", "zone"), [("2024-03-15 19:00", "America/New_York"), ("1969-01-01 12:00", None)])
def test_weekdays_are_those_of_the_place_and_of_any_time(start, zone):
    days = pd.date_range(start, periods=230, tz=zone)
    y = np.where(days.day_name() == "Monday", 100.0, 0.0)
    model = pv.ContextualNewsvendor(9, 1, dissimilarity="certified", support=(0, 100))
    model.fit(pd.DataFrame({"date": days}), y)
    week = pd.DataFrame({"date": days[-7:] + pd.Timedelta(days=7)})
    assert (model.predict(week) > 50).tolist() == (week["date"].dt.day_name() == "Monday").tolist()
