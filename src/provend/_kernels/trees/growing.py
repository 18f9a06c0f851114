"""One tree, as machine code, and how trees are put together. Import only when they are grown."""

from collections.abc import Callable

import numpy as np

from provend._kernels.arithmetic.jit import borrowing, inlined
from provend._kernels.trees import BINS, Nodes, Places, Trees
from provend._kernels.trees.splits import ONE, ZERO, add_up, chosen_split, clear, draw_features, packed

AT_ONCE = 4_000_000  # values of features times trees that are grown in one call: an interrupt waits for its end


@inlined
def mean_of(y, drawn, rows, begin, end):  # type: ignore[no-untyped-def]
    """The mean demand of some rows, each counted as often as it was drawn."""
    n, s = 0.0, 0.0
    for j in range(begin, end):
        i = rows[j]
        n += drawn[i]
        s += drawn[i] * y[i]
    return s / n


@inlined
def drawn_first(drawn, rows):  # type: ignore[no-untyped-def]
    """All rows, those that were drawn first; returned is how many were."""
    many = first = ZERO
    for i in range(drawn.size):
        many += np.uint64(drawn[i] > 0.0)
    last = many
    for i in range(drawn.size):
        seen = np.uint64(drawn[i] > 0.0)
        rows[first if seen else last] = i
        first += seen
        last += ONE - seen
    return many


@inlined
def divided(rows, begin, end, own, b, spare, sides):  # type: ignore[no-untyped-def]
    """Rows that go left moved to the front, all others to ``spare``, both after the ``sides`` that are there already.

    Without a branch, which nobody could foresee.
    """
    left, right = sides
    for j in range(begin, end):
        i = rows[j]
        stays = np.uint64(own[i] <= b)
        rows[left] = spare[right] = i
        left += stays
        right += ONE - stays
    return left, right


@borrowing
def grow(table, sample, limits, state, nodes, first, past, also, room):  # type: ignore[no-untyped-def]
    """One tree: for each node its feature (-1: a leaf), bin, left child (the right one follows) and mean, if a leaf.

    Rows that were not drawn come after those that were and go down the tree with them; what it says of them, and
    ``also`` of those that were, is added to ``past``. Returned are the state and the number of nodes.
    """
    (bins, columns, (column, second), sources), (y, drawn) = table, sample
    (feature, where, child, value), (tried, least) = nodes, limits
    (begin, middle, end), (rows, spare, shares), (order, wanted, asked, used, sums, gains) = room
    for k in range(order.size):
        order[k] = k
    begin[0], middle[0], end[0] = 0, drawn_first(drawn, rows), rows.size
    low = packed(y, drawn, shares)
    count, node = ONE, ZERO
    while node < count:
        start, turn, stop = begin[node], middle[node], end[node]
        whole, f, b = np.int64(0), np.int64(-1), np.int64(0)
        for j in range(start, turn):
            whole += shares[rows[j]]
        if whole & ((np.int64(1) << low) - 1) >= 2 * least:
            state, several = draw_features(order, tried, column, wanted, asked, used, state)
            several = add_up(columns, rows, (start, turn), shares, sources, wanted, several, asked, used, sums)
            f, b = chosen_split(order, tried, column, second, used, sums, whole, low, least, asked, gains)
            clear(wanted, several, asked, used, sums)
        at = first + node
        feature[at], where[at], child[at], value[at] = f, b, 0 if f < 0 else count, 0.0
        node += ONE
        if f < 0:
            mean = value[at] = mean_of(y, drawn, rows, start, turn)
            for j in range(start if also else turn, stop):
                past[rows[j]] += mean
            continue
        drawn_left, drawn_right = divided(rows, start, turn, bins[f], b, spare, (start, ZERO))
        left, right = divided(rows, turn, stop, bins[f], b, spare, (drawn_left, drawn_right))
        for j in range(right):
            rows[left + j] = spare[j]
        begin[count], middle[count], end[count] = start, drawn_left, left
        count += ONE
        begin[count], middle[count], end[count] = left, left + drawn_right, stop
        count += ONE
    return state, count


@inlined
def room_for(n, features, columns):  # type: ignore[no-untyped-def]
    """Workspace to grow trees in: spans of nodes, rows and their shares, and what is drawn and added up of columns."""
    spans = np.empty(2 * n + 1, np.uint64), np.empty(2 * n + 1, np.uint64), np.empty(2 * n + 1, np.uint64)
    of_rows = np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(n, np.int64)
    of_columns = (
        np.empty(features, np.uint64),
        np.empty(columns + 1, np.uint64),
        np.empty(columns, np.uint64),
        np.empty(columns, np.uint64),
        np.zeros(columns * BINS, np.int64),
        np.empty(columns * BINS),
    )
    return spans, of_rows, of_columns


def tried(share: float, features: int) -> int:
    """How many features are tried at each node."""
    return max(round(share * features), 1)


def in_pieces(trees: int, size: int, most: int, grow_some: Callable[[tuple[int, int], Nodes, Places], None]) -> Trees:
    """All trees, so many at a time that an interrupt is noticed soon, where there are ``size`` values of features.

    ``grow_some`` puts the trees from and to a number into arrays with room for ``most`` nodes of each, and says where
    each ends.
    """
    parts = list[Trees]()
    for begin, end in pieces(trees, size):
        room, first = (end - begin) * most, np.zeros(end - begin + 1, np.uint64)
        nodes = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
        grow_some((begin, end), nodes, first)
        feature, where, child, value = nodes
        last = int(first[-1])
        kept = feature[:last].copy(), where[:last].copy(), child[:last].copy(), value[:last].copy()
        parts.append((kept, first.astype(np.int64)))
    return joined(parts)


def pieces(trees: int, size: int) -> list[tuple[int, int]]:
    """The trees, from and to, that each call grows."""
    step = max(AT_ONCE // size, 1)
    return [(begin, min(begin + step, trees)) for begin in range(0, trees, step)]


def joined(parts: list[Trees]) -> Trees:
    """The nodes of all pieces one after the other, and where each tree begins."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(first[-1] for _, first in parts)])
    first = np.concatenate([[0], *(at[1:] + before for (_, at), before in zip(parts, ends[:-1], strict=True))])
    feature, where, child, value = (np.concatenate(one) for one in zip(*(nodes for nodes, _ in parts), strict=True))
    return (feature, where, child, value), first
