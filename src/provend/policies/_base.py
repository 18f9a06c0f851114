"""What a policy is: a threshold form, and a decision that follows from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._validation import as_critical_ratio, as_demands, as_dissimilarities, as_support
from provend.newsvendor import Ratio
from provend.policies.forms import Form


class Policy(ABC):
    """Maps past demands, and how dissimilar their contexts are, to an order."""

    @abstractmethod
    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """The policy at validated dissimilarities ``d`` and critical ratio ``q``, as a mixture of threshold forms."""

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
        random_state: int | np.random.Generator | None = None,
    ) -> float:
        """How much to order.

        Parameters
        ----------
        y : array
            Past demands, ``y[i]`` seen at dissimilarity ``d[i]``, all inside ``support``.
        d : array
            Dissimilarity of each past context to the one decided for.
        q : number or Newsvendor
            Critical ratio; a :class:`~provend.Newsvendor` brings its own support.
        support : pair of numbers
            Lowest and highest demand possible.
        random_state : int or Generator, optional
            Draw one member of a :class:`~provend.Mixture` instead of averaging their orders; other policies ignore it.
        """
        bounds = as_support(support, q)
        dissimilarities = as_dissimilarities(d)
        demands = as_demands(y, dissimilarities.size, bounds)
        return self._decide(demands, dissimilarities, as_critical_ratio(q), bounds, random_state)

    def _decide(
        self,
        y: NDArray[np.float64],
        d: NDArray[np.float64],
        q: Fraction,
        support: tuple[float, float],
        random_state: int | np.random.Generator | None,
    ) -> float:
        """The convex combination of what the forms order (Lemma D-2: never worse than drawing)."""
        forms = self.form(d, q)
        actions = [action for form in forms for action in form.orders(y[None], support)[0].tolist()]
        if len(set(actions)) == 1:
            return float(actions[0])
        probabilities = [p for form in forms for p in form.probabilities]
        return float(sum(p * Fraction(action) for p, action in zip(probabilities, actions, strict=True)))
