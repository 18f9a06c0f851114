"""The best two neighbouring ranks, for many sample sizes at once.

Read rho = R + lam as the R-th smallest with probability 1 - lam and the next with lam. With B an independent
Bernoulli(lam), the low side errs if S + B >= n - R + 1 and the high side if S + (1 - B) >= R + 1. So an adjacent
mixture errs like a *count* with one sample that does not move, for which the tangent of f^(1/r) is as valid a bound
as for an ordinary one: the proof ("One tangent is enough") holds for every direction in which the samples move.

The low-side supremum rises in rho and the high-side one falls: the best rho is where they meet. With both worst
means held fixed the two sides are piecewise linear in rho; where those lines meet is Newton's next rho.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats, check_brackets
from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.programs.adjacent_counts import Counts, UnequalCounts
from provend._kernels.programs.adjacent_side import AdjacentSide

MOST_ROUNDS = 60
LEVEL = 1e-13  # relative difference within which the two sides count as equal; BETAINC is larger


class Best(NamedTuple):
    """For each problem the best adjacent mixture, rank R with probability 1 - lam and R + 1 with lam.

    ``lower <= min over rho of the worst case <= upper``; ``low`` and ``high`` are the worst x on either side, and
    ``tilt`` is the probability of the low one under which R and R + 1 are equally good.
    """

    R: Integers
    lam: Floats
    lower: Floats
    upper: Floats
    low: Floats
    high: Floats
    tilt: Floats


class AdjacentProblem:
    """min over rho of the larger of the two suprema, for a batch of counts; c_low = 1 - q, c_high = q."""

    def __init__(self, counts: Counts, c_low: TwoFloats, c_high: TwoFloats) -> None:
        self.n, self.low, self.high = counts.n, AdjacentSide(counts, c_low), AdjacentSide(counts, c_high)

    def solve(self, start: Best | None = None) -> Best:
        """Safeguarded Newton on low(rho) - high(rho)."""
        size, offset = self.n.size, self.low.counts.start
        q = self.high.C.value - offset
        rho = (self.n + 1) * q if start is None else start.R + start.lam + q
        x = np.minimum(offset + (1 - q) / 2, 1), np.minimum(offset + q / 2, 1)
        low, high = (np.full(size, x[0]), np.full(size, x[1])) if start is None else (start.low, start.high)
        least, most = np.zeros(size), self.n + 1.0
        for _ in range(MOST_ROUNDS):
            R = np.minimum(rho.astype(np.int64), self.n)
            lam = np.asarray(rho - R, np.float64)
            low = self.low.maximise(self.n - R + 1, lam, low)
            high = self.high.maximise(R + 1, 1 - lam, high)
            a, b = self._values(low, high, R, lam)
            least, most = np.where(a <= b, rho, least), np.where(a >= b, rho, most)
            level = (np.abs(a - b) <= LEVEL * np.maximum(a, b)) | (most - least <= 4 * UNIT * most)
            if level.all():
                break
            step = np.add(*self.crossing(low, high))
            inside = (step > least) & (step < most)
            rho = np.where(level, rho, np.where(inside, step, (least + most) / 2))
        return self.package(R, lam, low, high)

    def _values(self, low: Floats, high: Floats, R: Integers, lam: Floats) -> tuple[Floats, Floats]:
        a = (1 - lam) * self.low.value(low, self.n - R + 1) + lam * self.low.value(low, self.n - R)
        b = (1 - lam) * self.high.value(high, R) + lam * self.high.value(high, R + 1)
        return a, b

    def crossing(self, low: Floats, high: Floats) -> tuple[Integers, Floats]:
        """R and lam at which both sides are equal, with their worst x held fixed: bisection over R, then linear."""
        least, most = np.zeros_like(self.n), self.n + 1
        while (most - least > 1).any():
            middle = (least + most) // 2
            below = self.low.value(low, self.n - middle + 1) <= self.high.value(high, middle)
            least, most = np.where(below, middle, least), np.where(below, most, middle)
        rise, fall, apart = self._lines(low, high, least)
        with np.errstate(divide="ignore", invalid="ignore"):
            lam = np.nan_to_num(apart / (rise + fall), nan=0.5)
        return least, np.clip(lam, 0.0, 1.0)

    def _lines(self, low: Floats, high: Floats, R: Integers) -> tuple[Floats, Floats, Floats]:
        """Between R and R + 1: how much the low side rises, the high side falls, and how far apart they are at R."""
        a, b = self.low.value(low, self.n - R + 1), self.high.value(high, R)
        return self.low.value(low, self.n - R) - a, b - self.high.value(high, R + 1), b - a

    def package(self, R: Integers, lam: Floats, low: Floats, high: Floats) -> Best:
        """Certify: whatever rho is chosen, one of the two worst x costs at least what both cost here."""
        lam = 1 - (1 - lam)  # now 1 - lam is exact, and both sides use the same rho
        a_lower, a_upper = self.low.bracket(low, self.n - R + 1, lam)
        b_lower, b_upper = self.high.bracket(high, R + 1, 1 - lam)
        rise, fall, _ = self._lines(low, high, R)
        with np.errstate(divide="ignore", invalid="ignore"):
            tilt = np.nan_to_num(fall / (rise + fall), nan=0.5)
        best = Best(R, lam, np.minimum(a_lower, b_lower), np.maximum(a_upper, b_upper), low, high, tilt)
        check_brackets(best.lower, best.upper)
        return best


class AdjacentTrials:
    """Brackets for one set of samples after another; the worst means of one set often rule out the next."""

    def __init__(self, c_low: TwoFloats, c_high: TwoFloats) -> None:
        self._lengths = c_low, c_high
        self._last: Best | None = None

    def bracket(self, d: Floats, least: float) -> tuple[float, float]:
        """Lower and upper bounds of the best value; (lower, inf) if lower exceeds ``least``."""
        trial, last = AdjacentProblem(UnequalCounts(d), *self._lengths), self._last
        if last is not None:
            lower = float(trial.package(*trial.crossing(last.low, last.high), last.low, last.high).lower[0])
            if lower > least:
                return lower, np.inf
        self._last = trial.solve(last)
        return float(self._last.lower[0]), float(self._last.upper[0])
