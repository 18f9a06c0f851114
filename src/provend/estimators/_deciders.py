"""How policies decide for many targets: by rank of dissimilarity, or by weights of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend.dissimilarity import Dissimilarity
from provend.dissimilarity._calibrate import cut_offs
from provend.dissimilarity._contexts import Contexts
from provend.estimators._history import History
from provend.estimators._library import LIBRARY, PRECISION, Brackets, Library, together
from provend.estimators._rules import Rule, decode, rank_orders, share_needed, weighted_quantiles
from provend.estimators._weights import TREES, HonestForest, kernel_weights
from provend.minimax import Optimal
from provend.policies import ERM, KNN, Exponential, Kernel, NoData, Policy, WeightedERM
from provend.regret import worst_case_regret

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Decider(ABC):
    """Orders, guarantees and weights for targets at dissimilarities ``d``, one row each."""

    @abstractmethod
    def orders(self, d: Floats, targets: Contexts, support: tuple[float, float]) -> Floats:
        """How much to order."""

    @abstractmethod
    def brackets(self, d: Floats, targets: Contexts) -> tuple[Floats, Floats]:
        """Worst-case regrets, in units of (cu + co) times the width of the support."""

    @abstractmethod
    def shares(self, d: Floats, targets: Contexts) -> Floats:
        """How much each past row counts; rows sum to 1."""


@dataclass(frozen=True, eq=False)
class ByRank(Decider):
    """Policies that look at the order of the dissimilarities; the optimal one also at their size, by bins."""

    q: Fraction
    y: Floats
    rules: Library | Rule
    known: Brackets = field(default_factory=Brackets)

    def _rule(self, key: int) -> Rule:
        return self.rules.rule(key) if isinstance(self.rules, Library) else self.rules

    def _keys(self, ascending: Floats) -> Integers:
        if isinstance(self.rules, Library):
            return self.rules.keys(ascending)
        return np.zeros(len(ascending), np.int64)

    def orders(self, d: Floats, targets: Contexts, support: tuple[float, float]) -> Floats:
        """Weighted quantiles by rank."""
        by_demand = np.argsort(self.y, kind="stable")
        nearest, keys = np.argsort(d, axis=1, kind="stable"), self._keys(np.sort(d, axis=1))
        ranks = np.empty_like(nearest)
        np.put_along_axis(ranks, nearest, np.broadcast_to(np.arange(d.shape[1]), d.shape), axis=1)
        orders = np.empty(len(d))
        for key in np.unique(keys):
            rows = keys == key
            orders[rows] = rank_orders(self._rule(int(key)), ranks[rows][:, by_demand], self.y[by_demand], support)
        return orders

    def brackets(self, d: Floats, targets: Contexts) -> tuple[Floats, Floats]:
        """One computation per design, or per group of similar ones."""
        ascending = np.sort(d, axis=1)
        lower, upper = np.empty(len(d)), np.empty(len(d))
        for key, rows in together(ascending, self._keys(ascending), self.q):
            lower[rows], upper[rows] = self.known.of(self._rule(key), key, ascending[rows])
        return lower, upper

    def shares(self, d: Floats, targets: Contexts) -> Floats:
        """By rank, put back in the order of the rows."""
        nearest, keys = np.argsort(d, axis=1, kind="stable"), self._keys(np.sort(d, axis=1))
        by_rank = {int(key): self._rule(int(key)).shares(d.shape[1]) for key in np.unique(keys)}
        found = np.empty_like(d)
        np.put_along_axis(found, nearest, np.array([by_rank[int(key)] for key in keys]), axis=1)
        return found


@dataclass(frozen=True, eq=False)
class ByWeight(Decider):
    """Weighted ERM with integer weights: a kernel of the dissimilarities, or an honest forest."""

    q: Fraction
    y: Floats
    source: Kernel | HonestForest

    def _weights(self, d: Floats, targets: Contexts) -> Integers:
        if isinstance(self.source, HonestForest):
            return self.source.weights(targets)
        return kernel_weights(self.source, d)

    def orders(self, d: Floats, targets: Contexts, support: tuple[float, float]) -> Floats:
        """The weighted q-quantile; no weight at all: as without data."""
        by_demand = np.argsort(self.y, kind="stable")
        weights = self._weights(d, targets)[:, by_demand]
        quantiles = weighted_quantiles(weights, share_needed(weights, self.q), self.y[by_demand], support)
        blind = support[0] + float(self.q) * (support[1] - support[0])
        return np.where(weights.any(axis=1), quantiles, blind)

    def brackets(self, d: Floats, targets: Contexts) -> tuple[Floats, Floats]:
        """One computation per target."""
        policies = [WeightedERM(w) if w.any() else NoData() for w in self._weights(d, targets)]
        found = [
            worst_case_regret(policy, row, q=self.q, rtol=PRECISION) for policy, row in zip(policies, d, strict=True)
        ]
        return np.array([one.lower for one in found]), np.array([one.upper for one in found])

    def shares(self, d: Floats, targets: Contexts) -> Floats:
        """The weights, scaled; equal where there are none."""
        weights = self._weights(d, targets)
        weights[~weights.any(axis=1)] = 1
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares


def decider(policy: Any, history: History, model: Dissimilarity, q: Fraction) -> Decider:
    """The decider of a policy, by name or as given."""
    if policy in ("tree", "forest"):
        trees = HonestForest.of(history.contexts, history.y, trees=1 if policy == "tree" else TREES)
        return ByWeight(q, history.y, trees)
    designs = _designs(history, model)
    named = _by_name(policy, designs, q) if isinstance(policy, str) else policy
    if isinstance(named, Optimal):
        return ByRank(q, history.y, Library.of(designs, q))
    if isinstance(named, Kernel):
        return ByWeight(q, history.y, named)
    if not isinstance(named, Policy):
        raise TypeError(f"policy = {policy!r} is not a policy; give a name such as 'minimax' or a policy such as ERM()")
    if isinstance(named, Exponential):
        return ByRank(
            q, history.y, decode(named.rounded(np.arange(designs.shape[1]) / designs.shape[1]), designs[0], q)
        )
    return ByRank(q, history.y, decode(named, designs[0], q))


def _by_name(name: str, designs: Floats, q: Fraction) -> Policy:
    """Policies without a parameter given: the reach that the dissimilarities suggest."""
    bandwidth = float(np.median(cut_offs(designs, float(q))[0]))
    near = max(1, int(np.median((designs < bandwidth).sum(axis=1))))
    known = {
        "minimax": Optimal(),
        "erm": ERM(),
        "knn": KNN(near),
        "exponential": Exponential(1 - 1 / (near + 1)),
        "kernel": Kernel("triangular", bandwidth),
    }
    if name not in known:
        raise InputError(f"policy = {name!r} is not known; choose one of {', '.join(known)}, tree, forest or a policy")
    return known[name]


def _designs(history: History, model: Dissimilarity) -> Floats:
    """What targets to come will look like: past contexts met again right after the history, themselves left out."""
    contexts, n = history.contexts, history.y.size
    rows = np.unique(np.linspace(0, n - 1, min(n, LIBRARY)).astype(np.intp))
    again = contexts.take(rows)
    if contexts.time is not None:
        again = again.at_time(float(contexts.time.values.max()))
    d = model(contexts, again)
    return np.sort(d, axis=1)
