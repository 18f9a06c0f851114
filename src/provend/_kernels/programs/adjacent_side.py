"""One side of an adjacent mixture: a count with one sample that does not move, and the tangent bound on its maximum."""

from __future__ import annotations

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats
from provend._kernels.arithmetic.rounding import NEIGHBOURS, PHI, TINY, UNIT
from provend._kernels.programs.adjacent_counts import Counts, Slopes

MOST_STEPS = 100
FLAT = 1e-8  # |log| of the steepness at which a maximum counts as found: the bound is off by its square
STEEPEST = 1e290  # slopes are cut off here, so that products with them stay finite
LARGEST = 700.0  # exponent: what would overflow is infinite


class AdjacentSide:
    """(C - x) f(x) for the count S + B, B ~ Bernoulli(share), at thresholds r."""

    def __init__(self, counts: Counts, c: TwoFloats) -> None:
        self.counts, self.C = counts, c.plus(counts.start)
        self.kinks = counts.kinks(c.value) + 0.0
        self.error = counts.error + NEIGHBOURS

    def gap(self, x: Floats) -> Floats:
        return np.maximum((self.C.value - x) + self.C.rest, 0.0)

    def value(self, x: Floats, r: Integers) -> Floats:
        return self.gap(x) * self.counts.probability(x, r)

    def mixed(self, x: Floats, r: Integers, share: Floats) -> Slopes:
        first, second = self.counts.tail(x, r), self.counts.tail(x, r - 1)
        f, right, left = ((1 - share) * a + share * b for a, b in zip(first, second, strict=True))
        return Slopes(f, right, left)

    def maximise(self, r: Integers, share: Floats, x: Floats) -> Floats:
        """Where (C - x) f(x) is largest. Its logarithm is concave: a safeguarded secant method, kinks first."""
        start = self.counts.start
        below, above = np.full(x.shape, start), np.full(x.shape, self.C.value)
        last_x, last_imbalance = np.full(x.shape, np.nan), np.full(x.shape, np.nan)
        found = np.zeros(x.shape, bool)
        guess, x = np.clip(x, start, self.C.value), below
        for step_number in range(MOST_STEPS):
            rising, falling = self._steepness(x, r, share)
            up, down = ~found & (rising > 1), ~found & (falling < 1) & (x > start)
            below, above = np.where(up, x, below), np.where(down, x, above)
            with np.errstate(divide="ignore", invalid="ignore"):
                imbalance = np.log(np.where(up, rising, falling))
                rate = (imbalance - last_imbalance) / (x - last_x)
                step = x - imbalance / rate
            found |= ~(up | down) | (np.abs(imbalance) < FLAT) | (above - below <= 4 * UNIT * above)
            if found.all():
                break
            last_x, last_imbalance = x, imbalance
            x = np.where(found, x, self._next(below, above, guess if step_number == 0 else step))
        return x

    def _steepness(self, x: Floats, r: Integers, share: Floats) -> tuple[Floats, Floats]:
        """(C - x) f'(x) / f(x) from the right and from the left: 1 at a maximum."""
        at, gap = self.mixed(x, r, share), self.gap(x)
        safe = np.maximum(at.f, TINY)
        vanishing = (at.f < TINY) & (gap > 0)
        right = np.where(vanishing, np.inf, np.minimum(at.right, STEEPEST) * gap / safe)
        return right, np.where(vanishing, np.inf, np.minimum(at.left, STEEPEST) * gap / safe)

    def _next(self, below: Floats, above: Floats, step: Floats) -> Floats:
        """``step``, moved into the bracket and onto a kink inside it."""
        step = np.where((step > below) & (step < above), step, (below + above) / 2)
        if self.kinks.size == 0:
            return step
        first = np.searchsorted(self.kinks, below, "right")
        last = np.searchsorted(self.kinks, above) - 1
        place = np.clip(np.searchsorted(self.kinks, step), first, last)
        return np.where(first <= last, self.kinks[np.clip(place, 0, self.kinks.size - 1)], step)

    def bracket(self, x: Floats, r: Integers, share: Floats) -> tuple[Floats, Floats]:
        """(C - x) f(x) rounded down, and the tangent bound on its maximum, as in ``tangent.tangent_bound``."""
        at = self.mixed(x, r, share)
        lower = np.where(at.f > TINY, self.gap(x) * at.f * (1 - self.error), 0.0)
        gap = self.gap(x) + self.counts.shift
        value = gap * at.f
        with np.errstate(divide="ignore", invalid="ignore"):
            steepness = np.minimum(np.maximum(at.f / gap, at.right), at.left) * gap / at.f
            spread = 2 * self.counts.slope_error + 2 * self.error
            excess = np.maximum(_excess(steepness * (1 - spread), r), _excess(steepness * (1 + spread), r))
            falls = (steepness <= 1) & (x == self.counts.start)
            excess = np.where(falls, _excess(np.full(x.shape, 1 + spread), r), excess)
        upper = value * (1 + self.error) * excess
        return lower, np.where((at.f > TINY) & np.isfinite(upper), upper, np.inf)


def _excess(steepness: Floats, r: Integers) -> Floats:
    """phi(steepness / r) of ``tangent.tangent_bound``, rounded up."""
    growth = (r + 1) * np.log1p(steepness / r)
    log = np.log(steepness)
    exponent = growth - (r + 1) * np.log1p(1 / r) - log
    excess = np.exp(np.minimum(exponent, LARGEST)) * (1 + PHI * (growth + np.abs(log) + 4))
    return np.where(exponent > LARGEST, np.inf, excess)
