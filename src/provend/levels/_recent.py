"""The level of the recent past: what a forecast has missed lately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Floats = NDArray[np.float64]

HALF_LIFE = 15.0  # rows
LEAD = 14  # rows before one's own that are not looked at: orders are placed ahead
PRIOR = 8.0  # rows' worth of no error at all


@dataclass(frozen=True, eq=False)
class Recent:
    """A weighted mean of past errors: before each row, some rows ahead (``past``), and at the end (``latest``)."""

    past: Floats
    latest: float

    @classmethod
    def of(cls, errors: Floats, time: Floats) -> Recent:
        """Of the errors of a forecast that was made without each row, at the times given.

        The share that is taken is the one that would have served best, between none and all of it.
        """
        oldest_first = np.argsort(time, kind="stable")
        fading = [1.0, -(0.5 ** (1 / HALF_LIFE))]
        total, weight = (lfilter([1.0], fading, x) for x in (errors[oldest_first], np.ones(errors.size)))
        smooth = np.concatenate([np.zeros(LEAD), total / (weight + PRIOR)])
        seen, known = smooth[: errors.size], errors[oldest_first]
        share = float(np.clip(seen @ known / max(seen @ seen, 1e-300), 0.0, 1.0))
        past = np.empty(errors.size)
        past[oldest_first] = share * seen
        return cls(past, share * float(smooth[-1]))
