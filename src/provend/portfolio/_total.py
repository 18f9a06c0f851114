"""Guarantees of many orders, added up."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.certificate import Bracket, Guarantee, rounded_down, rounded_up

Floats = NDArray[np.float64]


class _HasEnds(Protocol):
    """A bracket of one number or of many, in money."""

    @property
    def lower(self) -> float | Floats: ...
    @property
    def upper(self) -> float | Floats: ...


def total_guarantee(guarantees: Iterable[_HasEnds | tuple[float, float]], /) -> Bracket[float]:
    """What many orders together can cost at worst beyond the best orders: the sum, under any dependence of demands.

    Parameters
    ----------
    guarantees : iterable
        Brackets in one currency: a :class:`Guarantee` of a policy with a :class:`Newsvendor`, anything else with
        ``lower`` and ``upper``, for one order or many, or pairs of these.

    Examples
    --------
    >>> import provend as pv
    >>> bread, milk = pv.Newsvendor(3, 1, support=(0, 40)), pv.Newsvendor(9, 1, support=(0, 120))
    >>> d = pv.constant(0.1, n=16)
    >>> total = total_guarantee(pv.worst_case_regret(pv.ERM(), d, q=item) for item in (bread, milk))
    >>> print(f"at most {total.upper:.2f}")
    at most 72.73
    """
    if not isinstance(guarantees, Iterable):
        raise TypeError(f"guarantees = {guarantees!r} is not a list of them; give one even of a single guarantee")
    lower, upper = [0.0], [0.0]
    for i, given in enumerate(guarantees):
        if isinstance(given, Guarantee) and given.unit == 1:
            raise InputError(
                f"guarantees[{i}] has unit 1, as one without a Newsvendor has; pass a Newsvendor as q, or, if a unit "
                "of regret is one unit of money, the pair (lower, upper)"
            )
        low, high = _ends(given, f"guarantees[{i}]")
        if not ((low >= 0) & (low <= high) & np.isfinite(high)).all():
            raise InputError(f"guarantees[{i}] = {given!r} is no bracket; it takes 0 <= lower <= upper, both finite")
        lower += low.tolist()
        upper += high.tolist()
    return Bracket(rounded_down(fsum(lower)), rounded_up(fsum(upper)))


def _ends(given: _HasEnds | tuple[float, float], name: str) -> tuple[Floats, Floats]:
    """The ends of one bracket or many."""
    try:
        low, high = given if isinstance(given, tuple) else (given.lower, given.upper)
        return np.ravel(np.asarray(low, np.float64)), np.ravel(np.asarray(high, np.float64))
    except (AttributeError, TypeError, ValueError):
        raise InputError(f"{name} = {given!r} is no guarantee; give one, or the pair (lower, upper) in money") from None
