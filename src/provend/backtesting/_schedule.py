"""Rolling origins: learn from the past, order until the next origin, move on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from provend._errors import InputError
from provend.backtesting._policies import Method
from provend.tables import ColumnWarning, History

Floats = NDArray[np.float64]

LEAST_TRAINING = 2  # rows; with only one there is nothing to compare


@dataclass(frozen=True)
class Block:
    """Rows ``start`` to ``stop`` of the history, whose orders use only what was known before ``start``."""

    first: int
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class View:
    """What a method sees at one origin: copies, which it may spoil, of the past and of the contexts to order for."""

    past: Any
    demands: Floats
    ahead: Any
    days: int

    @classmethod
    def of(cls, history: History, block: Block) -> View:
        """The rows of one item around the origin of a block."""
        past, ahead = history.features(block.first, block.start), history.features(block.start, block.stop)
        return cls(past, history.y[block.first : block.start].copy(), ahead, block.stop - block.start)


@dataclass(frozen=True, eq=False)
class Orders:
    """The orders of each method (column) for each test row; nan where it failed.

    Attributes
    ----------
    rows : array
        The test rows, as positions in the history.
    orders, guarantees, no_data : array of shape (test rows, methods)
        The quantity ordered, its stated worst-case regret in money, and that of an order without any data.
    first : array of bool
        Which test rows are decided at their item's first origin.
    status : list of lists of str
        For each item and method, "ok" or why there are no orders.
    """

    rows: Any
    orders: Floats
    guarantees: Floats
    no_data: Floats
    first: NDArray[np.bool_]
    status: list[list[str]]

    def without_data(self, regret: float) -> Orders:
        """The same orders, with the no-data regret filled in where a guarantee came as a bare bracket."""
        return replace(self, no_data=np.where(np.isnan(self.no_data), regret, self.no_data))


def walk(
    history: History, methods: list[Method], *, test: Fraction, refit_every: int, progress: Callable[[float], None]
) -> Orders:
    """Take every method through the test rows of every item, all refitted at the same origins on the same past."""
    plans = [_blocks(history, item, test, refit_every) for item in range(history.items)]
    status = [[_flaw(history, item, plans[item]) or "ok"] * len(methods) for item in range(history.items)]
    found = np.full((3, history.y.size, len(methods)), np.nan)
    sound = [item for item in range(history.items) if status[item][0] == "ok"]
    total, done = sum(len(plans[item]) for item in sound) * len(methods), 0
    for item in sound:
        for column, method in enumerate(methods):
            try:
                views = (View.of(history, block) for block in plans[item])
                for block, answer in zip(plans[item], _run(method, views), strict=True):
                    found[:, block.start : block.stop, column] = answer
            except Exception as error:  # a method that fails on an item gets a status; the others go on
                found[:, :, column][:, plans[item][0].start : plans[item][-1].stop] = np.nan
                status[item][column] = " ".join(f"failed: {type(error).__name__}: {error}".split())
            done += len(plans[item])
            progress(done / total)
    rows = np.concatenate([np.arange(plans[i][0].start, plans[i][-1].stop) for i in sound] or [np.arange(0)])
    first = np.isin(rows, [row for i in sound for row in range(plans[i][0].start, plans[i][0].stop)])
    orders, guarantees, no_data = found[:, rows]
    return Orders(rows, orders, guarantees, no_data, first, status)


def _blocks(history: History, item: int, test: Fraction, refit_every: int) -> list[Block]:
    first, stop = int(history.bounds[item]), int(history.bounds[item + 1])
    start = first + ceil((1 - test) * (stop - first))
    return [Block(first, at, min(at + refit_every, stop)) for at in range(start, stop, refit_every)]


def _flaw(history: History, item: int, plan: list[Block]) -> str | None:
    if not plan or plan[0].start - plan[0].first < LEAST_TRAINING:
        return "too few rows"
    return "missing values in 'y'" if history.lacks_demand(item) else None


def _run(method: Method, views: Iterable[View]) -> Iterator[Floats]:
    """Orders, guarantees and no-data regrets, origin by origin."""
    estimator = clone(method.estimator, safe=False)
    for i, view in enumerate(views):
        with catch_warnings(), np.errstate(all="ignore"):  # what is not finite is refused below
            simplefilter("ignore", ColumnWarning)  # given once, for the whole history
            if i == 0 or method.refit:
                estimator.fit(view.past, view.demands)
            orders = np.asarray(estimator.predict(view.ahead), dtype=np.float64).reshape(-1)
        if orders.size != view.days:
            raise InputError(f"predict returned {orders.size} orders for {view.days} rows")
        if not np.isfinite(orders).all():
            raise InputError("predict returned an order that is not finite")
        yield np.vstack([orders, _stated(estimator, view)])


def _stated(estimator: Any, view: View) -> Floats:
    """The guarantees of an estimator, if it gives any, and the no-data regrets to compare them with."""
    if not hasattr(estimator, "guarantee"):
        return np.full((2, view.days), np.nan)
    with catch_warnings(), np.errstate(all="ignore"):
        simplefilter("ignore", UserWarning)  # the result's note says what a support read off the history means
        given = estimator.guarantee(view.ahead)
    if hasattr(given, "no_data_regret"):  # all rows in one object
        upper = np.asarray(given.upper, dtype=np.float64)
        no_data = np.broadcast_to(np.asarray(given.no_data_regret, dtype=np.float64), upper.shape)
    else:
        upper = np.array([float(g.upper) if hasattr(g, "upper") else float(np.max(g)) for g in given])
        no_data = np.array([float(g.q * (1 - g.q)) * g.unit if hasattr(g, "unit") else np.nan for g in given])
    if upper.shape != (view.days,):
        raise InputError(f"guarantee returned {upper.size} brackets for {view.days} rows")
    return np.vstack([upper, no_data])
