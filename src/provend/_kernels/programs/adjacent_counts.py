"""Counts of successes for which neighbouring ranks are mixed, many sample sizes at once."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from scipy import special

from provend._kernels.arithmetic.points import NO_KINKS, Floats, Integers
from provend._kernels.arithmetic.rounding import BETAINC, DENSITY, SHIFT, recurrence_error


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
    shift: float  # as in ``points.PeakProblem``

    def kinks(self, c: float) -> Floats:
        """The x below t = c at which some sample becomes certain, ascending."""

    def tail(self, x: Floats, r: Integers) -> Slopes:
        """The tail with its derivatives, for 0 <= r <= n + 1."""

    def probability(self, x: Floats, r: Integers) -> Floats:
        """The tail without its derivatives."""


class EqualCounts:
    """n samples at the same d, an entry for each n; x is the success probability itself."""

    error, slope_error, shift = BETAINC, DENSITY, 0.0

    def __init__(self, n: Integers, d: float) -> None:
        self.n, self.start = n, d

    def kinks(self, c: float) -> Floats:
        """One at most: all samples become certain together, if at all."""
        return np.array([1.0]) if c + self.start > 1 else NO_KINKS

    def probability(self, x: Floats, r: Integers) -> Floats:
        """The tail, a regularised incomplete beta function."""
        inside = (r >= 1) & (r <= self.n)
        a = np.where(inside, r, 1).astype(float)
        tail = special.betainc(a, np.where(inside, self.n - r + 1, 1.0), np.minimum(x, 1.0))
        return np.where(inside, tail, (r < 1).astype(float))

    def tail(self, x: Floats, r: Integers) -> Slopes:
        """The tail with its derivatives, which are a beta density."""
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
        """The Poisson-binomial tail with its derivatives."""
        f, right, left = self._slope(self._d, int(r[0]), float(x[0]))
        return Slopes(np.array([f]), np.array([right]), np.array([left]))

    def probability(self, x: Floats, r: Integers) -> Floats:
        """The tail without its derivatives."""
        return self.tail(x, r).f
