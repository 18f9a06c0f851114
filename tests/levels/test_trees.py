"""Bagged trees as machine code against trees in plain Python, and against somebody else's forest."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from provend._kernels.trees import BINS, bagged, growing
from provend._kernels.trees.bagged import grown, said
from provend._kernels.trees.columns import FEW, PER_BIN, columns_of
from provend._kernels.trees.splits import DE_BRUIJN, PLACES
from provend.levels._runs import Moments
from provend.levels._trees import DEEP, SHALLOW, Trees

Floats = NDArray[np.float64]
MASK = 2**64 - 1
LEAF = 3


class Draws:
    """The generator once more, in integers without bounds."""

    def __init__(self, seed: int) -> None:
        self.state = (seed * 2862933555777941757 + 3037000493) & MASK

    def below(self, bound: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 33) % bound


def squares(values: list[float]) -> float:
    """The sum of squares around the mean."""
    return float(np.sum((np.array(values) - np.mean(values)) ** 2)) if values else 0.0


def split_of(
    bins: list[list[int]], y: Floats, rows: list[int], features: list[int], leaf: int
) -> tuple[int, int] | None:
    """The split after which the sum of squares is smallest, by trying all; rows are repeated as often as drawn."""
    best, found = squares([y[i] for i in rows]) - 1e-9, None
    for f in features:
        for b in range(max(bins[f])):
            left, right = ([y[i] for i in rows if (bins[f][i] <= b) == side] for side in (True, False))
            if min(len(left), len(right)) >= leaf and squares(left) + squares(right) < best - 1e-12:
                best, found = squares(left) + squares(right), (f, b)
    return found


def tree_of(bins: list[list[int]], y: Floats, rows: list[int], limits: tuple[int, int], draws: Draws) -> dict[str, Any]:
    """Grown level by level, features drawn by exchange, as the kernel says it does."""
    (tried, leaf), root = limits, {"rows": rows}
    waiting, order = [root], list(range(len(bins)))
    while waiting:
        node = waiting.pop(0)
        node["value"] = float(np.mean([y[i] for i in node["rows"]]))
        if len(node["rows"]) < 2 * leaf:
            continue
        for j in range(tried):
            other = j + draws.below(len(order) - j)
            order[j], order[other] = order[other], order[j]
        found = split_of(bins, y, node["rows"], order[:tried], leaf)
        if found is not None:
            f, b = node["split"] = found
            node["left"] = {"rows": [i for i in node["rows"] if bins[f][i] <= b]}
            node["right"] = {"rows": [i for i in node["rows"] if bins[f][i] > b]}
            waiting += [node["left"], node["right"]]
    return root


def value_of(node: dict[str, Any], bins: list[list[int]], i: int) -> float:
    while "split" in node:
        f, b = node["split"]
        node = node["left"] if bins[f][i] <= b else node["right"]
    return float(node["value"])


def forest_of(
    bins: NDArray[np.uint8], y: Floats, runs: NDArray[np.intp], efforts: tuple[int, int, float], seed: int
) -> tuple[Floats, Floats]:
    """Forecasts of each row by all trees, and by those that have not seen its run."""
    (trees, leaf, share), draws, lists, n = efforts, Draws(seed), bins.tolist(), y.size
    everyone, unseen = [[0.0] * 0 for _ in range(n)], [[0.0] * 0 for _ in range(n)]
    for _ in range(trees):
        drawn = [draws.below(int(runs.max()) + 1) for _ in range(int(runs.max()) + 1)]
        rows = [i for run in drawn for i in range(n) if runs[i] == run]
        root = tree_of(lists, y, rows, (max(round(share * len(lists)), 1), leaf), draws)
        for i in range(n):
            everyone[i].append(value_of(root, lists, i))
            if i not in rows:
                unseen[i].append(everyone[i][-1])
    return np.array([np.mean(v) for v in everyone]), np.array([np.mean(v) if v else np.nan for v in unseen])


def indicators(codes: NDArray[np.int64], levels: int) -> NDArray[np.uint8]:
    """One feature with two bins for each level."""
    return (codes == np.arange(levels)[:, None]).astype(np.uint8)


@pytest.mark.parametrize("levels", [2, 7, BINS + 5])
def test_features_with_two_bins_are_split_as_others_are(levels: int) -> None:
    """Levels of a category are added up together, whatever stands between them, and others by themselves."""
    rng = np.random.default_rng(levels)
    of_category, others = indicators(rng.integers(0, levels, 50), levels), rng.integers(0, 2, (3, 50))
    bins = np.vstack([of_category, others, rng.integers(0, 9, (2, 50))]).astype(np.uint8)
    y = np.round((bins[:4].sum(axis=0) + bins[-2] + rng.normal(size=50)) * 2**20) / 2**20
    bins = rng.permutation(bins)
    nodes, first, past = grown(columns_of(bins), y, np.arange(50), (7, LEAF, 0.75), 1)
    everyone, unseen = forest_of(bins, y, np.arange(50), (7, LEAF, 0.75), 1)
    assert said(bins, first, nodes) == pytest.approx(everyone, rel=1e-9)
    assert past == pytest.approx(unseen, rel=1e-9, nan_ok=True)


def test_levels_of_a_category_share_a_column() -> None:
    """Two categories have two columns, beside those of numbers; from the columns all features can be told."""
    rng = np.random.default_rng(0)
    days, months, number = (rng.integers(0, most, 300) for most in (7, 12, 40))
    bins = np.vstack([indicators(days, 7), number[None].astype(np.uint8), indicators(months, 12)])
    _, columns, (column, second), _ = columns_of(bins)
    assert columns.shape == (3, 300)
    for feature, own, bin_ in zip(bins, column.tolist(), second.tolist(), strict=True):
        assert np.array_equal(feature, columns[own] if bin_ == 0 else columns[own] == bin_)


def related(rng: np.random.Generator, size: int) -> NDArray[np.uint8]:
    """A month, a number, what the month tells (another order, halves, its levels), and flags that it does not."""
    month, number = rng.integers(0, 12, size), rng.integers(0, FEW + 1, size)
    told = np.vstack([rng.permutation(12)[month], month // 2, month >= 7, indicators(month, 12)])
    return np.vstack([month, number, told, number // 2, rng.integers(0, 2, (2, size))]).astype(np.uint8)


def test_columns_that_another_one_tells_are_derived_from_it() -> None:
    """From the first such column, unless it has many bins; its bins say where those of the others are."""
    bins = related(np.random.default_rng(0), 500)
    _, columns, _, (source, enough, place, _) = columns_of(bins)
    assert source.tolist() == [0, 1, 0, 0, 0, 0, 6, 7, 8]
    assert enough.tolist() == [0, 0, *[12 * PER_BIN] * 4, 0, 0, 0]
    for own, other, places in zip(columns, source.tolist(), place.reshape(-1, BINS), strict=True):
        assert other == columns.tolist().index(own.tolist()) or np.array_equal(own, places[columns[other]])


def test_a_weekday_tells_the_column_that_its_levels_share() -> None:
    """Which has a bin more, for rows without any of these levels."""
    day = np.arange(70) % 7
    _, columns, _, (source, _, _, number) = columns_of(np.vstack([day[None], indicators(day, 7)]).astype(np.uint8))
    assert number.tolist() == [7, 8]
    assert source.tolist() == [0, 0]
    assert np.array_equal(columns[1], columns[0] + 1)


@pytest.mark.parametrize("rows", [60, 400])
def test_derived_columns_are_split_as_others_are(rows: int) -> None:
    rng = np.random.default_rng(rows)
    bins = related(rng, rows)
    y = np.round((bins[0] // 3 + bins[1] * 0.1 + rng.normal(size=rows)) * 2**20) / 2**20
    nodes, first, past = grown(columns_of(bins), y, np.arange(rows), (3, 20, 0.75), 1)
    everyone, unseen = forest_of(bins, y, np.arange(rows), (3, 20, 0.75), 1)
    assert said(bins, first, nodes) == pytest.approx(everyone, rel=1e-9)
    assert past == pytest.approx(unseen, rel=1e-9, nan_ok=True)


def test_trees_are_the_same_in_one_call_and_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt waits for the end of a call, so that no call may take long."""
    rng = np.random.default_rng(0)
    table, y = columns_of(related(rng, 100)), rng.normal(size=100)
    whole = grown(table, y, np.arange(100), (7, LEAF, 0.75), 3)
    monkeypatch.setattr(growing, "AT_ONCE", 2 * table[0].size)
    assert growing.pieces(7, table[0].size) == [(0, 2), (2, 4), (4, 6), (6, 7)]
    parts = grown(table, y, np.arange(100), (7, LEAF, 0.75), 3)
    assert all(np.array_equal(one, other) for one, other in zip(whole[0], parts[0], strict=True))
    assert np.array_equal(whole[1], parts[1])
    assert np.array_equal(whole[2], parts[2], equal_nan=True)


