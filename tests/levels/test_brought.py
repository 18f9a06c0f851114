"""Moved demands: T_0^-1(T_i(y)), in order, within the support."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from provend.levels import AsTheyAre, Brought, Level, Power
from provend.tables import Contexts, read_contexts

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Known(Level):
    """The level is the first column, on the scale."""

    power: Power
    spread: float = 1.0

    def at(self, contexts: Contexts) -> Floats:
        return self.power.of(contexts.columns[0].values)


def contexts(levels: Floats) -> Contexts:
    return read_contexts(pd.DataFrame({"level": levels}), kinds={"level": "number"})


def brought(y: Floats, levels: Floats, power: Power) -> Brought:
    return Brought(y, Known(power), power.of(levels))


@pytest.mark.parametrize("seed", range(4))
def test_differences_in_exact_terms(seed: int) -> None:
    """Dyadic numbers are moved without any rounding: the target's level plus what is left."""
    rng = np.random.default_rng(seed)
    y, past, ahead = (rng.integers(0, 1000, n) / 8 for n in (9, 9, 5))
    power = Power.fitting(np.concatenate([y, past, ahead]))
    moved = brought(y, past, power).at(contexts(ahead), (0.0, 100.0))
    for t, row in zip(ahead.tolist(), moved.tolist(), strict=True):
        exact = [Fraction(t) + Fraction(a) - Fraction(b) for a, b in zip(y.tolist(), past.tolist(), strict=True)]
        assert [Fraction(v) for v in row] == [min(max(e, Fraction(0)), Fraction(100)) for e in exact]


@pytest.mark.parametrize("roots", [1, 2])
def test_roots_in_exact_terms(roots: int) -> None:
    """Perfect powers have roots that are whole."""
    rng = np.random.default_rng(roots)
    to = 2**roots
    y, past, ahead = (rng.integers(0, 12, n).astype(float) for n in (9, 9, 5))
    found = brought(y**to, past**to, Power(roots, 0)).at(contexts(ahead**to), (0.0, 1e9))
    exact = np.maximum(ahead[:, None] + y - past, 0.0) ** to
    assert found.tolist() == exact.tolist()


@pytest.mark.parametrize("roots", [0, 1, 2])
@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_moving_keeps_the_order_and_the_support(roots: int, size: float) -> None:
    """``by_size`` sorts what is brought to any target, whatever is rounded and cut off."""
    rng = np.random.default_rng(roots)
    y, past, ahead = (size * rng.gamma(2.0, size=n) / 20 for n in (60, 60, 20))
    demands = brought(y, past, Power.fitting(np.concatenate([y, past]), roots))
    moved = (
        demands.at(contexts(ahead / size), (0.1 * size, 0.3 * size))
        if size < 1e100
        else demands.at(contexts(np.minimum(ahead, 1e99)), (0.1 * size, 0.3 * size))
    )
    assert (np.diff(moved[:, demands.by_size], axis=1) >= 0).all()
    assert moved.min() >= 0.1 * size
    assert moved.max() <= 0.3 * size


def test_one_level_for_all_moves_nothing() -> None:
    y = np.array([3.0, 1.0, 2.0, 2.0])
    still = brought(y, np.full(4, 5.0), Power(1, 3)).at(contexts(np.full(2, 5.0)), (0.0, 10.0))
    assert still == pytest.approx(np.tile(y, (2, 1)), rel=1e-14)


def test_the_inverse_of_a_move_is_the_move_back() -> None:
    """T_i^-1(T_0(T_0^-1(T_i(y)))) = y, where nothing was cut off."""
    rng = np.random.default_rng(0)
    y, past = rng.uniform(20, 40, 30), rng.uniform(10, 15, 30)
    power = Power.fitting(y, 2)
    there = brought(y, past, power).at(contexts(np.full(1, 12.0)), (0.0, 1e6))[0]
    back = [
        Brought(there[[i]], Known(power), power.of(np.full(1, 12.0))).at(contexts(past[[i]]), (0.0, 1e6))[0, 0]
        for i in range(30)
    ]
    assert back == pytest.approx(y)


def test_some_rows_are_the_same_rows() -> None:
    rng = np.random.default_rng(0)
    y, past = rng.random(8), rng.random(8)
    demands, rows = brought(y, past, Power()), np.array([5, 1, 6])
    target = contexts(np.array([0.4]))
    assert demands.take(rows).at(target, (0.0, 1.0)).tolist() == demands.at(target, (0.0, 1.0))[:, rows].tolist()


def test_demands_as_they_are() -> None:
    demands = AsTheyAre(np.array([2.0, 1.0, 1.0]))
    assert demands.at(contexts(np.zeros(2)), (0.0, 9.0)).tolist() == [[2.0, 1.0, 1.0]] * 2
    assert demands.by_size.tolist() == [1, 2, 0]
    assert demands.take(np.array([1])).at(contexts(np.zeros(1)), (0.0, 9.0)).tolist() == [[1.0]]
