"""The backtest itself: read, walk, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from warnings import warn

import numpy as np

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_count, as_critical_ratio, as_exact
from provend.backtesting._hindsight import HindsightWarning, told_by
from provend.backtesting._policies import Setting, left_out, read_policies
from provend.backtesting._remedies import of_tables
from provend.backtesting._report import Ledger
from provend.backtesting._results import Backtest, package
from provend.backtesting._schedule import walk
from provend.newsvendor import Newsvendor
from provend.tables import WEEKDAY, History, Table, read_history

MOST = 10**50  # cost per unit of demand


def backtest(
    history: Table,
    /,
    *,
    cu: Number,
    co: Number,
    policies: Mapping[str, object] | Sequence[str] | None = None,
    contexts: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    groups: Sequence[str] | None = None,
    test: Number = 0.3,
    refit_every: int = 28,
    support: tuple[float, float] | None = None,
    random_state: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Backtest:
    """What each policy would have cost had it been in use over the last part of the history.

    For each item, the last share ``test`` of its rows is decided. All policies learn at the same origins, one every
    ``refit_every`` rows, from all earlier rows of that item and nothing else, and order until the next origin.

    Parameters
    ----------
    history : dataframe of pandas, polars or pyarrow
        Columns ``unique_id``, ``ds`` (dates, dates as text, or numbers), ``y`` (demand) and contexts, one row per item
        and date. The context of a row must be known when its order is placed; one that seems to be made from the
        demand of its own day is doubted by a :class:`~provend.backtesting.HindsightWarning`.
    cu, co : number
        Underage and overage cost per unit.
    policies : list of names, or mapping of names to estimators or built-in names
        Estimators have ``fit(X, y)`` and ``predict(X)``, where X is a dataframe of ``ds`` and the contexts, and
        perhaps ``guarantee(X)``, a :class:`~provend.Guarantee` or a bracket per row, in money. Built in are "static"
        (empirical quantile, learned once), "rolling" (learned again at each origin from all rows so far),
        "rolling:ROWS" (from the last ROWS), "same:COLUMN" (from rows equal in COLUMN), "seasonal:ROWS" (the demand one
        season of ROWS ago, 7 if left out, plus a quantile of its changes; with fewer than two seasons to learn from,
        the quantile of all rows), "ets:ROWS" (see :class:`ExponentialSmoothing`), "linear", "gbm", "hgb", "lgbm" and
        "quantile-forest" (see :class:`QuantileModel`; "forest" for short, which is not the honest forest of
        ``ContextualNewsvendor``), and by ``ContextualNewsvendor`` "minimax", "erm", "knn" or "knn:27", "exp" or
        "exp:0.95", "kernel" or "kernel:gaussian:0.05", "order:14" and "no-data". The first is the reference for
        relative costs. If left out: static, rolling, same:COLUMN for each categorical context, same:weekday unless one
        of them tells the weekday, ets if statsforecast is installed, linear, hgb and minimax.
    contexts : list of str, optional
        The context columns; all but ``unique_id``, ``ds`` and ``y`` if left out.
    columns : mapping, optional
        What to take contexts for where their appearance is misleading: names to "number", "category" or "time".
    groups : list of str, optional
        Days that agree in these contexts share the benchmark of ``regret_context``; the categorical ones, and the
        weekday of the date, if left out.
    test : number
        Share of each item's rows to decide, between 0 and 1.
    refit_every : int
        Rows between origins.
    support : pair of numbers, optional
        Lowest and highest possible demand, for the policies that state a guarantee; no demand may lie outside.
    random_state : int
        Seed for the models and the bootstrap.
    progress : callable, optional
        Called with the share of the work done.
    """
    costs = Newsvendor(cu, co, support or (0, 1))
    as_critical_ratio(costs)
    for name, cost in (("cu", cu), ("co", co)):
        if not 1 / MOST <= as_exact(cost, name) <= MOST:
            raise InputError(f"{name} = {cost!r} is too large or too small to compute with; change the unit of money")
    share = as_exact(test, "test")
    if not 0 < share < 1:
        raise InputError(f"test = {test!r} must lie strictly between 0 and 1; it is the share of rows to decide")
    every, seed = as_count(refit_every, "refit_every"), as_count(random_state, "random_state", least=0)
    with of_tables():
        table = read_history(history, contexts, columns)
    if support is not None:
        _refuse_outside(table, costs.support)
    methods = read_policies(policies, table, Setting(costs, None if support is None else costs.support, seed, columns))
    alike = _groups(groups, table)
    found = walk(table, methods, test=share, refit_every=every, progress=progress or (lambda share: None))
    if support is not None:
        found = found.without_data(costs.no_data_regret)
    result = package(table, methods, Ledger.of(table, found, alike, costs), alike, seed)
    doubts = told_by(table)
    for doubt in doubts:
        warn(doubt, HindsightWarning, stacklevel=2)
    return replace(result, note=result.note + left_out(policies), messages=(*doubts, *result.messages))


def _groups(groups: Sequence[str] | None, table: History) -> tuple[str, ...]:
    if groups is None:
        return table.alike
    for name in groups:
        if name not in table.contexts and not (name == WEEKDAY and table.dated):
            raise InputError(f"groups: {name!r} is not a context; choose among {list(table.contexts)}")
    return tuple(groups)


def _refuse_outside(table: History, support: tuple[float, float]) -> None:
    lo, hi = support
    for i in np.flatnonzero((table.y < lo) | (table.y > hi)):
        raise InputError(
            f"history: y = {table.y[i]:g} lies outside support = [{lo:g}, {hi:g}]; correct it or widen the support"
        )
