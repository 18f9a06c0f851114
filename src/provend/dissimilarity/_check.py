"""Do the data contradict what was assumed? Groups of past demands that differ more than they should."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import e, log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown
from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_confidence, as_sample
from provend.dissimilarity._blocks import mean_between
from provend.dissimilarity._kolmogorov import kolmogorov_distances
from provend.dissimilarity._models import Dissimilarity
from provend.tables import Column, Contexts, Table, read_contexts

Floats = NDArray[np.float64]

SMALLEST = 5  # rows in a group
PARTS = 4  # into which a column of numbers or times is cut


@dataclass(frozen=True)
class Comparison:
    """Two groups of past demands, told apart by one column.

    Attributes
    ----------
    column, first, second : str
        The column, and its values in each of the two groups.
    observed : float
        Kolmogorov distance between the two empirical distributions.
    assumed : float
        What the assumed dissimilarities allow: their mean over all pairs of rows.
    at_least : float
        Lower confidence limit on the true distance between the groups' mean distributions.
    """

    column: str
    first: str
    second: str
    observed: float
    assumed: float
    at_least: float

    @property
    def excess(self) -> float:
        """By how much the assumption falls short, at the confidence of the check; if positive, it is contradicted."""
        return self.at_least - self.assumed


@dataclass(frozen=True, repr=False)
class DissimilarityCheck(Shown):
    """What a check of assumed dissimilarities found.

    Attributes
    ----------
    contradicted : bool
        Whether some pair of groups is further apart than assumed, at the stated confidence for all pairs together.
    comparisons : tuple of Comparison
        All pairs, worst first.
    confidence : float
        If the assumption holds, ``contradicted`` is true with probability at most 1 minus this value.
    """

    contradicted: bool
    comparisons: tuple[Comparison, ...]
    confidence: float

    @property
    def worst(self) -> Comparison | None:
        """The comparison with the largest excess; ``None`` where no two groups could be formed."""
        return self.comparisons[0] if self.comparisons else None

    def _facts(self) -> dict[str, object]:
        return {"contradicted": self.contradicted, "worst": self.worst, "confidence": self.confidence}

    def __str__(self) -> str:
        if self.worst is None:
            return "nothing to compare: no column splits the history into two groups of at least five rows"
        w = self.worst
        verdict = "contradicted" if self.contradicted else "not contradicted"
        return (
            f"{verdict} at confidence {self.confidence:g}: {w.column} {w.first} against {w.second}, observed "
            f"{w.observed:.3f}, at least {w.at_least:.3f}, assumed {w.assumed:.3f}"
        )


def check_dissimilarity(
    model: Dissimilarity, X: Table, y: ArrayLike, /, *, confidence: Number = 0.95
) -> DissimilarityCheck:
    r"""Test assumed dissimilarities against the history.

    For groups a and b of independent past demands, if :math:`\|F_i - F_j\|_K \le d(x_i, x_j)` for all pairs, then

    .. math:: \|\hat F_a - \hat F_b\|_K \le \frac{1}{|a| |b|} \sum_{i \in a, j \in b} d(x_i, x_j)
       + \varepsilon_a + \varepsilon_b, \qquad \varepsilon_g = \sqrt{\frac{\log(2 e G / \alpha)}{2 |g|}}

    for all pairs of the G groups at once with probability at least :math:`1 - \alpha`: the Dvoretzky-Kiefer-Wolfowitz
    inequality with Bretagnolle's constant, which holds for demands that are not identically distributed, and
    Bonferroni's correction. The groups are the levels of each category and up to four parts of each number or time.

    Parameters
    ----------
    model : Dissimilarity
        What is assumed.
    X, y : table and array
        Past contexts and their demands.
    confidence : float
        Probability in (0, 1) of no false alarm at all.

    Examples
    --------
    >>> import numpy as np
    >>> from provend.dissimilarity import Constant, check_dissimilarity
    >>> weekend = np.repeat(["no", "yes"], 200)
    >>> demand = np.concatenate([np.arange(200), np.arange(200) + 100])
    >>> found = check_dissimilarity(Constant(0.05), weekend[:, None], demand)
    >>> found.contradicted, found.worst.observed
    (True, 0.5)
    """
    level = as_confidence(confidence)
    past = X if isinstance(X, Contexts) else read_contexts(X)
    demand = as_sample(y, "y")
    if demand.size != past.size:
        raise InputError(f"y has {demand.size} demands but X has {past.size} rows; give one demand per past context")
    groups, pairs = compared(past)
    count = len({i for pair in pairs for i in pair})
    if not pairs:
        return DissimilarityCheck(False, (), level)
    assumed = mean_between(lambda rows: model(past, past.take(rows)), [group.rows for group in groups], past.size)
    budget = log(2 * e * count / (1 - level)) / 2
    found = [_compare(groups[i], groups[j], demand, min(1.0, float(assumed[i, j])), budget) for i, j in pairs]
    found.sort(key=lambda pair: -pair.excess)
    return DissimilarityCheck(found[0].excess > 0, tuple(found), level)


@dataclass(frozen=True, eq=False)
class Group:
    """Rows that agree, at least roughly, in one column."""

    column: str
    level: str
    rows: NDArray[np.intp]


def compared(past: Contexts) -> tuple[list[Group], list[tuple[int, int]]]:
    """Groups of past contexts, and the pairs of them to compare: those told apart by the same column."""
    groups: list[Group] = []
    pairs: list[tuple[int, int]] = []
    for found in map(groups_of, past.columns):
        pairs += combinations(range(len(groups), len(groups) + len(found)), 2)
        groups += found
    return groups, pairs


def comparable(past: Contexts) -> bool:
    """Whether some column tells two groups of past contexts apart."""
    return bool(compared(past)[1])


def _compare(one: Group, other: Group, demand: Floats, assumed: float, budget: float) -> Comparison:
    a, b = one.rows, other.rows
    observed = float(kolmogorov_distances(demand[a][None], demand[b][None])[0])
    noise = sqrt(budget / a.size) + sqrt(budget / b.size)
    return Comparison(one.column, one.level, other.level, observed, assumed, max(0.0, observed - noise))


def groups_of(column: Column) -> list[Group]:
    """Rows by level, or in equal parts by the rank of their values; groups of fewer than five rows are left out."""
    if column.kind == "category":
        levels = np.unique(column.values.astype(str))
        groups = [(str(level), np.flatnonzero(column.values.astype(str) == level)) for level in levels]
    else:
        edges = np.unique(np.nanquantile(column.values, np.linspace(0, 1, PARTS + 1)))
        inner = np.searchsorted(edges[1:-1], column.values, side="left")
        inner[np.isnan(column.values)] = -1
        spans = [f"[{low:g}, {high:g}]" for low, high in pairwise(edges)] or ["all"]
        groups = [(span, np.flatnonzero(inner == k)) for k, span in enumerate(spans)]
    return [Group(column.name, level, rows) for level, rows in groups if rows.size >= SMALLEST]
