"""The level of the recent past: what a forecast has missed lately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from provend._kernels.arithmetic.sorting import median
from provend.levels._runs import Moments

Floats = NDArray[np.float64]

HALF_LIFE = 15.0  # moments
FADING = 1.0, -(0.5 ** (1 / HALF_LIFE))
LEADS = 14, 56, 224  # moments from the last error used to the row itself: orders are placed ahead of time
REACH = 28, 112  # moments ahead up to which each lead, except the last, is used
PRIOR = 8.0  # this many moments without any error are added


@dataclass(frozen=True, eq=False)
class Fading:
    """The moment of each row (``at``), how many rows each has, and how much those up to it weigh once they fade."""

    at: NDArray[np.intp]
    rows: NDArray[np.intp]
    weight: Floats
    last: float
    step: float

    @classmethod
    def of(cls, moments: Moments) -> Fading:
        """What all errors of these moments share."""
        times, at = moments.times, moments.at
        step = median(np.diff(times)) if times.size > 1 else 1.0
        weight = lfilter([1.0], FADING, np.ones(times.size))
        return cls(at, np.bincount(at), weight, float(times[-1]), step)


@dataclass(frozen=True, eq=False)
class Recent:
    """A weighted mean of past errors, in the share that would have served best: one for each lead, between 0 and 1.

    ``pasts`` holds what it adds to each past row, a line per lead, and ``ahead`` what it adds after the ``last`` time.
    """

    pasts: Floats
    ahead: Floats
    last: float
    step: float

    @classmethod
    def of(cls, errors: Floats, fading: Fading) -> Recent:
        """Learn from the errors of forecasts made without each row."""
        mean = np.bincount(fading.at, errors) / fading.rows
        smooth = lfilter([1.0], FADING, mean) / (fading.weight + PRIOR)
        seen = [np.concatenate([np.zeros(lead), smooth])[fading.at] for lead in LEADS]
        best = [np.clip(one @ errors / max(float(one @ one), 1e-300), 0.0, 1.0) for one in seen]
        shares = np.minimum.accumulate(best)
        return cls(shares[:, None] * seen, shares * float(smooth[-1]), fading.last, fading.step)

    def beside(self, other: Recent, share: float) -> Recent:
        """What both add, the other one in a share of the whole."""
        pasts, ahead = (1 - share) * self.pasts + share * other.pasts, (1 - share) * self.ahead + share * other.ahead
        return Recent(pasts, ahead, self.last, self.step)

    @property
    def past(self) -> Floats:
        """What is added to each row when orders are placed soon."""
        soon: Floats = self.pasts[0]
        return soon

    def at(self, time: Floats) -> Floats:
        """What is added at each time: the further ahead, the less."""
        added: Floats = self.ahead[np.searchsorted(REACH, (time - self.last) / self.step)]
        return added
