"""Deciders for many targets at once, and rules that weigh rows by rank."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import stably_sorted
from provend.estimators._library import Brackets, Library, Span, together
from provend.estimators._rules import Ends, Rule, rank_orders
from provend.levels import Demands
from provend.tables import Contexts

Floats = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)
Blocks = Iterable[tuple[Floats, Contexts]]  # dissimilarities of some targets, and the targets


class Moved(NamedTuple):
    """Past demands as they count for the targets, one row per target, and the past rows in ascending order of them.

    That order is one for all targets, or one row per target.
    """

    values: Floats
    by_size: NDArray[np.intp]

    @classmethod
    def of(cls, values: Floats) -> Moved:
        """Sort the demands for each target; ties keep the order of the rows."""
        return cls(values, stably_sorted(values)[0])

    def in_order(self, table: NDArray[Number]) -> NDArray[Number]:
        """A table with a column per past row, the columns of each target from its smallest demand to its largest."""
        if self.by_size.ndim == 1:
            return np.take(table, self.by_size, axis=1)
        return np.take_along_axis(table, self.by_size, axis=1)


class Decider(ABC):
    """Orders, guarantees and weights from past ``demands``, for targets at dissimilarities ``d``, one row each."""

    demands: Demands

    def orders(self, d: Floats, targets: Contexts, support: tuple[float, float]) -> Floats:
        """How much to order for each target."""
        moved = Moved(self.demands.at(targets, support), self.demands.by_size)
        return self.decided(d, targets, moved, support)

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
        from provend._kernels.arithmetic.ranks import ranks_along

        nearest, designs = stably_sorted(d)
        keys = self.keys(designs)
        ascending, ranks = moved.in_order(moved.values), ranks_along(nearest, np.broadcast_to(moved.by_size, d.shape))
        orders = np.empty(len(d))
        for key in np.unique(keys):
            rows = keys == key
            low, high = (np.broadcast_to(end, len(d))[rows] for end in support)
            orders[rows] = rank_orders(self.rule(int(key)), ranks[rows], ascending[rows], (low, high))
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
        nearest, designs = stably_sorted(d)
        keys = self.keys(designs)
        by_rank = {int(key): self.rule(int(key)).shares(d.shape[1]) for key in np.unique(keys)}
        found = np.empty_like(d)
        np.put_along_axis(found, nearest, np.array([by_rank[int(key)] for key in keys]), axis=1)
        return found
