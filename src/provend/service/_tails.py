"""Where a probability that does not fall comes to exceed a level: tolerance limits, certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from provend._kernels.arithmetic.rounding import UNIT, mixture_error
from provend._kernels.maximise.side import Term, mixture_point
from provend.certificate import Bracket

HALVINGS = 50  # down to a width of 1e-15


def first_exceeded(terms: Sequence[Term], level: Fraction) -> Bracket[float]:
    """The t in [0, 1] below which F is below the level and above which it is above; 1 where it never is."""
    point = mixture_point(terms)
    error = max(term.error for term in terms) + mixture_error(len(terms)) + 2 * UNIT
    goal = float(level)
    lower = _last_where(lambda t: point(t).f * (1 + error) < goal)
    upper = 1 - _last_where(lambda s: point(1 - s).low * (1 - error) > goal)
    return Bracket(lower, max(lower, upper))


def _last_where(holds: Callable[[float], bool]) -> float:
    """The largest t found up to which a condition that ceases to hold somewhere does; 0 where it never holds."""
    low, high = 0.0, 1.0
    if holds(high):
        return high
    if not holds(low):
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
