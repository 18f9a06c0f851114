"""Bagged regression trees as machine code. Import only when they are grown.

Features come as small bins, so that the best split of a node is found by one pass over its rows. Each tree is grown on
rows drawn with replacement; the rows it has not seen say how well it forecasts. Random numbers are our own (a
linear congruential generator of 64 bits), so that a seed gives the same trees whatever else is installed.
"""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.trees import BINS

CLEARLY = 1 + 1e-12  # splits that gain as much but for rounding are equally good, and the first one is taken
FEW = 12  # features with two bins from which on they are added up together

# The place of the only bit that is set in a number of 64 bits, by the leading 6 bits of its product with a sequence
# that has every number of 6 bits in it.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(BINS, np.int64)
PLACES[[((0x03F79D71B4CB0A89 << place) % 2**64) >> 58 for place in range(BINS)]] = np.arange(BINS)


@compiled
def next_draw(state, below):  # type: ignore[no-untyped-def]
    """The state after one step, and an integer drawn from 0 to ``below`` - 1."""
    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return state, np.int64(np.uint32(state >> np.uint64(33)) % np.uint32(below))


@compiled
def add_up(bins, rows, shares, drawn, room):  # type: ignore[no-untyped-def]
    """Add up draws and demands by bin, for all features drawn at once: one waits less for the last sum of another.

    ``shares`` are the numbers of draws of the rows and their demands times these numbers. Which bins are in use is kept
    as bits, so that a small node, as most are, looks at few of them. The sums in ``room`` are zero before.
    """
    (often, demand), (used, sums) = shares, room
    one = np.uint64(1)
    used[: drawn.size] = np.uint64(0)
    for j in range(rows.size):
        i, m, y = rows[j], often[j], demand[j]
        for f in range(np.uint64(drawn.size)):
            b = bins[i, drawn[f]]
            used[f] |= one << np.uint64(b)
            sums[f, b, 0] += m
            sums[f, b, 1] += y


@compiled
def add_up_below(below, rows, shares, room):  # type: ignore[no-untyped-def]
    """Draws and demands in the first bins of all features in ``below``: the processor adds up several at once."""
    (often, demand), (draws, demands) = shares, room
    draws[:] = demands[:] = 0.0
    for j in range(rows.size):
        flags, m, y = below[rows[j]], often[j], demand[j]
        for f in range(draws.size):
            draws[f] += flags[f] * m
            demands[f] += flags[f] * y


@compiled
def best_split(used, sums, totals, least, best):  # type: ignore[no-untyped-def]
    """The bin of one feature up to which rows go left, -1 if none gains more than ``best``, and the gain.

    ``totals`` are the sums over all bins. The gain is by how much the sum of squares falls, up to a constant of the
    node. The sums used are set back to zero.
    """
    (n, s), one = totals, np.uint64(1)
    left_n, left_s, where = 0.0, 0.0, np.int64(-1)
    while used:
        b = np.uint64(PLACES[((used & (~used + one)) * DE_BRUIJN) >> np.uint64(58)])
        used &= used - one
        left_n += sums[b, 0]
        left_s += sums[b, 1]
        sums[b, 0] = sums[b, 1] = 0.0
        right_n, right_s = n - left_n, s - left_s
        nearly = left_s * left_s * right_n + right_s * right_s * left_n
        more = nearly > best * (left_n * right_n)  # most are not, and need no division
        # One question instead of four, as most answers can then be foreseen; the last bin cannot go left.
        if more & (left_n >= least) & (right_n >= least) & (used != 0):
            gain = left_s * left_s / left_n + right_s**2 / right_n
            if gain > best * CLEARLY:
                best, where = gain, np.int64(b)
    return where, best


@compiled
def split_of_two(first, totals, least, best):  # type: ignore[no-untyped-def]
    """The same for a feature with two bins, of which ``first`` has the sums of the first."""
    (n, s), (left_n, left_s) = totals, first
    right_n, right_s = n - left_n, s - left_s
    if left_n >= least and right_n >= least:
        gain = left_s * left_s / left_n + right_s**2 / right_n
        if gain > best * CLEARLY:
            return np.int64(0), gain
    return np.int64(-1), best


@compiled
def chosen_split(bins, rows, shares, limits, room, state):  # type: ignore[no-untyped-def]
    """The best split over features drawn without replacement, ``limits`` being how many and the rows of a leaf."""
    (often, demand, n, s), (tried, least), (order, many, used, sums, (place, below, draws, demands)) = (
        shares,
        limits,
        room,
    )
    feature, where, most, several = np.int64(-1), np.int64(-1), s * s / n * CLEARLY + 1e-300, 0
    for j in range(tried):
        state, step = next_draw(state, order.size - j)
        order[j], order[j + step] = order[j + step], order[j]
        many[several] = order[j]
        several += place[order[j]] < 0
    add_up(bins, rows, (often, demand), many[:several], (used, sums))
    add_up_below(below, rows, (often, demand), (draws, demands))
    several = 0
    for j in range(tried):
        two = place[order[j]]
        if two < 0:
            at, most = best_split(used[several], sums[several], (n, s), least, most)
            several += 1
        else:
            at, most = split_of_two((draws[two], demands[two]), (n, s), least, most)
        if at >= 0:
            feature, where = np.int64(order[j]), at
    return state, feature, where


