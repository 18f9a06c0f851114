"""Memory grows with the rows, not with their pairs; and blocks change nothing but memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import provend as pv
from provend.dissimilarity import Distance, Drift, ForecastDistance, Mismatch, calibrate_dissimilarity, estimate_scales
from provend.dissimilarity import _blocks as blocks
from provend.estimators import _library
from provend.tables import read_contexts

ROWS = 3000
SMALL = 60_000  # entries at once


def history(n: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 4, n)
    table = pd.DataFrame({"shop": np.array(list("abcd"))[shop], "rain": rng.random(n), "day": np.arange(n)})
    return table, np.round(20 + 5 * shop + 3 * rng.normal(size=n))


MODEL = Mismatch("shop", 0.3) + Distance(0.05) + Drift(1e-4)


def scales(n: int) -> Any:
    return estimate_scales(MODEL, *history(n)).multipliers


def check(n: int) -> Any:
    found = pv.check_dissimilarity(MODEL, *history(n)).comparisons
    return sorted((one.column, one.first, one.second, one.assumed) for one in found)


def calibrated(n: int) -> Any:
    return calibrate_dissimilarity(MODEL, *history(n), q=0.9).given_cost


def guarantees(n: int) -> Any:
    table, y = history(n)
    model = pv.ContextualNewsvendor(9, 1, dissimilarity=MODEL, support=(0, 60)).fit(table, y)
    found = model.guarantee(table[: n // 2])
    return np.concatenate([model.predict(table[: n // 2]), found.lower, found.upper]).tolist()


def most(work: Callable[[], Any]) -> int:
    """Bytes at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("work", [scales, check])
def test_no_matrix_of_all_pairs(work: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ENTRIES", SMALL)
    assert most(lambda: work(ROWS)) < 8 * ROWS**2 / 4


@pytest.mark.parametrize(("work", "rows"), [(scales, 300), (check, 300), (calibrated, 300), (guarantees, 90)])
def test_blocks_change_nothing(work: Callable[[int], Any], rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_library, "EXACT", rows // 2)  # as with many rows: targets share brackets across blocks
    whole = work(rows)
    monkeypatch.setattr(blocks, "ENTRIES", 7 * rows)
    for one, other in zip(np.ravel(whole), np.ravel(work(rows)), strict=True):
        try:
            assert float(one) == pytest.approx(float(other), rel=1e-9, abs=1e-12)
        except ValueError:
            assert one == other


def test_means_between_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    d = rng.random((50, 50))
    groups = [np.flatnonzero(rng.random(50) < share) for share in (0.2, 0.5, 0.9)]
    wanted = [[d[np.ix_(a, b)].mean() for b in groups] for a in groups]
    monkeypatch.setattr(blocks, "ENTRIES", 333)
    assert blocks.mean_between(lambda rows: d[rows], groups, 50) == pytest.approx(np.array(wanted), rel=1e-13)


def test_forecasts_of_past_rows_are_compared_in_blocks() -> None:
    table, y = history(60)
    past = read_contexts(table)
    model = ForecastDistance.learn(past, y, scale=0.1)
    whole, some = model.among(past, np.arange(60)), np.array([3, 7])
    assert (model.among(past, some) == whole[some]).all()
