"""The best two neighbouring ranks, for many sample sizes at once.

Read rho = R + lam as the R-th smallest with probability 1 - lam and the next with lam. With B an independent
Bernoulli(lam), the low side errs if S + B >= n - R + 1 and the high side if S + (1 - B) >= R + 1. So an adjacent
mixture errs like a *count* with one sample that does not move, for which the tangent of f^(1/r) is as good a bound
as for the others: the proof ("One tangent is enough") holds for every direction in which the samples move.

The low-side supremum rises in rho and the high-side one falls: the best rho is where they meet. With both worst
means held fixed the two sides are piecewise linear in rho; where those lines meet is Newton's next rho.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from provend._kernels.arithmetic.points import NO_KINKS, Floats, Integers, TwoFloats, check_brackets
from provend._kernels.arithmetic.rounding import BETAINC, DENSITY, NEIGHBOURS, PHI, SHIFT, TINY, UNIT, recurrence_error

MOST_ROUNDS, MOST_STEPS = 60, 100
LEVEL = 1e-13  # the two sides count as level within this, relative; BETAINC is larger
FLAT = 1e-8  # |log| of the steepness at which a maximum counts as found: the bound is off by its square

Bools = NDArray[np.bool_]


class Slopes(NamedTuple):
    """f and its derivatives, an entry for each problem."""

    f: Floats
    right: Floats
    left: Floats


class Counts(Protocol):
    """P(at least r successes) for a batch of problems, as a function of x = t + ``start``."""

    n: Integers
    start: float
    error: float
    slope_error: float
    shift: float  # as in ``points.Problem``

    def kinks(self, c: float) -> Floats:
        """Where below t = c some sample becomes certain, ascending."""

    def tail(self, x: Floats, r: Integers) -> Slopes:
        """For 0 <= r <= n + 1."""

    def probability(self, x: Floats, r: Integers) -> Floats:
        """The tail without its derivatives."""


class EqualCounts:
    """n samples at the same d, an entry for each n; x is the success probability itself."""

    error, slope_error, shift = BETAINC, DENSITY, 0.0

    def __init__(self, n: Integers, d: float) -> None:
        self.n, self.start = n, d

    def kinks(self, c: float) -> Floats:
        """All at once, if ever."""
        return np.array([1.0]) if c + self.start > 1 else NO_KINKS

    def probability(self, x: Floats, r: Integers) -> Floats:
        """A regularised incomplete beta function."""
        inside = (r >= 1) & (r <= self.n)
        a = np.where(inside, r, 1).astype(float)
        tail = special.betainc(a, np.where(inside, self.n - r + 1, 1.0), np.minimum(x, 1.0))
        return np.where(inside, tail, (r < 1).astype(float))

    def tail(self, x: Floats, r: Integers) -> Slopes:
        """Its derivative is a beta density."""
        inside, x = (r >= 1) & (r <= self.n), np.minimum(x, 1.0)
        a = np.where(inside, r, 1).astype(float)
        b = np.where(inside, self.n - r + 1, 1.0)
        density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
        left = np.where(inside, density, 0.0)
        return Slopes(self.probability(x, r), np.where(x < 1, left, 0.0), left)


class UnequalCounts:
    """One set of samples at ascending d; x is t."""

    start, shift = 0.0, SHIFT

    def __init__(self, d: Floats) -> None:
        from provend._kernels.tails.counts import slope_of

        self._d, self._slope = d, slope_of
        self.n = np.array([d.size])
        self.error = self.slope_error = recurrence_error(d.size)

    def kinks(self, c: float) -> Floats:
        """One for each sample that becomes certain on the way."""
        return np.unique(1 - self._d[(self._d < 1) & (self._d + c > 1)])

    def tail(self, x: Floats, r: Integers) -> Slopes:
        """Poisson-binomial."""
        f, right, left = self._slope(self._d, int(r[0]), float(x[0]))
        return Slopes(np.array([f]), np.array([right]), np.array([left]))

    def probability(self, x: Floats, r: Integers) -> Floats:
        """The same, of which only f is wanted."""
        return self.tail(x, r).f


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


class _Side:
    """(C - x) f(x) for the count S + B, B ~ Bernoulli(share), at thresholds r."""

    def __init__(self, counts: Counts, c: TwoFloats) -> None:
        self.counts, self.C = counts, c.plus(counts.start)
        self.kinks = counts.kinks(c.high) + 0.0
        self.error = counts.error + NEIGHBOURS

    def gap(self, x: Floats) -> Floats:
        return np.maximum((self.C.high - x) + self.C.low, 0.0)

    def value(self, x: Floats, r: Integers) -> Floats:
        return self.gap(x) * self.counts.probability(x, r)

    def mixed(self, x: Floats, r: Integers, share: Floats) -> Slopes:
        first, second = self.counts.tail(x, r), self.counts.tail(x, r - 1)
        f, right, left = ((1 - share) * a + share * b for a, b in zip(first, second, strict=True))
        return Slopes(f, right, left)

    def maximise(self, r: Integers, share: Floats, x: Floats) -> Floats:
        """Where (C - x) f(x) is largest. Its logarithm is concave: a safeguarded secant method, kinks first."""
        start = self.counts.start
        below, above = np.full(x.shape, start), np.full(x.shape, self.C.high)
        last_x, last_imbalance = np.full(x.shape, np.nan), np.full(x.shape, np.nan)
        found = np.zeros(x.shape, bool)
        guess, x = np.clip(x, start, self.C.high), below
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
        right = np.where(vanishing, np.inf, np.minimum(at.right, 1e290) * gap / safe)
        return right, np.where(vanishing, np.inf, np.minimum(at.left, 1e290) * gap / safe)

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
    excess = np.exp(np.minimum(exponent, 700)) * (1 + PHI * (growth + np.abs(log) + 4))
    return np.where(exponent > 700, np.inf, excess)


class AdjacentProblem:
    """min over rho of the larger of the two suprema, for a batch of counts; c_low = 1 - q, c_high = q."""

    def __init__(self, counts: Counts, c_low: TwoFloats, c_high: TwoFloats) -> None:
        self.n, self.low, self.high = counts.n, _Side(counts, c_low), _Side(counts, c_high)

    def solve(self, start: Best | None = None) -> Best:
        """Safeguarded Newton on low(rho) - high(rho)."""
        size, offset = self.n.size, self.low.counts.start
        q = self.high.C.high - offset
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
        """R and lam at which both sides are level, their worst x held fixed: bisection over R, then linear."""
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
        lam = 1 - (1 - lam)  # now 1 - lam is exact, and both sides speak of the same rho
        a_lower, a_upper = self.low.bracket(low, self.n - R + 1, lam)
        b_lower, b_upper = self.high.bracket(high, R + 1, 1 - lam)
        rise, fall, _ = self._lines(low, high, R)
        with np.errstate(divide="ignore", invalid="ignore"):
            tilt = np.nan_to_num(fall / (rise + fall), nan=0.5)
        best = Best(R, lam, np.minimum(a_lower, b_lower), np.maximum(a_upper, b_upper), low, high, tilt)
        check_brackets(best.lower, best.upper)
        return best


class AdjacentTrials:
    """Brackets of one set of samples after the other; the worst means of the last often rule the next one out."""

    def __init__(self, c_low: TwoFloats, c_high: TwoFloats) -> None:
        self._lengths = c_low, c_high
        self._last: Best | None = None

    def bracket(self, d: Floats, least: float) -> tuple[float, float]:
        """Lower and upper bound of the best value; (lower, inf) where lower exceeds ``least``."""
        trial, last = AdjacentProblem(UnequalCounts(d), *self._lengths), self._last
        if last is not None:
            lower = float(trial.package(*trial.crossing(last.low, last.high), last.low, last.high).lower[0])
            if lower > least:
                return lower, np.inf
        self._last = trial.solve(last)
        return float(self._last.lower[0]), float(self._last.upper[0])
