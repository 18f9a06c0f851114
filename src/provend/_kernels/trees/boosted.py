"""Boosted regression trees as machine code: each tree forecasts what those before it leave. Import only when grown."""

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.jit import trusting
from provend._kernels.trees import Integers, Nodes, Places, Table
from provend._kernels.trees.draws import first_state, next_draw
from provend._kernels.trees.growing import grow, in_pieces, room_for, tried

Floats = NDArray[np.float64]
Efforts = tuple[int, int, float, int, float]


def boosted(
    table: Table, y: Floats, runs: NDArray[np.intp], efforts: Efforts, seed: int
) -> tuple[Nodes, Integers, Floats]:
    """The nodes of all trees one after the other, where each begins, and forecasts of the rows themselves.

    ``efforts`` are the number of folds, the number of trees in each, the share of what a tree says that is kept, the
    fewest rows in a leaf and the share of the features tried at each node. Runs of rows are dealt to the folds; a row
    is forecast by the trees grown on the other folds, and contexts to come by those of all folds on average. The means
    that are boosted are part of the first tree of each fold. ``table`` is what ``columns_of`` says of the bins.
    """
    (folds, trees, rate, leaf, share), bins = efforts, table[0]
    limits, state = (tried(share, len(bins)), leaf), np.zeros(1, np.uint64)
    fold, forecast, past = dealt(runs, folds, seed), np.zeros(y.size), np.zeros(y.size)
    way = trees, rate, limits

    def grow_some(span: tuple[int, int], nodes: Nodes, first: Places) -> None:
        some_boosted(table, y, fold, way, span, seed, state, forecast, past, nodes, first)

    return *in_pieces(folds * trees, bins.size, 2 * y.size // leaf + 1, grow_some), past


@trusting
def dealt(runs, folds, seed):  # type: ignore[no-untyped-def]
    """The fold of each row: runs in random order, dealt one by one."""
    number, state = runs.max() + 1, first_state(seed)
    order = np.arange(number)
    for j in range(number - 1):
        state, step = next_draw(state, number - j)
        order[j], order[j + step] = order[j + step], order[j]
    return order[runs] % folds


@trusting
def some_boosted(table, y, fold, way, span, seed, state, forecast, past, nodes, first):  # type: ignore[no-untyped-def]
    """Put the trees of one piece into ``nodes``, and where each ends into ``first``.

    ``state`` and the forecasts of the fold at hand go on from the last piece.
    """
    (bins, columns, _, _), (trees, rate, limits), (begin, end), n = table, way, span, y.size
    chance, room = state[0], room_for(n, bins.shape[0], columns.shape[0])
    for tree in range(begin, end):
        out, at, start = tree // trees, tree - begin, 0.0
        drawn = (fold != out).astype(np.float64)
        if tree % trees == 0:
            start, chance = (drawn * y).sum() / drawn.sum(), first_state(seed + out + 1)  # whatever others have drawn
            forecast[:] = start
        told = np.zeros(n)
        chance, count = grow(table, (y - forecast, drawn), limits, chance, nodes, first[at], told, True, room)
        forecast += rate * told
        first[at + 1] = first[at] + count
        for node in range(first[at], first[at + 1]):
            nodes[3][node] = (start + rate * nodes[3][node]) * trees
        if tree % trees == trees - 1:
            past[:] = np.where(fold == out, forecast, past)
    state[0] = chance
