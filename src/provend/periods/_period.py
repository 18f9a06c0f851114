"""Lead time and review: the days that one order has to cover, and how much to order for them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from provend._errors import InputError
from provend._validation import as_count, as_critical_ratio, as_dissimilarities
from provend.certificate import Bracket, rounded_down, rounded_up
from provend.newsvendor import Newsvendor
from provend.periods._level import OrderUpTo, WindowClass
from provend.periods._windows import Floats, window_dissimilarities, window_sums
from provend.policies import DecidingPolicy, check_decides
from provend.regret import worst_case_regret


@dataclass(frozen=True)
class ProtectionPeriod:
    """The days until the *next* order arrives: what is ordered now has to last that long.

    Parameters
    ----------
    lead_time : int
        Days from ordering to delivery.
    review : int
        Days from one order to the next, at least 1.

    Examples
    --------
    >>> import provend as pv
    >>> week = pv.ProtectionPeriod(lead_time=5, review=2)
    >>> days = [12, 9, 11, 14, 20, 31, 3] * 8               # eight weeks, Monday to Sunday
    >>> problem = pv.Newsvendor(cu=4, co=1, support=(0, 200))  # of demand in seven days
    >>> found = week.order_up_to(days, np.full(50, 0.02), policy=pv.ERM(), q=problem)
    >>> found.level, found.quantity(on_hand=30, on_order=40)
    (100.0, 30.0)
    """

    lead_time: int
    review: int = 1

    def __post_init__(self) -> None:
        as_count(self.lead_time, "lead_time", least=0)
        as_count(self.review, "review")

    @property
    def days(self) -> int:
        """Lead time and review together."""
        return int(self.lead_time) + int(self.review)

    def windows(self, days: ArrayLike, /) -> Floats:
        """Demand over every run of that many consecutive days of the history, oldest first."""
        return window_sums(days, self.days)

    def dissimilarities(self, d: ArrayLike, /) -> Floats:
        """Dissimilarities of the windows to the period to come, from those of days: they add up, to at most 1.

        Parameters
        ----------
        d : array
            One number per past day: its dissimilarity to every day to come. Or a row per past day with a column for
            each day to come; days are then paired in the best way, Mondays with Mondays.
        """
        return window_dissimilarities(d, self.days)

    def order_up_to(self, days: ArrayLike, d: ArrayLike, /, *, policy: DecidingPolicy, q: Newsvendor) -> OrderUpTo:
        """The level to order up to, and what it can cost at worst.

        Windows overlap, so they are split into classes that do not; the policy decides on each, and the orders are
        averaged. Costs are convex, so the regret is at most the average of the classes' guarantees, although the
        classes depend on each other.

        Parameters
        ----------
        days : array
            Past demand by day, oldest first, no day missing.
        d : array
            Dissimilarity of each *window* to the period to come, in the order of :meth:`windows`: stated, or from
            :meth:`dissimilarities`.
        policy : DecidingPolicy
            Decides on the windows of one class.
        q : Newsvendor
            Costs per unit, and the support of demand over the *whole period*.
        """
        check_decides(policy)
        if not isinstance(q, Newsvendor):
            raise InputError(
                f"q = {q!r} is not a Newsvendor; give costs, and the support of demand in {self.days} days"
            )
        dissimilarities = as_dissimilarities(d)
        windows = self.windows(days)
        if dissimilarities.size != windows.size:
            raise InputError(
                f"d has {dissimilarities.size} entries but there are {windows.size} windows of {self.days} days; give "
                "one for each window, or make them of those of days with dissimilarities()"
            )
        self._check_support(windows, q.support)
        self._check_policy(policy, dissimilarities, q)
        classes = tuple(
            self._decided(first, windows, dissimilarities, policy, q) for first in range(min(self.days, windows.size))
        )
        level = sum((Fraction(one.order) for one in classes), Fraction(0)) / len(classes)
        return OrderUpTo(float(level), _average(classes), self.days, classes)

    def _check_support(self, windows: Floats, support: tuple[float, float]) -> None:
        lo, hi = support
        for i in np.flatnonzero(~((windows >= lo) & (windows <= hi))):
            raise InputError(
                f"days[{i}] to days[{i + self.days - 1}] add up to {windows[i]:g}, outside the support "
                f"[{lo:g}, {hi:g}]; give q the support of demand in {self.days} days"
            )

    def _check_policy(self, policy: DecidingPolicy, d: Floats, q: Newsvendor) -> None:
        """Refuse a policy that cannot decide on the smallest class, the last, in words that speak of windows."""
        smallest = d[min(self.days, d.size) - 1 :: self.days]
        try:
            policy.form(smallest, as_critical_ratio(q))
        except InputError as error:
            raise InputError(
                f"policy = {policy!r} decides on classes of windows that share no day, the smallest of which has "
                f"{smallest.size} of the {d.size} windows: {error}"
            ) from error

    def _decided(self, first: int, windows: Floats, d: Floats, policy: DecidingPolicy, q: Newsvendor) -> WindowClass:
        """The policy on every ``days``-th window, starting at ``first``."""
        every = slice(first, None, self.days)
        order = policy.order(windows[every], d[every], q=q)
        return WindowClass(first, len(windows[every]), order, worst_case_regret(policy, d[every], q=q))


def _average(classes: tuple[WindowClass, ...]) -> Bracket[float]:
    lower = fsum(one.guarantee.lower for one in classes) / len(classes)
    upper = fsum(one.guarantee.upper for one in classes) / len(classes)
    return Bracket(rounded_down(lower), rounded_up(upper))
