"""Certified integrals over 0 <= t <= 1 of F(t), a mixture of terms: the counterpart of ``maximise_side``.

F(t) is the probability of an event that is monotone in samples with probabilities min(1, t + d_i). It does not fall,
and between the kinks t = 1 - d_i it is a polynomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log2

import numpy as np
from scipy import special

from provend._kernels.arithmetic.gauss import nodes_and_weights, pieces
from provend._kernels.arithmetic.points import Floats, check_brackets
from provend._kernels.arithmetic.rounding import BETAINC, CLOSED_FORM, MISSED, UNIT, integral_error, recurrence_error
from provend._kernels.integrals.rounded import rounded_values, without_lightest
from provend._kernels.integrals.spans import Integral, Span, Values, span_by_halving, span_on_lattice
from provend._kernels.maximise.side import BlackBoxTerm, ConstantTerm, CountTerm, LatticeTerm, RoundedTerm, Term
from provend._kernels.tails.lattice import lattice_point

CELLS = 4096  # of the plain sums for a function only known to be non-decreasing
BESIDE_CELLS = 0.005  # what a rule may miss of a count with real weights, in cells
MUCH_WIDER = 100  # than what is missed: a bracket that need not be narrower
FEW = 256  # unweighted samples: evaluations are not worth saving


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
    """Gauss-Legendre with as many nodes as are worth it.

    Real weights mostly leave a bracket so wide that a rule may miss much more than rounding errors would.
    """
    if isinstance(term, RoundedTerm):
        term = without_lightest(term)
        missed = 2.0 ** floor(log2(BESIDE_CELLS / max(float(term.w.sum()), 1.0)))  # one of few, as each takes a table
        found = _by_rule(term, missed)
        if found.upper - found.lower > MUCH_WIDER * missed:
            return found
    return _by_rule(term, MISSED)


def _by_rule(term: Term, missed: float) -> Integral:
    """Gauss-Legendre on every piece where F is neither nearly constant yet nor nearly at its final value."""
    edges, degrees = pieces(term.d)
    values, beside = values_of(term), Integral(0.0, 0.0)
    if not isinstance(term, CountTerm) or term.d.size > FEW:
        left, right, beside = _span(term, values, missed / 4)
        inner = np.concatenate([[left], edges[(edges > left) & (edges < right)], [right]])
        edges, degrees = inner, degrees[np.searchsorted(edges, inner[:-1], "right") - 1]
    nodes, weights = nodes_and_weights(edges, degrees, missed)
    low, high = values(nodes)
    error = integral_error(term.d.size, nodes.size, missed)
    return Integral(
        (float(weights @ low) + beside.lower) * (1 - term.error) - error,
        (float(weights @ high) + beside.upper) * (1 + term.error) + error,
    )


def _span(term: Term, values: Values, negligible: float) -> Span:
    if isinstance(term, CountTerm):
        term = LatticeTerm(term.d, np.ones(term.d.size, np.int64), term.thresholds, term.probabilities)
    if isinstance(term, LatticeTerm | RoundedTerm):
        return span_on_lattice(term.lattice(), np.array(term.probabilities), negligible)
    return span_by_halving(values, negligible)


def values_of(term: Term) -> Values:
    """F at many points at once for counts on the integers, else point by point."""
    if isinstance(term, CountTerm) and not term.equal:
        from provend._kernels.tails.counts import tails_of

        def tails(nodes: Floats) -> tuple[Floats, Floats]:
            each = zip(term.thresholds, term.probabilities, strict=True)
            f = np.sum([p * tails_of(term.d, r, nodes) for r, p in each], axis=0)
            return f, f

        return tails
    if isinstance(term, RoundedTerm):
        return rounded_values(term)
    if isinstance(term, LatticeTerm) and term.tails is lattice_point:
        return _on_lattice(term)
    point = term.point()

    def one_by_one(nodes: Floats) -> tuple[Floats, Floats]:
        points = [point(t) for t in nodes.tolist()]
        return np.array([p.low for p in points]), np.array([p.f for p in points])

    return one_by_one


def _on_lattice(term: LatticeTerm) -> Values:
    from provend._kernels.tails.weighted_many import weighted_tails

    thresholds, at = np.unique(term.thresholds, return_inverse=True)
    shares = np.array(term.probabilities)

    def tails(nodes: Floats) -> tuple[Floats, Floats]:
        f = weighted_tails(term.d, term.w, thresholds, nodes)[:, at] @ shares
        return f, f

    return tails


def _monotone_sums(term: BlackBoxTerm) -> Integral:
    """Lower and upper sums: on every cell F lies between its values at the two ends."""
    at = [term.probability * term.function(t) for t in np.linspace(0, 1, CELLS + 1).tolist()]
    slack = recurrence_error(0) + UNIT * CELLS
    return Integral(sum(at[:-1]) / CELLS * (1 - slack), sum(at[1:]) / CELLS * (1 + slack))
