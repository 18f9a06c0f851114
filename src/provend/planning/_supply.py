"""How items are delivered, and what is already in stock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_count, as_exact
from provend.orders import Orders
from provend.periods import ProtectionPeriod


@dataclass(frozen=True)
class Supply:
    """What is known about deliveries and stock: numbers, or names of columns; ``None`` if not given.

    Attributes
    ----------
    pack, minimum : number or str
        Units per pack, and the smallest quantity delivered.
    stock, on_order : number or str
        Units on hand, and units ordered but not yet delivered: orders come on top of both.
    lead_time, review : number or str
        Days from ordering to delivery, and from one order to the next.
    stock_seen, sold_out : str
        Columns of the history: what was on the shelf on a past day, and whether it sold out.
    """

    pack: Number | None = None
    minimum: Number | None = None
    stock: Number | None = None
    on_order: Number | None = None
    lead_time: Number | None = None
    review: Number | None = None
    stock_seen: str | None = None
    sold_out: str | None = None

    @property
    def orders(self) -> Orders | None:
        """What can be ordered; ``None`` means any quantity."""
        if self.pack is None and self.minimum is None:
            return None
        return Orders(1 if self.pack is None else self.pack, 0 if self.minimum is None else self.minimum)

    @property
    def period(self) -> ProtectionPeriod | None:
        """The days an order has to cover; ``None`` means the target's day only."""
        if not self.in_periods:
            return None
        lead = 0 if self.lead_time is None else _days(self.lead_time, "lead_time", 0)
        return ProtectionPeriod(lead, 1 if self.review is None else _days(self.review, "review", 1))

    @property
    def on_top(self) -> bool:
        """Whether orders come on top of stock."""
        return self.stock is not None or self.on_order is not None

    @property
    def in_periods(self) -> bool:
        """Whether orders cover several days."""
        return self.lead_time is not None or self.review is not None

    @property
    def cut_off(self) -> bool:
        """Whether past sales were cut off by stock."""
        return self.stock_seen is not None

    def with_values(self, values: Mapping[str, Number]) -> Supply:
        """The same, with values read from columns."""
        return replace(self, **dict[str, Any](values))

    def said(self) -> Iterator[tuple[str, Number | str]]:
        """Names and values of what is given."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                yield field.name, value

    def refuse_contradictions(self, horizon: int, *, support: bool) -> None:
        """Refuse options that cannot be combined, in one line."""
        self.refuse_incomplete(support=support)
        if self.cut_off and self.in_periods:
            raise InputError(
                "stock_seen and lead_time or review: sums of sales that were cut off are not decided; give one"
            )
        for what, given in (("stock or on_order", self.on_top), ("lead_time or review", self.in_periods)):
            if given and horizon > 1:
                raise InputError(
                    f"horizon = {horizon} with {what}: what later orders find is not known yet; leave horizon out, or "
                    "give a table of targets with a row for each order"
                )

    def refuse_incomplete(self, *, support: bool, written: Callable[[str], str] = str) -> None:
        """Refuse stock-outs of which too little is known, naming all that lacks, each as the user has to write it."""
        if self.sold_out is None and not self.cut_off:
            return
        lacking = []
        if not self.cut_off:
            lacking.append(
                f"{written('stock_seen')}, what was there on every day (counting days because they did not sell out "
                "would favour low demand)"
            )
        if not support:
            lacking.append(f"{written('support')} (sales that were cut off do not show how high demand can be)")
        if lacking:
            name = "stock_seen" if self.cut_off else "sold_out"
            raise InputError(
                f"{written(name)} {getattr(self, name)!r} alone says too little; give {' and '.join(lacking)}"
            )


NOTHING_SAID = Supply()


def _days(value: Number, name: str, least: int) -> int:
    exact = as_exact(value, name)
    return as_count(exact.numerator if exact.denominator == 1 else value, name, least=least)