def test_demands_of_any_size_are_split() -> None:
    """The grid on which they are added up is as fine as they are small."""
    bins = np.repeat(np.arange(4, dtype=np.uint8), 25)[None]
    for unit in (1e-290, 1e-30, 1.0, 1e30, 1e290):
        nodes, first, _ = grown(columns_of(bins), (bins[0] % 2) * unit, np.arange(100), (5, LEAF, 1.0), 0)
        assert said(bins, first, nodes)[[0, 25, 50, 75]] / unit == pytest.approx([0.0, 1.0, 0.0, 1.0])


@pytest.mark.parametrize(("together", "leaf"), [(1, LEAF), (4, LEAF), (4, 9)])
@pytest.mark.parametrize("seed", range(6))
def test_machine_code_grows_the_trees_of_plain_python(seed: int, together: int, leaf: int) -> None:
    rng = np.random.default_rng(seed)
    n, features = int(rng.integers(5, 60)), int(rng.integers(1, 6))
    bins = rng.integers(0, int(rng.integers(2, 12)), (features, n)).astype(np.uint8)
    y = np.round((bins[0] * 0.3 + rng.normal(size=n)) * 2**20) / 2**20  # sums are exact: equal splits stay equal
    runs = rng.permutation(n) // together
    nodes, first, past = grown(columns_of(bins), y, runs, (7, leaf, 0.6), seed)
    everyone, unseen = forest_of(bins, y, runs, (7, leaf, 0.6), seed)
    assert said(bins, first, nodes) == pytest.approx(everyone, rel=1e-9)
    assert past == pytest.approx(unseen, rel=1e-9, nan_ok=True)


