"""What a policy orders, as two functions of a level u of the demand's distribution function.

``short`` is the probability that the order stays at or below level u when all past cdfs are as high as they may be, at
u = t; ``safe`` is the probability that it exceeds level u when all are as low as they may be, at u = 1 - t. Both are
mixtures of the terms of Theorem 1 at probabilities min(1, t + d_i).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._kernels.maximise.side import ConstantTerm, Term
from provend._validation import as_critical_ratio, as_share
from provend.newsvendor import Ratio
from provend.policies import (
    Counting,
    Effort,
    Form,
    Mixture,
    OrderStatistic,
    Policy,
    Separable,
    Thresholds,
    WeightedERM,
    WeightedQuantile,
    with_effort,
)
from provend.service._conformal import Conformal

Floats = NDArray[np.float64]

EFFORT = Effort(2**22, 2**21)  # of each of some hundred evaluations
WITHOUT_RATIO = (OrderStatistic, WeightedQuantile, Counting, Separable, Conformal)
DRAWN = "members drawn; the average of their orders promises no more than the lowest of them"
AVERAGED = "the average of the smallest and the largest minimiser: no less than the one, no more than the other"


class Sides(NamedTuple):
    """The two functions as terms, and a note on what they rest on."""

    short: list[Term]
    safe: list[Term]
    note: str


def sides(policy: Policy, d: Floats, q: Ratio | None) -> Sides:
    """The two functions for the policy as it decides: a mixture by drawing a member, anything else by its one order."""
    if not isinstance(policy, Policy):
        raise TypeError(f"policy = {policy!r} is not a policy; give one such as ERM() or OrderStatistic(19)")
    forms = with_effort(policy.form(d, _ratio(policy, q)), EFFORT)
    orders = sum(len(form.probabilities) for form in forms)
    notes = list(dict.fromkeys(form.note for form in forms if form.note))
    lowest, highest = forms, forms
    if isinstance(policy, WeightedERM) and orders > 1:
        lowest, highest = (_one_level(forms, at) for at in (0, 1))
        notes.append(AVERAGED)
    elif orders > 1:
        notes.append(DRAWN)
    short, safe = (chain(*(_errs(form, d)[side] for form in ends)) for side, ends in ((1, lowest), (0, highest)))
    return Sides(list(short), list(safe), "; ".join(notes))


def _errs(form: Form, d: Floats) -> tuple[list[Term], list[Term]]:
    """Theorem 1's terms; a fixed order inside the support may lie below all demand to come, or above it."""
    if fixed := form.fixed((0, 1)):
        always: list[Term] = [ConstantTerm(float(sum(p for p, _ in fixed)))]
        return always, always
    return form.errs(d)


def _one_level(forms: tuple[Form, ...], at: int) -> tuple[Form, ...]:
    """The smallest minimiser, or the largest: stretching the demands brings the average as close to it as one likes."""
    (form,) = forms
    assert isinstance(form, Thresholds)
    return (replace(form, levels=form.levels[at : at + 1], probabilities=(Fraction(1),)),)


def _ratio(policy: Policy, q: Ratio | None) -> Fraction:
    if isinstance(policy, Mixture):
        _refuse_averages(policy)
    if q is not None:
        return as_critical_ratio(q)
    if not _needs_ratio(policy):
        return Fraction(1, 2)  # any ratio will do
    raise InputError(
        f"q is missing: {policy!r} decides by the critical ratio; give q, or a policy such as Conformal(0.95)"
    )


def _needs_ratio(policy: Policy) -> bool:
    if isinstance(policy, Mixture):
        return any(map(_needs_ratio, policy.policies))
    return not isinstance(policy, WITHOUT_RATIO)


def _refuse_averages(policy: Mixture) -> None:
    """Reject members that average two orders themselves: drawing and averaging at once has no simple worst case."""
    for member in policy.policies:
        if isinstance(member, Mixture):
            _refuse_averages(member)
        elif isinstance(member, WeightedERM) and as_share(member.tie_break, "tie_break") not in (0, 1):
            raise InputError(
                f"tie_break = {member.tie_break!r} inside a Mixture averages two orders; mix WeightedERM with "
                "tie_break 0 and 1 instead"
            )
