"""Deciders for many targets at once, and rules that weigh rows by rank."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend.estimators._library import Brackets, Library, Span, together
from provend.estimators._rules import Ends, Rule, rank_orders
from provend.levels import Demands
from provend.tables import Contexts

Floats = NDArray[np.float64]
Blocks = Iterable[tuple[Floats, Contexts]]  # dissimilarities of some targets, and the targets


class Moved(NamedTuple):
    """Past demands as they count for the targets, one row per target, and the past rows in ascending order of them."""

    values: Floats
    by_size: NDArray[np.intp]

    @classmethod
    def of(cls, values: Floats) -> Moved:
        """Sort the demands for each target; ties keep the order of the rows."""
        return cls(values, np.argsort(values, axis=1, kind="stable"))


class Decider(ABC):
    """Orders, guarantees and weights from past ``demands``, for targets at dissimilarities ``d``, one row each."""

    demands: Demands

    def orders(self, d: Floats, targets: Contexts, support: tuple[float, float]) -> Floats:
        """How much to order for each target."""
        moved, by_size = self.demands.at(targets, support), self.demands.by_size
        return self.decided(d, targets, Moved(moved, np.broadcast_to(by_size, moved.shape)), support)

    @abstractmethod
    def decided(self, d: Floats, targets: Contexts, moved: Moved, support: tuple[Ends, Ends]) -> Floats:
        """How much to order if past demands count as ``moved``."""

    @abstractmethod
    def brackets(self, blocks: Blocks) -> tuple[Floats, Floats]:
        """Worst-case regrets, in units of (cu + co) times the width of the support; targets come block by block."""

    @abstractmethod
    def shares(self, d: Floats, targets: Contexts) -> Floats:
        """How much each past row counts; rows sum to 1."""


@dataclass(frozen=True, eq=False)
class ByRank(Decider):
    """Rules that weigh rows only by the rank of their dissimilarity; ties are broken by the order of the rows."""

    q: Fraction
    demands: Demands
    rules: Library | Rule
    known: Brackets = field(default_factory=Brackets)

    def rule(self, key: int) -> Rule:
        """The rule behind a key."""
        return self.rules.rule(key) if isinstance(self.rules, Library) else self.rules

    def keys(self, ascending: Floats) -> NDArray[np.int64]:
        """The key of the rule that each ascending design uses."""
        if isinstance(self.rules, Library):
            return self.rules.keys(ascending)
        return np.zeros(len(ascending), np.int64)

    def decided(self, d: Floats, targets: Contexts, moved: Moved, support: tuple[Ends, Ends]) -> Floats:
        """Quantiles of the past demands, weighted by rank."""
        nearest = np.argsort(d, axis=1, kind="stable")
        keys = self.keys(np.take_along_axis(d, nearest, axis=1))
        ranks = np.empty_like(nearest)
        np.put_along_axis(ranks, nearest, np.broadcast_to(np.arange(d.shape[1]), d.shape), axis=1)
        orders = np.empty(len(d))
        for key in np.unique(keys):
            rows = keys == key
            values, of_rows, by_size = moved.values[rows], ranks[rows], moved.by_size[rows]
            ascending, ordered = (np.take_along_axis(some, by_size, axis=1) for some in (values, of_rows))
            low, high = (np.broadcast_to(end, len(d))[rows] for end in support)
            orders[rows] = rank_orders(self.rule(int(key)), ordered, ascending, (low, high))
        return orders

    def brackets(self, blocks: Blocks) -> tuple[Floats, Floats]:
        """One computation per design, or per group of similar ones."""
        spans: dict[Hashable, Span] = {}
        count = 0
        for d, _ in blocks:
            ascending = np.sort(d, axis=1)
            for name, key, rows in together(ascending, self.keys(ascending), self.q):
                span = Span.of(key, ascending[rows, : self.rule(key).reach], rows + count)
                spans[name] = spans[name].joined(span) if name in spans else span
            count += len(d)
        lower, upper = np.empty(count), np.empty(count)
        for span in spans.values():
            lower[span.rows], upper[span.rows] = self.known.of(self.rule(span.key), span)
        return lower, upper

    def shares(self, d: Floats, targets: Contexts) -> Floats:
        """The weights by rank, put back into the order of the rows."""
        nearest, keys = np.argsort(d, axis=1, kind="stable"), self.keys(np.sort(d, axis=1))
        by_rank = {int(key): self.rule(int(key)).shares(d.shape[1]) for key in np.unique(keys)}
        found = np.empty_like(d)
        np.put_along_axis(found, nearest, np.array([by_rank[int(key)] for key in keys]), axis=1)
        return found
