"""One side of Theorem 1: the certified maximum over 0 <= t <= c of (c - t) F(t).

F(t) is the probability that a policy errs when sample i has probability min(1, t + d_i): a mixture of terms, each of
which is one of the classes below. Low side: ones, t = mu, c = 1 - q. High side: zeros, t = 1 - mu, c = q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.points import (
    Floats,
    Integers,
    Maximum,
    PeakProblem,
    Point,
    PointFunction,
    TwoFloats,
    check_brackets,
    count_problem,
)
from provend._kernels.arithmetic.rounding import (
    BETAINC,
    UNIT,
    UNLIKELY,
    constant_error,
    mixture_error,
    recurrence_error,
    weight_slack,
)
from provend._kernels.maximise.branch import attained, branch_and_bound
from provend._kernels.maximise.tangent import maximise_count
from provend._kernels.tails.binomial import BinomialCount, binomial_point, binomial_problem
from provend._kernels.tails.lattice import lattice_point
from provend._kernels.tails.table import table_point

EVALUATIONS = 100_000  # far more than any count or lattice needs
EVALUATIONS_FIRST_ORDER = 4_096  # what a black box gets: its bounds are of first order only


@dataclass(frozen=True)
class CountTerm:
    """sum_j probabilities_j P(at least thresholds_j successes), d ascending."""

    d: Floats
    thresholds: list[int]
    probabilities: list[float]

    @property
    def equal(self) -> bool:
        """Whether the count is binomial."""
        return bool(self.d[0] == self.d[-1])

    @property
    def error(self) -> float:
        """Relative error of a tail inside a mixture, where the probability t + d is rounded before it enters."""
        n = self.d.size
        return BETAINC + recurrence_error(n) if self.equal else recurrence_error(n, n, len(self.thresholds))

    def point(self) -> PointFunction:
        """Evaluate inside a mixture."""
        if not self.equal:
            ones = np.ones(self.d.size, np.int64)
            return LatticeTerm(self.d, ones, self.thresholds, self.probabilities).point()
        tail, d = binomial_point(self.d.size, self.thresholds, self.probabilities), float(self.d[0])
        return lambda t: tail(t + d)._replace(x=t)


class Lattice(NamedTuple):
    """A weighted count on the integers whose tails at ``high`` and ``low``, give or take ``missed``, enclose a term."""

    d: Floats
    w: Integers
    high: Integers
    low: Integers
    missed: float = 0.0


@dataclass(frozen=True)
class LatticeTerm:
    """sum_j probabilities_j P(sum w_i Y_i >= thresholds_j) with positive integer weights."""

    d: Floats
    w: Integers
    thresholds: list[int]
    probabilities: list[float]

    tails = staticmethod(lattice_point)

    @property
    def error(self) -> float:
        """Relative error of a tail."""
        return recurrence_error(self.d.size, int(self.w.sum()), len(self.thresholds))

    def lattice(self) -> Lattice:
        """The count as it is."""
        thresholds = np.array(self.thresholds, np.int64)
        return Lattice(self.d, self.w, thresholds, thresholds)

    def point(self) -> PointFunction:
        """Evaluate inside a mixture."""
        d, w, high, low, _ = self.lattice()
        return self.tails(d, w, high, np.array(self.probabilities), low)


@dataclass(frozen=True)
class RoundedTerm:
    """sum_j probabilities_j P(sum w_i Y_i >= levels_j) with real weights, between two lattice functions.

    Weights and levels are in units of a lattice cell. Rounded to the nearest cell, e_i = w_i - round(w_i), the sum
    moves by sum e_i Y_i, which is bounded above and below: hence a function above and one below, on the same lattice.
    Samples left out may have added up to ``more``.
    """

    d: Floats
    w: Floats
    levels: list[float]
    probabilities: list[float]
    more: float = 0.0

    tails = staticmethod(lattice_point)

    @property
    def error(self) -> float:
        """Relative error of a tail."""
        return recurrence_error(self.d.size, int(self.w.sum()) + self.d.size)

    def lattice(self) -> Lattice:
        """The count in whole cells."""
        cells = np.rint(self.w).astype(np.int64)
        levels, used = np.array(self.levels), cells > 0
        down, up, unlikely = rounding_range(self.w - cells, self.d)
        slack = weight_slack(self.d.size, float(self.w.sum()))  # for the float arithmetic in this method
        high, low = (
            np.minimum(np.ceil(levels - moved), cells.sum() + 1).astype(np.int64)
            for moved in (up + slack + self.more, down - slack)
        )
        return Lattice(self.d[used], cells[used], high, low, unlikely * sum(self.probabilities))

    def point(self) -> PointFunction:
        """Evaluate both functions inside a mixture."""
        d, w, high, low, missed = self.lattice()
        tail = self.tails(d, w, high, np.array(self.probabilities), low)

        def evaluate(t: float) -> Point:
            point = tail(t)
            return point._replace(f=point.f + missed, low=point.low - missed)

        return evaluate

    def estimate(self, t: float) -> float:
        """A second-order estimate of F(t), not a bound."""
        from provend._kernels.tails.weighted import spread_tail

        p = np.minimum(t + self.d, 1.0)
        return float(spread_tail(p, self.w, np.array(self.levels), np.array(self.probabilities)))


def rounding_range(e: Floats, d: Floats) -> tuple[float, float, float]:
    """Bounds on sum e_i Y_i, Y_i ~ Bernoulli(min(1, t + d_i)) for all t in [0, 1], and the probability of leaving them.

    Either what is possible at all, or its mean give or take what Hoeffding's inequality allows, whichever is
    narrower. The mean is piecewise linear in t, so its extremes are at the ends and the kinks.
    """
    by_d = np.argsort(d)
    e, d = e[by_d], d[by_d]
    kinks = np.concatenate([[0.0], 1 - d])
    free = np.searchsorted(d, 1 - kinks)  # samples below that have not reached 1 at the kink
    sums, products = np.concatenate([[0.0], np.cumsum(e)]), np.concatenate([[0.0], np.cumsum(e * d)])
    means = kinks * sums[free] + products[free] + (sums[-1] - sums[free])
    reach = sqrt(float(e @ e) * log(1 / UNLIKELY) / 2)
    likely = float(means.min()) - reach, float(means.max()) + reach
    possible = float(e[e < 0].sum()), float(e[e > 0].sum())
    return (*likely, UNLIKELY) if likely[1] - likely[0] < possible[1] - possible[0] else (*possible, 0.0)


@dataclass(frozen=True)
class TableTerm:
    """E[table(Y)] for a non-decreasing function of at most twenty samples."""

    d: Floats
    table: NDArray[np.float64]

    @property
    def error(self) -> float:
        """Relative error of the expectation."""
        return recurrence_error(self.d.size)

    def point(self) -> PointFunction:
        """Evaluate inside a mixture."""
        return table_point(self.d, self.table)


@dataclass(frozen=True)
class BlackBoxTerm:
    """probability * f(t) for a function that is only known to be non-decreasing."""

    function: Callable[[float], float]
    probability: float
    d: Floats = field(default_factory=lambda: np.ones(0))
    error: float = 0.0

    def point(self) -> PointFunction:
        """Evaluate inside a mixture: no derivative is known."""

        def evaluate(t: float) -> Point:
            f = self.probability * self.function(t)
            return Point(t, f, f, inf, 0.0, 0.0, 0.0)

        return evaluate


@dataclass(frozen=True)
class ConstantTerm:
    """A probability that does not depend on t."""

    value: float
    d: Floats = field(default_factory=lambda: np.ones(0))
    error: float = UNIT

    def point(self) -> PointFunction:
        """Evaluate inside a mixture."""
        return lambda t: Point(t, self.value, self.value, 0.0, 0.0, 0.0, 0.0)


Term = CountTerm | LatticeTerm | RoundedTerm | TableTerm | BlackBoxTerm | ConstantTerm


def count_terms(d: Floats, thresholds: Sequence[int], probabilities: Sequence[float]) -> list[Term]:
    """An unweighted count, d ascending, freed of what is certain: samples at d >= 1, thresholds met or out of reach."""
    saturated = 0 if d.size and d[-1] < 1 else d.size - int(np.searchsorted(d, 1.0))
    free = d.size - saturated
    certain, needed, shares = 0.0, [], []
    for threshold, probability in zip(thresholds, probabilities, strict=True):
        if threshold <= saturated:
            certain += probability
        elif threshold - saturated <= free:
            needed.append(threshold - saturated)
            shares.append(probability)
    if not needed:
        return [ConstantTerm(certain)]
    count = CountTerm(d[:free] if saturated else d, needed, shares)
    return [count, ConstantTerm(certain)] if certain else [count]


def maximise_side(terms: Sequence[Term], c: TwoFloats, *, rtol: float, floor: float) -> Maximum:
    """Bracket the maximum of (c - t) F(t); ``floor`` is a value the caller already has from the other side."""
    found = _maximise(terms, c, rtol=rtol, floor=floor)
    check_brackets(found.lower, found.upper)
    return found


def _maximise(terms: Sequence[Term], c: TwoFloats, *, rtol: float, floor: float) -> Maximum:
    if len(terms) == 1 and isinstance(terms[0], CountTerm) and terms[0].probabilities == [1.0]:
        return _maximise_count(terms[0], c, rtol=rtol, floor=floor)
    if all(isinstance(term, ConstantTerm) for term in terms):
        total = c.value * sum(term.value for term in terms if isinstance(term, ConstantTerm))
        error = constant_error(len(terms))
        return Maximum(total * (1 - error), total * (1 + error), 0.0, 0)
    problem = _mixture_problem(terms, c)
    first_order = any(isinstance(term, BlackBoxTerm) for term in terms)
    budget = EVALUATIONS_FIRST_ORDER if first_order else EVALUATIONS
    return branch_and_bound(problem, mixture_point(terms), rtol=rtol, floor=floor, budget=budget)


def attained_at(terms: Sequence[Term], c: TwoFloats, t: float) -> float:
    """What (c - t) F(t) surely reaches at one t: a lower bound of its maximum."""
    return attained(_mixture_problem(terms, c), mixture_point(terms)(t))


def _mixture_problem(terms: Sequence[Term], c: TwoFloats) -> PeakProblem:
    d = np.sort(np.concatenate([term.d for term in terms]))
    return count_problem(d, c, max(term.error for term in terms) + mixture_error(len(terms)))


def mixture_point(terms: Sequence[Term]) -> PointFunction:
    """The sum of the terms at a point."""
    points = [term.point() for term in terms]
    if len(points) == 1:
        return points[0]

    def evaluate(t: float) -> Point:
        return Point(t, *map(sum, zip(*(point(t)[1:] for point in points), strict=True)))

    return evaluate


def _maximise_count(term: CountTerm, c: TwoFloats, *, rtol: float, floor: float) -> Maximum:
    (r,) = term.thresholds
    if term.equal:
        problem = binomial_problem(c, float(term.d[0]))
        found = maximise_count(problem, BinomialCount(term.d.size, r), rtol, floor)
        return found._replace(x=max(0.0, found.x - problem.start))
    from provend._kernels.maximise.successes import maximise_successes

    return maximise_successes(term.d, r, c, rtol, floor)
