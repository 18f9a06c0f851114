"""The service a policy promises: the probability that its order meets demand, in the worst world and in the best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from provend._display import Shown
from provend._kernels.integrals.terms import integrate_terms
from provend._validation import as_dissimilarities, as_open_share
from provend.certificate import Bracket
from provend.newsvendor import Ratio
from provend.policies import Policy
from provend.service._sides import Sides, sides
from provend.service._tails import complement, first_exceeded


@dataclass(frozen=True, eq=False, repr=False)
class ServiceLevel(Shown):
    """The probability that demand is met, between the worst world and the best.

    Attributes
    ----------
    worst : Bracket
        ``lower <= exact <= upper`` of the least service over all distributions within the dissimilarities.
    best : Bracket
        The same for the largest service if the demand to come has no atoms; with or without them, a bound on the
        probability that something is left over.
    confidence : Fraction or None
        None: expected service over histories. Otherwise the service reached with this probability.
    note : str
        What the brackets rest on besides the theorem; empty if nothing.
    """

    worst: Bracket[float]
    best: Bracket[float]
    confidence: Fraction | None = None
    note: str = ""

    def _facts(self) -> dict[str, object]:
        facts: dict[str, object] = {"worst": self.worst, "best": self.best}
        more = {"confidence": str(self.confidence) if self.confidence is not None else "", "note": self.note}
        return facts | {name: fact for name, fact in more.items() if fact}


def service_level(
    policy: Policy, d: ArrayLike, /, *, q: Ratio | None = None, confidence: object = None
) -> ServiceLevel:
    r"""The exact service of a policy, :math:`P(Y_0 \le \text{order})`, in the worst world and in the best.

    With :math:`S_u` the sum of independent Bernoulli variables with means :math:`\min(1, u + d_i)`, the k-th smallest
    of n demands has an expected service of at least

    .. math:: \int_0^1 P(S_u < k) \, du ,

    for all distributions, atoms included, and a uniform demand with past cdfs :math:`\min(1, u + d_i)` attains it.

    Parameters
    ----------
    policy : Policy
        Any policy; a :class:`Mixture` is taken as drawn. An order that ignores the data, such as that of
        :class:`NoData`, promises nothing.
    d : array
        Dissimilarities of the past contexts to the target context.
    q : number or Newsvendor, optional
        Critical ratio, for policies that use it, such as :class:`ERM`.
    confidence : number, optional
        Strictly between 0 and 1: the service reached with this probability over histories, instead of its expectation.

    Examples
    --------
    >>> import provend as pv
    >>> level = pv.service_level(pv.OrderStatistic(19), pv.constant(0.05, n=19))
    >>> print(f"the largest of 19: between {level.worst.lower:.6f} and {level.best.upper:.6f}")
    the largest of 19: between 0.900000 and 0.982076
    """
    dissimilarities = as_dissimilarities(d)
    certain = None if confidence is None else as_open_share(confidence, "confidence")
    found = sides(policy, dissimilarities, q)
    worst, best = _expected(found) if certain is None else _confident(found, certain)
    return ServiceLevel(worst, best, certain, found.note)


def _expected(found: Sides) -> tuple[Bracket[float], Bracket[float]]:
    """One minus the integral of ``short``, and the integral of ``safe``."""
    short, safe = integrate_terms(found.short), integrate_terms(found.safe)
    return complement(short.lower, short.upper), Bracket(min(safe.lower, 1.0), min(safe.upper, 1.0))


def _confident(found: Sides, certain: Fraction) -> tuple[Bracket[float], Bracket[float]]:
    """Where ``short`` first exceeds 1 - confidence, and one minus where ``safe`` reaches the confidence."""
    short, safe = first_exceeded(found.short, 1 - certain), first_exceeded(found.safe, certain)
    return short, complement(safe.lower, safe.upper)
