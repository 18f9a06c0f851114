"""Bagged trees as forecasts: bins learned from the history, trees grown in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._kernels.trees import Nodes
from provend.levels._bins import binned, edges_of, no_edges

Floats = NDArray[np.float64]

# The number of trees, the fewest rows in a leaf, and the share of the features tried at each node. Deep trees find what
# few days have in common, shallow ones what is left of that when there is much noise; what pays is found by stacking.
DEEP, SHALLOW, LEFT = (13, 3, 0.75), (13, 8, 0.75), (13, 5, 0.75)
BLIND = 5  # trees of each kind that do not see time, and count for less
LAST, LONGER = 4, 3  # moments of the last bin of a time, and how many times as long each one before it is
BOOSTED = (5, 15, 0.2, 20, 0.75)  # folds, trees in each, the share kept of each tree, and then as above


@dataclass(frozen=True, eq=False)
class Trees:
    """Three forests beside a regression: deep trees, shallow ones, and trees for what is left of demand.

    Left by the regression, if there is a time; if there is none, by the trees before: boosted ones. With a time there
    are three more of the same kinds, which do not see it. ``past`` holds the forecasts of the rows they were grown on,
    one column per forest, by trees that have not seen them; what is left by the regression is added to its own.
    """

    edges: Floats
    forests: tuple[tuple[Nodes, NDArray[np.int64]], ...]
    past: Floats
    boosted: bool

    @classmethod
    def of(cls, matrix: Floats, z: Floats, regression: Floats, runs: NDArray[np.intp], times: Sequence[int]) -> Trees:
        """Grow the trees; ``times`` are the features that are times."""
        from provend._kernels.trees.bagged import grown
        from provend._kernels.trees.boosted import boosted
        from provend._kernels.trees.columns import columns_of

        edges = edges_of(matrix)
        edges[list(times)] = no_edges(len(times))
        for at in times:
            steps = _steps(matrix[:, at])
            edges[at, : steps.size] = steps
        bins = binned(matrix, edges)
        table, left = columns_of(bins), z - regression if times else z
        tasks = [(table, z, DEEP), (table, z, SHALLOW)]
        if times:
            blind = bins.copy()
            blind[list(times)] = 0
            unseen = columns_of(blind)
            tasks += [(table, left, LEFT)]
            kinds = (z, DEEP), (z, SHALLOW), (left, LEFT)
            tasks += [(unseen, y, (BLIND, leaf, share)) for y, (_, leaf, share) in kinds]
        found = [grown(where, y, runs, efforts, seed) for seed, (where, y, efforts) in enumerate(tasks)]
        if not times:
            found.append(boosted(table, left, runs, BOOSTED, 2))
        asked = (z, z, left) * (len(found) // 3)
        pasts = [np.where(np.isnan(past), y.mean(), past) for y, (*_, past) in zip(asked, found, strict=True)]
        forests = tuple((nodes, first) for nodes, first, _ in found)
        return cls(edges, forests, _beside(regression, pasts, not times), not times)

    @property
    def ways(self) -> tuple[slice, ...]:
        """The forests that see time, if there is any, and those that do not."""
        return (slice(0, 3),) if self.boosted else (slice(0, 3), slice(3, 6))

    def predict(self, matrix: Floats, regression: Floats, shares: Sequence[float] | None = None) -> Floats:
        """The mean forecasts of the trees, one column per forest; one without a share in the whole is not asked."""
        from provend._kernels.trees.bagged import said

        bins, nothing = binned(matrix, self.edges), np.zeros(len(matrix))
        each = zip(self.forests, shares or (1.0,) * len(self.forests), strict=True)
        told = [said(bins, first, nodes) if share > 0 else nothing for (nodes, first), share in each]
        return _beside(regression, told, self.boosted)


def _beside(regression: Floats, forecasts: list[Floats], boosted: bool) -> Floats:
    """One column per forest; unless ``boosted``, each third one forecasts what the regression leaves."""
    columns = np.column_stack(forecasts)
    if not boosted:
        columns[:, 2::3] += regression[:, None]
    return columns


def _steps(time: Floats) -> Floats:
    """The edges of the bins of a time: the last one has few moments, and each one before three times as many.

    Trees that tell every week of the past from the next learn what happened once. Of the time to come they say what
    they say of the last bin: where demand has changed lately, that must not hold days from before the change.
    """
    moments = np.unique(time)
    ages = LAST * (LONGER ** np.arange(1, 20) - 1) // (LONGER - 1)
    first = moments.size - ages[ages < moments.size][::-1]
    edges: Floats = (moments[first - 1] + moments[first]) / 2
    return edges
