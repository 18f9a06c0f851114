"""Tails for unequal dissimilarities or weights: samples that saturate, and the compiled recurrences.

A sample's probability is min(1, t + d). Once it has reached 1 the sample is certain: it leaves the recurrence and
lowers the threshold. Within a few roundings of 1 it counts as being exactly at its kink.
"""

import numpy as np
from numpy.typing import NDArray

from provend._kernels.points import Point, PointFunction, Slope, SlopeFunction
from provend._kernels.rounding import UNIT
from provend._kernels.tangent import Moments

NEAR_ONE = 4 * UNIT

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def count_moments(d: Floats) -> Moments:
    """Sums for the normal approximation."""
    return Moments(d.size, float(d.sum()), float(d @ d))


def count_slope(d: Floats, r: int) -> SlopeFunction:
    """f(t) = P(at least r successes), probabilities min(1, t + d_i), d ascending."""
    from provend._kernels.compiled import count_tail

    largest = float(d[-1])

    def evaluate(t: float) -> Slope:
        free = at_kink = 0
        if t + largest < 1 - NEAR_ONE:
            free = d.size
        else:
            p = t + d
            free = int(np.searchsorted(p, 1 - NEAR_ONE))
            at_kink = int(np.searchsorted(p, 1 + NEAR_ONE, "right")) - free
        needed = r - (d.size - free)
        if needed <= 0:
            # Certain. With one success more than certain at the kink, the left slope is that of the last one missing.
            missing = at_kink if needed == 0 else 0
            if missing and free:
                missing *= float(np.prod(1 - (t + d[:free])))
            return Slope(1.0, 0.0, float(missing))
        if needed > free:
            return Slope(0.0, 0.0, 0.0)
        f, slope, exactly = count_tail(t + d[:free], needed)
        return Slope(f, slope, slope + at_kink * exactly)

    return evaluate


def lattice_point(
    d: Floats, w: Integers, thresholds: Integers, probabilities: Floats, low_thresholds: Integers
) -> PointFunction:
    """F(t) = sum_j probabilities_j P(sum_i w_i B(min(1, t + d_i)) >= thresholds_j), thresholds ascending."""
    from provend._kernels.compiled import lattice_tail

    heaviest_first = np.argsort(-w, kind="stable")
    d, w = d[heaviest_first], w[heaviest_first]

    def tails(p: Floats, w: Integers, certain: int) -> tuple[float, float, float, float]:
        """F, A, B and the low F when samples of total weight ``certain`` are ones."""
        met, low_met = thresholds <= certain, low_thresholds <= certain
        f, low = float(probabilities[met].sum()), float(probabilities[low_met].sum())
        if p.size == 0 or low_met.all():
            return f, p.size * f, p.size * f, low
        # A threshold already met is moved to 1 with probability 0; the others keep their place.
        F, A, B, low_F = lattice_tail(
            p,
            w,
            np.maximum(thresholds - certain, 1),
            np.where(met, 0.0, probabilities),
            np.maximum(low_thresholds - certain, 1),
            np.where(low_met, 0.0, probabilities),
        )
        return f + F, p.size * f + A, p.size * f + B, low + low_F

    def evaluate(t: float) -> Point:
        p = t + d
        free = p < 1 - NEAR_ONE
        before = p <= 1 + NEAR_ONE
        right = tails(p[free], w[free], int(w[~free].sum()))
        left = right
        if (before & ~free).any():
            left = tails(np.where(free, p, 1.0)[before], w[before], int(w[~before].sum()))
        return Point(t, right[0], right[3], left[1], left[2], right[1], right[2])

    return evaluate
