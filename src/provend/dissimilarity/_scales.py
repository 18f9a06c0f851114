"""Scales estimated from the history: the distances between groups of demands, relative to those of their contexts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls
from scipy.stats import norm

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_confidence, as_sample
from provend.dissimilarity._blocks import mean_between
from provend.dissimilarity._check import compared
from provend.dissimilarity._kolmogorov import kolmogorov_distances
from provend.dissimilarity._models import Dissimilarity, Sum, parts
from provend.tables import Contexts, Table, read_contexts

Floats = NDArray[np.float64]

RESAMPLES = 60
ROUNDING = 1e-12  # relative to a mean of dissimilarities
NOISE = 0.8687  # mean of Kolmogorov's distribution: what identical distributions show, times sqrt(1/n + 1/m)


@dataclass(frozen=True, eq=False)
class ScaleEstimate:
    """Scales at which the dissimilarities match the distances between the demands of groups of past contexts.

    Attributes
    ----------
    multipliers : tuple of float
        For each part of the model, the estimate of what to multiply it by.
    lower, upper : tuple of float
        Approximate confidence limits from resampling, each meant to hold with probability ``confidence``.
    confidence : float
        As given.
    model, cautious : Dissimilarity
        The model at the estimates, and at the upper limits.
    pairs : int
        How many pairs of groups were compared.
    """

    multipliers: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    confidence: float
    model: Dissimilarity
    cautious: Dissimilarity
    pairs: int


def estimate_scales(model: Dissimilarity, X: Table, y: ArrayLike, /, *, confidence: Number = 0.95) -> ScaleEstimate:
    r"""Estimate the scale of every part of a model from the history.

    Groups of past demands, formed from each column of the contexts, are compared by their Kolmogorov distance; what
    identical distributions of that size show on average is subtracted (in squares), and the rest is regressed,

    .. math:: \min_{s \ge 0} \sum_{a, b} \frac{|a| |b|}{|a| + |b|} \Bigl(K_{ab} - \sum_k s_k \bar d_k(a, b)\Bigr)^2,

    on the mean dissimilarities of contexts between the groups, minus those within them. The limits come from
    resampling the rows of each group. They are estimates: the guarantee of a design at the cautious scales holds if
    these are large enough.

    Parameters
    ----------
    model : Dissimilarity
        A model, or a sum of them; its scales set the units.
    X, y : table and array
        Past contexts and their demands.
    confidence : float
        Probability in (0, 1) for each limit.
    """
    level = as_confidence(confidence)
    past = X if isinstance(X, Contexts) else read_contexts(X)
    demand = as_sample(y, "y")
    groups, compare = compared(past)
    pairs = [(groups[i].rows, groups[j].rows) for i, j in compare]
    if not pairs:
        raise InputError("no column of X splits the history into two groups of at least five rows; give more history")
    means = [mean_between(partial(part.among, past), [g.rows for g in groups], past.size) for part in parts(model)]
    apart = np.array([[_apart(mean, i, j) for mean in means] for i, j in compare])
    sizes = np.array([[a.size, b.size] for a, b in pairs], dtype=np.float64)
    observed = _distances(demand, pairs)
    fitted = np.array([_regress(row, apart, sizes) for row in observed])
    margin = norm.ppf(level) * fitted[1:].std(axis=0)
    upper, lower = fitted[0] + margin, np.maximum(fitted[0] - margin, 0.0)
    models = [
        Sum(tuple(part.scaled(float(m)) for part, m in zip(parts(model), found, strict=True)))
        for found in (fitted[0], upper)
    ]
    limits = tuple(lower.tolist()), tuple(upper.tolist())
    return ScaleEstimate(tuple(fitted[0].tolist()), *limits, level, models[0], models[1], len(pairs))


Pair = tuple[NDArray[np.intp], NDArray[np.intp]]


def _apart(mean: Floats, i: int, j: int) -> float:
    """Mean dissimilarity between two groups, minus that within: variation common to both does not set them apart."""
    found = float(mean[i, j] - (mean[i, i] + mean[j, j]) / 2)
    return found if found > ROUNDING * mean[i, j] else 0.0


def _distances(demand: Floats, pairs: list[Pair]) -> Floats:
    """Kolmogorov distances, one column per pair: for the data in the first row, for resampled rows in the others.

    Demands are drawn from in ascending order, so that the order of the rows does not matter.
    """
    generator = np.random.default_rng(0)
    found = np.empty((1 + RESAMPLES, len(pairs)))
    for k, pair in enumerate(pairs):
        samples = []
        for group in pair:
            ascending = np.sort(demand[group])
            samples.append(np.vstack([ascending, generator.choice(ascending, (RESAMPLES, group.size))]))
        found[:, k] = kolmogorov_distances(samples[0], samples[1])
    return found


def _regress(observed: Floats, apart: Floats, sizes: Floats) -> Floats:
    """Non-negative least squares, with every pair weighted by how informative its sizes are."""
    precision = sizes.prod(axis=1) / sizes.sum(axis=1)
    corrected = np.sqrt(np.maximum(observed**2 - NOISE**2 / precision, 0.0))
    root = np.sqrt(precision)
    scales: Floats = nnls(apart * root[:, None], corrected * root)[0]
    return scales
