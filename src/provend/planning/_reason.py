"""Why this quantity: in words, from the days that count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._validation import as_exact
from provend.planning._schema import Terms
from provend.planning._supply import Supply
from provend.tables import weekday

Floats = NDArray[np.float64]

DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
TOPPED = "; as much as past demand says can be needed: give a support if more can"
MOST = 0.5  # share of the weight from which the days of one weekday stand for all


def rounded(units: float) -> str:
    """A quantity in four digits, or all before the point: as many as help to recognise it."""
    return f"{units:.4g}" if abs(units) < 9999.5 else f"{units:.0f}"


def amounts(orders: Floats, stock: Floats | None, terms: Terms) -> list[str]:
    """What is ordered, in words: how many packs, and on top of what."""
    there = [None] * orders.size if stock is None else stock.tolist()
    return [_amount(order, have, terms.supply) for order, have in zip(orders.tolist(), there, strict=True)]


def _amount(order: float, have: float | None, supply: Supply) -> str:
    words = rounded(order)
    if supply.pack is not None and order > 0:
        size = float(as_exact(supply.pack, "pack"))
        count = round(order / size)
        words += f" in {count} {'pack' if count == 1 else 'packs'} of {size:g}" if size != 1 else ""
    if have is None:
        return words
    return (
        f"{words} on top of {rounded(have)} in stock or on order"
        if order > 0
        else f"{words} as {rounded(have)} are in stock or on order"
    )


def by_chance(at_stake: Floats, terms: Terms) -> list[str]:
    """That orders are drawn, in words; empty where that matters less than a unit, or nothing is to be decided."""
    supply = terms.supply
    if supply.orders is None:
        return [""] * at_stake.size
    size = 1.0 if supply.pack is None else float(as_exact(supply.pack, "pack"))
    least = 0.0 if supply.minimum is None else float(as_exact(supply.minimum, "minimum"))
    if max(size, least) <= 1:
        return [""] * at_stake.size
    packs = "whole units" if size == 1 else f"packs of {size:g}"
    only = f", 0 or at least {least:g}," if least > size else ""
    said = f"; rounded at random to {packs}{only} as the guarantee has it"
    return [said if most > 0 else "" for most in at_stake.tolist()]


def at_the_top(levels: Floats, highest: Floats | float, terms: Terms) -> list[str]:
    """That a level is the end of a support that was read off the history, in words; empty where it is not."""
    known = terms.support is not None
    return ["" if known or not full else TOPPED for full in levels >= highest]


def reasons(orders: Floats, y: Floats, weights: Floats, past: pa.ChunkedArray, ahead: pa.ChunkedArray) -> list[str]:
    """The reason for each level: how many of the past demands that count, as they count for it, were at most that."""
    each = zip(orders, y, weights, _names(past, ahead), strict=True)
    return [_reason(order, brought, some, names) for order, brought, some, names in each]


def _names(past: pa.ChunkedArray, ahead: pa.ChunkedArray) -> Iterator[tuple[NDArray[np.bool_], str, str]]:
    """For each target: the past rows of its weekday, what these are called, and what all rows are called."""
    if not pa.types.is_temporal(past.type):
        for _ in range(len(ahead)):
            yield np.zeros(len(past), bool), "", "past demands"
        return
    before, then = _weekdays(past), _weekdays(ahead)
    if np.unique(before).size == 1:  # weekly data: all days have one name
        before = np.full_like(before, -1)
    rows = _rows_of(past)
    for day in then:
        yield before == day, DAYS[day], rows


def _rows_of(past: pa.ChunkedArray) -> str:
    """What rows are called that are as far apart as these."""
    days = np.diff(past.to_numpy().astype("datetime64[D]").astype(np.int64))
    usual = float(np.median(days)) if days.size else 1.0
    return "weeks" if usual == 7 else "months" if 28 < usual <= 31 else "days"


def _weekdays(dates: pa.ChunkedArray) -> NDArray[np.int64]:
    return weekday(dates.to_numpy().astype("datetime64[D]").astype(np.float64))


def _reason(order: float, y: Floats, weights: Floats, names: tuple[NDArray[np.bool_], str, str]) -> str:
    same, day, rows = names
    counted = weights > 0
    if weights[same].sum() >= MOST:
        counted, rows = counted & same, day
    enough, size = int((y[counted] <= order * (1 + 1e-12)).sum()), int(counted.sum())
    return f"{enough} of {size} comparable {rows} needed at most {rounded(order)}"
