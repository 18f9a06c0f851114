"""The set of possible orders, and rounding to it, at random or at a price."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._rational import Number, read_exactly
from provend._validation import (
    Seed,
    as_critical_ratio,
    as_entries,
    as_exact,
    as_float,
    as_generator,
    as_numbers,
    as_support,
    as_unit,
)
from provend.certificate import rounded_up
from provend.newsvendor import Ratio

Floats = NDArray[np.float64]

MOST = 10**6  # possible orders at most: with more, rounding at the end costs next to nothing
DIGITS = 2**53  # a uniform number is drawn in this many steps at a time
CLOSE = 8  # steps: within them, floats cannot tell a share from another number


@dataclass(frozen=True)
class Orders:
    """The set of possible orders: 0, and the multiples of a pack from a minimum on.

    The ends of the support must belong to it. Past demands are then rounded *at random, without bias* to one of their
    two neighbours in the set, and so is the order that follows from them: the guarantee is that of the policy,
    unchanged, against the best possible order.

    Parameters
    ----------
    pack : number
        Units per pack, read exactly; 1 for whole units.
    minimum : number
        The least order other than 0.
    among : array, optional
        All possible orders, instead of packs and a minimum.

    Examples
    --------
    >>> Orders(12, minimum=30).possible((0, 72))
    array([ 0., 36., 48., 60., 72.])
    >>> Orders(among=[0, 6, 24, 96]).possible((0, 96))
    array([ 0.,  6., 24., 96.])
    """

    pack: Number = 1
    minimum: Number = 0
    among: Iterable[Number] | None = None

    def __post_init__(self) -> None:
        if as_exact(self.pack, "pack") <= 0:
            raise InputError(f"pack = {self.pack!r} must be positive; give the number of units in a pack")
        if as_exact(self.minimum, "minimum") < 0:
            raise InputError(f"minimum = {self.minimum!r} is negative; give the least quantity delivered, or 0")
        if self.among is not None:
            if (self.pack, self.minimum) != (1, 0):
                raise InputError(f"among is given with pack = {self.pack!r}, minimum = {self.minimum!r}; give one")
            values = sorted({as_float(value, "among entry") for value in as_entries(self.among, "among")})
            if len(values) < 2:
                raise InputError(f"among = {self.among!r} holds fewer than two orders: there is nothing to decide")
            object.__setattr__(self, "among", tuple(values))

    def possible(self, support: tuple[float, float] = (0, 1)) -> Floats:
        """The possible orders from one end of the support to the other, ascending."""
        lo, hi = as_support(support, None)
        every = self._up_to(hi)
        if lo not in every or hi not in every:
            raise InputError(
                f"support = ({lo:g}, {hi:g}) must run from one possible order to another, and {self!r} has not both; "
                + self._support_instead(lo, hi)
            )
        return every[(every >= lo) & (every <= hi)]

    def _support_instead(self, lo: float, hi: float) -> str:
        """What to do about a support that does not end at possible orders."""
        (low,), (high,) = self.around(np.array([lo]), np.array([hi]))
        if low == high:
            return f"{low:g} is the best of them for all such demand, so there is nothing to decide"
        cut = "" if low <= lo and hi <= high else ", with demands cut off there: no order follows them further"
        return f"for example support = ({low:g}, {high:g}){cut}"

    def around(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Ends of supports moved outwards to possible orders; beyond the last of these, orders cannot follow demand.

        Demand below the smallest possible order, or above the largest, changes the cost of every order alike.
        """
        every = self._up_to(float(high.max(initial=0.0)))
        below, above = np.searchsorted(every, low, side="right") - 1, np.searchsorted(every, high)
        return every[np.maximum(below, 0)], every[np.minimum(above, every.size - 1)]

    def _up_to(self, hi: float) -> Floats:
        """All possible orders; if they are multiples, those up to the first at or above ``hi``."""
        if self.among is None:
            return _multiples(as_exact(self.pack, "pack"), as_exact(self.minimum, "minimum"), hi)
        return np.array(self.among, np.float64)

    def drawn(self, values: ArrayLike, /, *, support: tuple[float, float] = (0, 1), random_state: Seed) -> Floats:
        """Each value moved at random to one of its two neighbours, independently, so that its expectation is unchanged.

        Parameters
        ----------
        values : array
            Past demands, or averages of orders for many targets, in any shape.
        support : pair of numbers
            Lowest and highest demand possible; both must be possible orders.
        random_state : int, sequence of ints or Generator
            The same numbers give the same draw; they must not depend on the values.
        """
        generator = as_generator(random_state)
        return self._drawn(self._cells(values, support), [generator])

    def drawn_each(
        self, values: ArrayLike, /, *, support: tuple[float, float] = (0, 1), random_states: Sequence[Seed]
    ) -> Floats:
        """The same for several rows of values, each with its own ``random_state``: no row depends on the others."""
        cells = self._cells(values, support)
        if cells.value.shape[:1] != (len(random_states),):
            raise InputError(
                f"values of shape {cells.value.shape} have {len(random_states)} random_states; give one a row"
            )
        return self._drawn(cells, [as_generator(state) for state in random_states])

    def _drawn(self, cells: _Cells, generators: list[np.random.Generator]) -> Floats:
        """Drawn by one generator for all values, or one for each row."""
        if len(generators) == 1:
            digits = generators[0].integers(DIGITS, size=cells.value.shape)
        else:
            rows = [each.integers(DIGITS, size=cells.value.shape[1:]) for each in generators]
            digits = np.array(rows, np.int64).reshape(cells.value.shape)  # even without rows
        up, close = cells.beyond(digits / DIGITS)
        for i in close:
            up[i] = _falls_below(cells.share(i), int(digits[i]), generators[i[0] if len(generators) > 1 else 0])
        return np.where(up, cells.above, cells.below)

    def rounded(self, values: ArrayLike, /, *, q: Ratio, support: tuple[float, float] = (0, 1)) -> Floats:
        """Each value rounded to the neighbour that can cost less: up if it lies beyond the share 1 - q of the way.

        Nothing is drawn, and the guarantee grows by :meth:`allowance`.
        """
        ratio = as_critical_ratio(q)
        cells = self._cells(values, as_support(support, q))
        up, close = cells.beyond(float(1 - ratio))
        for i in close:
            up[i] = cells.share(i) > 1 - ratio
        return np.where(up, cells.above, cells.below)

    def allowance(self, *, q: Ratio, support: tuple[float, float] = (0, 1)) -> float:
        """What :meth:`rounded` can cost at most, q (1 - q) (cu + co) times the widest gap, in the unit of guarantees.

        Examples
        --------
        >>> from provend import Newsvendor
        >>> round(Orders(12).allowance(q=Newsvendor(cu=9, co=1, support=(0, 120))), 9)  # 0.9 * 0.1 * 10 * 12
        10.8
        """
        ratio, (lo, hi) = as_critical_ratio(q), as_support(support, q)
        gap = float(np.diff(self.possible((lo, hi))).max())
        return float(
            rounded_up(float(ratio * (1 - ratio) * Fraction(gap) / (Fraction(hi) - Fraction(lo))) * as_unit(q))
        )

    def _cells(self, values: ArrayLike, support: tuple[float, float]) -> _Cells:
        """Each value between its neighbours."""
        lo, hi = as_support(support, None)
        array, grid = as_numbers(values, "values"), self.possible((lo, hi))
        for value in array[~((array >= lo) & (array <= hi))]:
            raise InputError(
                f"values hold {value}, outside the support [{lo:g}, {hi:g}]; correct it or widen the support"
            )
        at = np.minimum(np.searchsorted(grid, array, side="right") - 1, grid.size - 2)
        return _Cells(array, grid[at], grid[at + 1])


