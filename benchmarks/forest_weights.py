"""Weights of a random forest for every depth, least number of rows to split and number of trees, from one forest.

A tree that may not grow deeper, or not split few rows, is a full tree cut back: its leaves are nodes of the full one.
So a single forest has all those of a grid in it, apart from ties between splits, which are broken at random.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

DEPTHS = (np.inf, 2, 4, 6, 8, 10)
SPLITS = (2, 4, 6, 8, 16, 32, 64)
TREES = (10, 20, 50, 100)


def leaf_above(tree: DecisionTreeRegressor) -> np.ndarray:
    """For each depth and split of the grid, and each node of a full tree: where its rows end in the tree cut back."""
    nodes = tree.tree_
    deepest, split = np.array(list(product(DEPTHS, SPLITS))).T
    above = np.zeros((deepest.size, nodes.node_count), np.intp)
    level, depth = np.zeros(1, np.intp), 0
    while level.size:
        level = level[nodes.children_left[level] >= 0]
        ended = (nodes.n_node_samples[level] < split[:, None]) | (depth >= deepest[:, None])
        sides = nodes.children_left[level], nodes.children_right[level]
        for below in sides:
            above[:, below] = np.where(ended, above[:, level], below)
        level, depth = np.concatenate(sides), depth + 1
    return above


def forest_weights(past: np.ndarray, y: np.ndarray, ahead: np.ndarray) -> Iterator[np.ndarray]:
    """How often a past day shares a leaf with each day ahead, by depth, split and trees, the last one fastest."""
    kinds, kind, alike = np.unique(past, axis=0, return_inverse=True, return_counts=True)
    forest = RandomForestRegressor(max(TREES), random_state=1).fit(past, y)
    leaves = zip(forest.estimators_, forest.apply(ahead).T, forest.apply(kinds).T, strict=True)
    share = np.zeros((len(DEPTHS) * len(SPLITS), len(ahead), len(kinds)))
    found = {}
    for grown, (tree, own, other) in enumerate(leaves, start=1):
        above = leaf_above(tree)
        together = (above[:, own, None] == above[:, None, other]).astype(np.float64)
        share += together / (together @ alike.astype(np.float64))[:, :, None]
        if grown in TREES:
            found[grown] = share.copy()
    for setting, trees in product(range(len(share)), TREES):
        yield found[trees][setting][:, kind]
