"""Peaks (c - x) x^r whose maxima are rationals, and how the kernels are told of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.points import (
    PeakProblem,
    TwoFloats,
)
from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.tails.counts import slope_of

F = Fraction
Floats = NDArray[np.float64]
SIGNS = (-1.0, 1.0)


def two_floats(c: Fraction) -> TwoFloats:
    return TwoFloats(float(c), float(c - F(float(c))))


def a_length(rng: np.random.Generator) -> Fraction:
    """A number in (0, 1) that is no float."""
    return F(int(rng.integers(1, 996)), 997)


def problem_for(c: Fraction, *, error: float = 0.0, slope_error: float = 0.0, shift: float = 0.0) -> PeakProblem:
    return PeakProblem(two_floats(c), 0.0, np.empty(0), error, slope_error, shift)


def peak(c: Fraction, r: int) -> Fraction:
    """The maximum of (c - x) x^r: the tangent of x^r's r-th root is that root, so nothing is lost at any x."""
    top = c * r / (r + 1)
    return (c - top) * top**r


def late_kinks(n: int) -> tuple[Floats, float]:
    """Samples that count as reaching probability 1 at t, although they reached it up to four roundings before."""
    d, t = np.full(n, 0.75 + 4 * UNIT), 0.25
    d[0] = 0.75 + 2 * UNIT
    assert slope_of(d, n, t) == (1.0, 0.0, n)
    return d, t
