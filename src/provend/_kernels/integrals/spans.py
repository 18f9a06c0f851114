"""Where a probability that does not fall moves at all: to the left it is nearly constant, and to the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.halving import last_where
from provend._kernels.arithmetic.points import Floats
from provend._kernels.maximise.side import Lattice

HALVINGS = 12

Values = Callable[[Floats], tuple[Floats, Floats]]  # from points to lower and upper ends of F there


class Integral(NamedTuple):
    """lower <= integral <= upper."""

    lower: float
    upper: float


class Span(NamedTuple):
    """F is to be integrated from left to right, and its integrals ``beside`` are known, both together."""

    left: float
    right: float
    beside: Integral


def span_by_halving(values: Values, negligible: float) -> Span:
    """By values of F."""
    (first,), (last,) = values(np.ones(1))
    left = last_where(lambda t: values(np.array([t]))[1][0] <= negligible, HALVINGS)
    right = 1 - last_where(lambda t: values(np.array([1 - t]))[0][0] >= first * (1 - negligible), HALVINGS)
    if left >= right:  # only by rounding errors
        return Span(0.0, 1.0, Integral(0.0, 0.0))
    at_right = float(values(np.array([right]))[0][0])
    lower = (1 - right) * at_right * (1 - negligible)
    return Span(left, right, Integral(lower, left * 2 * negligible + (1 - right) * float(last) * (1 + negligible)))


def span_on_lattice(lattice: Lattice, probabilities: Floats, negligible: float) -> Span:
    """By Chernoff's bounds: before the lowest threshold is reached, and after the highest has been.

    A threshold below 1 is always met, one above the total weight never.
    """
    from provend._kernels.tails.chernoff import unlikely_until

    d, w, high, low, missed = lattice
    total = int(w.sum())
    first, last = high[(high > 0) & (high <= total)], low[(low > 0) & (low <= total)]
    left = unlikely_until(d, w, int(first.min()), negligible) if first.size else 1.0
    right = 1 - unlikely_until(-d, w, total - int(last.max()) + 1, negligible) if last.size else 0.0
    if left >= right:
        return Span(0.0, 1.0, Integral(0.0, 0.0))
    always, hardly = float(probabilities[low <= 0].sum()), float(probabilities[high <= 0].sum()) + missed + negligible
    nearly = float(probabilities[low <= total].sum()) * (1 - negligible) - missed
    at_most = float(probabilities[high <= total].sum()) + missed
    return Span(
        left, right, Integral(left * (always - missed) + (1 - right) * nearly, left * hardly + (1 - right) * at_most)
    )