def test_all_bins_are_used() -> None:
    """As many bins as there is room for, the last split included."""
    bins = np.repeat(np.arange(BINS, dtype=np.uint8), 20)[None]
    y = (bins[0] == BINS - 1) * 1.0
    nodes, first, _ = grown(columns_of(bins), y, np.arange(y.size), (40, LEAF, 1.0), 0)
    assert said(bins, first, nodes)[-1] > 0.9
    assert said(bins, first, nodes)[-21] < 0.1


def test_equal_demands_are_not_split() -> None:
    table = columns_of(np.arange(20, dtype=np.uint8)[None])
    nodes, first, past = grown(table, np.full(20, 0.1), np.arange(20), (5, LEAF, 1.0), 0)
    assert np.diff(first).tolist() == [1] * 5
    assert past[~np.isnan(past)] == pytest.approx(0.1)
    assert nodes[3] == pytest.approx(0.1)


@pytest.mark.parametrize("together", [1, 5])
def test_a_row_is_never_forecast_by_a_tree_that_saw_its_run(together: int) -> None:
    """Demands of a run move the forecasts of others, and not its own."""
    rng = np.random.default_rng(3)
    bins, z = rng.integers(0, 9, (3, 40)).astype(np.uint8), rng.normal(size=40)
    runs = np.arange(40) // together
    for seed in range(5):
        past = grown(columns_of(bins), z, runs, (1, LEAF, 1.0), seed)[2]
        for i in np.flatnonzero(~np.isnan(past)):
            assert grown(columns_of(bins), z + 10.0 * (runs == runs[i]), runs, (1, LEAF, 1.0), seed)[2][i] == past[i]
        drawn = np.flatnonzero(np.isnan(past))[0]
        spiked = grown(columns_of(bins), z + 10.0 * (runs == runs[drawn]), runs, (1, LEAF, 1.0), seed)[2]
        assert not np.array_equal(spiked, past, equal_nan=True)


