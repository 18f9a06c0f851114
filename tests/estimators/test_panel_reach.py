"""How far the support of an item reaches that says little about itself: one odd item does not decide that for all."""

from __future__ import annotations

import warnings
from math import ceil

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from panels import ahead, panel
from provend.estimators import PanelNewsvendor, SupportWarning
from provend.estimators._reach import Reach, usual
from provend.tables import read_contexts

Floats = NDArray[np.float64]
DAYS = 90


def table(items: dict[str, Floats]) -> tuple[pd.DataFrame, Floats]:
    """Items whose last day is the same."""
    days = {name: pd.date_range(end="2024-06-30", periods=len(y)) for name, y in items.items()}
    X = pd.concat([pd.DataFrame({"unique_id": name, "ds": days[name]}) for name in items])
    return X, np.concatenate(list(items.values())).astype(float)


def decided(items: dict[str, Floats], names: list[str], **more: float) -> tuple[Floats, Floats]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SupportWarning)
        found, promised = PanelNewsvendor(**{"cu": 9, "co": 1, **more}).fit(*table(items)).certified(ahead(names))
    return found.orders, promised.upper


def odd(kind: str) -> Floats:
    rng = np.random.default_rng(0)
    if kind == "dead":
        return np.zeros(DAYS)
    if kind == "lumpy":
        return np.where(rng.random(DAYS) < 0.05, np.round(rng.lognormal(4, 1, DAYS)), 0.0)
    return np.where(np.arange(DAYS) == (30 if kind == "a spike" else DAYS - 5), 5000.0, rng.poisson(20, DAYS))


@pytest.mark.parametrize("kind", ["lumpy", "a spike", "a recent spike", "dead"])
@pytest.mark.parametrize("cu", [1, 9, 19])
def test_one_odd_item_changes_little_for_new_ones(kind: str, cu: int) -> None:
    """Ordinary items sell 20 a day and at most 36: neither one row of 7 nor none at all makes an order of hundreds."""
    rng, names = np.random.default_rng(0), ["new", "never sold"]
    ordinary = {f"{k}": rng.poisson(20, DAYS) for k in range(13)} | {"new": np.array([7.0])}
    orders, promised = decided(ordinary, names, cu=cu)
    with_odd, its_promised = decided(ordinary | {"odd": odd(kind)}, names, cu=cu)
    assert with_odd == pytest.approx(orders, rel=0.25)
    assert max(with_odd) <= max(max(y) for y in ordinary.values())
    assert (its_promised <= 5 * promised).all()


@pytest.mark.parametrize(("items", "rows"), [(1, 40), (3, 9), (5, 1), (14, 90), (60, 1), (40, 8), (31, 200)])
def test_reach_against_sorting(items: int, rows: int) -> None:
    """Nine in ten items, or 99 in 100 rows if two items agree, all but one at least; of fewer than five, all."""
    rng = np.random.default_rng(items)
    count = rng.integers(1, rows + 1, items)
    known = np.arange(rows)[::-1] < count[:, None]
    values = np.where(known, rng.standard_t(2, (items, rows)), 0.0)
    expected = []
    for sign in (-1, 1):
        lines = [(sign * values[j, rows - count[j] :]).tolist() for j in range(items)]
        tops, every = sorted(max(line) for line in lines), sorted(value for line in lines for value in line)
        if items < 5:
            end = tops[-1]
        else:
            kept, within = tops[min(ceil(items * 9 / 10), items - 1) - 1], every[ceil(len(every) * 99 / 100) - 1]
            end = max(kept, min(within, tops[-2]))
            assert usual(np.array(tops[::-1])) == kept
        expected.append(sign * max(end, 0.0))
    assert Reach.of(values, values, known) == (*expected, end)


def test_one_item_unlike_the_others_does_not_set_all_apart() -> None:
    """A root of the mean square over fourteen items would be at least 0.75 / sqrt(14) = 0.2."""
    rng = np.random.default_rng(0)
    ordinary = {f"{k}": rng.poisson(20, DAYS) for k in range(13)}
    alone, with_odd = (
        PanelNewsvendor(9, 1).fit(*table(items)).pool_.distance
        for items in (ordinary, ordinary | {"odd": odd("lumpy")})
    )
    assert alone < 0.03
    assert with_odd < 0.1


def test_an_item_never_seen_may_be_as_large_as_others() -> None:
    """Sizes from 1 to 400: nothing tells that of a new one, whose support reaches as far as those of most items."""
    rng = np.random.default_rng(0)
    sizes = np.geomspace(1, 400, 30)
    items = {f"{k:02}": rng.poisson(size, 20) for k, size in enumerate(sizes)}
    model = PanelNewsvendor(9, 1).fit(*table(items))
    (low,), (high,) = model._targets(ahead(["nobody"])).support
    tops = sorted(max(y) for y in items.values())
    assert low == 0
    assert tops[26] <= high * (1 + 1e-9)
    assert high <= tops[-2] * (1 + 1e-9)
    assert model.predict(ahead(["nobody"]))[0] > tops[15]


def test_items_that_have_sold_nothing() -> None:
    """Up to 1 is a guess after many days without demand; after one, others still say more; and where nobody sells."""
    X, y = panel([40] * 6 + [29, 1])
    for zeros in (np.isin(X["unique_id"], ["item 5", "item 6", "item 7"]), np.ones(y.size, bool)):
        model = PanelNewsvendor(9, 1).fit(X, np.where(zeros, 0.0, y))
        low, high = model._targets(ahead(["item 5", "item 6", "item 7", "nobody"])).support
        assert not low.any()
        assert high[:2].tolist() == [1, 1]
        assert (high[2:] == 1).all() if zeros.all() else (high[2:] > 2).all()
    assert "Where all its demands are 0, it ends at 1 at least, or" in model.basis_


