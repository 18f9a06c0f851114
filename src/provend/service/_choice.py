"""What to order for a target service: the rule that meets it in the worst world and overshoots it least in the best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown
from provend._errors import InputError
from provend._kernels.arithmetic.gauss import nodes_and_weights, pieces
from provend._kernels.arithmetic.rounding import integral_error, recurrence_error
from provend._validation import as_dissimilarities, as_open_share
from provend.policies import OrderStatistic, WeightedQuantile
from provend.service._curve import CLOSE, samples_for_service
from provend.service._level import ServiceLevel, service_level
from provend.service._weighted import weighted_candidates

Floats = NDArray[np.float64]

MOST_NEIGHBOURS = 400  # whose ranks are all tried; the work grows with the cube of their number
WORTH_IT = 1e-6  # how much better weights must be than a rank


@dataclass(frozen=True, eq=False, repr=False)
class OrderForService(Shown):
    """A policy that meets a target service.

    Attributes
    ----------
    policy : OrderStatistic or WeightedQuantile
        What to order: a rank among the k nearest demands, or a weighted threshold where that overshoots less.
    service : ServiceLevel
        What it promises; ``worst`` is at least ``target``, to within 1e-9.
    target : Fraction
        The service asked for.
    """

    policy: OrderStatistic | WeightedQuantile
    service: ServiceLevel
    target: Fraction


def order_for_service(d: ArrayLike, /, *, target: object, confidence: object = None) -> OrderForService:
    """The rule that meets a service target in the worst world and overshoots it least in the best.

    All ranks among the k nearest demands, and a list of whole-numbered weights that fall with distance, are compared.
    Among those whose worst-case service is at least the target, the one with the least expected service in the best
    world is chosen, and a rank unless weights are better by 1e-6. It places one order, with nothing random about it.

    Parameters
    ----------
    d : array
        Dissimilarities of the past contexts to the target context; all ranks of the nearest 400 are
        tried and, if none will do, the largest of as many demands as it takes.
    target : number or str
        The probability with which demand should be met, such as 0.95 or "95%".
    confidence : number, optional
        The probability, over histories, with which the target should be reached; without it, expected service counts.

    Examples
    --------
    >>> import provend as pv
    >>> found = pv.order_for_service(pv.drift(0.001, n=100), target=0.95)
    >>> found.policy
    OrderStatistic(rank=26, k=26, subset=None)
    """
    dissimilarities, share = as_dissimilarities(d), as_open_share(target, "target")
    certain = None if confidence is None else as_open_share(confidence, "confidence")
    policy = _least_overshoot(dissimilarities, float(share) - CLOSE, certain)
    if policy is None:
        k = samples_for_service(np.sort(dissimilarities), target=share, confidence=certain)
        if k is None:
            raise _out_of_reach(dissimilarities, target, confidence)
        policy = OrderStatistic(k, k)
    return OrderForService(policy, service_level(policy, dissimilarities, confidence=certain), share)


def _least_overshoot(d: Floats, goal: float, confidence: Fraction | None) -> OrderStatistic | WeightedQuantile | None:
    """The least rank that meets the goal in the best neighbourhood, or the best of the weights."""
    rank, best = _best_rank(np.sort(d)[:MOST_NEIGHBOURS], goal, confidence)
    weighted = min(weighted_candidates(d, goal, confidence), key=lambda one: one.best, default=None)
    return rank if weighted is None or weighted.best >= best - WORTH_IT else weighted.policy


def _best_rank(d: Floats, goal: float, confidence: Fraction | None) -> tuple[OrderStatistic | None, float]:
    """In every neighbourhood the least rank that meets the goal; of these the one with the least service at best."""
    table = expected_services(d)
    meets = table.worst - table.error >= goal if confidence is None else _confident(d, goal, confidence)
    meets[:, -1] = True  # beyond all demands: the top of the support
    ranks = np.argmax(meets, axis=1)
    k = 1 + np.flatnonzero(ranks[1:] <= np.arange(1, d.size + 1))
    if k.size == 0:
        return None, inf
    overshoots = table.best[k, ranks[k]]
    at = int(k[np.argmin(overshoots)])
    return OrderStatistic(int(ranks[at]), at), float(overshoots.min())


@dataclass(frozen=True, eq=False)
class Services:
    """Row k, entry r: the expected service of the r-th smallest of the k nearest, to within ``error``."""

    worst: Floats
    best: Floats
    error: float


def expected_services(d: Floats) -> Services:
    """The services of every rank of every number of neighbours at once, d ascending.

    Both ends follow from one table: how long the count S_t has the value j while t goes from 0 to 1. The worst case of
    rank r is the time spent below r, the best case the time spent from k - r + 1 on.
    """
    from provend._kernels.tails.occupation import prefix_occupation

    nodes, weights = nodes_and_weights(*pieces(d))
    times = prefix_occupation(d, nodes, weights)
    below = np.hstack([np.zeros((d.size + 1, 1)), np.cumsum(times, axis=1)])
    k, r = np.ogrid[: d.size + 1, : d.size + 2]
    above = below[:, -1:] - np.take_along_axis(below, np.clip(k - r + 1, 0, d.size + 1), axis=1)
    return Services(below, above, recurrence_error(d.size, d.size) + 2 * integral_error(d.size, nodes.size))


def _confident(d: Floats, goal: float, confidence: Fraction) -> NDArray[np.bool_]:
    """Row k, entry r: whether the r-th smallest of the k nearest reaches the goal with this probability."""
    from provend._kernels.tails.occupation import prefix_occupation

    law = prefix_occupation(d, np.array([max(goal, 0.0)]), np.ones(1))
    tails = np.hstack([np.cumsum(law[:, ::-1], axis=1)[:, ::-1], np.zeros((d.size + 1, 1))])
    return tails * (1 + recurrence_error(d.size, d.size)) <= float(1 - confidence)


def _out_of_reach(d: Floats, target: object, confidence: object) -> InputError:
    most = service_level(OrderStatistic(d.size), d, confidence=confidence).worst.lower
    percent = floor(1000 * (most + CLOSE)) / 10  # the largest of 19 promises 95.0 %, and a target of 95 % is met
    with_confidence = "" if confidence is None else f" with confidence {confidence}"
    return InputError(
        f"target = {target!r}: these data cannot promise more than {percent} %{with_confidence}, by "
        f"the largest of the {d.size} demands; lower the target, find nearer or more demands, or order the top of the "
        f"support, OrderStatistic({d.size + 1}), which always meets demand"
    )