def test_a_forest_as_good_as_that_of_scikit_learn() -> None:
    """Errors on rows nobody has seen, and the out-of-bag errors that announce them."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(1500, 4))
    signal = np.sin(2 * matrix[:, 0]) + (matrix[:, 1] > 0) * matrix[:, 2]
    z, none = signal + 0.3 * rng.normal(size=1500), np.zeros(1500)
    ours = Trees.of(matrix[:1000], z[:1000], none[:1000], np.arange(1000), [])
    said_by_ours = ours.predict(matrix[1000:], none[1000:])
    for at, (trees, leaf, share) in enumerate((DEEP, SHALLOW)):
        rows = round((1 - np.exp(-1)) * leaf)  # they count a row once, however often it was drawn
        theirs = RandomForestRegressor(trees, min_samples_leaf=rows, max_features=share, oob_score=True, random_state=0)
        with warnings.catch_warnings(action="ignore"):  # with few trees, some row may be in all of them
            theirs.fit(matrix[:1000], z[:1000])
        errors = [np.mean((z[1000:] - one) ** 2) for one in (said_by_ours[:, at], theirs.predict(matrix[1000:]))]
        assert errors[0] < 1.07 * errors[1]
        assert np.mean((z[:1000] - ours.past[:, at]) ** 2) == pytest.approx(
            np.mean((z[:1000] - theirs.oob_prediction_) ** 2), rel=0.15
        )


def test_what_a_regression_leaves_is_added_to_it() -> None:
    """A step that the regression knows, and one that it does not, at one time."""
    matrix = np.column_stack([np.repeat(np.arange(4.0), 50), np.zeros(200)])
    known, z = 5.0 * (matrix[:, 0] >= 2), 5.0 * (matrix[:, 0] >= 2) + (matrix[:, 0] % 2)
    trees = Trees.of(matrix, z, known, np.arange(200), [1])
    assert np.isclose(trees.past[:, 2], z).sum() >= 198  # a row that every tree has seen is forecast by the mean
    asked = np.array([[0.0, 0.0], [3.0, 0.0]])
    assert trees.predict(asked, np.array([10.0, 20.0]))[:, 2] == pytest.approx([10.0, 21.0])
    assert trees.predict(asked, np.array([10.0, 20.0]))[:, :2] == pytest.approx(np.array([[0.0] * 2, [6.0] * 2]))
    assert (
        trees.predict(asked, np.array([10.0, 20.0]))[:, 3:]
        == pytest.approx(  # so say those that do not see time
            trees.predict(asked, np.array([10.0, 20.0]))[:, :3]
        )
    )


def test_half_of_the_forests_do_not_see_time() -> None:
    """A level that has changed: those that see when say the new one, the others what was usual before and after."""
    rng = np.random.default_rng(0)
    time, shop = np.arange(400.0), rng.integers(0, 2, 400).astype(np.float64)
    z = 5.0 * shop + 10.0 * (time >= 200) + 0.1 * rng.normal(size=400)
    trees = Trees.of(np.column_stack([shop, time]), z, np.zeros(400), Moments.of(time).runs, [1])
    seeing, blind = (trees.predict(np.array([[1.0, 500.0]]), np.zeros(1))[0, way] for way in trees.ways)
    assert seeing == pytest.approx([15.0] * 3, abs=0.5)
    assert blind == pytest.approx([10.0] * 3, abs=1.5)


def test_new_values_fall_into_the_outermost_bins() -> None:
    matrix, z, none = np.linspace(0, 1, 300)[:, None], np.linspace(0, 1, 300), np.zeros(300)
    trees = Trees.of(matrix, z, none, np.arange(300), [])
    beyond = trees.predict(np.array([[-1e9], [1e9]]), none[:2])
    assert beyond == pytest.approx(trees.predict(matrix[[0, -1]], none[:2]))


@pytest.mark.parametrize(("moments", "lengths"), [(4, [4]), (5, [1, 4]), (100, [48, 36, 12, 4])])
def test_time_is_told_apart_in_steps_that_grow_with_age(moments: int, lengths: list[int]) -> None:
    """Whatever the order of the rows, and however many share a moment; later times are in the last step."""
    rng = np.random.default_rng(0)
    time = rng.permutation(np.repeat(np.arange(moments) * 3.0, 2))
    matrix, z = np.column_stack([rng.normal(size=time.size), time]), rng.normal(size=time.size)
    edges = Trees.of(matrix, z, np.zeros(z.size), np.arange(z.size), [1]).edges[1]
    assert np.bincount(np.searchsorted(edges, time)).tolist() == [2 * length for length in lengths]
    assert np.searchsorted(edges, 1e9) == len(lengths) - 1


def test_the_place_of_every_bit() -> None:
    found = [PLACES[((1 << place) * int(DE_BRUIJN) & MASK) >> 58] for place in range(64)]
    assert found == list(range(64))


def test_a_forest_without_a_share_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it would say counts for nothing."""
    rng = np.random.default_rng(0)
    matrix, z = rng.normal(size=(60, 2)), rng.normal(size=60)
    trees = Trees.of(matrix, z, np.zeros(60), np.arange(60), [])
    all_of_them, asked = trees.predict(matrix, np.zeros(60)), list[int]()
    monkeypatch.setattr(bagged, "said", lambda bins, first, nodes: asked.append(1) or said(bins, first, nodes))
    some = trees.predict(matrix, np.zeros(60), (0.0, 0.4, 0.0))
    assert len(asked) == 1
    assert np.array_equal(some[:, 1], all_of_them[:, 1])
