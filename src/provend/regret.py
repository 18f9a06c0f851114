"""The main theorem (Theorem 1): a policy and dissimilarities in, its certified worst-case regret out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._kernels.arithmetic.points import Maximum, TwoFloats
from provend._kernels.maximise.side import RoundedTerm, Term, attained_at, maximise_side, mixture_point
from provend._validation import as_critical_ratio, as_dissimilarities, as_means, as_rtol, as_unit
from provend.certificate import Guarantee, WorstCase, rounded_up
from provend.newsvendor import Ratio
from provend.policies import PATIENT, QUICK, Effort, Form, Policy, with_effort

SideName = Literal["low", "high"]

DEFAULT_RTOL = 1e-9  # whoever asks for a smaller one is ready to wait
MANY = 256  # samples from which estimates leave out cells that hardly any mass reaches


def worst_case_regret(policy: Policy, d: ArrayLike, /, *, q: Ratio, rtol: float = 1e-9) -> Guarantee:
    r"""The exact worst-case expected regret of a policy over all distributions, as a certified bracket.

    .. math:: \sup_{F_0} \sup_{\|F_i - F_0\|_K \le d_i}
       \mathbb{E}_{y_i \sim F_i}\bigl[L(\pi(y), F_0) - \min_a L(a, F_0)\bigr]

    By the paper's Theorem 1 (Theorem 2 for weighted ERM) it is the larger of two suprema over the mean :math:`\mu` of
    a Bernoulli demand, with past means :math:`\mu + d_i` for :math:`\mu \le 1 - q` and :math:`\mu - d_i` for
    :math:`\mu \ge 1 - q`.

    Parameters
    ----------
    policy : Policy
        Any policy of this package.
    d : array
        Dissimilarities of the past contexts to the target context, in any order; above 1 counts as 1.
    q : number or Newsvendor
        Critical ratio; with a :class:`Newsvendor` the result is in money.
    rtol : float
        Width of the bracket relative to ``upper``. Reached for equal weights, and for integer or fractional ones
        where that takes a few seconds at most. Otherwise, and for real weights and separable policies, the result is
        the tightest bracket within a fixed budget, and ``note`` says so. To have all digits for weights with a fine
        unit, which may take minutes, give less than the default.

    Examples
    --------
    >>> import provend as pv
    >>> g = pv.worst_case_regret(pv.ERM(), pv.constant(0.1, n=16), q=0.9)
    >>> print(f"{g.lower:.9f} {g.upper:.9f} {g.worst_case.side}")
    0.051545244 0.051545244 high
    """
    _check_policy(policy)
    ratio, dissimilarities, tolerance = as_critical_ratio(q), as_dissimilarities(d), as_rtol(rtol)
    effort = PATIENT if tolerance < DEFAULT_RTOL else QUICK
    guarantee = certified(policy.form(dissimilarities, ratio), dissimilarities, ratio, tolerance, effort)
    return guarantee if (unit := as_unit(q)) == 1 else guarantee.scaled(unit, unit=unit)


def certified(forms: tuple[Form, ...], d: NDArray[np.float64], q: Fraction, rtol: float, effort: Effort) -> Guarantee:
    """Theorem 1 for a policy's forms and validated input; not in money."""
    forms = with_effort(forms, effort)
    sides = _sides(forms, d, q)
    found: dict[SideName, Maximum] = {}
    for name, side in sides.items():
        floor = max((maximum.lower for maximum in found.values()), default=0.0)  # the second matters only if larger
        found[name] = maximise_side(side.terms, side.c, rtol=rtol, floor=floor)
    worst = max(found, key=lambda name: found[name].lower)
    lower, upper = found[worst].lower, max(maximum.upper for maximum in found.values())
    return Guarantee(
        lower=lower,
        upper=upper,
        worst_case=_instance(worst, found[worst].x, d),
        evaluations=sum(maximum.evaluations for maximum in found.values()),
        estimate=sides[worst].estimate(found[worst].x, lower, upper),
        q=q,
        note="; ".join(dict.fromkeys(form.note for form in forms if form.note)),
    )


def regret_in(case: WorstCase, policy: Policy, d: NDArray[np.float64], q: Fraction) -> float:
    """What a policy surely loses at the mean of a worst case of its own or of another design; not in money.

    One evaluation: a lower bound of its worst case, and a close one if that of a similar design is known.
    """
    side = _sides(policy.form(d, q), d, q)[case.side]
    t = case.mean if case.side == "low" else 1.0 - case.mean
    return attained_at(side.terms, side.c, min(t, side.c.value))


def high_side(policy: Policy, d: NDArray[np.float64], q: Fraction, rtol: float) -> Maximum:
    """The theorem's high side alone, for validated input: what can be lost by ordering too little; not in money."""
    side = _sides(policy.form(d, q), d, q)["high"]
    return maximise_side(side.terms, side.c, rtol=rtol, floor=0.0)


def high_side_of_any(each: Sequence[tuple[Policy, NDArray[np.float64]]], q: Fraction, rtol: float) -> Maximum:
    """The high side of ordering the least of what several policies order, each on dissimilarities of its own.

    What one of them leaves out is left out: from above, the probabilities add up, however the policies depend on each
    other. ``upper`` bounds this; it is computed as that of a draw among them, times their number.
    """
    share = Fraction(1, len(each))
    sides = [_sides(tuple(form.times(share) for form in policy.form(d, q)), d, q)["high"] for policy, d in each]
    drawn = maximise_side([term for side in sides for term in side.terms], sides[0].c, rtol=rtol, floor=0.0)
    most = float(rounded_up(drawn.upper * len(each)))
    return drawn._replace(lower=min(drawn.lower * len(each), most), upper=most)


