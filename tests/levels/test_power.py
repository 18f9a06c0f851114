"""Scales: there and back again, in order, at every size a number can have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provend.levels import Power

SIZES = [1e-310, 1e-300, 1e-150, 1e-3, 1.0, 7.3, 1e9, 1e150, 1e300, 1.7e308]


@pytest.mark.parametrize("roots", [0, 1, 2])
@pytest.mark.parametrize("largest", SIZES)
def test_there_and_back(roots: int, largest: float) -> None:
    y = largest * np.array([0.0, 1e-6, 0.01, 0.3, 0.5, 1.0])
    power = Power.fitting(y, roots)
    z = power.of(y)
    assert z.max() <= 1.0 < 4 * z.max() ** (2**roots)
    assert power.back(z) == pytest.approx(y, rel=1e-14 if largest > 1e-300 else 1e-6, abs=5e-324)
    assert power.back(z)[0] == 0.0


@given(
    st.lists(st.floats(0, 1e300, allow_subnormal=False), min_size=2, max_size=8),
    st.integers(0, 2),
    st.floats(-2, 2),
)
def test_both_ways_keep_the_order(numbers: list[float], roots: int, shift: float) -> None:
    y = np.sort(numbers)
    power = Power.fitting(y, roots)
    assert (np.diff(power.of(y)) >= 0).all()
    moved = power.back(power.of(y) + shift)
    assert (np.diff(moved) >= 0).all()
    assert (moved >= 0).all() or roots == 0


def test_without_roots_nothing_is_rounded() -> None:
    """The unit is a power of two."""
    y = np.array([-3.7, 0.1, 0.3, 1e9 / 3])
    power = Power.fitting(y)
    assert power.back(power.of(y)).tolist() == y.tolist()
    assert [Fraction(z) * Fraction(2) ** power.exponent for z in power.of(y).tolist()] == [
        Fraction(x) for x in y.tolist()
    ]


def test_one_root_is_the_square_root() -> None:
    power = Power(1, 0)
    assert power.of(np.array([0.0, 4.0, 9.0])).tolist() == [0.0, 2.0, 3.0]
    assert Power(2, 0).of(np.array([16.0])).tolist() == [2.0]


def test_what_no_demand_can_be_becomes_nothing() -> None:
    assert Power(1, 0).back(np.array([-3.0, 0.0])).tolist() == [0.0, 0.0]
    assert Power(1, 0).of(np.array([-3.0])).tolist() == [0.0]
    assert Power(0, 0).back(np.array([-3.0])).tolist() == [-3.0]


def test_too_large_is_infinite_without_a_word() -> None:
    assert Power(2, 1024).back(np.array([3.0])).tolist() == [np.inf]


def test_nothing_but_zeros() -> None:
    assert Power.fitting(np.zeros(3), 2).of(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("exponent", [-1073, -1000, -999, -60, -1, 0, 1, 7, 999, 1000, 1024])
def test_units_are_exact(exponent: int) -> None:
    """Products with a power of two are those of ``ldexp``, tiny and huge numbers included."""
    y = np.array([0.0, 5e-324, 3e-310, 1e-300, 0.1, 7.3, 1e9, 1.7e308])
    with np.errstate(over="ignore"):
        assert np.array_equal(Power(0, exponent).of(y), np.ldexp(y, -exponent))
        assert np.array_equal(Power(0, exponent).back(y), np.ldexp(y, exponent))
