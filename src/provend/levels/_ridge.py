"""Ridge regression with forecasts of its own rows that have not seen them: in closed form where each is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PENALTIES = np.logspace(-1, 5, 13)
PADDED = 4  # places for all folds, as a multiple of the rows, up to which these are tables of one size
LEAST_LEFT = 1e-9  # of a row that is fitted by others: below that, division would show rounding only


@dataclass(frozen=True, eq=False)
class _Folds:
    """Rows left out together, a table of each kind per fold: all at once, as small tables take longer than their sums.

    ``rows`` has places for the largest fold; those that a smaller one leaves empty hold a row of zeros, the last. Of
    each fold, ``along`` holds the features of its rows, ``out``, along the principal directions of all others.
    """

    rows: NDArray[np.intp]
    others: Floats
    centre: Floats
    vectors: Floats
    out: Floats
    along: Floats
    kept: Floats

    @classmethod
    def groups(cls, matrix: Floats, gram: Floats, together: NDArray[np.intp]) -> tuple[_Folds, ...]:
        """All folds at once, or, if most places were empty, folds of about the same size."""
        by_fold, many = np.argsort(together, kind="stable"), np.bincount(together)
        sizes = many[many > 0]
        if sizes.max() * sizes.size <= PADDED * len(matrix):
            return (cls.of(matrix, gram, by_fold, sizes),)
        size = np.ceil(np.log2(sizes))
        alike = ((size == one, np.repeat(size == one, sizes)) for one in np.unique(size))
        return tuple(cls.of(matrix, gram, by_fold[rows], sizes[some]) for some, rows in alike)

    @classmethod
    def of(cls, matrix: Floats, gram: Floats, by_fold: NDArray[np.intp], sizes: NDArray[np.intp]) -> _Folds:
        """The directions of the other rows of each fold, whose features, like those of all, are centred here."""
        rows = np.full((sizes.size, sizes.max()), len(matrix))
        rows[np.arange(sizes.max()) < sizes[:, None]] = by_fold
        out, others = _with_zeros(matrix)[rows], (len(matrix) - sizes)[:, None].astype(np.float64)
        centre = -out.sum(axis=1) / others
        apart = centre[:, :, None] * (others * centre)[:, None, :]
        values, vectors = np.linalg.eigh(gram - out.transpose(0, 2, 1) @ out - apart)
        along = (out - centre[:, None, :]) @ vectors
        return cls(rows, others, centre, vectors, out, along, _kept(values))

    def put_errors(self, products: Floats, z: Floats, errors: Floats) -> None:
        """Put the errors of its rows, a column per penalty; ``products`` of features and z, and z itself, have mean 0.

        A row more is for places that are empty.
        """
        out = _with_zeros(z)[self.rows]
        mean = -out.sum(axis=1, keepdims=True) / self.others
        left = products - (out[:, None, :] @ self.out)[:, 0] - self.others * mean * self.centre
        projected = left[:, None, :] @ self.vectors
        errors[self.rows] = (out - mean)[:, :, None] - self.along @ (self.kept * projected.transpose(0, 2, 1))


@dataclass(frozen=True, eq=False)
class Directions:
    """What regressions on the same features share, whatever they forecast; one column of each table per penalty.

    ``along`` holds the features along their principal directions, ``vectors``; ``kept`` is how much a penalty keeps
    of each direction. Where rows share a moment, all rows of a moment are left out together, in ``folds``: those that
    stay would give the others away.
    """

    centre: Floats
    vectors: Floats
    along: Floats
    kept: Floats
    folds: tuple[_Folds, ...] = ()

    @classmethod
    def of(cls, matrix: Floats, together: NDArray[np.intp] | None = None) -> Directions:
        """The directions of standardised features; rows with the same number in ``together`` are left out together."""
        centre = matrix.mean(axis=0)
        inner = matrix - centre
        gram = inner.T @ inner
        values, vectors = np.linalg.eigh(gram)
        folds = () if together is None else _Folds.groups(inner, gram, together)
        return cls(centre, vectors, inner @ vectors, _kept(values), folds)

    @cached_property
    def leverage(self) -> Floats:
        """How much each row counts in its own forecast."""
        counts: Floats = self.along**2 @ self.kept + 1 / len(self.along)
        return counts

    def errors(self, z: Floats) -> Floats:
        """The error of each row when it is forecast without itself, one column per penalty; z has mean 0."""
        products = self.along.T @ z
        if self.folds:
            errors = np.empty((z.size + 1, PENALTIES.size))  # the last for places that are empty
            for some in self.folds:
                some.put_errors(self.vectors @ products, z, errors)
            return errors[:-1]
        residuals = z[:, None] - self.along @ (self.kept * products[:, None])
        return _errors(residuals, self.leverage)


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
    kept: Floats = 1 / (np.maximum(values, 0.0)[..., None] + PENALTIES)
    return kept


def _with_zeros(table: Floats) -> Floats:
    """The table with a row of zeros at its end."""
    return np.concatenate([table, np.zeros_like(table[:1])])


def _errors(residuals: Floats, leverage: Floats) -> Floats:
    """The error of each row when it is forecast without itself, which is exact also where it is fitted nearly alone.

    Errors made smaller there would speak for the weakest penalties wherever there are more features than rows.
    """
    errors: Floats = residuals / np.maximum(1 - leverage, LEAST_LEFT)
    return errors
