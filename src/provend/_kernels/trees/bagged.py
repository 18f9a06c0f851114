"""Bagged regression trees as machine code. Import only when they are grown.

Features come as small bins, so that the best split of a node is found by one pass over its rows. Each tree is grown on
rows drawn with replacement; the rows it has not seen say how well it forecasts. Random numbers are our own (a
linear congruential generator of 64 bits), so that a seed gives the same trees whatever else is installed.

Most nodes are small, so what each costs beside its rows matters: functions get whole arrays and where to look in them,
as numba counts the references to every slice, and places are unsigned, as it looks twice at those that may be negative.
"""

import numpy as np

from provend._kernels.arithmetic.jit import inlined, trusting
from provend._kernels.trees import BINS

CLEARLY = 1 + 1e-12  # splits that gain as much but for rounding are equally good, and the first one is taken

# The place of the only bit that is set in a number of 64 bits, by the leading 6 bits of its product with a sequence
# that has every number of 6 bits in it.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(BINS, np.uint64)
PLACES[[((0x03F79D71B4CB0A89 << place) % 2**64) >> 58 for place in range(BINS)]] = np.arange(BINS)
ZERO, ONE, TOP, WIDTH = np.uint64(0), np.uint64(1), np.uint64(58), np.uint64(2 * BINS)


@inlined
def first_state(seed):  # type: ignore[no-untyped-def]
    """The state to begin with."""
    return np.uint64(seed) * np.uint64(2862933555777941757) + np.uint64(3037000493)


@inlined
def next_draw(state, below):  # type: ignore[no-untyped-def]
    """The state after one step, and an integer drawn from 0 to ``below`` - 1."""
    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return state, np.uint64(np.uint32(state >> np.uint64(33)) % np.uint32(below))