@compiled
def drawn_at(sample, rows, room):  # type: ignore[no-untyped-def]
    """How often each row was drawn, its demand times that number, and the totals of both; ``room`` is workspace."""
    (y, drawn), (often, demand) = sample, room
    n, s = 0.0, 0.0
    for j in range(rows.size):
        often[j] = drawn[rows[j]]
        demand[j] = often[j] * y[rows[j]]
        n += often[j]
        s += demand[j]
    return often, demand, n, s


@compiled
def features_of_two(bins):  # type: ignore[no-untyped-def]
    """The place of each feature among those with two bins, or -1, and which rows are in the first bins of these."""
    place, count = np.full(bins.shape[1], -1), 0
    for f in range(place.size):
        if bins[:, f].max() <= 1:
            place[f] = count
            count += 1
    if count < FEW:
        place[:], count = -1, 0
    below = np.empty((bins.shape[0], count), np.uint8)
    for f in range(place.size):
        if place[f] >= 0:
            below[:, place[f]] = 1 - bins[:, f]
    return place, below


@compiled
def grow(bins, of_two, sample, limits, state):  # type: ignore[no-untyped-def]
    """One tree: for each node its feature (-1: a leaf), bin, left child (the right one follows) and mean."""
    rows = np.flatnonzero(sample[1]).astype(np.uint32)
    size = 2 * rows.size + 1
    feature, where, child = np.full(size, -1), np.zeros(size, np.int64), np.zeros(size, np.int64)
    value = np.zeros(size)
    begin, end = np.zeros(size, np.int64), np.zeros(size, np.int64)
    features, (place, below) = bins.shape[1], of_two
    order, many, used = (
        np.arange(features).astype(np.uint64),
        np.zeros(features, np.uint64),
        np.zeros(features, np.uint64),
    )
    sums, two = np.zeros((features, BINS, 2)), (place, below, np.zeros(below.shape[1]), np.zeros(below.shape[1]))
    room = order, many, used, sums, two
    spare, here_room = np.empty(rows.size, np.uint32), (np.empty(rows.size), np.empty(rows.size))
    end[0], nodes, node = rows.size, 1, 0
    while node < nodes:
        here = rows[begin[node] : end[node]]
        shares = drawn_at(sample, here, here_room)
        value[node] = shares[3] / shares[2]
        if shares[2] >= 2 * limits[1]:
            state, f, b = chosen_split(bins, here, shares, limits, room, state)
            if f >= 0:
                left, right = np.int64(0), np.int64(0)
                for j in range(here.size):  # without a branch, which nobody could foresee
                    i = here[j]
                    stays = np.int64(bins[i, f] <= b)
                    here[left] = spare[right] = i
                    left += stays
                    right += 1 - stays
                here[left:] = spare[:right]
                feature[node], where[node], child[node] = f, b, nodes
                begin[nodes], end[nodes] = begin[node], begin[node] + left
                begin[nodes + 1], end[nodes + 1] = begin[node] + left, end[node]
                nodes += 2
        node += 1
    return feature[:nodes].copy(), where[:nodes].copy(), child[:nodes].copy(), value[:nodes].copy(), state


@compiled
def leaf_value(bins, i, first, nodes):  # type: ignore[no-untyped-def]
    """What the tree whose root is node ``first`` says of row i."""
    feature, where, child, value = nodes
    node = first
    while feature[node] >= 0:
        node = first + child[node] + np.int64(bins[i, feature[node]] > where[node])
    return value[node]


@compiled
def grown(bins, y, runs, efforts, seed):  # type: ignore[no-untyped-def]
    """The nodes of all trees one after the other, where each tree begins, and forecasts of the rows themselves.

    A row is forecast by the trees that have not seen it; nan where all have. ``efforts`` are the number of trees, the
    fewest rows in a leaf, each counted as often as it was drawn, and the share of the features tried at each node.
    ``bins`` has a row for each feature; from here on, a row of it is an observation.
    """
    (trees, leaf, share), n, number = efforts, y.size, runs.max() + 1
    bins = np.ascontiguousarray(bins.T)
    of_two = features_of_two(bins)
    tried = max(np.int64(round(share * bins.shape[1])), 1)
    state = np.uint64(seed) * np.uint64(2862933555777941757) + np.uint64(3037000493)
    total, unseen, first = np.zeros(n), np.zeros(n), np.zeros(trees + 1, np.int64)
    size = trees * (2 * n + 3)
    feature, where, child = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    value = np.empty(size)
    for tree in range(trees):
        often = np.zeros(number)
        for _ in range(number):
            state, run = next_draw(state, number)
            often[run] += 1.0
        drawn = often[runs]
        f, w, c, v, state = grow(bins, of_two, (y, drawn), (tried, leaf), state)
        begin, end = first[tree], first[tree] + f.size
        feature[begin:end], where[begin:end], child[begin:end], value[begin:end] = f, w, c, v
        first[tree + 1] = end
        nodes = feature, where, child, value
        for i in range(n):
            if drawn[i] == 0.0:
                total[i] += leaf_value(bins, i, begin, nodes)
                unseen[i] += 1.0
    end = first[trees]
    kept = feature[:end].copy(), where[:end].copy(), child[:end].copy(), value[:end].copy()
    return kept, first, total / unseen


@compiled
def said(bins, first, nodes):  # type: ignore[no-untyped-def]
    """The mean forecast of the trees for each row, which is a column of ``bins``."""
    bins = np.ascontiguousarray(bins.T)
    total = np.zeros(bins.shape[0])
    for tree in range(first.size - 1):
        for i in range(total.size):
            total[i] += leaf_value(bins, i, first[tree], nodes)
    return total / (first.size - 1)