class _Cells(NamedTuple):
    """Values between their neighbours."""

    value: Floats
    below: Floats
    above: Floats

    def beyond(self, limit: Floats | float) -> tuple[NDArray[np.bool_], list[tuple[int, ...]]]:
        """Which values are further on their way up than the limit (a share), and which are too close to it to tell."""
        share = (self.value - self.below) / (self.above - self.below)
        close = np.argwhere(np.abs(share - limit) <= CLOSE / DIGITS)
        return np.array(share > limit), [tuple(i) for i in close.tolist()]

    def share(self, i: tuple[int, ...]) -> Fraction:
        """How far the value is on its way from one neighbour to the other, exactly."""
        value, below, above = (Fraction(float(part[i])) for part in self)
        return (value - below) / (above - below)


def _falls_below(share: Fraction, digits: int, generator: np.random.Generator) -> bool:
    """Whether a uniform number is below the share, given its first digits; more are drawn until that is certain."""
    steps = DIGITS
    while not (digits + 1 <= share * steps or digits >= share * steps):
        digits, steps = digits * DIGITS + int(generator.integers(DIGITS)), steps * DIGITS
    return digits < share * steps


@lru_cache(maxsize=16)
def _multiples(pack: Fraction, minimum: Fraction, hi: float) -> Floats:
    """0 and the multiples of the pack from the minimum to the first at or above hi, each the float nearest to it."""
    first, last = max(ceil(minimum / pack), 1), ceil(read_exactly(hi) / pack)
    last = max(first, last)
    if last - first >= MOST:
        raise InputError(
            f"pack = {pack} makes more than {MOST:,} possible orders up to {hi:g}; leave it out and round what is "
            "ordered, or choose a larger one"
        )
    if max(last * pack.numerator, pack.denominator) >= DIGITS:
        raise InputError(
            f"pack = {pack} has too many digits for multiples up to {hi:g}; round it, or choose other units"
        )
    counts = np.concatenate([[0], np.arange(first, last + 1)])
    return counts * pack.numerator / pack.denominator
