"""Orders as they are placed: on top of the stock, in packs, and subject to a minimum quantity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._rational import read_exactly
from provend._validation import as_count, as_critical_ratio, as_numbers
from provend.certificate import Bracket, rounded_down, rounded_up
from provend.estimators._by_rank import Decider, Moved
from provend.newsvendor import Newsvendor
from provend.orders import Orders, Room, seeds_of
from provend.tables import Contexts

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Asked(NamedTuple):
    """The distinct targets, the position of each requested row among them, and the stock."""

    targets: Contexts
    back: Rows
    stock: Floats | None

    @classmethod
    def of(cls, contexts: Contexts, stock: Floats | None) -> Asked:
        """Targets are distinct by context and stock; each is decided once."""
        first, back = _distinct([column.values for column in contexts.columns] + ([] if stock is None else [stock]))
        if first.size == contexts.size:
            return cls(contexts, np.arange(contexts.size), stock)
        return cls(contexts.take(first), back, None if stock is None else stock[first])


def _distinct(columns: list[NDArray[Any]]) -> tuple[Rows, Rows]:
    """The first row of each kind, and the kind of each row; a column in which all rows differ settles it."""
    size, codes = columns[0].size, list[Rows]()
    for column in columns:
        values, code = np.unique(column, return_inverse=True)
        if values.size == size:
            return np.arange(size), np.arange(size)
        codes.append(code.ravel())
    whole = codes[0]
    for code in codes[1:]:
        whole = np.unique(whole * (int(code.max()) + 1) + code, return_inverse=True)[1]
    _, first, back = np.unique(whole, return_index=True, return_inverse=True)
    return first, back


class _Options(Protocol):
    orders: Orders | None
    random_state: int | None


@dataclass(frozen=True)
class Buying:
    """The support of demand, the possible orders, and the seed of the draws; ``None`` means that nothing is drawn."""

    support: tuple[float, float]
    orders: Orders | None
    random_state: int | None

    def widened(self, said: str) -> tuple[tuple[float, float], str]:
        """The support widened to possible orders, and a text saying what it rests on."""
        support = self.support
        if self.orders is None:
            return support, said
        low, high = (float(end[0]) for end in self.orders.around(*(np.array([float(end)]) for end in support)))
        if low >= high:
            raise InputError(
                f"support = ({support[0]:g}, {support[1]:g}) leaves only one possible order, {low:g}; widen the "
                "support, or allow more orders"
            )
        if (low, high) != support:
            said += f" Possible orders extend it to [{low:g}, {high:g}]."
        return (low, high), said + self.how

    @property
    def how(self) -> str:
        """How orders are made possible ones, as a text for the basis of guarantees."""
        if self.orders is None:
            return ""
        if self.random_state is None:
            return " Orders are rounded to possible ones, which guarantees allow for."
        return (
            " Orders are rounded at random to possible ones; guarantees are against the best possible order, on "
            "average over the rounding, too."
        )

    def ordered(
        self, decider: Decider, d: Floats, targets: Contexts, problem: Newsvendor, stock: Floats | None
    ) -> Floats:
        """The order for each target."""
        if self.orders is None and stock is None:
            return decider.orders(d, targets, problem.support)
        have = np.zeros(targets.size) if stock is None else stock
        room = Room.beyond(have, self.support, self.orders)
        needs = np.flatnonzero(room.width > 0)
        found = room.low.copy()
        if needs.size:
            some, left = targets.take(needs), room.take(needs)
            chance = self.chance(some, have[needs])
            moved = Moved.of(left.needed(decider.demands.at(some, self.support), chance))
            wanted = decider.decided(d[needs], some, moved, (left.low, left.high))
            found[needs] = left.placed(wanted, chance, as_critical_ratio(problem))
        return found

    def in_money(
        self, found: Bracket[Floats], problem: Newsvendor, stock: Floats | None
    ) -> tuple[Bracket[Floats], Floats]:
        """The regrets, and the regret without data, in money: proportional to the support that the stock leaves."""
        q, per_unit = as_critical_ratio(problem), float(read_exactly(problem.cu) + read_exactly(problem.co))
        have = np.zeros(found.upper.size) if stock is None else stock
        room = Room.beyond(have, self.support, self.orders)
        money = per_unit * room.width
        no_data = float(q * (1 - q)) * money
        if stock is None:
            scaled, no_data = found.scaled(problem.unit), np.full(have.size, problem.no_data_regret)
        else:
            scaled = Bracket(found.lower * rounded_down(money), found.upper * rounded_up(money))
        if self.orders is None or self.random_state is not None:
            return scaled, no_data
        price = rounded_up(room.allowance(q) * per_unit)
        return scaled.widened_by(price), no_data

    def chance(
        self, targets: Contexts, stock: Floats, names: Sequence[str] | None = None
    ) -> list[np.random.Generator] | None:
        """A generator for each target, seeded by its context, stock and name as well: other targets do not matter."""
        if self.orders is None or self.random_state is None:
            return None
        told = [] if names is None else [names]
        rows = zip(*told, *(column.values.tolist() for column in targets.columns), stock.tolist(), strict=True)
        return seeds_of(self.random_state, rows)


def as_buying(options: _Options, support: tuple[float, float] = (0, 1)) -> Buying:
    """Check the options."""
    orders, start = options.orders, options.random_state
    if orders is not None and not isinstance(orders, Orders):
        raise InputError(f"orders = {orders!r} does not say what is possible; give one such as Orders(pack=12)")
    if orders is not None and getattr(options, "integer", False):
        raise InputError("integer=True and orders are both given; Orders() alone means whole units")
    return Buying(support, orders, None if start is None else as_count(start, "random_state", least=0))


def as_stock_position(stock: ArrayLike, size: int) -> Floats:
    """The stock as one finite, non-negative number per target."""
    array = as_numbers(stock, "stock", wanted="a number, or one per target")
    if array.ndim == 0:
        array = np.full(size, float(array))
    if array.shape != (size,):
        raise InputError(f"stock has shape {array.shape} for {size} targets; give a number, or one per target")
    for i in np.flatnonzero(~(np.isfinite(array) & (array >= 0))):
        raise InputError(f"stock[{i}] = {array[i]} is not a stock; give what is on hand and on order, at least 0")
    return array
