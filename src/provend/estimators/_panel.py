"""One model for many items, as a scikit-learn regressor."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_critical_ratio
from provend.certificate import rounded_down, rounded_up
from provend.estimators._guarantees import OrderGuarantees, SupportWarning
from provend.estimators._library import MOST_RULES, PRECISION, optimal_rule
from provend.estimators._panel_rows import Panel
from provend.estimators._panel_table import as_demand, read_panel
from provend.estimators._panel_targets import ENOUGH, Case, Targets
from provend.estimators._pool import Pool, learn_pool, level_at
from provend.estimators._rules import Rule, rank_orders
from provend.newsvendor import Newsvendor
from provend.regret import worst_case_regret
from provend.tables import Contexts, Table

Floats = NDArray[np.float64]

DRIFT = 5e-4  # per row of age, times the density at the order


class PanelNewsvendor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""How much to order of each of many items: one model of level and size, each item decided on its own past.

    Demand in units of an item's size is forecast by one model for all items. What is left of an item's past demands is
    brought to the target and weighed, recent rows more. An item with fewer than 30 rows borrows what is left of the
    demands of other items, and an item never seen is decided from one row each of items like it.

    Parameters
    ----------
    cu, co : number
        Cost of one unit too few and of one too many.
    item : str
        The column that names the item.
    support : pair of numbers, optional
        Lowest and highest demand possible of any item; by default from 0, or its lowest demand if that is negative, to
        the largest demand of the item; of short histories, what the extremes of the pool would be at their size.
    columns : mapping, optional
        What columns are to be taken for where their looks deceive: names to "number", "category" or "time".

    Attributes
    ----------
    newsvendor_ : Newsvendor
        The costs, on the support [0, 1] unless one was given.
    pool_ : Pool
        Sizes, forecast and errors of all items.
    basis_ : str
        What a guarantee rests on.

    Examples
    --------
    >>> import pandas as pd
    >>> from provend.datasets import load_restaurant
    >>> from provend.estimators import PanelNewsvendor
    >>> days = load_restaurant()
    >>> X = pd.concat([pd.DataFrame({"unique_id": name, "ds": days.dates}) for name in ("steak", "lamb", "fish")])
    >>> y = np.concatenate([days.demand[name] for name in ("steak", "lamb", "fish")])
    >>> model = PanelNewsvendor(cu=9, co=1, support=(0, 150)).fit(X, y)
    >>> tomorrow = pd.DataFrame({"unique_id": ["fish", "octopus"], "ds": days.dates[-1:].repeat(2)})
    >>> bool((model.guarantee(tomorrow).percent_of_no_data < 50).all())
    True
    """

    def __init__(
        self,
        cu: Number = 1.0,
        co: Number = 1.0,
        *,
        item: str = "unique_id",
        support: tuple[float, float] | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.cu, self.co = cu, co
        self.item = item
        self.support = support
        self.columns = columns

    def fit(self, X: Table, y: ArrayLike) -> PanelNewsvendor:
        """Learn from the past rows of all items: a dataframe with the item's column, a date and contexts."""
        self.newsvendor_ = Newsvendor(self.cu, self.co, (0, 1) if self.support is None else self.support)
        q = as_critical_ratio(self.newsvendor_)
        items, self.contexts_ = self._read(X, None)
        demand = as_demand(y, items.size)
        self.pool_: Pool = learn_pool(self.contexts_, demand, Panel.of(items, self.contexts_), float(q))
        self.contexts_ = self.contexts_.schema
        self.supports_ = self._supports(demand)
        self.n_features_in_ = len(self.contexts_.columns) + 1
        self.basis_ = self._basis()
        return self

    def predict(self, X: Table) -> Floats:
        """The order for each row."""
        check_is_fitted(self, "pool_")
        targets = self._targets(X)
        orders = np.empty(targets.item.size)
        for case, rows in targets.cases():
            rule, some = self._rule(case), targets.take(rows)
            values = case.values(self.pool_, some)
            by_size = np.argsort(values, axis=1, kind="stable")  # ranks by dissimilarity are the places themselves
            ascending = np.take_along_axis(values, by_size, axis=1)
            orders[rows] = rank_orders(rule, by_size, ascending, some.support)
        return orders

    def guarantee(self, X: Table) -> OrderGuarantees:
        """The worst-case expected regret of the order for each row, in money."""
        check_is_fitted(self, "pool_")
        if self.support is None:
            warnings.warn(f"{self.basis_} Give support=(lowest, highest) if you know it.", SupportWarning, stacklevel=2)
        targets = self._targets(X)
        lower, upper = np.empty(targets.item.size), np.empty(targets.item.size)
        width = targets.support[1] - targets.support[0]
        unit = float(self.newsvendor_.unit / (self.newsvendor_.support[1] - self.newsvendor_.support[0]))
        q = as_critical_ratio(self.newsvendor_)
        for case, rows in targets.cases():
            lower[rows], upper[rows] = _bracket(tuple(self._design(case).tolist()), q)
        money = unit * width
        no_data = float(q * (1 - q)) * money
        return OrderGuarantees(lower * rounded_down(money), upper * rounded_up(money), no_data, self.basis_)

    def score(self, X: Table, y: ArrayLike) -> float:
        """Minus the mean cost of the orders when demand is y: higher is better."""
        orders = self.predict(X)
        return -float(np.mean(self.newsvendor_.cost(orders, as_demand(y, orders.size))))

    def _read(self, X: Table, like: Contexts | None) -> tuple[NDArray[np.str_], Contexts]:
        return read_panel(X, self.item, like, self.columns)

    def _supports(self, y: Floats) -> tuple[Floats, Floats]:
        """The support of each item, and the same in units of its size for items never seen."""
        pool = self.pool_
        if self.support is not None:
            low, high = self.newsvendor_.support
            outside = y[(y < low) | (y > high)]
            if outside.size:
                raise InputError(
                    f"y holds {outside[0]:g}, outside support = ({low:g}, {high:g}); widen it or correct y"
                )
            return np.full(pool.sizes.size, low), np.full(pool.sizes.size, high)
        lines = np.where(pool.panel.known, pool.panel.lines(y), np.nan)
        relative = lines / pool.sizes[:, None]
        least, most = min(float(np.nanmin(relative)), 0.0), max(float(np.nanmax(relative)), 0.0)
        self.range_ = (least, most if least < most else 1.0)
        pooled = [end * pool.sizes for end in self.range_]
        short = pool.panel.count < ENOUGH
        lowest = np.minimum(np.nanmin(lines, axis=1), np.where(short, pooled[0], 0.0))
        highest = np.maximum(np.nanmax(lines, axis=1), np.where(short, pooled[1], 0.0))
        return lowest, np.where(lowest < highest, highest, pooled[1])

    def _targets(self, X: Table) -> Targets:
        items, contexts = self._read(X, self.contexts_)
        pool, item = self.pool_, self.pool_.panel.places(items)
        known = item >= 0
        expected = pool.scale.at(contexts)
        size = np.where(known, pool.sizes[item], expected)
        level = level_at(pool.forecast, contexts) + np.where(known, pool.recent[item], 0.0)
        ends: tuple[ArrayLike, ArrayLike] = self.newsvendor_.support
        if self.support is None:
            ends = self.range_[0] * size, self.range_[1] * size
        low = np.where(known, self.supports_[0][item], ends[0])
        high = np.where(known, self.supports_[1][item], ends[1])
        return Targets(item, pool.panel.count, level, size, expected, (low, high))

    def _design(self, case: Case) -> Floats:
        """Dissimilarities: own rows by age, from the latest on, then those of others."""
        q = as_critical_ratio(self.newsvendor_)
        step = DRIFT * float(norm.pdf(norm.ppf(float(q))))
        own = step * np.arange(1, case.own + 1)
        borrowed = np.full(case.borrowed(self.pool_), self.pool_.distance + step)
        return np.minimum(np.round(np.concatenate([own, borrowed]), 9), 1.0)

    def _rule(self, case: Case) -> Rule:
        """The optimal rule of the case: own rows from the latest on, then those of others."""
        return _placed(tuple(self._design(case).tolist()), as_critical_ratio(self.newsvendor_))

    def _basis(self) -> str:
        text = (
            f"One forecast for {self.pool_.sizes.size:,} items, {self.pool_.forecast.pieces}, learned from the very "
            "demands it moves. Guarantees hold if what is left of an item's demands drifts by no more than "
            f"{DRIFT:g} a row where the order is, if items that borrow differ from the others by no more than "
            f"{self.pool_.distance:.3f} in Kolmogorov distance, which is an estimate, and if learning did no harm. "
        )
        if self.contexts_.time is None:
            text += "No column is taken for a time: the last row of an item counts as its latest. "
        if self.support is not None:
            return text + "Support as given."
        return text + "The support of an item ends at the largest demand of its history, or of the pool at its size."


def _placed(design: tuple[float, ...], q: Fraction) -> Rule:
    """The optimal rule of a design in any order."""
    order = np.argsort(design, kind="stable")
    return optimal_rule(tuple(np.array(design)[order].tolist()), q).placed(order, len(design))


@lru_cache(MOST_RULES)
def _bracket(design: tuple[float, ...], q: Fraction) -> tuple[float, float]:
    """The worst-case regret of that very rule."""
    found = worst_case_regret(_placed(design, q).policy, np.array(design), q=q, rtol=PRECISION)
    return found.lower, found.upper
