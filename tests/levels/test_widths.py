"""Errors that are wider in some contexts than in others."""

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.levels import Brought, learn_forecast
from provend.tables import read_contexts


def two_kinds(n: int, *, ratio: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Demand around 100 or 150; around the latter it varies ``ratio`` times as much."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, n)
    y = 100 + 50 * kind + rng.normal(size=n) * np.where(kind == 1, ratio, 1.0) * 5
    return pd.DataFrame({"kind": np.where(kind == 1, "wild", "calm")}), y


def test_widths_are_found_where_there_are_any() -> None:
    table, y = two_kinds(400, ratio=4.0)
    contexts = read_contexts(table)
    found = learn_forecast(contexts, y, 0.9)
    assert "width" in found.described
    calm, wild = found.widths(read_contexts(pd.DataFrame({"kind": ["calm", "wild"]}), like=contexts))
    assert wild / calm == pytest.approx(4.0, rel=0.35)
    same = learn_forecast(*((read_contexts(two_kinds(400, ratio=1.0)[0])), two_kinds(400, ratio=1.0)[1]), 0.9)
    assert "width" not in same.described


def test_demand_is_brought_by_level_and_width() -> None:
    table, y = two_kinds(400, ratio=4.0)
    contexts = read_contexts(table)
    found = learn_forecast(contexts, y, 0.9)
    demands = Brought(y, found, found.past, found.past_widths)
    moved = demands.at(read_contexts(pd.DataFrame({"kind": ["calm", "wild"]}), like=contexts), (0.0, 1000.0))
    z, level, width = found.power.of(y), found.at(contexts), found.widths(contexts)
    for row, kind in zip(moved, ("calm", "wild"), strict=True):
        at = int(np.flatnonzero(table["kind"] == kind)[0])
        assert row == pytest.approx(found.power.back(level[at] + width[at] * (z - found.past) / found.past_widths))
    assert (np.diff(moved[:, demands.by_size], axis=1) >= 0).all()
    some, both = np.arange(7, 30), contexts.take(np.arange(2))
    assert np.array_equal(demands.take(some).at(both, (0.0, 1000.0)), demands.at(both, (0.0, 1000.0))[:, some])


def test_orders_are_wide_where_demand_is() -> None:
    """At the q-quantile of each kind, within what 400 rows can tell."""
    table, y = two_kinds(400, ratio=4.0)
    orders = pv.ContextualNewsvendor(9, 1).fit(table, y).predict(pd.DataFrame({"kind": ["calm", "wild"]}))
    assert orders == pytest.approx([100 + 1.2816 * 5, 150 + 1.2816 * 20], abs=5)
