"""Certified integrals over 0 <= t <= 1 of F(t), a mixture of terms: the counterpart of ``maximise_side``.

F(t) is the probability of an event that is monotone in samples with probabilities min(1, t + d_i). It does not fall,
and between the kinks t = 1 - d_i it is a polynomial.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from provend._kernels.arithmetic.gauss import nodes_and_weights, pieces
from provend._kernels.arithmetic.halving import last_where
from provend._kernels.arithmetic.points import Floats, Integers, check_brackets
from provend._kernels.arithmetic.rounding import BETAINC, CLOSED_FORM, UNIT, integral_error, recurrence_error
from provend._kernels.maximise.side import BlackBoxTerm, ConstantTerm, CountTerm, LatticeTerm, RoundedTerm, Term
from provend._kernels.tails.lattice import lattice_point

CELLS = 4096  # of the plain sums for a function only known to be non-decreasing
NEGLIGIBLE = 1e-13  # probability: where F is closer than this to its value at an end, it is not evaluated
HALVINGS = 12  # to find out where that is
FEW = 2048  # evaluations of an unweighted count that are not worth saving

Values = Callable[[Floats], tuple[Floats, Floats]]  # from points to lower and upper ends of F there


class Integral(NamedTuple):
    """lower <= integral <= upper."""

    lower: float
    upper: float


def integrate_terms(terms: Sequence[Term]) -> Integral:
    """The integral of the sum of the terms, each over its own pieces."""
    parts = [_integrate(term) for term in terms]
    lower, upper = sum(part.lower for part in parts), sum(part.upper for part in parts)
    slack = (len(parts) + 2) * UNIT
    check_brackets(lower * (1 - slack), upper * (1 + slack))
    return Integral(max(lower * (1 - slack), 0.0), upper * (1 + slack))


def _integrate(term: Term) -> Integral:
    if isinstance(term, ConstantTerm):
        return Integral(term.value * (1 - UNIT), term.value * (1 + UNIT))
    if isinstance(term, BlackBoxTerm):
        return _monotone_sums(term)
    if isinstance(term, CountTerm) and term.equal:
        return _binomial(term)
    return _between_kinks(term)


def _binomial(term: CountTerm) -> Integral:
    """In closed form: with x = t + d, the integral of I_x(r, n - r + 1) from d to 1, plus d beyond the kink."""
    d, n = float(term.d[0]), term.d.size
    r, probabilities = np.array(term.thresholds, float), np.array(term.probabilities)
    share = r / (n + 1)
    first, second = d * special.betainc(r, n - r + 1, d), share * special.betainc(r + 1, n - r + 1, d)
    values = d + (1 - share) - (first - second)
    errors = CLOSED_FORM + BETAINC * (first + second)
    slack = (r.size + 2) * UNIT
    return Integral(
        float((values - errors) @ probabilities) * (1 - slack), float((values + errors) @ probabilities) * (1 + slack)
    )


def _between_kinks(term: Term) -> Integral:
    """Gauss-Legendre on every piece where F is neither nearly 0 nor nearly at its final value."""
    edges, degrees = pieces(term.d)
    values, few = _values(term), FEW if isinstance(term, CountTerm) else 0
    nodes, weights = nodes_and_weights(edges, degrees)
    below = above = Integral(0.0, 0.0)
    if nodes.size > few:
        edges, degrees, below, above = _trimmed(values, edges, degrees)
        nodes, weights = nodes_and_weights(edges, degrees)
    low, high = values(nodes)
    error = integral_error(term.d.size, nodes.size)
    return Integral(
        (float(weights @ low) + below.lower + above.lower) * (1 - term.error) - error,
        (float(weights @ high) + below.upper + above.upper) * (1 + term.error) + error,
    )


def _values(term: Term) -> Values:
    """F at many points at once for counts on the integers, else point by point."""
    if isinstance(term, CountTerm):
        from provend._kernels.tails.counts import tails_of

        def tails(nodes: Floats) -> tuple[Floats, Floats]:
            each = zip(term.thresholds, term.probabilities, strict=True)
            f = np.sum([p * tails_of(term.d, r, nodes) for r, p in each], axis=0)
            return f, f

        return tails
    if isinstance(term, LatticeTerm | RoundedTerm) and term.tails is lattice_point:
        return _on_lattice(term)
    point = term.point()

    def one_by_one(nodes: Floats) -> tuple[Floats, Floats]:
        points = [point(t) for t in nodes.tolist()]
        return np.array([p.low for p in points]), np.array([p.f for p in points])

    return one_by_one


def _on_lattice(term: LatticeTerm | RoundedTerm) -> Values:
    from provend._kernels.tails.weighted_many import weighted_tails

    d, w, high, low, missed = term.lattice()
    thresholds, shares = np.unique(np.concatenate([high, low])), np.array(term.probabilities)
    at_high, at_low = np.searchsorted(thresholds, high), np.searchsorted(thresholds, low)

    def tails(nodes: Floats) -> tuple[Floats, Floats]:
        each = weighted_tails(d, w, thresholds, nodes)
        return each[:, at_low] @ shares - missed, each[:, at_high] @ shares + missed

    return tails


def _trimmed(values: Values, edges: Floats, degrees: Integers) -> tuple[Floats, Integers, Integral, Integral]:
    """The pieces where F moves, and its integrals to the left and to the right of them: F does not fall."""
    (first,), (last,) = values(np.ones(1))
    left = last_where(lambda t: values(np.array([t]))[1][0] <= NEGLIGIBLE, HALVINGS)
    right = 1 - last_where(lambda t: values(np.array([1 - t]))[0][0] >= first * (1 - NEGLIGIBLE), HALVINGS)
    if left >= right:  # only by rounding errors
        left, right = 0.0, 1.0
    below = Integral(0.0, left * 2 * NEGLIGIBLE)
    at_right = float(values(np.array([right]))[0][0])
    above = Integral((1 - right) * at_right * (1 - NEGLIGIBLE), (1 - right) * float(last) * (1 + NEGLIGIBLE))
    inner = edges[(edges > left) & (edges < right)]
    kept = np.concatenate([[left], inner, [right]])
    return kept, degrees[np.searchsorted(edges, kept[:-1], "right") - 1], below, above


def _monotone_sums(term: BlackBoxTerm) -> Integral:
    """Lower and upper sums: on every cell F lies between its values at the two ends."""
    at = [term.probability * term.function(t) for t in np.linspace(0, 1, CELLS + 1).tolist()]
    slack = recurrence_error(0) + UNIT * CELLS
    return Integral(sum(at[:-1]) / CELLS * (1 - slack), sum(at[1:]) / CELLS * (1 + slack))
