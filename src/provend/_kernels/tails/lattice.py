"""Weighted counts on the integers, at probabilities min(1, t + d_i).

Once a sample's probability has reached 1 the sample is certain: it leaves the recurrence and lowers the thresholds.
"""

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers, Point, PointFunction
from provend._kernels.arithmetic.rounding import NEAR_ONE


def lattice_point(
    d: Floats, w: Integers, thresholds: Integers, probabilities: Floats, low_thresholds: Integers
) -> PointFunction:
    """F(t) = sum_j probabilities_j P(sum_i w_i B(min(1, t + d_i)) >= thresholds_j), also at the low thresholds."""
    from provend._kernels.tails.weighted import lattice_tail

    heaviest_first, ascending = np.argsort(-w, kind="stable"), np.argsort(thresholds, kind="stable")
    d, w = d[heaviest_first], w[heaviest_first]
    thresholds, low_thresholds, probabilities = (
        thresholds[ascending],
        low_thresholds[ascending],
        probabilities[ascending],
    )

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

    nearest_to_one = float(d.max(initial=0.0))
    plain = bool(thresholds[0] > 0 and low_thresholds[0] > 0)

    def evaluate(t: float) -> Point:
        p = t + d
        if plain and t + nearest_to_one < 1 - NEAR_ONE:  # no sample is certain: the same without the bookkeeping
            F, A, B, low = lattice_tail(p, w, thresholds, probabilities, low_thresholds, probabilities)
            return Point(t, F, low, A, B, A, B)
        free = p < 1 - NEAR_ONE
        before = p <= 1 + NEAR_ONE
        right = tails(p[free], w[free], int(w[~free].sum()))
        left = right
        if (before & ~free).any():
            left = tails(np.where(free, p, 1.0)[before], w[before], int(w[~before].sum()))
        return Point(t, right[0], right[3], left[1], left[2], right[1], right[2])

    return evaluate