@inlined
def lowest(bits):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set."""
    return PLACES[((bits & (~bits + ONE)) * DE_BRUIJN) >> TOP]


@inlined
def draw_features(order, tried, column, wanted, asked, state):  # type: ignore[no-untyped-def]
    """Draw features without replacement to the front of ``order``; their columns become the first of ``wanted``."""
    several = ZERO
    for k in range(asked.size):
        asked[k] = ZERO
    for j in range(tried):
        state, step = next_draw(state, order.size - j)
        order[j], order[j + step] = order[j + step], order[j]
        c = column[order[j]]
        wanted[several] = c
        several += ONE - asked[c]
        asked[c] = ONE
    return state, several


@inlined
def add_up(columns, rows, begin, end, shares, wanted, several, used, sums):  # type: ignore[no-untyped-def]
    """Add up draws and demands by bin, for all wanted columns at once: one waits less for the last sum of another.

    ``shares`` are the numbers of draws of the rows and their demands times these numbers. Which bins are in use is kept
    as bits, so that a small node, as most are, looks at few of them. The sums are zero before.
    """
    often, demand = shares
    for k in range(several):
        used[wanted[k]] = ZERO
    for j in range(end - begin):
        i, m, y = rows[begin + j], often[j], demand[j]
        for k in range(several):
            c = wanted[k]
            b = np.uint64(columns[i, c])
            used[c] |= ONE << b
            at = c * WIDTH + b + b
            sums[at] += m
            sums[at + ONE] += y


@inlined
def best_split(bits, sums, start, n, s, least, best):  # type: ignore[no-untyped-def]
    """The bin of one column up to which rows go left, -1 if none gains more than ``best``, and the gain.

    ``bits`` are the bins in use, whose sums begin at ``start``; n and s are the sums over all bins. The gain is by
    how much the sum of squares falls, up to a constant of the node. The sums are set back to zero.
    """
    left_n, left_s, where = 0.0, 0.0, np.int64(-1)
    while bits:
        b = lowest(bits)
        bits &= bits - ONE
        at = start + b + b
        left_n += sums[at]
        left_s += sums[at + ONE]
        sums[at] = sums[at + ONE] = 0.0
        right_n, right_s = n - left_n, s - left_s
        nearly = left_s * left_s * right_n + right_s * right_s * left_n
        fewer = left_n if left_n < right_n else right_n
        # One question instead of several, as most answers can then be foreseen: most gain less, and need no division.
        bar = best * (left_n * right_n) if fewer >= least else np.inf
        if nearly > bar:
            gain = left_s * left_s / left_n + right_s**2 / right_n
            if gain > best * CLEARLY:
                best, where = gain, np.int64(b)
    return where, best


@inlined
def split_of_two(right_n, right_s, n, s, least, best):  # type: ignore[no-untyped-def]
    """The same for a feature with two bins, of which the sums of the second are known."""
    left_n, left_s, where = n - right_n, s - right_s, np.int64(-1)
    nearly = left_s * left_s * right_n + right_s * right_s * left_n
    fewer = left_n if left_n < right_n else right_n
    bar = best * (left_n * right_n) if fewer >= least else np.inf
    if nearly > bar:
        gain = left_s * left_s / left_n + right_s**2 / right_n
        if gain > best * CLEARLY:
            best, where = gain, np.int64(0)
    return where, best


@inlined
def chosen_split(order, tried, of, used, sums, n, s, least):  # type: ignore[no-untyped-def]
    """The best split over the features drawn: a feature, -1 if none gains anything, and the bin up to which."""
    column, second = of
    feature, where, most = np.int64(-1), np.int64(0), s * s / n * CLEARLY + 1e-300
    for j in range(tried):
        f = order[j]
        c, b = column[f], second[f]
        start = c * WIDTH
        if b == ZERO:
            at, most = best_split(used[c], sums, start, n, s, least, most)
            used[c] = ZERO
        else:
            own = start + b + b
            at, most = split_of_two(sums[own], sums[own + ONE], n, s, least, most)
        if at >= 0:
            feature, where = np.int64(f), at
    return feature, where


@inlined
def clear(wanted, several, used, sums):  # type: ignore[no-untyped-def]
    """Set the sums of shared columns, at which several features look, back to zero."""
    for k in range(several):
        c = wanted[k]
        bits = used[c]
        while bits:
            at = c * WIDTH + lowest(bits) * np.uint64(2)
            bits &= bits - ONE
            sums[at] = sums[at + ONE] = 0.0


@inlined
def drawn_at(y, drawn, rows, begin, end, often, demand):  # type: ignore[no-untyped-def]
    """The totals of how often each row was drawn and of its demand times that number, which are kept."""
    n, s = 0.0, 0.0
    for j in range(end - begin):
        i = rows[begin + j]
        m = drawn[i]
        part = m * y[i]
        often[j], demand[j] = m, part
        n += m
        s += part
    return n, s


@inlined
def meet(one, other):  # type: ignore[no-untyped-def]
    """Whether some row is beyond the first bin of both."""
    i = 0
    while i < one.size and not (one[i] and other[i]):
        i += 1
    return i < one.size


@trusting
def columns_of(bins):  # type: ignore[no-untyped-def]
    """What is added up by bin: features, and features with two bins together where no row is in the second of several.

    Those are the levels of a category, of which a row has one: added up once, they are all known. Returned are the
    columns, and for each feature its column and which bin of it is the second one, 0 where it is a column of its own.
    """
    features, n = bins.shape
    columns, count = np.zeros((features, n), np.uint8), 0
    column, second = np.zeros(features, np.uint64), np.zeros(features, np.uint64)
    members = np.zeros(features, np.uint8)  # of each column, if it is shared
    for f in range(features):
        found = count
        if bins[f].max() > 1:
            columns[found] = bins[f]
        else:
            for c in range(count - 1, -1, -1):
                if 0 < members[c] < BINS - 1 and not meet(bins[f], columns[c]):
                    found = c
            members[found] += 1
            columns[found] += bins[f] * members[found]
        column[f], second[f] = found, members[found]
        count += found == count
    return columns[:count].T.copy(), (column, second)


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


@trusting
def grow(bins, columns, of, sample, limits, state, nodes, first, past, also, room):  # type: ignore[no-untyped-def]
    """One tree: for each node its feature (-1: a leaf), bin, left child (the right one follows) and mean.

    Rows that were not drawn come after those that were and go down the tree with them; what it says of them, and
    ``also`` of those that were, is added to ``past``. Returned are the state and the number of nodes.
    """
    (y, drawn), (feature, where, child, value), (tried, least) = sample, nodes, limits
    (begin, middle, end), (rows, spare, often, demand), (order, wanted, asked, used, sums) = room
    order[:] = np.arange(order.size)
    rows[:] = np.arange(rows.size)
    unseen = drawn == 0.0
    begin[0], end[0] = 0, rows.size
    middle[0], right = divided(rows, ZERO, end[0], unseen, False, spare, (ZERO, ZERO))
    rows[middle[0] :] = spare[:right]
    count, node = ONE, ZERO
    while node < count:
        start, turn, stop = begin[node], middle[node], end[node]
        n, s = drawn_at(y, drawn, rows, start, turn, often, demand)
        mean, f, b = s / n, np.int64(-1), np.int64(0)
        if n >= 2 * least:
            state, several = draw_features(order, tried, of[0], wanted, asked, state)
            add_up(columns, rows, start, turn, (often, demand), wanted, several, used, sums)
            f, b = chosen_split(order, tried, of, used, sums, n, s, least)
            clear(wanted, several, used, sums)
        at = first + node
        feature[at], where[at], child[at], value[at] = f, b, 0 if f < 0 else count, mean
        node += ONE
        if f < 0:
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
def nodes_for(size):  # type: ignore[no-untyped-def]
    """Arrays for as many nodes: feature, bin, left child and mean."""
    return np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)


@inlined
def kept(nodes, end):  # type: ignore[no-untyped-def]
    """The nodes up to the last one."""
    feature, where, child, value = nodes
    return feature[:end].copy(), where[:end].copy(), child[:end].copy(), value[:end].copy()


@inlined
def room_for(n, features, columns):  # type: ignore[no-untyped-def]
    """Workspace to grow trees in: spans of nodes, rows and their shares, and what is drawn and added up of columns."""
    spans = np.empty(2 * n + 1, np.uint64), np.empty(2 * n + 1, np.uint64), np.empty(2 * n + 1, np.uint64)
    of_rows = np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(n), np.empty(n)
    of_columns = (
        np.empty(features, np.uint64),
        np.empty(columns + 1, np.uint64),
        np.empty(columns, np.uint64),
        np.empty(columns, np.uint64),
        np.zeros(columns * 2 * BINS),
    )
    return spans, of_rows, of_columns


@trusting
def grown(bins, y, runs, efforts, seed):  # type: ignore[no-untyped-def]
    """The nodes of all trees one after the other, where each tree begins, and forecasts of the rows themselves.

    A row is forecast by the trees that have not seen it; nan where all have. ``efforts`` are the number of trees, the
    fewest rows in a leaf, each counted as often as it was drawn, and the share of the features tried at each node.
    ``bins`` has a row for each feature.
    """
    (trees, leaf, share), n, number, features = efforts, y.size, runs.max() + 1, bins.shape[0]
    columns, of = columns_of(bins)
    limits = max(np.int64(round(share * features)), 1), leaf
    state = first_state(seed)
    total, unseen, first = np.zeros(n), np.zeros(n), np.zeros(trees + 1, np.uint64)
    nodes, room = nodes_for(trees * (2 * n + 1)), room_for(n, features, columns.shape[1])
    for tree in range(trees):
        often = np.zeros(number)
        for _ in range(number):
            state, run = next_draw(state, number)
            often[run] += 1.0
        drawn = often[runs]
        unseen += drawn == 0.0
        state, count = grow(bins, columns, of, (y, drawn), limits, state, nodes, first[tree], total, False, room)
        first[tree + 1] = first[tree] + count
    return kept(nodes, first[trees]), first.astype(np.int64), total / unseen


@trusting
def said(bins, first, nodes):  # type: ignore[no-untyped-def]
    """The mean forecast of the trees for each row, which is a column of ``bins``.

    All rows take a step down a tree before any takes the next one, as no step then has to wait for the last.
    """
    feature, where, child, value = nodes
    bins = np.ascontiguousarray(bins.T)
    total, at, going = np.zeros(bins.shape[0]), np.empty(bins.shape[0], np.uint64), np.empty(bins.shape[0], np.uint64)
    for tree in range(first.size - 1):
        root, many = np.uint64(first[tree]), np.uint64(bins.shape[0])
        for i in range(many):
            at[i], going[i] = root, i
        while many:
            left = ZERO
            for j in range(many):
                i = going[j]
                node = at[i]
                f = feature[node]
                inner = np.uint64(f >= 0)
                below = child[node] + np.int64(bins[i, np.uint64(f) * inner] > where[node])
                at[i] = root + np.uint64(below) if inner else node
                going[left] = i
                left += inner
            many = left
        for i in range(total.size):
            total[i] += value[at[i]]
    return total / (first.size - 1)
