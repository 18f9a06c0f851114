"""How wide the errors of a forecast are in each context."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.levels._ridge import Directions, Ridge

Floats = NDArray[np.float64]

WIDEST = 3.0  # times the mean; the narrowest is a third of it


@dataclass(frozen=True, eq=False)
class Widths:
    """A regression of the absolute errors, relative to their mean; ``past`` holds the widths of the rows themselves."""

    ridge: Ridge
    mean: float
    past: Floats

    @classmethod
    def of(cls, features: Directions, errors: Floats) -> Widths:
        """Learn from the errors of forecasts made without each row."""
        size = np.abs(errors)
        ridge, mean = Ridge.along(features, size), float(size.mean()) or 1.0
        return cls(ridge, mean, _inside(ridge.past / mean))

    def at(self, timeless: Floats) -> Floats:
        """The width in each context."""
        return _inside(self.ridge.predict(timeless) / self.mean)


def _inside(widths: Floats) -> Floats:
    inside: Floats = np.clip(widths, 1 / WIDEST, WIDEST)
    return inside
