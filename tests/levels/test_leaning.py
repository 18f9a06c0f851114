"""Levels that lean towards quantiles: leaves against numpy, the formula in plain Python, and what it saves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import provend as pv
from provend._kernels.trees.bagged import grown
from provend._kernels.trees.columns import columns_of
from provend._kernels.trees.leaves import quantiles_in_leaves
from provend.estimators import _choices as choices
from provend.levels import Brought, Forecast, leaning, learn_forecast
from provend.levels._bins import binned
from provend.levels._leaning import FEWEST, SHARE, Leaning
from provend.tables import Contexts, Encoding, read_contexts

Floats = NDArray[np.float64]


def leaf_of(nodes: Any, root: int, bins: list[int]) -> int:
    """The leaf a row ends up in."""
    feature, where, child, _ = nodes
    node = 0
    while feature[root + node] >= 0:
        node = int(child[root + node]) + (bins[feature[root + node]] > where[root + node])
    return root + node


@pytest.mark.parametrize("q", [0.5, 0.9, 0.97])
@pytest.mark.parametrize("ties", [False, True])
def test_quantiles_in_leaves_are_those_of_numpy(q: float, ties: bool) -> None:
    generator = np.random.default_rng(int(100 * q) + ties)
    bins = generator.integers(0, 6, size=(3, 80)).astype(np.uint8)
    y = bins[0] + generator.integers(0, 4, 80) * 1.0 if ties else bins[0] + generator.normal(size=80)
    nodes, first, _ = grown(columns_of(bins), y, np.arange(80), (7, 4, 1.0), 3)
    found = quantiles_in_leaves(bins, first, nodes, y, q)
    leaves = 0
    for root in first[:-1]:
        at = np.array([leaf_of(nodes, int(root), bins[:, i].tolist()) for i in range(80)])
        for leaf in np.unique(at):
            assert found[leaf] == pytest.approx(np.quantile(y[at == leaf], q), rel=1e-14)
            leaves += 1
    assert np.isfinite(found).sum() == leaves > 7
    assert np.isnan(found[nodes[0] >= 0]).all()


def shop(days: int, seed: int = 0) -> tuple[pd.DataFrame, Floats]:
    """As uncertain every day; but what may happen on weekends is good, and on other days bad."""
    generator = np.random.default_rng(seed)
    table = pd.DataFrame({"date": pd.date_range("2022-01-03", periods=days)})
    weekend = (table["date"].dt.day_of_week >= 5).to_numpy()
    surprise = 100.0 * (generator.random(days) < 0.2) - 20
    return table, 200 + np.where(weekend, 60 + surprise, -surprise) + generator.normal(0, 5, days)


def learned(table: pd.DataFrame, y: Floats, q: float) -> tuple[Contexts, Forecast, Leaning]:
    """The rows as contexts, their forecast, and the forecast that leans."""
    contexts = read_contexts(table)
    forecast = learn_forecast(contexts, y, q)
    leans = leaning(forecast, contexts, y, q)
    assert isinstance(leans, Leaning)
    return contexts, forecast, leans


def test_it_goes_a_share_of_the_way_to_the_mean_of_the_leaves() -> None:
    table, y = shop(150)
    contexts, forecast, leans = learned(table, y, 0.9)
    bins = binned(forecast.encoding.ordinal(contexts), leans.edges)
    roots = leans.first[:-1]
    said = [np.mean([leans.nodes[3][leaf_of(leans.nodes, int(r), row)] for r in roots]) for row in bins.T.tolist()]
    level, width = forecast.at(contexts), forecast.widths(contexts)
    growth = 0.0 if forecast.growth is None else forecast.growth.at(contexts.time.values)  # type: ignore[union-attr]
    way = np.array(said) + growth - leans.above * width - level
    far = np.abs(way) > leans.reach * width
    assert 0 < far.mean() < 1
    way[far] = np.sign(way[far]) * (leans.reach * width)[far]
    ends = forecast.past.min() - forecast.spread, forecast.past.max() + forecast.spread
    np.testing.assert_allclose(leans.at(contexts), np.clip(level + SHARE * way, *ends), rtol=1e-12)
    apart = (np.array(said) + growth - forecast.past) / forecast.past_widths
    assert leans.above == pytest.approx(apart.mean())
    errors = (forecast.power.of(y) - forecast.past) / forecast.past_widths
    assert leans.reach == pytest.approx(np.quantile(errors, 0.75) - np.quantile(errors, 0.25))


def test_laws_of_other_shapes_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = {True: 0.0, False: 0.0}
    for leans in costs:
        if not leans:
            monkeypatch.setattr(choices, "leaning", lambda forecast, *_: forecast)
        for seed in range(4):
            table, y = shop(400, seed)
            orders = pv.ContextualNewsvendor(cu=19, co=1).fit(table[:300], y[:300]).predict(table[300:])
            costs[leans] += pv.average_costs(y[300:], orders, 19, 1)
    assert costs[True] < 0.97 * costs[False]


def test_short_histories_and_tables_without_time_do_not_lean() -> None:
    table, y = shop(FEWEST)
    assert isinstance(learned(table, y, 0.9)[2], Leaning)
    for some in (table[:-1], table.assign(date=table["date"].dt.day_of_week).rename(columns={"date": "weekday"})):
        contexts = read_contexts(some)
        forecast = learn_forecast(contexts, y[: len(some)], 0.9)
        assert leaning(forecast, contexts, y[: len(some)], 0.9) is forecast


@pytest.mark.parametrize("busy", ["A", "Z"])
def test_a_category_or_weekday_never_seen_does_not_lean(busy: str) -> None:
    """Trees have them in some order, and would take a new shop for the first, and a Sunday for a Saturday."""
    generator = np.random.default_rng(0)
    code = generator.integers(0, 4, 400)
    table = pd.DataFrame({"date": pd.date_range("2022-01-03", periods=400)})
    table["shop"] = np.array([busy, "B", "C", "D"])[code]
    y = np.where(code == 0, 200.0, 100.0) + generator.normal(0, 10, 400)
    open_days = (table["date"].dt.day_of_week < 6).to_numpy()
    contexts, forecast, leans = learned(table[open_days], y[open_days], 0.5)
    sunday, monday = pd.Timestamp("2023-02-12"), pd.Timestamp("2023-02-13")
    asked = pd.DataFrame({"date": [monday, sunday, monday, monday], "shop": ["new", "B", None, "B"]})
    ahead = read_contexts(asked, like=contexts)
    assert (leans.at(ahead) == forecast.at(ahead)).tolist() == [True, True, True, False]


def test_months_lean_however_they_are_spelled() -> None:
    dates = pd.date_range("2021-01-01", periods=730)
    y = 100 + 80.0 * (dates.month == 4) + np.random.default_rng(0).normal(0, 5, 730)
    model = pv.ContextualNewsvendor(cu=9, co=1).fit(pd.DataFrame({"date": dates, "month": dates.month_name()}), y)
    day = [pd.Timestamp("2023-10-10")]
    orders = [model.predict(pd.DataFrame({"date": day, "month": [name]}))[0] for name in ("October", "Oct", "oktober")]
    assert orders[0] == orders[1] == orders[2]


@pytest.mark.parametrize("mostly", [0.0, 100.0])
def test_leaves_with_a_spike_do_not_ruin_orders(mostly: float) -> None:
    """A high quantile of few demands is the spike among them, and all of the future is in the last leaf."""
    table, generator = pd.DataFrame({"date": pd.date_range("2022-01-03", periods=207)}), np.random.default_rng(5)
    weekend = table["date"].dt.day_of_week.to_numpy() >= 5
    y = mostly + (generator.poisson(np.where(weekend, 1.0, 0.05)) if mostly == 0 else generator.normal(0, 5, 207))
    y = y + 20 * weekend * (mostly > 0)
    y[197] = mostly + 1e4
    contexts, forecast, leans = learned(table[:200], y[:200], 0.98)
    ahead = read_contexts(table[200:], like=contexts)
    usual = np.subtract(*np.quantile(forecast.power.of(y[:200]) - forecast.past, [0.75, 0.25]))
    assert np.abs(leans.at(ahead) - forecast.at(ahead)).max() < usual


def test_the_order_of_rows_does_not_matter() -> None:
    table, y = shop(200, seed=4)
    twice, demands = pd.concat([table, table[60:]], ignore_index=True), np.append(y, y[60:] + 1)
    found = []
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(demands.size)
        contexts, _, leans = learned(twice.iloc[rows], demands[rows], 0.9)
        ahead = pd.DataFrame({"date": pd.date_range("2022-08-01", periods=9)})
        found.append([leans.above, leans.reach, *leans.at(read_contexts(ahead, like=contexts))])
    assert np.ptp(found, axis=0).max() == 0


def test_levels_of_the_past_do_not_lean_and_its_basis_says_what_does() -> None:
    table, y = shop(120)
    model = pv.ContextualNewsvendor(cu=9, co=1).fit(table, y)
    assert isinstance(model.level_, Leaning)
    demands = model.decider_.demands
    assert isinstance(demands, Brought)
    np.testing.assert_array_equal(demands.levels, model.level_.forecast.past)
    assert "leans towards what trees learned from the same demands" in model.basis_
    for way in ("split", "certified"):
        other = pv.ContextualNewsvendor(cu=9, co=1, dissimilarity=way).fit(table, y)
        assert not isinstance(other.level_, Leaning)
        assert "leans" not in other.basis_


def test_months_by_name_are_numbered() -> None:
    names = [name for name in pd.date_range("2021-01-01", periods=12, freq="MS").month_name() if name != "October"]
    past = read_contexts(pd.DataFrame({"month": [*names, None]}))
    ahead = read_contexts(pd.DataFrame({"month": ["Juni", "October", None]}), like=past)
    encoding = Encoding.of(past)
    assert encoding.kinds(past) == 1
    assert encoding.ordinal(past)[:, 0].tolist() == [*range(9), 10, 11, -1]
    assert encoding.ordinal(ahead)[:, 0].tolist() == [5, 9, -1]


def test_a_time_in_numbers_alone_leans() -> None:
    steps, generator = np.arange(60.0), np.random.default_rng(0)
    y = np.where(steps < 30, 20.0, 60.0) + generator.normal(0, 3, 60)
    contexts, forecast, leans = learned(pd.DataFrame({"time": steps}), y, 0.9)
    assert leans.seen == ()
    assert leans.at(contexts).shape == forecast.at(contexts).shape
