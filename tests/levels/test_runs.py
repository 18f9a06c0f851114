"""Runs of moments: long enough to be ahead, many enough to learn from."""

from __future__ import annotations

import numpy as np
import pytest

from provend.levels._rows import Rows
from provend.levels._runs import FEWEST, FOLDS, FOLDS_OF_RUNS, LONGEST, Moments, means_of
from provend.tables import Encoding, read_contexts


@pytest.mark.parametrize(("moments", "length"), [(5, 1), (39, 1), (40, 2), (365, 18), (560, 28), (5000, 28)])
def test_lengths(moments: int, length: int) -> None:
    runs = Moments.of(np.arange(moments) * 7.0).runs
    assert np.bincount(runs).max() == length
    assert runs.max() + 1 == -(-moments // length) >= min(moments, FEWEST)
    assert length <= LONGEST


def test_rows_of_one_moment_are_in_one_run_whatever_their_order() -> None:
    rng = np.random.default_rng(0)
    time = rng.permutation(np.repeat(np.arange(100.0), 3))
    assert np.array_equal(Moments.of(time).runs, time // 5)


def test_without_a_time_each_row_is_on_its_own() -> None:
    contexts = read_contexts(np.array([[3.0], [1.0], [4.0], [1.0]]))
    rows, _ = Rows.of(*Encoding.fitted(contexts), contexts, np.arange(4.0))
    assert rows.moments is None
    assert rows.runs.tolist() == [0, 1, 2, 3]
    assert rows.folds is None


def test_means_run_by_run() -> None:
    values, runs = np.array([1.0, 3.0, 10.0, 5.0]), np.array([4, 4, 7, 9])
    assert means_of(values, runs).tolist() == [2.0, 10.0, 5.0]


def test_with_one_time_for_all_each_row_is_on_its_own() -> None:
    assert Moments.of(np.full(4, 7.0)).runs.tolist() == [0, 1, 2, 3]


def test_moments_that_rows_share_are_left_out_as_a_whole() -> None:
    rng = np.random.default_rng(0)
    few, many = (rng.permutation(np.repeat(np.arange(float(size)), 3)) for size in (8, 100))
    assert np.array_equal(Moments.of(few).folds, few)
    assert np.array_equal(Moments.of(many).folds, many % FOLDS)


@pytest.mark.parametrize("moments", [40, 100, 1000])
def test_runs_that_are_left_out_together_are_far_apart(moments: int) -> None:
    time = np.random.default_rng(0).permutation(np.arange(float(moments)))
    folds, runs = Moments.of(time).folds, Moments.of(time).runs
    assert folds is not None
    assert np.array_equal(folds, runs % FOLDS_OF_RUNS)


def test_where_there_are_no_runs_nothing_is_left_out_together() -> None:
    for alone in (np.full(4, 7.0), np.arange(39.0)):
        assert Moments.of(alone).folds is None
