"""What comes out: the best policy, the worlds that prove it, and what more data would be worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._display import Shown, Tabular
from provend.certificate import BestOfClass, Frozen, Guarantee
from provend.policies import DecidingPolicy

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PriorPoint(Shown, Frozen):
    """One world that Nature may draw: Bernoulli demands on the two ends of the support.

    Attributes
    ----------
    mean : float
        Probability that the demand to come is at the top of the support.
    probability : float
        How often Nature draws this world.
    history : array
        The same probability for each past observation, in the order of the dissimilarities.
    """

    mean: float
    probability: float
    history: Floats

    def _facts(self) -> dict[str, object]:
        return {"mean": self.mean, "probability": self.probability, "samples": self.history.size}


@dataclass(frozen=True, eq=False, repr=False)
class Minimax(BestOfClass, Shown, Tabular, Frozen):
    """The best policy found, what it guarantees, and what no policy can beat.

    Attributes
    ----------
    policy : DecidingPolicy
        Weighted quantiles with integer weights, mixed; :class:`~provend.NoData` where the data are of no use.
    guarantee : Guarantee
        Its certified worst-case regret, in money where a :class:`~provend.Newsvendor` was given.
    lower_bound : float
        No policy whatsoever has a smaller worst-case regret, rounding errors included; in the same unit.
    prior : tuple of PriorPoint
        The worlds behind the bound. Where all dissimilarities are equal the bound may rest on more points than these.
    weights : array
        How much each past observation counts, in percent of the total, in the order of ``d``; all zero: no data used.
    """

    policy: DecidingPolicy
    guarantee: Guarantee
    lower_bound: float
    prior: tuple[PriorPoint, ...]
    weights: Floats

    @property
    def unused(self) -> int:
        """How many observations have weight zero: too dissimilar to be of any use."""
        return int(np.count_nonzero(self.weights == 0))

    def _facts(self) -> dict[str, object]:
        bracket = {"lower_bound": self.lower_bound, "upper": self.guarantee.upper}
        percent = {"percent_of_no_data": self.percent_of_no_data}
        return {**bracket, **percent, "used": self.weights.size - self.unused, "samples": self.weights.size}

    def _columns(self) -> dict[str, Floats]:
        low, high = self.prior
        return {"weight": self.weights, "low_history": low.history, "high_history": high.history}


@dataclass(frozen=True, eq=False, repr=False)
class ValueOfData(Shown):
    """What more observations would be worth.

    Attributes
    ----------
    now, then : Minimax
        The best policy on the present data, and on these followed by the new ones.
    """

    now: Minimax
    then: Minimax

    @property
    def reduction(self) -> float:
        """By how much the guarantee falls; where nothing is gained, it may be negative by the gap of ``then``."""
        return self.now.guarantee.upper - self.then.guarantee.upper

    @property
    def least_reduction(self) -> float:
        """What is certainly gained: without the new data no policy can guarantee less than ``now.lower_bound``."""
        return max(self.now.lower_bound - self.then.guarantee.upper, 0.0)

    @property
    def most_reduction(self) -> float:
        """What can be gained at most: with the new data no policy can guarantee less than ``then.lower_bound``."""
        return max(self.now.guarantee.upper - self.then.lower_bound, 0.0)

    def _facts(self) -> dict[str, object]:
        names = ("reduction", "least_reduction", "most_reduction")
        ends = {"now": self.now.guarantee.upper, "then": self.then.guarantee.upper}
        return ends | {name: getattr(self, name) for name in names}
