"""Shares of the pieces of a forecast: the best there are, whatever the size of a piece."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from provend.levels import learn_forecast
from provend.levels._learning import _shares
from provend.tables import read_contexts

Floats = NDArray[np.float64]


def nearest_shares(apart: Floats, z: Floats) -> Floats:
    """The best of all faces: the shares of some pieces are positive, and add up to 1 or are free to."""
    pieces, found = apart.shape[1], []
    for some in (list(kind) for size in range(pieces + 1) for kind in combinations(range(pieces), size)):
        shares = np.zeros((2, pieces))
        if some:
            shares[0, some] = np.linalg.lstsq(apart[:, some], z)[0]
            last = apart[:, some[-1]]
            rest = np.linalg.lstsq(apart[:, some[:-1]] - last[:, None], z - last)[0]
            shares[1, some] = [*rest, 1 - rest.sum()]
        found += [one for one in shares if one.min() >= 0 and one.sum() <= 1 + 1e-12]
    return min(found, key=lambda one: float(np.square(apart @ one - z).sum()))


@pytest.mark.parametrize("unit", [1.0, 1e-9])
@pytest.mark.parametrize("size", [0.01, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_shares_are_the_best_of_those_that_are_at_most_1_in_total(seed: int, size: float, unit: float) -> None:
    """Not the best of all, made smaller: a piece that hardly moves would then take the place of all others."""
    rng = np.random.default_rng(seed)
    z = unit * rng.normal(size=30)
    apart = z[:, None] * rng.uniform(0, 1.5, 4) + unit * rng.normal(size=(30, 4)) * [0.3, 0.6, 1.0, size]
    assert _shares(apart, z) == pytest.approx(nearest_shares(apart, z), abs=1e-9)
    assert _shares(apart, z).sum() <= 1 + 1e-12


def test_nothing_to_share() -> None:
    assert _shares(np.zeros((5, 2)), np.zeros(5)).sum() <= 1


@pytest.mark.parametrize("rows", [15, 24, 49])
def test_trees_too_small_to_split_do_not_take_the_place_of_a_regression(rows: int) -> None:
    """Without a split, trees say the mean of some rows: close to that of all, but not the same."""
    missed = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"shop": rng.choice(["a", "b", "c"], rows + 100), "x": rng.normal(size=rows + 100)})
        level = 50 + 20 * (table["shop"] == "a").to_numpy() + 8 * table["x"].to_numpy()
        past = read_contexts(table[:rows])
        forecast = learn_forecast(past, level[:rows] + rng.normal(0, 5, rows), 0.5)
        said = forecast.power.back(forecast.at(read_contexts(table[rows:], like=past)))
        missed.append(np.square(said - level[rows:]).mean() / level.var())
    assert np.median(missed) < 0.2  # of 15 rows, one history in ten is too doubtful to be learned from


@pytest.mark.parametrize(("rows", "most"), [(14, 0.8), (30, 0.95), (200, 0.999)])
def test_few_rows_have_small_shares(rows: int, most: float) -> None:
    """However well a piece has served: demand that is all but a line of x keeps 80 % of it with 14 rows."""
    x = np.random.default_rng(0).normal(size=rows)
    forecast = learn_forecast(read_contexts(pd.DataFrame({"x": x})), 50 + 10 * x + 0.1 * np.sin(99 * x), 0.5)
    assert forecast.shares.sum() == pytest.approx(most, abs=0.005)
