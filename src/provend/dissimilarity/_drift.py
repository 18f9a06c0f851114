"""How fast demand drifts, estimated from a sample from each of several periods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, log, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown
from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_confidence, as_sample
from provend.dissimilarity._kolmogorov import ROUNDING, kolmogorov_distances, largest_contrasts, without_bias

Floats = NDArray[np.float64]

# E sup |F^ - F| is at most the integral of Massart's min(1, 2 exp(-2 m t^2)), which is this value over sqrt(m).
EXPECTED_NOISE = sqrt(log(2) / 2) + sqrt(pi / 2) * erfc(sqrt(log(2)))


@dataclass(frozen=True, repr=False)
class DriftEstimate(Shown):
    r"""What samples from successive periods say about the drift per period.

    Attributes
    ----------
    drift : float
        Estimate of the drift: ``trend`` minus its bias in the paper's experiment, at least 0.
    lower, upper : float
        Confidence limits, each of which holds with probability at least ``confidence``, on the largest trend
        :math:`\sup_y |\sum_i c_i F_i(y)|`, which is the drift if it is steady and otherwise less than the largest
        distance between successive periods: for a drift in jumps or at changing levels y, ``upper`` is not a limit.
    confidence : float
        As given.
    trend : float
        Largest absolute slope, over all levels y, of the least-squares line through the shares of demands up to y.
    slope, intercept : float
        The paper's estimate: the least-squares line through ``distances``. The slope can be negative.
    distances : tuple of float
        Kolmogorov distances of periods 1, 2, ... from period 0.
    """

    drift: float
    lower: float
    upper: float
    confidence: float
    trend: float
    slope: float
    intercept: float
    distances: tuple[float, ...]


def estimate_drift(samples: Sequence[ArrayLike], /, *, confidence: Number = 0.95) -> DriftEstimate:
    r"""Estimate the drift per period from demands of successive periods.

    The paper takes the slope of the line through the distances to period 0,

    .. math:: \min_{\alpha, \Delta} \sum_{i \ge 1} \bigl(\|\hat F_0 - \hat F_i\|_\infty - \alpha - i \Delta\bigr)^2 .

    The ``trend`` is instead the slope in i of the shares :math:`\hat F_i(y)` themselves, at the level y where it is
    steepest, with every period weighted by its number of observations: all periods are used, each once.

    Parameters
    ----------
    samples : sequence of arrays
        Demands of at least three successive periods, one array each, **the most recent period first**: ``samples[i]``
        is i periods before ``samples[0]``. Sizes may differ; all observations are independent.
    confidence : float
        Probability in (0, 1) with which each of the limits should hold.

    Examples
    --------
    >>> import numpy as np
    >>> periods = [np.arange(200) / 200 - 0.05 * i for i in range(4)]
    >>> estimate = estimate_drift(periods)
    >>> print(f"slope {estimate.slope:.3f}, drift {estimate.drift:.3f}, trend at most {estimate.upper:.3f}")
    slope 0.050, drift 0.032, trend at most 0.091
    """
    periods, level = _as_periods(samples), as_confidence(confidence)
    rows, sizes = [period[None] for period in periods], [period.size for period in periods]
    trend = float(trends(rows)[0])
    below, above = margins(sizes, level)
    distances = np.array([kolmogorov_distances(rows[0], row)[0] for row in rows[1:]])
    intercept, slope = np.polynomial.polynomial.polyfit(np.arange(1, len(rows)), distances, 1)
    return DriftEstimate(
        drift=without_bias(trend, equivalent_size(sizes)),
        lower=max(0.0, trend - below - ROUNDING),
        upper=min(1.0, trend + above + ROUNDING),
        confidence=level,
        trend=trend,
        slope=float(slope),
        intercept=float(intercept),
        distances=tuple(distances.tolist()),
    )


def margins(sizes: Sequence[int], confidence: float) -> tuple[float, float]:
    """How far, at most, the trend exceeds the truth and falls short of it, each with probability ``confidence``."""
    weights, m = trend_weights(sizes), np.asarray(sizes)
    # At the steepest y the shares are means of independent indicators: Hoeffding. In the other direction: McDiarmid
    # around a mean that is at most the weighted sum of the samples' expected distances from their distributions.
    margin = sqrt(-log(1 - confidence) * float((weights**2 / m).sum()) / 2)
    return margin + EXPECTED_NOISE * float((np.abs(weights) / np.sqrt(m)).sum()), margin


def trends(samples: Sequence[Floats], /) -> Floats:
    """The ``trend`` for many repetitions at once: row k of every array belongs to repetition k."""
    sizes = [sample.shape[1] for sample in samples]
    steps = np.repeat(trend_weights(sizes) / sizes, sizes)
    found: Floats = largest_contrasts(np.concatenate(list(samples), axis=1), steps)
    return found


def slopes(distances: Floats, /) -> Floats:
    """The paper's slope for many repetitions: column i - 1 holds the distances of period i from period 0."""
    lags = np.arange(distances.shape[1]) - (distances.shape[1] - 1) / 2
    found: Floats = distances @ (lags / (lags @ lags))
    return found


def trend_weights(sizes: Sequence[int]) -> Floats:
    """The c for which sum c_i F_i is the slope of the weighted least-squares line through the points (i, F_i)."""
    m, i = np.asarray(sizes, dtype=np.float64), np.arange(len(sizes))
    centred = i - (m @ i) / m.sum()
    weights: Floats = m * centred / (m @ centred**2)
    return weights


def equivalent_size(sizes: Sequence[int]) -> int:
    """The common size of two samples whose difference is as noisy as the trend."""
    return max(1, round(2 / float((trend_weights(sizes) ** 2 / np.asarray(sizes)).sum())))


def _as_periods(samples: Sequence[ArrayLike]) -> list[Floats]:
    try:
        periods = [as_sample(sample, f"samples[{i}]") for i, sample in enumerate(samples)]
    except TypeError:
        raise TypeError(f"samples = {samples!r} is not a sequence; give one array of demands per period") from None
    if len(periods) < 3:
        raise InputError(
            f"samples has {len(periods)} periods; a drift needs at least 3, for two use estimate_dissimilarity"
        )
    return periods
