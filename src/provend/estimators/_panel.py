"""One model for many items, as a scikit-learn regressor."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from provend._display import at_least
from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_critical_ratio
from provend.certificate import Bracket, rounded_down, rounded_up
from provend.estimators._basis import FOR_ALL, OF_SUPPORT
from provend.estimators._buying import Buying, as_buying, as_stock_position
from provend.estimators._demands import as_demands
from provend.estimators._guarantees import OrderGuarantees, SupportWarning
from provend.estimators._histories import Histories
from provend.estimators._panel_decisions import PanelDecisions, PanelPast
from provend.estimators._panel_designs import bracket_at, design_of, drift_at, rule_at
from provend.estimators._panel_rows import Items, Panel
from provend.estimators._panel_table import read_panel
from provend.estimators._panel_targets import Case, Targets
from provend.estimators._pool import learn_pool
from provend.estimators._rules import Rule, rank_orders
from provend.estimators._unknown import learned_for_all, warn_of_unknown
from provend.newsvendor import Newsvendor
from provend.orders import Orders, Room
from provend.tables import Contexts, Table

Floats = NDArray[np.float64]


class PanelNewsvendor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""How much to order of each of many items: one model of level and size, and a decision on each item's own past.

    One model for all items forecasts demand in units of an item's size. To that comes the week of each item: what
    weekends do to all, what they do to the item, and what each weekday adds, the latter two as far as items differ by
    more than chance; how far its weekdays differ is judged by the item's own rows more and more. The errors of an
    item's past forecasts are brought to the target and weighed, recent rows more heavily. An item with fewer than 30
    rows also borrows errors from other items, made as wide as its own, of different days up to 14 rows back: what one
    day did to all of them is not what happens every day. The order for an item never seen is decided from one row of
    each of several similar items.

    The rule is the one with the smallest guarantee, kept within the demands it looks at: with few rows and a high
    ratio the optimum would now and then order an end of the support. It does so only where staying within them would
    raise the guarantee by more than 60 %, or above that of no data.

    Parameters
    ----------
    cu, co : number
        Cost of one unit too few, and of one unit too many.
    item : str
        The column that names the item.
    support : pair of numbers, optional
        Lowest and highest possible demand of any item; by default from 0, or its lowest demand if that is negative, to
        the largest demand of the item; for short histories at least as far as the demands of other items reach at its
        size, but for the few items that are unlike all others; to 1 at least for an item that has sold nothing. Where a
        target's level is clearly above all levels of the past, as at a first promotion, that end is brought there from
        the highest of them.
    columns : mapping, optional
        How to read columns whose appearance misleads: maps their names to "number", "category" or "time".
    orders, random_state
        Possible orders and the seed of the draws, as in :class:`ContextualNewsvendor`; draws also depend on the item.

    Attributes
    ----------
    newsvendor_ : Newsvendor
        The costs, on the support [0, 1] unless one was given.
    pool_ : Pool
        What was learned once for all items: sizes, the forecast, and the errors that items lend.
    histories_ : Histories
        The history of each item, seen through what was learned.
    columns_ : dict
        What each column of contexts was taken for.
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
    >>> bool((model.guarantee(tomorrow).percent_of_no_data < 65).all())
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
        orders: Orders | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.cu, self.co = cu, co
        self.item = item
        self.support = support
        self.columns = columns
        self.orders = orders
        self.random_state = random_state

    def fit(self, X: Table, y: ArrayLike) -> PanelNewsvendor:
        """Learn from the past rows of all items: a dataframe with the item column, a date and contexts.

        Rows of an item at the same moment are taken in the order given, which must not depend on their demands.
        """
        newsvendor, buying = self._newsvendor(), as_buying(self)
        items, contexts = read_panel(X, self.item, None, self.columns)
        if not contexts.size:
            raise InputError("X has 0 rows; give at least one")
        demand = as_demands(y, contexts.size)
        panel = Panel.of(items, contexts)
        pool = learn_pool(contexts, demand, panel, float(as_critical_ratio(newsvendor)))
        histories = self._inside(newsvendor, Histories.of(pool, contexts, demand, panel))
        validate_data(self, X, skip_check_array=True)
        self.pool_, self.item_, self.contexts_, self.columns_ = pool, self.item, contexts.schema, contexts.kinds
        return self._with(newsvendor, buying, histories)

    def with_items(self, X: Table, y: ArrayLike) -> PanelNewsvendor:
        """The same model for other items or later rows: what was learned stays; the past consists of these rows alone.

        Costs, support and possible orders are taken from the current parameters. An item borrows from the items the
        model was learned from, but never from itself.
        """
        check_is_fitted(self, "pool_")
        items, contexts = self._read(X)
        demand = as_demands(y, contexts.size)
        newsvendor, buying = self._newsvendor(), as_buying(self)
        histories = Histories.of(self.pool_, contexts, demand, Panel.of(items, contexts))
        return copy(self)._with(newsvendor, buying, self._inside(newsvendor, histories))

    def predict(self, X: Table, *, stock: ArrayLike | None = None) -> Floats:
        """The order for each row; with ``stock`` (on hand and on order), it comes on top of that and is at least 0."""
        check_is_fitted(self, "pool_")
        return self._decided(self._targets(X, stock)).orders

    def decide(self, X: Table, *, stock: ArrayLike | None = None) -> PanelDecisions:
        """The order for each row, and the data it is based on."""
        check_is_fitted(self, "pool_")
        return self._decided(self._targets(X, stock))

    def certified(self, X: Table, *, stock: ArrayLike | None = None) -> tuple[PanelDecisions, OrderGuarantees]:
        """Both :meth:`decide` and :meth:`guarantee`: faster than one after the other, as the rows are read once."""
        check_is_fitted(self, "pool_")
        targets = self._targets(X, stock)
        return self._decided(targets), self._guaranteed(targets)

    def _decided(self, targets: Targets) -> PanelDecisions:
        found, q = PanelDecisions.blank(targets.support[1]), as_critical_ratio(self.newsvendor_)
        for case, rows in targets.cases(self.pool_, self.histories_):
            rule, some = self._rule(case, q), targets.take(rows)
            values = some.values(case, self.pool_, self.histories_)
            needed, ends = some.needed(values)
            by_size = np.argsort(needed, axis=1)  # the places themselves are the ranks by dissimilarity
            ascending = np.take_along_axis(needed, by_size, axis=1)
            found.orders[rows] = some.placed(rank_orders(rule, by_size, ascending, ends), q)
            beyond = values if some.room is None else values - some.stock[:, None]
            found.note(case, rows, beyond, rule.shares(values.shape[1]))
        return found

    def past_of(self, X: Table) -> PanelPast:
        """The data that the order for the first row is based on."""
        check_is_fitted(self, "pool_")
        target = self._targets(X, quietly=True).take(np.arange(1))
        ((case, _),) = target.cases(self.pool_, self.histories_)
        q = as_critical_ratio(self.newsvendor_)
        lenders = self.pool_.lenders
        at = lenders.nearest(target.listed, target.expected, case.borrowed, stranger=bool(case.stranger))[0]
        brought = target.values(case, self.pool_, self.histories_)[0]
        shares = self._rule(case, q).shares(brought.size)
        low, high = (float(end[0]) for end in target.support)
        names = lenders.names[at if case.stranger else lenders.whose[at]]
        return PanelPast(case.own, names, brought, shares, np.array(self._design(case, q)), (low, high))

    def guarantee(self, X: Table, *, stock: ArrayLike | None = None) -> OrderGuarantees:
        """The worst-case expected regret of the order for each row, in money."""
        check_is_fitted(self, "pool_")
        return self._guaranteed(self._targets(X, stock))

    def _guaranteed(self, targets: Targets) -> OrderGuarantees:
        if not self.support_given_:
            warnings.warn(f"{self.basis_} Give support=(lowest, highest) if you know it.", SupportWarning, stacklevel=3)
        lower, upper = np.empty(targets.item.size), np.empty(targets.item.size)
        width = targets.width
        unit = float(self.newsvendor_.unit / (self.newsvendor_.support[1] - self.newsvendor_.support[0]))
        q = as_critical_ratio(self.newsvendor_)
        for case, rows in targets.cases(self.pool_, self.histories_):
            lower[rows], upper[rows] = bracket_at(self._design(case, q), q)
        money = unit * width
        no_data = float(q * (1 - q)) * money
        found = Bracket(lower * rounded_down(money), upper * rounded_up(money))
        price = targets.allowance(q)
        found = found.widened_by(rounded_up(price * unit)) if price.any() else found
        return OrderGuarantees(found.lower, found.upper, no_data, self.basis_)

    def score(self, X: Table, y: ArrayLike) -> float:
        """Minus the mean cost of the orders when demand is y: higher is better."""
        orders = self.predict(X)
        return -float(np.mean(self.newsvendor_.cost(orders, as_demands(y, orders.size))))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.regressor_tags.poor_score = True  # minus a cost is never above 0
        return tags

    def _newsvendor(self) -> Newsvendor:
        return Newsvendor(self.cu, self.co, (0, 1) if self.support is None else self.support)

    def _inside(self, newsvendor: Newsvendor, histories: Histories) -> Histories:
        if self.support is not None:
            _refuse_outside(histories, newsvendor.support)
        return histories

    def _with(self, newsvendor: Newsvendor, buying: Buying, histories: Histories) -> PanelNewsvendor:
        self.newsvendor_, self.buying_, self.histories_ = newsvendor, buying, histories
        self.support_given_ = self.support is not None
        self.basis_ = self._basis()
        return self

    def _read(self, X: Table) -> tuple[Items, Contexts]:
        return read_panel(X, self.item_, self.contexts_, self.columns)

    def _targets(self, X: Table, stock: ArrayLike | None = None, *, quietly: bool = False) -> Targets:
        items, contexts = self._read(X)
        pool, histories = self.pool_, self.histories_
        if not quietly:
            warn_of_unknown(learned_for_all(pool), contexts)
        item, listed = items.places_in(histories.names), items.places_in(pool.lenders.names)
        known = item >= 0
        expected = pool.scale.at(contexts)
        size = np.where(known, histories.sizes[item], expected)
        level = histories.level(pool, item, contexts)
        if self.support_given_:
            low, high = (np.full(item.size, end) for end in self.newsvendor_.support)
        else:
            low, high = histories.support(pool, item, size, level)
        have = np.zeros(item.size) if stock is None else as_stock_position(stock, item.size)
        buying = self.buying_
        room = Room.beyond(have, (low, high), buying.orders) if stock is not None or buying.orders is not None else None
        chance = buying.chance(contexts, have, items.names[items.code].tolist()) if room is not None else None
        ahead = histories.pace.ahead(item, contexts), pool.pace.ahead(np.zeros_like(item), contexts)
        level = level + histories.recent[item]
        return Targets(item, listed, ahead, level, size, expected, (low, high), have, room, chance)

    def _design(self, case: Case, q: Fraction) -> tuple[float, ...]:
        """The dissimilarities: own rows by age, latest first, then the rows of others."""
        if not case.own + case.borrowed:
            raise InputError("X: there is no past demand, neither of an item nor of others; give some")
        return design_of(case, self.pool_.distance, q)

    def _rule(self, case: Case, q: Fraction) -> Rule:
        """The optimal rule for the case: own rows, latest first, then the rows of others."""
        return rule_at(self._design(case, q), q)

    def _basis(self) -> str:
        pool, drift = self.pool_, drift_at(as_critical_ratio(self.newsvendor_))
        several = pool.lenders.names.size
        some = f"{pool.drawn:,} of " * (pool.drawn < several)
        known = "is an estimate" if pool.compared else "is assumed, as there are too few rows to compare items"
        text = (
            f"{FOR_ALL}, {pool.forecast.pieces}{pool.week.described}, learned from {some}{several:,} "
            "items, perhaps from the very demands it moves; errors are lent in units of each item's own, learned from "
            "the same demands. Guarantees hold if the law of what is left of an item's demands moves by no more than "
            f"{at_least(drift)} a row in Kolmogorov distance, and on until the date ordered for, if items that borrow "
            f"differ from the others by no more than {at_least(pool.distance)}, which {known}, and if learning did no "
            "harm. "
        )
        if self.contexts_.time is None:
            text += "No column is taken for a time: the last row of an item counts as its latest. "
        else:
            text += "Rows of an item before a change of its level that has lasted are not weighed. "
        return text + ("Support as given." if self.support_given_ else OF_SUPPORT) + self.buying_.how


def _refuse_outside(histories: Histories, support: tuple[float, float]) -> None:
    low, high = support
    seen_low, seen_high = histories.seen
    outside = [*seen_low[seen_low < low], *seen_high[seen_high > high]]
    if outside:
        raise InputError(f"y holds {outside[0]:g}, outside support = ({low:g}, {high:g}); widen it or correct y")
