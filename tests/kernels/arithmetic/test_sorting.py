"""Sorting: the same as numpy's stable sort, with and without ties."""

import numpy as np
import pytest

from provend._kernels.arithmetic.sorting import in_lexical_order, median, stably_sorted


@pytest.mark.parametrize("levels", [1, 3, 50, 10**9])
def test_order_is_that_of_a_stable_sort(levels: int) -> None:
    """With few levels most values are tied; infinite ones are the last."""
    values = np.random.default_rng(levels).integers(0, levels, (7, 200)) / levels
    values[2, :5] = np.inf
    order, ascending = stably_sorted(values)
    assert np.array_equal(order, np.argsort(values, axis=1, kind="stable"))
    assert np.array_equal(ascending, np.sort(values, axis=1))


def test_missing_numbers_stay_in_the_order_given() -> None:
    """They are tied with each other."""
    order, ascending = stably_sorted(np.array([np.nan, 1.0, np.nan, 0.0]))
    assert order.tolist() == [3, 1, 0, 2]
    assert np.isnan(ascending[2:]).all()


@pytest.mark.parametrize("levels", [1, 2, 10**9])
@pytest.mark.parametrize("columns", [1, 2, 3, 8])
def test_rows_in_lexical_order(columns: int, levels: int) -> None:
    """Whether the last columns tell all rows apart or leave ties to others, or to the order given."""
    table = np.random.default_rng(columns).integers(0, levels, (200, columns)) / levels
    assert np.array_equal(in_lexical_order(table), np.lexsort(table.T))


@pytest.mark.parametrize("size", [1, 2, 7, 200])
def test_medians_are_those_of_numpy(size: int) -> None:
    values = np.random.default_rng(size).normal(size=size)
    assert median(values) == np.median(values)
