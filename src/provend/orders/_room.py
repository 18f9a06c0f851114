"""What is left to order when there is stock: the demand beyond it, in possible orders.

An order x on top of a stock s reaches the level s + x. For x >= 0, demand below s changes the cost of all orders alike,
so regrets are those for the demand max(D - s, 0), whose laws are no further apart than those of D.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from provend._validation import Seed
from provend.certificate import rounded_up
from provend.orders._possible import Orders

Floats = NDArray[np.float64]
Ends = float | Floats  # of the support: the same for all targets, or one for each


@dataclass(frozen=True, eq=False)
class Room:
    """The ends between which orders lie, one entry per target, and what is possible between them.

    Attributes
    ----------
    stock : array
        Units on hand and on order.
    low, high : array
        Orders, and the demand beyond the stock, lie between these; they are equal where there is nothing to decide.
    orders : Orders, optional
        The possible orders.
    """

    stock: Floats
    low: Floats
    high: Floats
    orders: Orders | None = None

    @classmethod
    def beyond(cls, stock: Floats, support: tuple[Ends, Ends], orders: Orders | None) -> Room:
        """What stock leaves of the supports of demand; without any stock, all of it, negative demands included."""
        low, high = (np.where(stock > 0, np.maximum(end - stock, 0.0), end) for end in support)
        if orders is not None:
            low, high = orders.around(low, high)
        return cls(stock, low, high, orders)

    @property
    def width(self) -> Floats:
        """Width of the support that is left; 0 where nothing need be ordered."""
        return self.high - self.low

    @property
    def whole(self) -> tuple[float, float]:
        """One support that covers all targets."""
        return float(self.low.min()), float(self.high.max())

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Room:
        """The room of some targets."""
        return Room(self.stock[rows], self.low[rows], self.high[rows], self.orders)

    def needed(self, demands: Floats, generators: Sequence[Seed] | None) -> Floats:
        """Demands beyond the stock, one row per target; given generators, drawn to possible orders."""
        left = np.clip(demands - self.stock[:, None], self.low[:, None], self.high[:, None])
        return left if self.orders is None or generators is None else self._drawn(left, generators)

    def placed(self, wanted: Floats, generators: Sequence[Seed] | None, q: Fraction) -> Floats:
        """Orders that can be placed: drawn by the generators, or rounded if there are none."""
        if self.orders is None:
            return wanted
        if generators is not None:
            return self._drawn(wanted[:, None], generators)[:, 0]
        return self.orders.rounded(wanted, q=q, support=self.whole) if (self.width > 0).any() else self.low

    def allowance(self, q: Fraction) -> Floats:
        """What rounding can cost at most for each target, if cu + co = 1."""
        ends = np.column_stack([self.low, self.high])
        kinds, of_target = np.unique(ends, axis=0, return_inverse=True)
        return np.array([self._allowance(q, lo, hi) for lo, hi in kinds.tolist()])[of_target.ravel()]

    def _allowance(self, q: Fraction, lo: float, hi: float) -> float:
        if self.orders is None or lo == hi:
            return 0.0
        return rounded_up(self.orders.allowance(q=q, support=(lo, hi)) * (hi - lo))

    def _drawn(self, values: Floats, generators: Sequence[Seed]) -> Floats:
        assert self.orders is not None
        lo, hi = self.whole
        return values if lo == hi else self.orders.drawn_each(values, support=(lo, hi), random_states=generators)


def seeds_of(random_state: int, names: Iterable[object]) -> list[np.random.Generator]:
    """A generator for each name, the same wherever it is asked for and whatever other names are given."""
    return [np.random.default_rng([random_state, *_words(name)]) for name in names]


def _words(name: object) -> list[int]:
    """A name as numbers to seed a generator."""
    return np.frombuffer(blake2b(repr(name).encode(), digest_size=16).digest(), "<u4").tolist()  # type: ignore[no-any-return]