def test_the_guess_does_not_depend_on_units() -> None:
    """In tonnes, an item that had sold nothing was ordered at ten times what others sell."""
    X, y = panel([60] * 12 + [5])
    sold = np.where(X["unique_id"] == "item 12", 0.0, y)
    units, tonnes = (PanelNewsvendor(9, 1).fit(X, factor * sold) for factor in (1.0, 2.0**-10))
    target = ahead(["item 12"])
    assert tonnes.predict(target)[0] <= units.predict(target)[0] / 20
    assert tonnes._targets(target).support[1][0] <= sold.max() * 2.0**-10


def promoted() -> tuple[pd.DataFrame, Floats]:
    """Items of 20 a day and 30 more on promotion, of which two have never had one: "plain", and "short" with 8 rows."""
    rng, X = np.random.default_rng(0), panel([DAYS] * 30 + [DAYS, 8])[0]
    X = X.replace({"item 30": "plain", "item 31": "short"})
    often = np.where(X["unique_id"].isin(["plain", "short"]), 0.0, 0.1)
    promotion = rng.random(len(X)) < often
    return X.assign(promotion=np.where(promotion, "yes", "no")), rng.poisson(20 + 30 * promotion).astype(float)


def test_a_first_promotion_takes_the_support_along() -> None:
    """Its end is the item's largest demand, brought from just above its highest level to that of the target."""
    X, y = promoted()
    names = ["plain", "short", "nobody", "item 3"]
    calm, busy = (ahead(names).assign(promotion=said) for said in ("no", "yes"))
    model, given = (PanelNewsvendor(9, 1, support=support).fit(X, y) for support in (None, (0, 100)))
    with pytest.warns(SupportWarning):
        promised, before = model.guarantee(busy), model.guarantee(calm)
    (_, high), (_, ends) = model._targets(busy).support, model._targets(calm).support
    mine, pool, histories = (X["unique_id"] == "plain").to_numpy(), model.pool_, model.histories_
    seen, at = float(y[mine].max()), int(np.flatnonzero(histories.names == "plain")[0])
    past = read_contexts(X[mine][["ds", "promotion"]], like=model.contexts_)
    above = histories.level(pool, np.full(past.size, at), past).max() + 0.1 * histories.widths[at]
    then = float(model._targets(busy).level[0] - histories.recent[at])
    scale, size = pool.forecast.power, histories.sizes[at]
    moved = float(scale.back(scale.of(np.array(seen / size)) + then - above) * size)
    assert ends[0] == seen
    assert high[0] == pytest.approx(moved)
    assert 1.5 * seen < moved < 3 * seen
    assert high[1:].tolist() == ends[1:].tolist()  # others know promotions, and with them the pool
    assert promised.upper[0] / before.upper[0] == pytest.approx(moved / seen)
    assert model.predict(busy) == pytest.approx(given.predict(busy), rel=0.02)
    assert model.predict(busy)[0] > 1.4 * seen
    assert "brought there from the highest of them" in model.basis_


def test_contexts_known_to_an_item_leave_its_support_as_it_is() -> None:
    """Every row of the past, asked about again."""
    X, y = promoted()
    model = PanelNewsvendor(9, 1).fit(X, y)
    high = pd.Series(model._targets(X).support[1]).groupby(X["unique_id"].to_numpy())
    seen = pd.Series(y).groupby(X["unique_id"].to_numpy()).max()
    assert (high.nunique() == 1).all()
    assert (high.first() == seen)[seen.index != "short"].all()


def test_promotions_that_hardly_any_item_has_had() -> None:
    """Two of forty: as few as may be unlike all others, so that ends are brought to them."""
    rng, names = np.random.default_rng(0), ["item 5", "nobody"]
    X = panel([29] * 40)[0]
    promotion = X["unique_id"].isin(["item 0", "item 1"]).to_numpy() & (rng.random(len(X)) < 0.18)
    model = PanelNewsvendor(9, 1).fit(
        X.assign(promotion=np.where(promotion, "yes", "no")), rng.poisson(20 + 30 * promotion).astype(float)
    )
    calm, busy = (model._targets(ahead(names).assign(promotion=said)) for said in ("no", "yes"))
    back = [model.pool_.forecast.power.of(targets.support[1] / targets.size) for targets in (calm, busy)]
    assert (busy.level > calm.level + 0.1).all()
    assert (calm.support[1] < 45).all()
    assert (back[1] - back[0] > 0.5 * (busy.level - calm.level)).all()


@pytest.mark.parametrize(("rows", "own"), [(29, False), (30, True), (31, True)])
def test_thirty_rows_speak_for_themselves(rows: int, own: bool) -> None:
    """From then on the support ends at the item's own largest demand; before, others may have reached further."""
    rng = np.random.default_rng(0)
    items = {f"{k}": rng.poisson(20, 60) for k in range(8)} | {"calm": np.full(rows, 20.0)}
    model = PanelNewsvendor(9, 1).fit(*table(items))
    (high,) = model._targets(ahead(["calm"])).support[1]
    assert (high == 20) == own
    assert own or high > 25
