"""Ridge regression with its leave-one-out forecasts in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PENALTIES = np.logspace(-1, 5, 13)
MOST_LEVERAGE = 0.95  # of one row; beyond that, its leave-one-out forecast would be a guess


@dataclass(frozen=True, eq=False)
class Directions:
    """What regressions on the same features share, whatever they forecast; one column of each table per penalty.

    ``along`` holds the features along their principal directions, ``vectors``; ``kept`` is how much a penalty keeps
    of each direction, ``leverage`` how much a row then counts in its own forecast.
    """

    centre: Floats
    vectors: Floats
    along: Floats
    kept: Floats
    leverage: Floats

    @classmethod
    def of(cls, matrix: Floats) -> Directions:
        """The directions of standardised features."""
        centre = matrix.mean(axis=0)
        values, vectors = np.linalg.eigh((matrix - centre).T @ (matrix - centre))
        along = (matrix - centre) @ vectors
        kept = 1 / (np.maximum(values, 0.0)[:, None] + PENALTIES)
        return cls(centre, vectors, along, kept, along**2 @ kept + 1 / len(matrix))


@dataclass(frozen=True, eq=False)
class Ridge:
    """The regression with the penalty whose leave-one-out forecasts, ``past``, are best."""

    centre: Floats
    mean: float
    coefficients: Floats
    past: Floats

    @classmethod
    def of(cls, matrix: Floats, z: Floats) -> Ridge:
        """Fit to standardised features."""
        return cls.along(Directions.of(matrix), z)

    @classmethod
    def along(cls, of: Directions, z: Floats) -> Ridge:
        """The same, where the directions of the features are known."""
        mean = float(z.mean())
        projected = of.along.T @ (z - mean)
        residuals = (z - mean)[:, None] - of.along @ (of.kept * projected[:, None])
        tried = _errors(residuals, of.leverage)
        best = int(np.square(tried).sum(axis=0).argmin())
        return cls(of.centre, mean, of.vectors @ (of.kept[:, best] * projected), z - tried[:, best])

    def predict(self, matrix: Floats) -> Floats:
        """The forecasts, row by row: how a fast matrix product rounds depends on the other rows of a call."""
        terms = np.ascontiguousarray((matrix - self.centre) * self.coefficients)
        forecasts: Floats = self.mean + terms.sum(axis=1)
        return forecasts


def _errors(residuals: Floats, leverage: Floats) -> Floats:
    """The error of each row when it is forecast without itself."""
    errors: Floats = residuals / (1 - np.minimum(leverage, MOST_LEVERAGE))
    return errors
