"""Costs, critical ratio, support."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import provend as pv


@pytest.mark.parametrize(
    ("cu", "co", "q"),
    [(9, 1, "9/10"), (0.9, 0.1, "9/10"), ("1/3", 1, "1/4"), (Decimal("2.5"), 7.5, "1/4"), (0.07, 0.93, "7/100")],
)
def test_critical_ratio_is_exact(cu: object, co: object, q: str) -> None:
    assert pv.Newsvendor(cu, co).critical_ratio == Fraction(q)


def test_from_prices() -> None:
    problem = pv.Newsvendor.from_prices(price=10, cost=4, salvage=1, support=(0, 50))
    assert (problem.cu, problem.co, problem.support) == (6, 3, (0.0, 50.0))
    assert pv.Newsvendor.from_prices(1.1, 0.2).critical_ratio == Fraction(9, 11)


def test_no_data_decision() -> None:
    problem = pv.Newsvendor(cu=9, co=1, support=(20, 120))
    assert problem.unit == 1000
    assert problem.no_data_order == 110
    assert problem.no_data_regret == pytest.approx(90)
    # It balances the two extremes: all demand at the bottom, all at the top.
    assert problem.cost(110, 20) == problem.cost(110, 120) == 90


def test_cost_elementwise() -> None:
    problem = pv.Newsvendor(cu=3, co=0.5, support=(0, 10))
    assert problem.cost(4, 6) == 6.0
    assert isinstance(problem.cost(4, 6), float)
    np.testing.assert_array_equal(problem.cost([4, 4, 4], [6, 4, 2]), [6, 0, 1])
    np.testing.assert_array_equal(problem.cost(4, np.array([[6.0], [2.0]])), [[6], [1]])


def test_is_immutable_and_comparable() -> None:
    problem = pv.Newsvendor(1, 2, (0, 3))
    assert problem == pv.Newsvendor(1, 2, [0, 3])
    assert hash(problem) == hash(pv.Newsvendor(1, 2, [0, 3]))
    with pytest.raises(AttributeError):
        problem.cu = 5
