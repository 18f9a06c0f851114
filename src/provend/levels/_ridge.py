"""Ridge regression with forecasts of its own rows that have not seen them: in closed form where each is left alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PENALTIES = np.logspace(-1, 5, 13)
MOST_LEVERAGE = 0.95  # of one row; beyond that, its leave-one-out forecast would be a guess


@dataclass(frozen=True, eq=False)
class _Fold:
    """Rows left out together: ``along`` holds their features along the principal directions of all others."""

    rows: NDArray[np.intp]
    centre: Floats
    vectors: Floats
    along: Floats
    kept: Floats

    @classmethod
    def of(cls, matrix: Floats, gram: Floats, rows: NDArray[np.intp]) -> _Fold:
        """The directions of the other rows, whose features, like those of all, are centred here."""
        out, many = matrix[rows], len(matrix) - rows.size
        centre: Floats = -out.sum(axis=0) / many
        values, vectors = np.linalg.eigh(gram - out.T @ out - many * np.outer(centre, centre))
        return cls(rows, centre, vectors, (out - centre) @ vectors, _kept(values))

    def errors(self, products: Floats, matrix: Floats, z: Floats) -> Floats:
        """The errors of its rows, one column per penalty; ``products`` of features and z, and z itself, have mean 0."""
        out = z[self.rows]
        mean = -out.sum() / (z.size - out.size)
        projected = self.vectors.T @ (products - matrix[self.rows].T @ out - (z.size - out.size) * mean * self.centre)
        errors: Floats = (out - mean)[:, None] - self.along @ (self.kept * projected[:, None])
        return errors


@dataclass(frozen=True, eq=False)
class Directions:
    """What regressions on the same features share, whatever they forecast; one column of each table per penalty.

    ``along`` holds the features along their principal directions, ``vectors``; ``kept`` is how much a penalty keeps
    of each direction, ``leverage`` how much a row then counts in its own forecast. Where rows share a moment, all rows
    of a moment are left out together, in ``folds``: those that stay would give the others away.
    """

    centre: Floats
    vectors: Floats
    along: Floats
    kept: Floats
    leverage: Floats
    folds: tuple[_Fold, ...] = ()

    @classmethod
    def of(cls, matrix: Floats, together: NDArray[np.intp] | None = None) -> Directions:
        """The directions of standardised features; rows with the same number in ``together`` are left out together."""
        centre = matrix.mean(axis=0)
        inner = matrix - centre
        gram = inner.T @ inner
        values, vectors = np.linalg.eigh(gram)
        along, kept = inner @ vectors, _kept(values)
        each = [] if together is None else [np.flatnonzero(together == one) for one in np.unique(together)]
        folds = tuple(_Fold.of(inner, gram, rows) for rows in each)
        return cls(centre, vectors, along, kept, along**2 @ kept + 1 / len(matrix), folds)

    def errors(self, z: Floats) -> Floats:
        """The error of each row when it is forecast without itself, one column per penalty; z has mean 0."""
        products = self.along.T @ z
        if not self.folds:
            residuals = z[:, None] - self.along @ (self.kept * products[:, None])
            return _errors(residuals, self.leverage)
        errors, inner = np.empty((z.size, PENALTIES.size)), self.along @ self.vectors.T
        for fold in self.folds:
            errors[fold.rows] = fold.errors(self.vectors @ products, inner, z)
        return errors


@dataclass(frozen=True, eq=False)
class Ridge:
    """The regression with the penalty whose forecasts of rows left out, ``past``, are best."""

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
        tried = of.errors(z - mean)
        best = int(np.square(tried).sum(axis=0).argmin())
        coefficients = of.vectors @ (of.kept[:, best] * (of.along.T @ (z - mean)))
        return cls(of.centre, mean, coefficients, z - tried[:, best])

    def predict(self, matrix: Floats) -> Floats:
        """The forecasts, row by row: how a fast matrix product rounds depends on the other rows of a call."""
        terms = np.ascontiguousarray((matrix - self.centre) * self.coefficients)
        forecasts: Floats = self.mean + terms.sum(axis=1)
        return forecasts


def _kept(values: Floats) -> Floats:
    kept: Floats = 1 / (np.maximum(values, 0.0)[:, None] + PENALTIES)
    return kept


def _errors(residuals: Floats, leverage: Floats) -> Floats:
    """The error of each row when it is forecast without itself."""
    errors: Floats = residuals / (1 - np.minimum(leverage, MOST_LEVERAGE))
    return errors
