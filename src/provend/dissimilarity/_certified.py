"""Dissimilarities that hold with a stated probability: confidence limits of the distances between groups of contexts.

If the limits hold jointly with probability 1 - alpha and come from demands other than those weighed, the regret is at
most G(limits) + alpha max(q, 1 - q): even where they fail, the loss is never more than max(q, 1 - q).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from provend.dissimilarity._kolmogorov import distance_limit
from provend.dissimilarity._models import Dissimilarity
from provend.tables import MISSING, Column, Contexts, is_code, texts_of

Floats = NDArray[np.float64]

ALPHA = 1e-4  # chance of a wrong limit: the price is proportional to it, limits grow only like the root of its log
PARTS = 4  # into which a column of numbers is cut
SMALLEST = 5  # rows of a group; nothing is said about the distance of smaller groups to others
SEPARATOR = "\x1f"  # between the levels in the name of a group


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which contexts are taken to be alike: the same categories and weekday, and numbers in the same quarter.

    Attributes
    ----------
    columns : tuple of str
        The columns that tell groups apart.
    ignored : tuple of str
        The columns assumed not to matter: dates, except for their weekday.
    """

    columns: tuple[str, ...]
    ignored: tuple[str, ...]
    edges: dict[str, Floats]

    @classmethod
    def of(cls, contexts: Contexts) -> Grouping:
        """Group by everything but the passage of days; other numbers that increase from row to row may well matter."""
        dates = [column for column in contexts.columns if column.calendar]
        others = [column for column in contexts.columns if not column.calendar]
        cuts = {column.name: _edges(column) for column in others if column.kind != "category"}
        return cls(
            (*(column.name for column in others), *(f"weekday of {column.name}" for column in dates)),
            tuple(column.name for column in dates),
            {name: edges for name, edges in cuts.items() if edges is not None},
        )

    def groups(self, contexts: Contexts) -> NDArray[np.str_]:
        """The name of each context's group."""
        found = np.full(contexts.size, "", dtype=object)
        for column in contexts.columns:
            found = found + SEPARATOR + _escaped(self._levels(column))
        return found.astype(np.str_)

    def _levels(self, column: Column) -> NDArray[np.object_]:
        if column.calendar:
            return np.array([str(int(day) % 7) for day in np.floor(column.values) + 3], dtype=object)
        if column.name not in self.edges:
            return texts_of(column)
        part = np.searchsorted(self.edges[column.name], column.values, side="left")
        return np.where(np.isnan(column.values), MISSING, part.astype(str)).astype(object)


def _escaped(levels: NDArray[np.object_]) -> NDArray[np.object_]:
    """The levels with any separator escaped, so that two groups never share a name."""
    escaped = [str(level).replace("\\", "\\\\").replace(SEPARATOR, "\\s") for level in levels]
    return np.array(escaped, dtype=object)


def _edges(column: Column) -> Floats | None:
    """Where a column of numbers is cut into quarters; ``None`` if it has few, whole values: these are levels."""
    if is_code(column.values, np.unique(texts_of(column)).size):
        return None
    known = column.values[~np.isnan(column.values)]
    return np.unique(np.quantile(known, np.arange(1, PARTS) / PARTS)) if known.size else np.zeros(0)


@dataclass(frozen=True, eq=False)
class GroupLimits(Dissimilarity):
    """0 within a group of contexts, and an upper confidence limit on the Kolmogorov distance between two groups.

    Attributes
    ----------
    grouping : Grouping
        Which contexts form a group.
    names : tuple of str
        The groups with a limit; a context in any other group is at dissimilarity 1 from all groups but its own.
    limits : array
        One row and one column per group.
    alpha : float
        The chance that any of the limits is too small.
    """

    grouping: Grouping
    names: tuple[str, ...]
    limits: Floats
    alpha: float

    def between(self, past: Contexts, targets: Contexts) -> Floats:
        """The limit for the two groups of each pair."""
        ours, theirs = self.grouping.groups(targets), self.grouping.groups(past)
        known = {name: i for i, name in enumerate(self.names)}
        first, second = (np.array([known.get(name, -1) for name in groups]) for groups in (ours, theirs))
        padded = np.ones((len(known) + 1, len(known) + 1))  # the last row and column stand for unknown groups
        padded[:-1, :-1] = self.limits
        return np.where(ours[:, None] == theirs[None, :], 0.0, padded[first[:, None], second[None, :]])


def certified_limits(learned: Contexts, y: Floats) -> GroupLimits:
    """Limits from the demands ``y`` in the contexts ``learned``; the demands to be weighed must be different ones."""
    grouping = Grouping.of(learned)
    groups = grouping.groups(learned)
    names, counts = np.unique(groups, return_counts=True)
    samples = [y[groups == name] for name, count in zip(names, counts, strict=True) if count >= SMALLEST]
    return GroupLimits(grouping, tuple(names[counts >= SMALLEST].tolist()), _limits(samples, ALPHA), ALPHA)


def _limits(samples: list[Floats], alpha: float) -> Floats:
    """All limits hold together with probability 1 - alpha (Bonferroni)."""
    pairs = list(combinations(range(len(samples)), 2))
    limits = np.zeros((len(samples), len(samples)))
    for i, j in pairs:
        limits[i, j] = limits[j, i] = distance_limit(samples[i], samples[j], alpha / len(pairs))
    return limits
