"""The contextual newsvendor as a scikit-learn regressor."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_critical_ratio
from provend.certificate import Bracket
from provend.dissimilarity import Dissimilarity, row_blocks
from provend.estimators._buying import Asked, as_buying, as_stock_position
from provend.estimators._by_rank import Blocks, Decider
from provend.estimators._choices import Chosen, chosen_dissimilarity
from provend.estimators._deciders import check_names, decider
from provend.estimators._demands import as_demands
from provend.estimators._evidence import Evidence, evidence
from provend.estimators._guarantees import OrderGuarantees, SupportWarning
from provend.estimators._levels import Regressor
from provend.estimators._past import as_weights, read_past, read_table
from provend.estimators._support import chosen_support
from provend.estimators._unknown import compared_by, warn_of_unknown
from provend.estimators._whole import WHOLE, whole_orders
from provend.levels import Brought
from provend.newsvendor import Newsvendor
from provend.orders import Orders
from provend.policies import Policy
from provend.tables import Contexts, Table

Floats = NDArray[np.float64]

CHUNK = 512  # targets handled together; similar ones share a computation


class ContextualNewsvendor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""How much to order for a target context, from past demands in other contexts, with a guarantee.

    .. math:: \min_a \; c_u \, \mathbb{E}(D - a)^+ + c_o \, \mathbb{E}(a - D)^+

    Past demand i counts according to the dissimilarity :math:`d_i` of its context to the target's. The default policy
    has the smallest worst-case regret over all distributions within these dissimilarities. Where dissimilarities are
    learned by "auto", and rows have no weights, it stays within past demands, brought to the target, as long as that
    raises the regret by at most 60 % and not above 70 % of that of no data: with few rows and a high ratio the optimum
    would now and then order an end of the support.

    Parameters
    ----------
    cu, co : number
        Cost of one unit too few, and of one unit too many.
    policy : str or Policy
        "minimax", "erm", "knn", "kernel", "exponential", "tree", "forest", a name with its parameter such as "knn:27",
        "exp:0.95", "kernel:gaussian:0.05", "order:14" or "no-data", or a policy such as ``KNN(20)``, which then
        decides as ``policy.order`` would on the rows as given (real weights rounded to thousandths of the largest).
        "minimax" shares the optimal rules of representative targets; ``Optimal()`` solves each target on its own. Trees
        are honest: they are grown on one half of the rows, drawn with a fixed seed, and put weight only on the other.
    dissimilarity : str, Dissimilarity, number or function
        "auto": a share of the difference between two forecasts plus a drift over time, as fast as would have paid.
        "cautious": the same, with the scales at upper confidence limits; the default policy then never orders beyond
        what past demands, brought to the target, support. "split": as "auto", but learned from the older half of the
        rows and used to weigh the other half. "certified": joint confidence limits of the distances between groups of
        contexts, from the older half of the rows; the price of their failing is part of the guarantee. A model, a
        constant or a function of (past, targets) is used as given.
    level : str, scikit-learn regressor or None
        The typical demand in a context. Past demands are brought from the level of their context to that of the
        target before they are weighed. "auto": where the dissimilarity is learned, a forecast put together from pieces
        that have earned their place (a change of level that has lasted, growth, a regression, trees, days that recur
        every year, the level of the recent past); a given dissimilarity refers to demand as it is. Also possible: the
        name of a column of forecasts made elsewhere, or a regressor, which is cross-fitted, or fitted to the older half
        of the rows where the dissimilarity is given or "split", and to their oldest quarter where it is "certified".
        ``None``: past demand counts as it is.
    support : pair of numbers, optional
        Lowest and highest possible demand; by default, the range of the history, or from 0 to twice the demand seen
        where all are the same.
    columns : mapping, optional
        How to read columns whose appearance misleads: maps their names to "number", "category" or "time".
    integer : bool
        Whether to round orders to whole numbers inside the support. Guarantees then allow for the change, at the higher
        of the two costs: at most half a unit, unless an end of the support is not a whole number.
    orders : Orders, optional
        Which orders are possible: packs, a minimum quantity. Past demands, and the order that follows from them, are
        rounded at random to neighbouring possible orders, and the guarantee is that of the policy, against the best
        *possible* order. The support is widened to possible orders.
    random_state : int or None
        Seed of the draws. They also depend on the target's context, but never on demands: the same call gives the same
        orders. ``None``: nothing is drawn, orders are rounded, and guarantees grow by ``orders.allowance``.

    Attributes
    ----------
    newsvendor_ : Newsvendor
        Costs and support.
    dissimilarity_ : Dissimilarity
        The model in use.
    columns_ : dict
        How each column of the contexts was read: as "number", "category" or "time".
    basis_ : str
        What was given, estimated or calibrated, and what a guarantee therefore means.
    level_ : Level or None
        The level that past demand is brought to, and from unless the past was forecast row by row; ``None`` where
        past demand counts as it is.
    scale_estimate_ : ScaleEstimate or None
        How "cautious" found the scales.

    Examples
    --------
    >>> from provend.datasets import load_restaurant
    >>> from provend.estimators import ContextualNewsvendor
    >>> import pandas as pd
    >>> days = load_restaurant()
    >>> X, y = pd.DataFrame({"date": days.dates, "weekday": days.weekdays}), days.demand["steak"]
    >>> model = ContextualNewsvendor(cu=9, co=1, support=(0, 100)).fit(X[:300], y[:300])
    >>> orders = model.predict(X[300:307])
    >>> bool((model.guarantee(X[300:307]).percent_of_no_data < 50).all())
    True
    """

    def __init__(
        self,
        cu: Number = 1.0,
        co: Number = 1.0,
        *,
        policy: str | Policy = "minimax",
        dissimilarity: str | float | Dissimilarity | Callable[..., ArrayLike] = "auto",
        level: str | Regressor | None = "auto",
        support: tuple[float, float] | None = None,
        columns: Mapping[str, str] | None = None,
        integer: bool = False,
        orders: Orders | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.cu, self.co = cu, co
        self.policy = policy
        self.dissimilarity = dissimilarity
        self.level = level
        self.support = support
        self.columns = columns
        self.integer = integer
        self.orders = orders
        self.random_state = random_state

    def fit(self, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ContextualNewsvendor:
        """Learn from past contexts and their demands.

        Parameters
        ----------
        X : table
            One row per past observation: any dataframe, or an array. Dates are times; text, categories and booleans are
            compared as categories; ``columns_`` says how each was read. Missing values are allowed, except in dates.
        y : array
            The demand observed in each row.
        sample_weight : array, optional
            How important each row is relative to the others: it multiplies the row's weight in the decision, to a
            thousandth of the largest, and the guarantee is that of the rule with these weights. A row remains one
            observation, however important; repeat the row itself if it stands for several independent ones. A weight
            of 0 leaves the row out. What is learned (forecasts, scales) treats all remaining rows as equally important.

        Notes
        -----
        Rows at the same dissimilarity are taken in the order given. That order must not depend on their demands: if
        the table is sorted by demand, sort it by date or shuffle it first.
        """
        q = as_critical_ratio(Newsvendor(self.cu, self.co))
        check_names(self.policy, self.dissimilarity)
        as_buying(self)  # refused before anything is learned
        history = read_past(self, X, y, sample_weight)
        self.columns_ = history.contexts.kinds
        support, of_support = chosen_support(self.support, history.y)
        chosen: Chosen = chosen_dissimilarity(self.dissimilarity, self.level, history, q)
        self.buying_ = as_buying(self, support)
        support, of_support = self.buying_.widened(of_support)
        self.newsvendor_ = Newsvendor(self.cu, self.co, support)
        self.whole_ = whole_orders(self.newsvendor_) if self.integer else None
        self.history_ = chosen.weighed
        self.dissimilarity_, self.scale_estimate_ = chosen.model, chosen.estimate
        self.level_ = chosen.demands.level if isinstance(chosen.demands, Brought) else None
        self.price_, self.support_given_ = chosen.price, self.support is not None
        self.basis_ = f"{chosen.basis} {of_support}{'' if self.whole_ is None else WHOLE}"
        self.decider_: Decider = decider(self.policy, chosen, q)
        return self

    def predict(self, X: Table, *, stock: ArrayLike | None = None) -> Floats:
        """The order for each target.

        Parameters
        ----------
        X : table
            One row per target, with the columns of ``fit``.
        stock : number or array, optional
            What is on hand and on order, one number for all targets or one for each. Orders come on top of it and are
            at least 0, as nothing can be returned. It must not have been chosen in the light of the
            demands that are weighed.
        """
        check_is_fitted(self, "decider_")
        asked = self._asked(X, stock)
        blocks, start = list[Floats](), 0
        for d, at in self._blocks(asked.targets):
            have = None if asked.stock is None else asked.stock[start : start + len(d)]
            blocks.append(self.buying_.ordered(self.decider_, d, at, self.newsvendor_, have))
            start += len(d)
        orders = np.concatenate(blocks)
        if self.whole_ is not None:
            orders = self.whole_.rounded(orders, on_top=stock is not None)
        return orders[asked.back]

    def guarantee(self, X: Table, *, stock: ArrayLike | None = None) -> OrderGuarantees:
        """The worst-case expected regret of the order for each target, in money.

        With ``stock``, as in :meth:`predict`, regret is measured against the best order on top of that stock. If you
        gave no ``support``, a :class:`SupportWarning` says what the guarantee rests on.
        """
        check_is_fitted(self, "decider_")
        if not self.support_given_:
            warnings.warn(f"{self.basis_} Give support=(lowest, highest) if you know it.", SupportWarning, stacklevel=2)
        asked = self._asked(X, stock)
        targets, back = asked.targets, asked.back
        chunks = np.split(np.arange(targets.size), range(CHUNK, targets.size, CHUNK))
        brackets = [self.decider_.brackets(self._blocks(targets.take(rows))) for rows in chunks]
        lower, upper = (np.concatenate(ends) for ends in zip(*brackets, strict=True))
        found, no_data = self.buying_.in_money(
            Bracket(lower, upper).widened(above=self.price_), self.newsvendor_, asked.stock
        )
        if self.whole_ is not None:
            found = found.widened(below=self.whole_.allowance, above=self.whole_.allowance)
        without = self.newsvendor_.no_data_regret if stock is None else no_data[back]
        return OrderGuarantees(found.lower[back], found.upper[back], without, self.basis_)

    def get_weights(self, X: Table) -> Floats:
        """How much each past row counts for each target: one row per target, summing to 1; columns as in ``fit``."""
        check_is_fitted(self, "decider_")
        targets, back = self._distinct(X)
        shares = np.concatenate([self.decider_.shares(d, at) for d, at in self._blocks(targets)])
        found = np.zeros((self.history_.given, targets.size))
        found[self.history_.rows] = shares.T
        return found.T[back]

    def brought(self, X: Table) -> Floats:
        """Past demands as they count for each target, at its level: columns as in ``fit``, nan for rows not weighed."""
        check_is_fitted(self, "decider_")
        targets, back = self._distinct(X)
        found = np.full((targets.size, self.history_.given), np.nan)
        found[:, self.history_.rows] = self.decider_.demands.at(targets, self.buying_.support)
        return found[back]

    def dissimilarities(self, X: Table) -> Floats:
        """How far each past row is from each target: columns as in ``fit``, nan for rows not weighed."""
        check_is_fitted(self, "decider_")
        targets, back = self._distinct(X)
        found = np.full((targets.size, self.history_.given), np.nan)
        found[:, self.history_.rows] = np.concatenate([d for d, _ in self._blocks(targets)])
        return found[back]

    def evidence(self, X: Table) -> Evidence:
        """The evidence behind the order for each target, with a sentence for each that a planner can judge."""
        check_is_fitted(self, "decider_")
        targets, back = self._distinct(X)
        blocks = [(self.decider_.shares(d, at), d) for d, at in self._blocks(targets)]
        shares, d = (np.concatenate(tables)[back] for tables in zip(*blocks, strict=True))
        return evidence(shares, d, self.decider_.demands, self.history_, self.dissimilarity_, self.newsvendor_)

    def score(self, X: Table, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean cost of the orders when demand is y: higher is better."""
        check_is_fitted(self, "decider_")
        orders = self.predict(X)
        demand = as_demands(y, orders.size)
        weights = None if sample_weight is None else as_weights(sample_weight, demand.size)
        if weights is not None and not weights.any():
            raise InputError("sample_weight is zero for every row; at least one row must count")
        return -float(np.average(np.atleast_1d(self.newsvendor_.cost(orders, demand)), weights=weights))

    def _distinct(self, X: Table) -> tuple[Contexts, NDArray[np.intp]]:
        """The distinct targets, and the position of each row of X among them."""
        asked = self._asked(X, None, quietly=True)
        return asked.targets, asked.back

    def _asked(self, X: Table, stock: ArrayLike | None, *, quietly: bool = False) -> Asked:
        """The distinct targets, by context and stock."""
        contexts = read_table(self, X, self.history_.contexts)
        if not quietly and self.level_ is not None:
            warn_of_unknown(compared_by(self.dissimilarity_), contexts)
        have = None if stock is None else as_stock_position(stock, contexts.size)
        return Asked.of(contexts, have)

    def _blocks(self, targets: Contexts) -> Blocks:
        """Dissimilarities, so few targets at a time that memory does not depend on how many targets there are."""
        past = self.history_.contexts
        for rows in row_blocks(targets.size, past.size, CHUNK):
            some = targets if rows.size == targets.size else targets.take(rows)
            yield self.dissimilarity_(past, some), some

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.regressor_tags.poor_score = True  # minus a cost is never above 0
        return tags
