"""What a policy is: a threshold form, and a decision that follows from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._validation import Seed, as_critical_ratio, as_demands, as_dissimilarities, as_generator, as_support
from provend.newsvendor import Ratio
from provend.orders import Orders
from provend.policies.forms import Form, WholeCount

RANKS, POSITIONS, DISSIMILARITIES = map(frozenset, (["ranks"], ["positions"], ["dissimilarities"]))


class Policy(ABC):
    """Maps past demands, and how dissimilar their contexts are, to an order."""

    @abstractmethod
    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """The policy at validated dissimilarities ``d`` and critical ratio ``q``, as a mixture of threshold forms."""

    @property
    def sees(self) -> frozenset[str]:
        """What ``form`` asks about past contexts: their "ranks" by ``d``, their "positions", or the "dissimilarities".

        A policy that overrides ``on_first`` is taken to refer to positions, any other to look at dissimilarities.
        """
        return DISSIMILARITIES if type(self).on_first is Policy.on_first else POSITIONS

    def on_first(self, n: int) -> Policy:
        """The same policy where only the first ``n`` contexts have been seen; itself, unless it refers to positions."""
        return self


class DecidingPolicy(Policy):
    """A policy that also decides on real demands."""

    def order(
        self,
        y: ArrayLike,
        d: ArrayLike,
        /,
        *,
        q: Ratio,
        support: tuple[float, float] = (0, 1),
        random_state: Seed | None = None,
        orders: Orders | None = None,
    ) -> float:
        """How much to order.

        Parameters
        ----------
        y : array
            Past demands, ``y[i]`` seen at dissimilarity ``d[i]``, all inside ``support``.
        d : array
            Dissimilarity of each past context to the target context.
        q : number or Newsvendor
            Critical ratio; a :class:`~provend.Newsvendor` brings its own support.
        support : pair of numbers
            Lowest and highest demand possible.
        random_state : int, sequence of ints or Generator, optional
            Draw one member of a :class:`~provend.Mixture` instead of averaging their orders; other policies ignore it,
            unless only some ``orders`` are possible.
        orders : Orders, optional
            What can be ordered at all: whole units, packs. With a ``random_state``, past demands and the average order
            are rounded at random to neighbouring possible orders, and the guarantee is unchanged. Without one, nothing
            is random: the order is rounded, and the guarantee grows by ``orders.allowance``.
        """
        bounds, ratio = as_support(support, q), as_critical_ratio(q)
        dissimilarities = as_dissimilarities(d)
        demands = as_demands(y, dissimilarities.size, bounds)
        if orders is None:
            return self._decide(demands, dissimilarities, ratio, bounds, random_state)
        if not isinstance(orders, Orders):
            raise InputError(f"orders = {orders!r} does not say what is possible; give one such as Orders(pack=12)")
        if random_state is None:
            average = self._decide(demands, dissimilarities, ratio, bounds, None)
            return float(orders.rounded(average, q=ratio, support=bounds))
        generator = as_generator(random_state)
        possible = orders.drawn(demands, support=bounds, random_state=generator)
        average = self._decide(possible, dissimilarities, ratio, bounds, None)
        return float(orders.drawn(average, support=bounds, random_state=generator))

    def _decide(
        self,
        y: NDArray[np.float64],
        d: NDArray[np.float64],
        q: Fraction,
        support: tuple[float, float],
        random_state: Seed | None,
    ) -> float:
        """The convex combination of what the forms order (Lemma D-2: never worse than drawing)."""
        forms = self.form(d, q)
        actions = [action for form in forms for action in form.orders(y[None], support)[0].tolist()]
        if len(set(actions)) == 1:
            return float(actions[0])
        probabilities = [p for form in forms for p in form.probabilities]
        return float(sum(p * Fraction(action) for p, action in zip(probabilities, actions, strict=True)))


def check_decides(policy: object) -> None:
    """Raise unless ``policy`` is a policy that decides on real demands."""
    if not isinstance(policy, DecidingPolicy):
        raise TypeError(f"policy = {policy!r} does not decide; give a policy with an order, such as ERM() or KNN(27)")


def counts_of(policy: Policy, d: NDArray[np.float64], q: Fraction) -> tuple[WholeCount, ...]:
    """The policy at validated dissimilarities as counts with integer weights, with probabilities that sum to 1."""
    found = []
    for form in policy.form(d, q):
        if (count := form.count(d.size)) is None:
            raise TypeError(f"policy = {policy!r} is not a weighted quantile with integer weights; choose another")
        found.append(count)
    return tuple(found)
