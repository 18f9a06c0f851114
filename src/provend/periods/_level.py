"""An order-up-to level, what it promises, and the quantity that follows from the stock at hand."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_exact
from provend.certificate import Bracket, Guarantee


@dataclass(frozen=True, eq=False)
class WindowClass:
    """Every L-th window: no two of them share a day.

    Attributes
    ----------
    first : int
        Position of its first window, that is, of the day on which that starts.
    windows : int
        How many there are.
    order : float
        The level the policy orders up to, given their demands.
    guarantee : Guarantee
        The guarantee of the policy on this class alone, in money.
    """

    first: int
    windows: int
    order: float
    guarantee: Guarantee


@dataclass(frozen=True, eq=False, repr=False)
class OrderUpTo(Shown, Tabular):
    """A level to order up to, for demand over a protection period.

    Attributes
    ----------
    level : float
        The average of what the classes of windows order.
    guarantee : Bracket
        Contains the average of the classes' exact worst cases, in money: the expected regret of ``level`` is at most
        ``guarantee.upper``.
    days : int
        Length of the period.
    classes : tuple of WindowClass
        One for each day of the period, or one per window if there are fewer windows.
    """

    level: float
    guarantee: Bracket[float]
    days: int
    classes: tuple[WindowClass, ...]

    def quantity(self, *, on_hand: Number, on_order: Number = 0, waiting: Number = 0) -> float:
        """The level less the stock position, at least 0.

        Parameters
        ----------
        on_hand : number
            Units in stock.
        on_order : number
            Units ordered but not yet arrived.
        waiting : number
            Units of demand that wait for the next delivery.
        """
        stock = {"on_hand": on_hand, "on_order": on_order, "waiting": waiting}
        exact = {name: as_exact(value, name) for name, value in stock.items()}
        for name, value in exact.items():
            if value < 0:
                raise InputError(
                    f"{name} = {stock[name]!r} is negative; give a number of units, demand that waits apart"
                )
        position = exact["on_hand"] + exact["on_order"] - exact["waiting"]
        return float(max(Fraction(self.level) - position, Fraction(0)))

    def _facts(self) -> dict[str, object]:
        bracket = {"lower": self.guarantee.lower, "upper": self.guarantee.upper}
        return {"level": self.level, **bracket, "days": self.days, "classes": len(self.classes)}

    def _columns(self) -> dict[str, list[object]]:
        return {
            "first": [one.first for one in self.classes],
            "windows": [one.windows for one in self.classes],
            "order": [one.order for one in self.classes],
            "lower": [one.guarantee.lower for one in self.classes],
            "upper": [one.guarantee.upper for one in self.classes],
        }
