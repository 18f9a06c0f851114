"""What is learned once, asked about other items: the same numbers, and nobody lends to itself."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import provend as pv
from provend.estimators import PanelNewsvendor
from provend.estimators._lenders import BORROWED, OLDEST, Lenders, ages_lent
from provend.estimators._panel_designs import design_of, drift_at
from provend.estimators._panel_targets import Case
from provend.estimators._weeks import Week
from provend.tables import read_contexts

START = date(2024, 1, 1)


def panel(items: int, days: int, seed: int = 0) -> tuple[pl.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    dates = [START + timedelta(days=i) for i in range(days)]
    X = pl.concat(
        pl.DataFrame({"unique_id": f"{i}", "ds": dates, "kind": "big" if i % 2 else "small"}) for i in range(items)
    )
    means = np.repeat([40.0 if i % 2 else 4.0 for i in range(items)], days)
    return X, rng.poisson(means).astype(float)


@pytest.fixture(scope="module")
def model() -> PanelNewsvendor:
    return PanelNewsvendor(4, 1, support=(0, 200)).fit(*panel(20, 35))


def targets(*names: str) -> pl.DataFrame:
    day = START + timedelta(days=50)
    return pl.DataFrame({"unique_id": names, "ds": [day] * len(names), "kind": ["big"] * len(names)})


def test_the_same_rows_give_the_same_orders(model: PanelNewsvendor) -> None:
    asked = targets("3", "4", "stranger")
    again = model.with_items(*panel(20, 35))
    assert again.predict(asked).tolist() == model.predict(asked).tolist()
    assert again.guarantee(asked).upper.tolist() == model.guarantee(asked).upper.tolist()


def test_other_items_are_decided_by_their_own_rows(model: PanelNewsvendor) -> None:
    """Items that were not learned from, alone or beside others: long ones by the errors of their own rows alone."""
    X, y = panel(2, 35, seed=5)
    X = X.with_columns(unique_id=pl.format("new {}", "unique_id"))
    both = model.with_items(X, y)
    mine = (X["unique_id"] == "new 1").to_numpy()
    alone = model.with_items(X.filter(mine), y[mine])
    assert both.predict(targets("new 1")).tolist() == alone.predict(targets("new 1")).tolist()
    twice = model.with_items(X.filter(mine), 2 * y[mine]).predict(targets("new 1"))
    assert twice > 1.5 * alone.predict(targets("new 1"))
    found = alone.decide(targets("new 1", "0"))
    assert (found.own.tolist(), found.borrowed.tolist()) == ([30, 0], [0, 19])  # of 35: rules are made for 30, 37, ...
    assert found.stranger.tolist() == [False, True]


@pytest.mark.parametrize("stranger", [False, True])
def test_lenders_against_plain_search(stranger: bool) -> None:
    """So many rows of others, those nearest in rank of expected size, and never of the item itself."""
    rng = np.random.default_rng(0)
    for size in (2, 5, 30):
        lent = rng.integers(1, 4, size)
        names = np.array([f"{i:02}" for i in range(size)])
        lenders = Lenders(names, rng.random(size), lent, rng.random(lent.sum()), rng.random(size))
        whose = list(range(size)) if stranger else lenders.whose.tolist()
        order = sorted(range(len(whose)), key=lambda row: (lenders.expected[whose[row]], row))
        for listed in (-1, 0, size - 1):
            others = [row for row in order if whose[row] != listed]
            assert lenders.others(np.array([listed]), stranger=stranger).tolist() == [len(others)]
            for many in range(1, len(others) + 1):
                expected = rng.random(1) if listed < 0 else lenders.expected[[listed]]
                found = lenders.nearest(np.array([listed]), expected, many, stranger=stranger)[0].tolist()
                at = others.index(found[0])
                assert found == others[at : at + many]  # without a gap
                smaller = sum(lenders.expected[whose[row]] < expected[0] for row in others)
                assert at == min(max(smaller - many // 2, 0), len(others) - many)


@pytest.mark.parametrize("counts", [[8] * 41, [8] * 7, [3, 1, 40, 9], [5], [200] * 90], ids=["41", "7", "4", "1", "90"])
def test_rows_lent_are_of_different_days(counts: list[int]) -> None:
    """Each lends distinct rows of its latest 14, enough for all others together if there are enough; all ages occur."""
    lent, ages = ages_lent(np.array(counts))
    assert ages.size == lent.sum()
    for count, own in zip(counts, np.split(ages, np.cumsum(lent)[:-1]), strict=True):
        assert 1 <= own.size == np.unique(own).size
        assert own.max() < min(count, OLDEST)
    needed = min(BORROWED, sum(min(count, OLDEST) for count in counts) - min(max(counts), OLDEST))
    assert lent.sum() - lent.max() >= needed or len(set(counts)) > 1
    if len(set(counts)) == 1 and len(counts) > 1:
        often = np.bincount(ages, minlength=min(counts[0], OLDEST))
        assert often.min() > 0
        assert often.max() <= 2 * often.min()


def test_a_short_history_does_not_borrow_what_was_learned_of_the_item_itself(model: PanelNewsvendor) -> None:
    """What item 1 lends is set to something absurd: the other item sees it, at the end of its support; 1 does not."""
    lenders = model.pool_.lenders
    absurd = np.where(lenders.names[lenders.whose] == "1", 1e6, lenders.errors)
    changed = copy(model)
    changed.pool_ = replace(model.pool_, lenders=replace(lenders, errors=absurd))
    changed = changed.with_items(*panel(2, 4, seed=9))  # 0 and 1, both of which were learned from
    for name, sees in (("1", False), ("0", True)):
        asked = changed._targets(targets(name))
        ((case, _),) = asked.cases(changed.pool_, changed.histories_)
        assert (case.own, case.borrowed) == (4, 60)
        assert (asked.values(case, changed.pool_, changed.histories_).max() == 200) == sees


@pytest.mark.parametrize(("spread", "worth"), [(2.0, (0.05, 0.05)), (0.5, (0.2, 0.8)), (0.05, (4.0, 4.0))])
def test_sizes_are_trusted_as_far_as_they_are_alike(spread: float, worth: tuple[float, float]) -> None:
    """Rows that vary by 30 % tell the size of an item soon, unless items hardly differ: then the others tell it."""
    rng = np.random.default_rng(0)
    X, _ = panel(40, 8)
    y = np.repeat(100 * np.exp(spread * rng.normal(size=40)), 8) * rng.gamma(1 / 0.09, 0.09, 320)
    found = PanelNewsvendor(1, 1).fit(X, y).pool_.prior
    assert worth[0] <= found <= worth[1]  # 0.09 / spread^2, between 0.05 and 4


def test_no_rows_at_all(model: PanelNewsvendor) -> None:
    """A batch of items never seen."""
    X, y = panel(1, 1)
    assert model.with_items(X.head(0), y[:0]).predict(targets("a", "b")).shape == (2,)
    with pytest.raises(pv.InputError, match="X has 0 rows"):
        PanelNewsvendor().fit(X.head(0), y[:0])


def test_demands_outside_the_support_are_refused(model: PanelNewsvendor) -> None:
    X, y = panel(2, 35)
    with pytest.raises(pv.InputError, match=r"y holds 500, outside support = \(0, 200\)"):
        model.with_items(X, np.where(np.arange(y.size) == 3, 500.0, y))


def test_what_is_left_of_an_item_against_plain_loops(model: PanelNewsvendor) -> None:
    """Size, errors and recent misses of one item, row by row, from the level of each day."""
    X, y = panel(2, 9, seed=4)
    slow = copy(model)
    slow.pool_ = replace(model.pool_, share=0.5, week=Week())  # these items have no memory of their own
    found, pool = slow.with_items(X, y).histories_, slow.pool_
    days = X.filter(pl.col("unique_id") == "1").drop("unique_id")
    contexts = read_contexts(days, like=model.contexts_)
    levels, expected = pool.forecast.at(contexts), float(pool.scale.at(contexts)[0])
    mine = y[9:]
    size = (sum(mine) + 4 * expected) / (9 + 4)
    fade, total, weight, missed_before, errors = 0.5 ** (1 / 15), 0.0, 0.0, 0.0, []
    for demand, level in zip(mine, levels, strict=True):
        scaled = demand / size / 2**pool.forecast.power.exponent
        missed = scaled ** (0.5**pool.forecast.power.roots) - level
        errors.append(missed - pool.share * missed_before)
        total, weight = fade * total + missed, fade * weight + 1
        missed_before = total / (weight + 8)
    assert found.sizes[1] == pytest.approx(size)
    assert found.errors[1] == pytest.approx(errors)
    assert found.recent[1] == pytest.approx(pool.share * missed_before)
    assert found.ends[1][1] == pytest.approx(max(max(mine), pool.reach.high * size))
    assert (found.count.tolist(), found.recent[-1]) == ([9, 9, 0], 0.0)


@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(9, 10), Fraction(1, 3)])
def test_designs_are_never_nearer_than_stated(q: Fraction) -> None:
    """Rounded to nine digits, so that designs repeat, and upwards."""
    step, distance = drift_at(q), 1 / 3
    for ahead, lent_ahead in ((0, 0), (56, 7)):
        own = [step * (ahead + age) for age in range(1, 8)]
        stated = own + [distance + step * (lent_ahead + OLDEST)] * 2
        design = np.array(design_of(Case(7, 2, ahead, lent_ahead, 0), distance, q))
        assert (design >= stated).all()
        assert design == pytest.approx(stated, abs=2e-9)


def test_demands_too_old_to_be_weighed_count_for_the_support() -> None:
    """Of 201 rows the first, a spike, is not kept: the support reaches it all the same, and a given one refuses it."""
    X, y = panel(2, 201)
    y[0] = 1000
    model = PanelNewsvendor(4, 1).fit(X, y)
    assert model.histories_.count.tolist() == [200, 200, 0]
    assert [end[0] for end in model.histories_.seen] == [min(y[:201]), 1000]
    assert [end.tolist() for end in model._targets(targets("0", "1")).support] == [[0, 0], [1000, max(y[201:])]]
    with pytest.raises(pv.InputError, match=r"y holds 1000, outside support = \(0, 100\)"):
        PanelNewsvendor(4, 1, support=(0, 100)).fit(X, y)
