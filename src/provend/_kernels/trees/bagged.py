"""Bagged regression trees as machine code. Import only when they are grown.

Features come as small bins, so that the best split of a node is found by one pass over its rows. Each tree is grown on
rows drawn with replacement; the rows it has not seen say how well it forecasts.
"""

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.jit import trusting
from provend._kernels.trees import Integers, Nodes, Places, Table
from provend._kernels.trees.draws import first_state, next_draw
from provend._kernels.trees.growing import grow, in_pieces, room_for, tried
from provend._kernels.trees.leaves import go_down

Floats = NDArray[np.float64]
Efforts = tuple[int, int, float]


def grown(
    table: Table, y: Floats, runs: NDArray[np.intp], efforts: Efforts, seed: int
) -> tuple[Nodes, Integers, Floats]:
    """The nodes of all trees one after the other, where each tree begins, and forecasts of the rows themselves.

    A row is forecast by the trees that have not seen it; nan where all have. ``efforts`` are the number of trees, the
    fewest rows in a leaf, each counted as often as it was drawn, and the share of the features tried at each node.
    ``table`` is what ``columns_of`` says of the bins.
    """
    (trees, leaf, share), bins = efforts, table[0]
    limits, state = (tried(share, len(bins)), leaf), np.zeros(1, np.uint64)
    total, unseen = np.zeros(y.size), np.zeros(y.size)

    def grow_some(span: tuple[int, int], nodes: Nodes, first: Places) -> None:
        some_grown(table, y, runs, limits, span, seed, state, total, unseen, nodes, first)

    nodes, first = in_pieces(trees, bins.size, 2 * y.size + 1, grow_some)
    return nodes, first, np.divide(total, unseen, out=np.full(y.size, np.nan), where=unseen > 0)


@trusting
def some_grown(table, y, runs, limits, span, seed, state, total, unseen, nodes, first):  # type: ignore[no-untyped-def]
    """Put the trees of one piece into ``nodes``, and where each ends into ``first``.

    ``state``, and the sum and number of forecasts of each row, go on from the last piece.
    """
    (bins, columns, _, _), (begin, end), n, number = table, span, y.size, runs.max() + 1
    chance = first_state(seed) if begin == 0 else state[0]
    room = room_for(n, bins.shape[0], columns.shape[0])
    for tree in range(end - begin):
        often = np.zeros(number)
        for _ in range(number):
            chance, run = next_draw(chance, number)
            often[run] += 1.0
        drawn = often[runs]
        unseen += drawn == 0.0
        chance, count = grow(table, (y, drawn), limits, chance, nodes, first[tree], total, False, room)
        first[tree + 1] = first[tree] + count
    state[0] = chance


@trusting
def said(bins, first, nodes):  # type: ignore[no-untyped-def]
    """The mean forecast of the trees for each row, which is a column of ``bins``."""
    bins, value = np.ascontiguousarray(bins.T), nodes[3]
    total, at, going = np.zeros(bins.shape[0]), np.empty(bins.shape[0], np.uint64), np.empty(bins.shape[0], np.uint64)
    for tree in range(first.size - 1):
        go_down(bins, np.uint64(first[tree]), nodes, at, going)
        for i in range(total.size):
            total[i] += value[at[i]]
    return total / (first.size - 1)