def regret_profile(policy: Policy, d: ArrayLike, means: ArrayLike, /, *, q: Ratio) -> NDArray[np.float64]:
    """Expected regret at Bernoulli means, each with its worst history: the curve whose peak is the worst case.

    Plain floating-point values, not certified; for pictures and checks.
    """
    _check_policy(policy)
    ratio, dissimilarities, mu = as_critical_ratio(q), as_dissimilarities(d), as_means(means)
    sides = _sides(policy.form(dissimilarities, ratio), dissimilarities, ratio)
    low, high = sides["low"], sides["high"]
    at_low, at_high = mixture_point(low.terms), mixture_point(high.terms)
    regrets = [
        (low.c.value - m) * at_low(m).f if m <= low.c.value else (high.c.value - (1 - m)) * at_high(1 - m).f
        for m in mu.tolist()
    ]
    return np.array(regrets) * as_unit(q)


def _check_policy(policy: object) -> None:
    if not isinstance(policy, Policy):
        raise TypeError(f"policy = {policy!r} is not a policy; give one such as ERM() or KNN(27)")


def estimated_regret(policy: Policy, d: NDArray[np.float64], q: Fraction, cells: int) -> float:
    """A quick estimate for a policy whose weights are real, on a lattice of ``cells``; exact where weights are equal.

    Not certified: the tail is a second-order approximation, and its maximum is sought on a grid and refined.
    """
    (form,) = policy.form(d, q)
    coarse = form.coarsely(d, cells) if form.shares_effort else None
    if coarse is None:
        return worst_case_regret(policy, d, q=q, rtol=1e-6).upper
    (low, high), c = coarse, lengths(q)
    return max(_peak(_OneSide(low, c.low)), _peak(_OneSide(high, c.high)))


def _peak(side: _OneSide) -> float:
    """The largest (c - t) F(t) by estimates: a grid, then Brent's method around its highest point."""
    from scipy.optimize import minimize_scalar

    (term,) = side.terms

    def value(t: float) -> float:
        if isinstance(term, RoundedTerm) and term.d.size > MANY:
            return (side.c.value - t) * _likely_tail(term, t)
        return side.estimate(t, 0.0, 1.0)

    grid = np.linspace(0, side.c.value, 16)
    values = [value(t) for t in grid.tolist()]
    at = int(np.argmax(values))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, grid.size - 1)]
    found = minimize_scalar(lambda t: -value(float(t)), bounds=(low, high), method="bounded", options={"xatol": 1e-5})
    return max(float(-found.fun), max(values))


def _likely_tail(term: RoundedTerm, t: float) -> float:
    """``term.estimate(t)`` without the cells that hardly any mass reaches: most of the lattice, for many samples."""
    from provend._kernels.tails.laws import spread_law

    law, start = spread_law(np.minimum(t + term.d, 1.0), term.w)
    tails = np.append(np.cumsum(law[::-1])[::-1], 0.0)
    at = np.clip(np.array(term.levels) + 0.5 - start, 0.0, law.size)  # a cell stands for half a unit either side
    return float(np.interp(at, np.arange(law.size + 1), tails) @ term.probabilities)


class _OneSide(NamedTuple):
    """max over 0 <= t <= c of (c - t) F(t), F the sum of the terms."""

    terms: list[Term]
    c: TwoFloats

    def estimate(self, t: float, lower: float, upper: float) -> float:
        """A value inside the bracket: where weights are real, a sharper one than its middle."""
        if not any(isinstance(term, RoundedTerm) for term in self.terms):
            return (lower + upper) / 2
        F = sum(term.estimate(t) if isinstance(term, RoundedTerm) else term.point()(t).f for term in self.terms)
        return min(max((self.c.value - t) * F, lower), upper)


def _sides(forms: tuple[Form, ...], d: NDArray[np.float64], q: Fraction) -> dict[SideName, _OneSide]:
    """The two suprema of Theorem 1 (Proposition 2: the worst history); low: t = mu, high: t = 1 - mu.

    Demands on the ends of the support are enough (Proposition 1).
    """
    low, high = zip(*(form.errs(d) for form in forms), strict=True)
    c = lengths(q)
    return {"high": _OneSide(list(chain(*high)), c.high), "low": _OneSide(list(chain(*low)), c.low)}


class Lengths(NamedTuple):
    """The c of Theorem 1 on either side, to twice double precision: t runs from 0 to it."""

    high: TwoFloats  # q
    low: TwoFloats  # 1 - q


@lru_cache(maxsize=1024)
def lengths(q: Fraction) -> Lengths:
    """q on the high side, 1 - q on the low one."""
    return Lengths(*(TwoFloats(float(c), float(c - Fraction(float(c)))) for c in (q, 1 - q)))


def _instance(side: SideName, t: float, d: NDArray[np.float64]) -> WorstCase:
    if side == "low":
        return WorstCase(side, t, np.minimum(t + d, 1.0))
    return WorstCase(side, 1.0 - t, np.maximum(1.0 - t - d, 0.0))
