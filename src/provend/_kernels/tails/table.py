"""Any monotone 0/1 function of at most twenty samples, by folding its table one sample at a time."""

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.points import Floats, Point, PointFunction
from provend._kernels.arithmetic.rounding import NEAR_ONE

MOST_SAMPLES = 20


def table_point(d: Floats, table: Floats) -> PointFunction:
    """F(t) = E[table(Y)], Y_i ~ Bernoulli(min(1, t + d_i)), the first sample being the highest bit of the index."""

    def fold(p: Floats, moving: NDArray[np.bool_]) -> tuple[float, float, float]:
        """F, and the sums over the ``moving`` samples of F with that sample at one and at zero."""
        F = table
        A = B = np.zeros(1)
        for x, moves in zip(p, moving, strict=True):
            F0, F1 = F[: F.size // 2], F[F.size // 2 :]
            if A.size > 1:
                A0, A1, B0, B1 = A[: F0.size], A[F0.size :], B[: F0.size], B[F0.size :]
                A, B = A0 * (1 - x) + A1 * x, B0 * (1 - x) + B1 * x
            if moves:
                A, B = A + F1, B + F0
            F = F0 * (1 - x) + F1 * x
        return float(F[0]), float(A[0]), float(B[0])

    def evaluate(t: float) -> Point:
        p = np.minimum(t + d, 1.0)
        free = t + d < 1 - NEAR_ONE
        before = t + d <= 1 + NEAR_ONE
        p[~free] = 1.0
        f, a_right, b_right = fold(p, free)
        a_left, b_left = (a_right, b_right) if (free == before).all() else fold(p, before)[1:]
        return Point(t, f, f, a_left, b_left, a_right, b_right)

    return evaluate
