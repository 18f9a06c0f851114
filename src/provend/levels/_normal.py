"""The standard normal law beyond a point: what is left of an error that was cut off there."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr, ndtri_exp

Floats = NDArray[np.float64]


def mean_beyond(u: Floats) -> Floats:
    """The mean of a standard normal variable that exceeds u: density over tail, without dividing 0 by 0 far out."""
    found: Floats = sqrt(2 / pi) / erfcx(u / sqrt(2))
    return found


def variance_beyond(u: Floats) -> Floats:
    """The variance of a standard normal variable that exceeds u; between 0 and 1."""
    mean = mean_beyond(u)
    found: Floats = np.clip(1 - mean * (mean - u), 0.0, 1.0)
    return found


def quantile_beyond(u: Floats, share: Floats) -> Floats:
    """Where a standard normal variable that exceeds u stays with probability ``share``."""
    found: Floats = -ndtri_exp(np.log1p(-share) + log_ndtr(-u))
    return found
