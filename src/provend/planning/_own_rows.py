"""A decider that knows one item at a time: a newsvendor fitted on the item's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from warnings import catch_warnings, simplefilter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend._errors import InputError
from provend._validation import as_exact
from provend.estimators import (
    ColumnWarning,
    ContextualNewsvendor,
    RepeatedRowsWarning,
    RowOrderWarning,
    SupportWarning,
)
from provend.planning._one_by_one import OneByOne
from provend.planning._reason import amounts, at_the_top, by_chance, reasons, rounded
from provend.planning._schema import DEMAND, OK, POSITION, UNSEEN, Terms, day, table_of
from provend.planning._without_data import without_data

Floats = NDArray[np.float64]

LEAST = 2  # past demands; with only one there is nothing to compare
FEW = 12  # past demands; with fewer, the largest may well be exceeded


@dataclass(frozen=True)
class OwnRows(OneByOne):
    """:class:`~provend.ContextualNewsvendor` on the rows of each item alone.

    Attributes
    ----------
    policy, dissimilarity
        As in :class:`~provend.ContextualNewsvendor`.
    columns : mapping, optional
        How contexts are to be read.
    """

    policy: str = "minimax"
    dissimilarity: str | float = "auto"
    columns: Mapping[str, str] | None = None

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Fit, order and certify; with too little past, give the order that needs none."""
        y, (ahead, stock) = history[DEMAND].to_numpy(), stock_of(targets)
        if y.size < LEAST:
            return without_data(y, ahead[0].to_pylist(), stock, terms)
        refuse_outside(y, history[0], terms)
        past, model = history.drop_columns([DEMAND]), self.model(terms)
        with undoubting():
            orders = model.fit(past, y).predict(ahead, stock=stock)
            promised, weights = model.guarantee(ahead, stock=stock), model.get_weights(ahead)
            brought = model.brought(ahead)
        told = "" if model.level_ is None else ", once brought to its level"
        levels = orders if stock is None else orders + stock
        counted = reasons(levels, brought, weights, past[0], ahead[0])
        doubts = _doubts(levels, y, model.newsvendor_.support, terms)
        each = zip(amounts(orders, stock, terms), counted, by_chance(promised.upper, terms), doubts, strict=True)
        unseen = _unseen(past, ahead, model.columns_)
        return table_of(
            order=orders,
            guarantee=promised.upper,
            percent_of_no_data=promised.percent_of_no_data,
            effective_n=1 / (weights**2).sum(axis=1),
            policy=[self.policy] * orders.size,
            basis=[model.basis_] * orders.size,
            reason=[f"{what}: {why}{told}{chance}{doubt}" for what, why, chance, doubt in each],
            status=[OK if said is None else UNSEEN for said in unseen],
            message=unseen,
        )

    def fitted(self, past: pa.Table, y: NDArray[np.float64], terms: Terms) -> ContextualNewsvendor:
        """The newsvendor of one item."""
        with undoubting():
            return self.model(terms).fit(past, y)

    def model(self, terms: Terms) -> ContextualNewsvendor:
        """The model before it is fitted."""
        return ContextualNewsvendor(
            terms.cu,
            terms.co,
            policy=self.policy,
            dissimilarity=self.dissimilarity,
            support=terms.support,
            columns=self.columns,
            orders=terms.supply.orders,
            random_state=terms.seed,
        )


def _unseen(past: pa.Table, ahead: pa.Table, kinds: Mapping[str, str]) -> list[str | None]:
    """Which category of each target the item itself has never had, in words; others may have."""
    told = [""] * ahead.num_rows
    for name in (name for name in ahead.column_names if kinds.get(name) == "category"):
        seen = {*past[name].to_pylist()}
        for at, value in enumerate(ahead[name].to_pylist()):
            told[at] = told[at] or ("" if value in seen else f"{name}: the item has never had {value!r}")
    return [said or None for said in told]


def _doubts(levels: Floats, y: Floats, support: tuple[float, float], terms: Terms) -> list[str]:
    """What each order owes to a support that nobody gave, in words."""
    low, high = support
    if terms.support is not None or y.size >= FEW:
        return at_the_top(levels, high, terms)
    said = f"; as no support is given, demand is taken to be {rounded(low)} to {rounded(high)}, its own range"
    return [said] * levels.size


@contextmanager
def undoubting() -> Iterator[None]:
    """Suppress warnings about single items: what they say about the support is in the basis."""
    with catch_warnings():
        for doubt in (ColumnWarning, RepeatedRowsWarning, RowOrderWarning, SupportWarning):
            simplefilter("ignore", doubt)
        yield


def refuse_outside(y: Floats, dates: pa.ChunkedArray, terms: Terms) -> None:
    """Refuse a demand outside the support, in the words of a plan."""
    if terms.support is None:
        return
    low, high = (float(as_exact(end, "support")) for end in terms.support)
    for row in np.flatnonzero((y < low) | (y > high))[:1]:
        when = day(dates[int(row)].as_py())
        raise InputError(
            f"demand {y[row]:g} on {when} is outside the support {low:g} to {high:g}; widen the support, or correct it"
        )


def stock_of(targets: pa.Table) -> tuple[pa.Table, Floats | None]:
    """The contexts of targets, and their stock on hand and on order if that counts."""
    if POSITION not in targets.column_names:
        return targets, None
    return targets.drop_columns([POSITION]), targets[POSITION].to_numpy()
