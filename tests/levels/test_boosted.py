"""Boosted trees as machine code against boosting in plain Python, and against what they are for."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from levels.test_trees import Draws, tree_of, value_of
from provend._kernels.trees import growing
from provend._kernels.trees.bagged import said
from provend._kernels.trees.boosted import boosted
from provend._kernels.trees.columns import columns_of
from provend.levels._trees import BOOSTED, DEEP, Trees

Floats = NDArray[np.float64]
Efforts = tuple[int, int, float, int, float]


def boosted_in_python(
    bins: NDArray[np.uint8], y: Floats, runs: NDArray[np.intp], efforts: Efforts, seed: int
) -> tuple[Floats, Floats]:
    """Forecasts of each row by the trees of all folds on average, and by those of the fold that leaves it out."""
    (folds, trees, rate, leaf, share), draws, lists, n = efforts, Draws(seed), bins.tolist(), y.size
    dealt = list(range(int(runs.max()) + 1))
    for j in range(len(dealt) - 1):
        other = j + draws.below(len(dealt) - j)
        dealt[j], dealt[other] = dealt[other], dealt[j]
    fold, everyone, past = [dealt[run] % folds for run in runs], np.zeros(n), np.zeros(n)
    for out in range(folds):
        rows = [i for i in range(n) if fold[i] != out]
        forecast, draws = np.full(n, y[rows].mean()), Draws(seed + out + 1)
        for _ in range(trees):
            root = tree_of(lists, y - forecast, rows, (max(round(share * len(lists)), 1), leaf), draws)
            forecast = forecast + rate * np.array([value_of(root, lists, i) for i in range(n)])
        everyone += forecast / folds
        past = np.where(np.array(fold) == out, forecast, past)
    return everyone, past


@pytest.mark.parametrize(("together", "leaf"), [(1, 3), (4, 3), (4, 9)])
@pytest.mark.parametrize("seed", range(4))
def test_machine_code_boosts_as_plain_python_does(seed: int, together: int, leaf: int) -> None:
    rng = np.random.default_rng(seed)
    n, features = int(rng.integers(10, 60)), int(rng.integers(1, 6))
    bins = rng.integers(0, int(rng.integers(2, 12)), (features, n)).astype(np.uint8)
    y, runs = bins[0] * 0.3 + rng.normal(size=n), rng.permutation(n) // together
    nodes, first, past = boosted(columns_of(bins), y, runs, (3, 4, 0.3, leaf, 0.6), seed)
    everyone, unseen = boosted_in_python(bins, y, runs, (3, 4, 0.3, leaf, 0.6), seed)
    assert said(bins, first, nodes) == pytest.approx(everyone, rel=1e-9)
    assert past == pytest.approx(unseen, rel=1e-9)


@pytest.mark.parametrize("together", [1, 5])
def test_a_row_is_never_forecast_by_a_tree_that_saw_its_run(together: int) -> None:
    """Demands of a run move the forecasts of others, and not its own."""
    rng = np.random.default_rng(3)
    bins, z = rng.integers(0, 9, (3, 40)).astype(np.uint8), rng.normal(size=40)
    runs, efforts = np.arange(40) // together, (4, 3, 0.5, 3, 1.0)
    past = boosted(columns_of(bins), z, runs, efforts, 0)[2]
    for i in range(40):
        spiked = boosted(columns_of(bins), z + 10.0 * (runs == runs[i]), runs, efforts, 0)[2]
        assert spiked[i] == past[i]
        assert not np.array_equal(spiked, past)


def test_trees_are_the_same_in_one_call_and_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a call ends with a fold or in the middle of one."""
    rng = np.random.default_rng(0)
    table, y = columns_of(rng.integers(0, 9, (3, 60)).astype(np.uint8)), rng.normal(size=60)
    whole = boosted(table, y, np.arange(60), (3, 4, 0.3, 3, 0.6), 1)
    for step in (1, 4, 5):
        monkeypatch.setattr(growing, "AT_ONCE", step * table[0].size)
        parts = boosted(table, y, np.arange(60), (3, 4, 0.3, 3, 0.6), 1)
        assert all(np.array_equal(one, other) for one, other in zip(whole[0], parts[0], strict=True))
        assert np.array_equal(whole[1], parts[1])
        assert np.array_equal(whole[2], parts[2])


def test_fewer_runs_than_folds() -> None:
    """Folds that leave out nobody see all rows; no row goes without a forecast."""
    bins, y = np.array([[0, 0, 1, 1]], np.uint8), np.array([1.0, 1.0, 3.0, 3.0])
    _, _, past = boosted(columns_of(bins), y, np.array([0, 0, 1, 1]), (5, 10, 0.5, 1, 1.0), 0)
    assert past == pytest.approx([3.0, 3.0, 1.0, 1.0])


def test_effects_that_add_up_are_found_where_deep_trees_see_chance() -> None:
    """Three columns that each add their own, and much noise: what boosted trees are there for."""
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, [7, 12, 3], (600, 3)).astype(np.float64)
    law = matrix @ [0.5, 0.3, 1.0]
    z, aside = law[:400] + 2 * rng.normal(size=400), slice(400, None)
    trees = Trees.of(matrix[:400], z, np.full(400, z.mean()), np.arange(400), [])
    deep, _, boosts = trees.predict(matrix[aside], np.full(200, z.mean())).T
    errors = [np.square(one - law[aside]).mean() for one in (deep, boosts)]
    assert DEEP[0] < BOOSTED[0] * BOOSTED[1]
    assert errors[1] < 0.8 * errors[0]


def test_boosted_trees_are_for_tables_without_a_time() -> None:
    """With a time, the last trees forecast what the regression leaves: they follow it when it moves."""
    rng = np.random.default_rng(1)
    matrix, z = rng.normal(size=(200, 3)), rng.normal(size=200)
    for times, follows in (([], False), ([2], True)):
        trees = Trees.of(matrix, z, np.zeros(200), np.arange(200), times)
        here, there = (trees.predict(matrix[:5], np.full(5, moved)) for moved in (0.0, 1.0))
        assert np.allclose((there - here).T, [[0.0], [0.0], [float(follows)]] * len(trees.ways))
