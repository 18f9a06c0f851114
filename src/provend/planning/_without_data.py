"""Too little past to decide from: the best order without data if the support is known, else from what there is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._rational import read_exactly
from provend._validation import as_critical_ratio
from provend.newsvendor import Newsvendor
from provend.orders import Room, seeds_of
from provend.planning._reason import amounts, by_chance
from provend.planning._schema import NO_DATA, Terms, table_of

Floats = NDArray[np.float64]


def without_data(
    y: Floats, dates: Sequence[object], stock: Floats | None, terms: Terms, *, unit: str = "demand"
) -> pa.Table:
    """One row per date, from at most one past demand; ``unit`` is what a demand is called."""
    size = len(dates)
    have = np.zeros(size) if stock is None else stock
    orders = _by_the_last(y, have, terms) if terms.support is None else _by_support(dates, have, terms)
    seen = f"{'one' if y.size else 'no'} past {unit}"
    facts = _unpromised(y, seen) if terms.support is None else _promised(seen, have, terms)
    same = {"effective_n": float(y.size), "policy": "no-data", "status": NO_DATA, **facts}
    why = (
        f"the latest past {unit}"
        if terms.support is None
        else "the best order without data, between the ends of the support"
    )
    chance = [""] * size if terms.support is None else by_chance(_room(have, terms).width, terms)
    told: list[str | None] = [None] * size
    if orders is not None:
        told = [f"{what}: {why}{drawn}" for what, drawn in zip(amounts(orders, stock, terms), chance, strict=True)]
    each = {name: value if isinstance(value, np.ndarray) else [value] * size for name, value in same.items()}
    return table_of(**each, order=[None] * size if orders is None else orders, reason=told)


def _room(have: Floats, terms: Terms) -> Room:
    assert terms.support is not None
    return Room.beyond(have, Newsvendor(terms.cu, terms.co, terms.support).support, terms.supply.orders)


def _by_support(dates: Sequence[object], have: Floats, terms: Terms) -> Floats:
    """The share q of the support that the stock leaves, drawn to possible orders."""
    room, q = _room(have, terms), as_critical_ratio(Newsvendor(terms.cu, terms.co))
    wanted = np.clip(room.low + float(q) * room.width, room.low, room.high)
    return room.placed(wanted, seeds_of(terms.seed, dates), q)


def _promised(seen: str, have: Floats, terms: Terms) -> dict[str, object]:
    width, q = _room(have, terms).width, as_critical_ratio(Newsvendor(terms.cu, terms.co))
    unit = (read_exactly(terms.cu) + read_exactly(terms.co)) * q * (1 - q)
    return {
        "guarantee": np.array([_from_above(unit * Fraction(units)) for units in width.tolist()]),
        "percent_of_no_data": np.where(width > 0, 100.0, 0.0),
        "basis": "Support as given.",
        "message": f"{seen}: ordered without data",
    }


def _from_above(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else nextafter(nearest, inf)


def _by_the_last(y: Floats, have: Floats, terms: Terms) -> Floats | None:
    """The one past demand, or enough packs to meet it."""
    if not y.size:
        return None
    left = np.maximum(y[0] - have, 0.0)
    return left if terms.supply.orders is None else terms.supply.orders.around(left, left)[1]


def _unpromised(y: Floats, seen: str) -> dict[str, object]:
    does = "ordered once more" if y.size else "no order"
    return {
        "guarantee": None,
        "percent_of_no_data": None,
        "basis": "Nothing is guaranteed: there is no support.",
        "message": f"{seen} and no support: {does}, no guarantee; give the support, or more history",
    }
