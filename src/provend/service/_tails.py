"""Where a non-decreasing probability first exceeds a level: tolerance limits, certified."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from provend._kernels.arithmetic.halving import last_where
from provend._kernels.arithmetic.points import check_brackets
from provend._kernels.arithmetic.rounding import UNIT, mixture_error
from provend._kernels.maximise.side import Term, mixture_point
from provend.certificate import Bracket

HALVINGS = 50  # down to a width of 1e-15


def first_exceeded(terms: Sequence[Term], level: Fraction) -> Bracket[float]:
    """The t in [0, 1] up to which F is below the level and beyond which it is above; 1 if it never is."""
    point = mixture_point(terms)
    error = max(term.error for term in terms) + mixture_error(len(terms)) + 2 * UNIT
    goal = float(level)
    lower = last_where(lambda t: point(t).f * (1 + error) < goal, HALVINGS)
    upper = 1 - last_where(lambda s: point(1 - s).low * (1 - error) > goal, HALVINGS)
    check_brackets(lower, upper)
    return Bracket(lower, upper)
