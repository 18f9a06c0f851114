"""Where a non-decreasing probability first exceeds a level: tolerance limits, certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from provend._kernels.arithmetic.halving import last_positive
from provend._kernels.arithmetic.points import check_brackets
from provend._kernels.arithmetic.rounding import OUTWARD, UNIT, mixture_error
from provend._kernels.integrals.rounded import without_lightest
from provend._kernels.integrals.terms import values_of
from provend._kernels.maximise.side import CountTerm, LatticeTerm, RoundedTerm, Term
from provend._kernels.tails.binomial import binomial_point
from provend._kernels.tails.lattice import lattice_point
from provend.certificate import Bracket

HALVINGS = 50  # down to a width of 1e-15

Ends = Callable[[float], tuple[float, float]]  # from a point to the lower and the upper end of a probability there


def first_exceeded(terms: Sequence[Term], level: Fraction) -> Bracket[float]:
    """The t in [0, 1] up to which F is below the level and beyond which it is above; 1 if it never is.

    Errors of F are relative. Where the level is nearly 1 they would leave it open for long whether F exceeds it; there
    the chance of the contrary is looked at instead, with 1 - t in place of t.
    """
    error = max(term.error for term in terms) + mixture_error(len(terms)) + 2 * UNIT
    if 2 * level > 1 and (contrary := _contrary(terms)) is not None:
        found = _first_exceeded(contrary, error, float(1 - level))
        return complement(found.lower, found.upper)
    return _first_exceeded(_ends(terms), error, float(level))


def complement(lower: float, upper: float) -> Bracket[float]:
    """One minus the bracket [lower, upper], rounded outwards within [0, 1]; exact where an end is 0 or 1."""
    least = 1.0 if upper == 0 else max(1 - upper - OUTWARD, 0.0)
    return Bracket(least, 0.0 if lower == 1 else min(1 - lower + OUTWARD, 1.0))


def _first_exceeded(ends: Ends, error: float, goal: float) -> Bracket[float]:
    lower = last_positive(lambda t: goal - ends(t)[1] * (1 + error), HALVINGS)
    upper = 1 - last_positive(lambda s: ends(1 - s)[0] * (1 - error) - goal, HALVINGS)
    check_brackets(lower, upper)
    return Bracket(lower, upper)


def _ends(terms: Sequence[Term]) -> Ends:
    """Both ends of a mixture at a point."""
    each = [values_of(without_lightest(term) if isinstance(term, RoundedTerm) else term) for term in terms]

    def ends(t: float) -> tuple[float, float]:
        found = [values(np.array([t])) for values in each]
        return sum(float(low[0]) for low, _ in found), sum(float(high[0]) for _, high in found)

    return ends


def _contrary(terms: Sequence[Term]) -> Ends | None:
    """1 - F(1 - s) of a single count, which is one, too: enough zeros, each of probability max(0, s - d_i)."""
    term = terms[0]
    if len(terms) > 1 or not isinstance(term, CountTerm | LatticeTerm) or term.probabilities != [1.0]:
        return None
    if isinstance(term, LatticeTerm) and term.tails is not lattice_point:
        return None  # very many samples: only a band of the lattice is computed
    d, w = term.d, term.w if isinstance(term, LatticeTerm) else np.ones(term.d.size, np.int64)
    zeros = int(w.sum()) - term.thresholds[0] + 1
    if isinstance(term, CountTerm) and term.equal:
        tail = binomial_point(d.size, [zeros], [1.0])
        return lambda s: (tail(max(s - float(d[0]), 0.0)).f,) * 2
    from provend._kernels.tails.weighted_many import weighted_tails

    def ends(s: float) -> tuple[float, float]:
        likely = d < s
        found = weighted_tails(s - d[likely], w[likely], np.array([zeros]), np.zeros(1)) if likely.any() else 0.0
        return (float(np.sum(found)),) * 2

    return ends
