"""The level of the recent past: what a forecast has missed lately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Floats = NDArray[np.float64]

HALF_LIFE = 15.0  # moments
LEAD = 14  # moments from the last error that is looked at to one's own: orders are placed ahead
PRIOR = 8.0  # moments' worth of no error at all


@dataclass(frozen=True, eq=False)
class Recent:
    """A weighted mean of past errors: before each row, some moments ahead (``past``), and at the end (``latest``)."""

    past: Floats
    latest: float

    @classmethod
    def of(cls, errors: Floats, time: Floats) -> Recent:
        """Of the errors of a forecast that was made without each row; rows of one time are one moment.

        The share that is taken is the one that would have served best, between none and all of it.
        """
        moments, at = np.unique(time, return_inverse=True)
        mean = np.bincount(at.ravel(), errors) / np.bincount(at.ravel())
        fading = [1.0, -(0.5 ** (1 / HALF_LIFE))]
        total, weight = (lfilter([1.0], fading, x) for x in (mean, np.ones(moments.size)))
        smooth = np.concatenate([np.zeros(LEAD), total / (weight + PRIOR)])
        seen = smooth[: moments.size][at.ravel()]
        share = float(np.clip(seen @ errors / max(float(seen @ seen), 1e-300), 0.0, 1.0))
        return cls(share * seen, share * float(smooth[-1]))
