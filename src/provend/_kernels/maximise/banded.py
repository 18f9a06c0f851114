"""Weighted counts of many samples: most of the lattice is never reached, and what is hardly ever reached is left out.

The mass left out is counted. Tails and their derivatives then lie between what is there and that plus what is
missing; a ``Point`` has room for both ends.
"""

from dataclasses import dataclass

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers, Point, PointFunction
from provend._kernels.arithmetic.rounding import NEAR_ONE
from provend._kernels.maximise.side import LatticeTerm, RoundedTerm

LARGE = 2**23  # samples times cells from which this pays
MANY = 256  # samples below which a real-weighted count fills its lattice


def banded_point(
    d: Floats, w: Integers, thresholds: Integers, probabilities: Floats, low_thresholds: Integers
) -> PointFunction:
    """``lattice_point`` up to a missing mass: ``f`` and the left slopes are bounds from above, the rest from below."""
    from provend._kernels.tails.weighted_band import banded_tail

    lightest_first, ascending = np.argsort(w, kind="stable"), np.argsort(thresholds, kind="stable")
    d, w, probabilities = d[lightest_first], w[lightest_first], probabilities[ascending]
    thresholds, low_thresholds = thresholds[ascending], low_thresholds[ascending]

    def tails(p: Floats, w: Integers, certain: int) -> tuple[Floats, Floats, float]:
        """F, A and B from below, the most they lack, and the low F, when samples of weight ``certain`` are ones."""
        met, low_met = thresholds <= certain, low_thresholds <= certain
        f, low = float(probabilities[met].sum()), float(probabilities[low_met].sum())
        if p.size == 0 or low_met.all():
            return f * np.array([1.0, p.size, p.size]), np.zeros(3), low
        *found, low_F = banded_tail(
            p,
            w,
            np.maximum(thresholds - certain, 1),
            np.where(met, 0.0, probabilities),
            np.maximum(low_thresholds - certain, 1),
            np.where(low_met, 0.0, probabilities),
        )
        total = float(probabilities.sum())
        return np.array(found[:3]) + f * np.array([1.0, p.size, p.size]), total * np.array(found[3:]), low + low_F

    def evaluate(t: float) -> Point:
        p = t + d
        free, before = p < 1 - NEAR_ONE, p <= 1 + NEAR_ONE
        (f, a, b), missing, low = tails(p[free], w[free], int(w[~free].sum()))
        _, a_left, b_left = np.array([f, a, b]) + missing
        if (before & ~free).any():
            at_kink, more, _ = tails(np.where(free, p, 1.0)[before], w[before], int(w[~before].sum()))
            _, a_left, b_left = at_kink + more
        return Point(t, float(f + missing[0]), low, float(a_left), float(b_left), float(a), float(b))

    return evaluate


def band(w: Integers) -> float:
    """About how many cells hold mass while samples enter: some standard deviations either side of the mean."""
    return 7 * float(np.sqrt(np.square(w.astype(np.float64)).sum()))


@dataclass(frozen=True)
class BandedTerm(LatticeTerm):
    """A ``LatticeTerm`` of many steps."""

    tails = staticmethod(banded_point)


@dataclass(frozen=True)
class BandedRoundedTerm(RoundedTerm):
    """A ``RoundedTerm`` of many samples."""

    tails = staticmethod(banded_point)
