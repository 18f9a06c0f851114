"""Ridge regression with its leave-one-out forecasts in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PENALTIES = np.logspace(-1, 5, 13)
MOST_LEVERAGE = 0.95  # of one row, beyond which its own forecast without it would be a guess


@dataclass(frozen=True, eq=False)
class Ridge:
    """The penalty whose leave-one-out forecasts ``past`` are best."""

    centre: Floats
    mean: float
    coefficients: Floats
    past: Floats

    @classmethod
    def of(cls, matrix: Floats, z: Floats) -> Ridge:
        """Learn from standardised features."""
        centre, mean = matrix.mean(axis=0), float(z.mean())
        values, vectors = np.linalg.eigh((matrix - centre).T @ (matrix - centre))
        along = (matrix - centre) @ vectors
        projected = along.T @ (z - mean)
        tried = [_leave_one_out(along, 1 / (np.maximum(values, 0.0) + p), projected, z - mean) for p in PENALTIES]
        best = int(np.argmin([errors @ errors for errors in tried]))
        shrunk = projected / (np.maximum(values, 0.0) + PENALTIES[best])
        return cls(centre, mean, vectors @ shrunk, z - tried[best])

    def predict(self, matrix: Floats) -> Floats:
        """The regression."""
        forecasts: Floats = self.mean + (matrix - self.centre) @ self.coefficients
        return forecasts


def _leave_one_out(along: Floats, kept: Floats, projected: Floats, z: Floats) -> Floats:
    """Errors of each row forecast without it."""
    leverage = np.minimum(along**2 @ kept + 1 / z.size, MOST_LEVERAGE)
    errors: Floats = (z - along @ (kept * projected)) / (1 - leverage)
    return errors
