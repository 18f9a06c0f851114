"""Stable sorting, sooner where no two numbers are equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def stably_sorted(values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Positions in ascending order along the last axis, ties in the order given, and the values in that order.

    Where nothing is tied every way of sorting agrees, and numpy's default, on most processors, takes a quarter of the
    time of its stable one.
    """
    order = np.argsort(values, axis=-1)
    ascending = np.take_along_axis(values, order, axis=-1)
    if (ascending[..., 1:] > ascending[..., :-1]).all():
        return order, ascending
    return np.argsort(values, axis=-1, kind="stable"), ascending
