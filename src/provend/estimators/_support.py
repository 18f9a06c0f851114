"""The support of demand, as given or read off the history."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.newsvendor import Newsvendor

Floats = NDArray[np.float64]


def chosen_support(given: tuple[float, float] | None, y: Floats) -> tuple[tuple[float, float], str]:
    """The support, and a text saying what it rests on."""
    if given is None:
        return _support_of(y)
    low, high = Newsvendor(1, 1, given).support
    outside = y[(y < low) | (y > high)]
    if outside.size:
        raise InputError(f"y holds {outside[0]:g}, outside the support [{low:g}, {high:g}]; widen it or correct y")
    return (low, high), f"Support [{low:g}, {high:g}] as given."


def _support_of(y: Floats) -> tuple[tuple[float, float], str]:
    """The range of the history, or, if all demands are the same, a guess that leaves room for others."""
    low, high = float(y.min()), float(y.max())
    if low < high:
        return (low, high), (
            f"Support [{low:g}, {high:g}] is the range of the history: guarantees hold if demand stays in it, "
            "and if that was known without looking at these demands."
        )
    low, high = min(0.0, 2 * low), max(2 * high, 0.0) or 1.0
    return (low, high), (
        f"Support [{low:g}, {high:g}] is a guess, as all demands seen are the same: from 0 to twice what was seen. "
        "Guarantees hold if demand stays in it, and are in proportion to its width."
    )
