"""Contexts as numbers: what trees see of a date, and what a regression does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from provend.tables import Encoding, read_contexts


@pytest.mark.parametrize(("days", "hidden"), [(300, 1), (301, 2), (1001, 2)])
def test_a_regression_sees_neither_times_nor_the_number_of_the_day_in_the_year(days: int, hidden: int) -> None:
    """Whatever stands before and after the date; seasons begin with a span of 300 days, months with 1,000."""
    dates = pd.Series(pd.date_range("2021-03-01", periods=days))
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"shop": rng.choice(["a", "b"], days), "date": dates, "price": rng.normal(size=days)})
    contexts = read_contexts(table)
    encoding, matrix = Encoding.fitted(contexts)
    timeless = encoding.without_time(matrix, contexts)
    (gone,) = np.nonzero((timeless != matrix).any(axis=0))
    expected = [np.arange(days), dates.dt.day_of_year][:hidden]
    assert gone.size == hidden
    assert not timeless[:, gone].any()
    for at, number in zip(gone, expected, strict=True):
        assert np.corrcoef(matrix[:, at], number)[0, 1] > 0.97  # years have a quarter of a day more here
    assert encoding.times(contexts) == gone[:1].tolist()
