"""The newsvendor problem itself: costs, critical ratio, support."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._rational import Number, read_argument, read_exactly

LEAST, MOST = 1e-250, 1e300  # money per unit of regret: a regret of 1e-12 or less of it is still an ordinary float
_LEAST, _MOST = Fraction(LEAST), Fraction(MOST)


@dataclass(frozen=True)
class Newsvendor:
    r"""One ordering decision: cost :math:`c_u (y - a)^+ + c_o (a - y)^+` of ordering a when demand is y.

    Parameters
    ----------
    cu, co : number
        Underage and overage cost per unit, :math:`c_u` and :math:`c_o`, both positive.
    support : pair of numbers
        Demand lies in ``[lo, hi]``. It must be bounded: otherwise every policy's worst case is infinite.

    Examples
    --------
    >>> problem = Newsvendor(cu=9, co=1, support=(0, 120))
    >>> problem.critical_ratio
    Fraction(9, 10)
    >>> problem.no_data_order, problem.no_data_regret
    (108.0, 108.0)
    """

    cu: Number
    co: Number
    support: tuple[float, float] = (0, 1)

    def __post_init__(self) -> None:
        per_unit = _as_cost(self.cu, "cu") + _as_cost(self.co, "co")
        object.__setattr__(self, "support", _bounded(self.support))
        lo, hi = map(Fraction, self.support)
        if not (_LEAST <= per_unit <= _MOST and _LEAST <= per_unit * (hi - lo) <= _MOST):
            raise InputError(
                f"cu = {self.cu!r}, co = {self.co!r}, support = {self.support!r}: cu + co, and that times the width "
                f"of the support, must lie between {LEAST:g} and {MOST:g}, or floats cannot hold it; choose other units"
            )

    @classmethod
    def from_prices(
        cls, price: Number, cost: Number, salvage: Number = 0, support: tuple[float, float] = (0, 1)
    ) -> Newsvendor:
        """The problem of a seller: cu = price - cost, co = cost - salvage."""
        given = {"price": price, "cost": cost, "salvage": salvage}
        p, c, s = (read_argument(value, name, "a finite number; give it per unit") for name, value in given.items())
        if not s < c < p:
            raise InputError(
                f"price = {price!r}, cost = {cost!r}, salvage = {salvage!r}: "
                "need salvage < cost < price, or there is nothing to trade off"
            )
        return cls(p - c, c - s, support)

    @property
    def critical_ratio(self) -> Fraction:
        """q = cu / (cu + co), exactly."""
        cu, co = read_exactly(self.cu), read_exactly(self.co)
        return cu / (cu + co)

    @property
    def unit(self) -> float:
        """Money per unit of regret: (cu + co) times the width of the support."""
        lo, hi = map(Fraction, self.support)
        return float((read_exactly(self.cu) + read_exactly(self.co)) * (hi - lo))

    def cost(self, order: ArrayLike, demand: ArrayLike) -> NDArray[np.float64] | float:
        """Cost of ``order`` when ``demand`` occurs, elementwise."""
        a, y = np.asarray(order, float), np.asarray(demand, float)
        cost = float(read_exactly(self.cu)) * np.maximum(y - a, 0) + float(read_exactly(self.co)) * np.maximum(a - y, 0)
        return float(cost) if cost.ndim == 0 else cost

    @property
    def no_data_order(self) -> float:
        """The minimax order of someone who knows only the support: lo + q (hi - lo)."""
        lo, hi = map(Fraction, self.support)
        return float(lo + self.critical_ratio * (hi - lo))

    @property
    def no_data_regret(self) -> float:
        """The worst-case regret of that order, q (1 - q), in money."""
        q = self.critical_ratio
        return float(q * (1 - q)) * self.unit


def _as_cost(value: object, name: str) -> Fraction:
    """A cost per unit, exactly."""
    exact = read_argument(value, name, "a finite number; give a cost per unit")
    if exact <= 0:
        raise InputError(f"{name} = {value!r} must be positive; give the cost of one unit short or over")
    return exact


Ratio = Number | Newsvendor  # what q may be: a critical ratio, or a problem whose results are then in money


def _bounded(support: Iterable[float]) -> tuple[float, float]:
    try:
        lo, hi = (float(end) for end in support)
    except OverflowError:
        raise InputError(f"support = {support!r} is beyond what a float can hold; choose another unit") from None
    except (TypeError, ValueError):
        raise InputError(f"support = {support!r} is not a pair of numbers; give (lowest, highest) demand") from None
    if not (np.isfinite(lo) and np.isfinite(hi)):
        raise InputError(
            f"support = {support!r} must be bounded: with an unbounded support every policy's worst case is infinite; "
            "give the highest demand you consider possible"
        )
    if not lo < hi:
        raise InputError(f"support = {support!r} is empty; the first number must be below the second")
    if hi - lo > MOST:
        raise InputError(f"support = {support!r} is wider than {MOST:g}; choose another unit")
    return lo, hi
