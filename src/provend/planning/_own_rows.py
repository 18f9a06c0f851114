"""A decider that knows one item at a time: a newsvendor fitted on the item's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from warnings import catch_warnings, simplefilter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provend.estimators import ColumnWarning, ContextualNewsvendor, RowOrderWarning, SupportWarning
from provend.newsvendor import Newsvendor
from provend.planning._one_by_one import OneByOne
from provend.planning._reason import reasons
from provend.planning._schema import DECISION, DEMAND, NO_DATA, OK, Terms

LEAST = 2  # past demands; with one there is nothing to compare


@dataclass(frozen=True)
class OwnRows(OneByOne):
    """:class:`~provend.ContextualNewsvendor` on the rows of each item alone.

    Attributes
    ----------
    policy, dissimilarity
        As in :class:`~provend.ContextualNewsvendor`.
    columns : mapping, optional
        What contexts are to be taken for.
    """

    policy: str = "minimax"
    dissimilarity: str | float = "auto"
    columns: Mapping[str, str] | None = None

    def decide(self, history: pa.Table, targets: pa.Table, terms: Terms) -> pa.Table:
        """Fit, order and certify; without enough past the order that needs none."""
        y = history[DEMAND].to_numpy()
        if y.size < LEAST:
            return _without_data(y, targets.num_rows, terms)
        past, model = history.drop_columns([DEMAND]), self._model(terms)
        with _undoubting():
            orders = model.fit(past, y).predict(targets)
            promised, weights = model.guarantee(targets), model.get_weights(targets)
            brought = model.brought(targets)
        told = "" if model.level_ is None else ", once brought to its level"
        return _table(
            order=orders,
            guarantee=promised.upper,
            percent_of_no_data=promised.percent_of_no_data,
            effective_n=1 / (weights**2).sum(axis=1),
            policy=[self.policy] * orders.size,
            basis=[model.basis_] * orders.size,
            reason=[said + told for said in reasons(orders, brought, weights, past[0], targets[0])],
            status=[OK] * orders.size,
            message=[None] * orders.size,
        )

    def weights(self, history: pa.Table, targets: pa.Table, terms: Terms) -> NDArray[np.float64]:
        """How much each past row counts for each target, to be shown."""
        with _undoubting():
            model = self._model(terms).fit(history.drop_columns([DEMAND]), history[DEMAND].to_numpy())
            return model.get_weights(targets)

    def fitted(self, past: pa.Table, y: NDArray[np.float64], terms: Terms) -> ContextualNewsvendor:
        """The newsvendor of one item."""
        with _undoubting():
            return self._model(terms).fit(past, y)

    def _model(self, terms: Terms) -> ContextualNewsvendor:
        return ContextualNewsvendor(
            terms.cu,
            terms.co,
            policy=self.policy,
            dissimilarity=self.dissimilarity,
            support=terms.support,
            columns=self.columns,
        )


@contextmanager
def _undoubting() -> Iterator[None]:
    """No warnings from every single item: what they say of the support is in the basis."""
    with catch_warnings():
        for doubt in (ColumnWarning, RowOrderWarning, SupportWarning):
            simplefilter("ignore", doubt)
        yield


def _without_data(y: NDArray[np.float64], size: int, terms: Terms) -> pa.Table:
    """Too little past: the best order without data where the support is known, else what little there is."""
    facts = _by_the_last(y) if terms.support is None else _by_support(y, Newsvendor(terms.cu, terms.co, terms.support))
    facts |= {"effective_n": float(y.size), "policy": "no-data", "status": NO_DATA}
    return _table(**{name: [value] * size for name, value in facts.items()})


def _by_support(y: NDArray[np.float64], problem: Newsvendor) -> dict[str, object]:
    order = problem.no_data_order
    return {
        "order": order,
        "guarantee": problem.no_data_regret,
        "percent_of_no_data": 100.0,
        "basis": "Support as given.",
        "reason": f"{order:g}: the best order without data, between the ends of the support",
        "message": f"{_seen(y)}: ordered without data",
    }


def _by_the_last(y: NDArray[np.float64]) -> dict[str, object]:
    does = "ordered once more" if y.size else "no order"
    return {
        "order": float(y[0]) if y.size else None,
        "guarantee": None,
        "percent_of_no_data": None,
        "basis": "Nothing is guaranteed: there is no support.",
        "reason": f"{y[0]:g}: the only past demand" if y.size else None,
        "message": f"{_seen(y)} and no support: {does}, no guarantee; give the support, or more history",
    }


def _seen(y: NDArray[np.float64]) -> str:
    return "one past demand" if y.size else "no past demand"


def _table(**columns: Sequence[object] | NDArray[np.float64]) -> pa.Table:
    return pa.table([pa.array(columns[field.name], field.type) for field in DECISION], schema=DECISION)
