"""The best split of a node, as machine code: draws and demands added up by bin, and one look at all bins in use.

Draws and demands of a row are one whole number, so that one addition does for both, and in any order: demands are
rounded to a fine grid. Only splits are chosen by such sums; what a leaf says is a mean of the demands themselves.

Most nodes are small, so what each costs beside its rows matters: places are unsigned, as numba looks twice at those
that may be negative, and questions whose answers cannot be foreseen are avoided.
"""

import math

import numpy as np

from provend._kernels.arithmetic.jit import inlined
from provend._kernels.trees import BINS
from provend._kernels.trees.draws import next_draw

ROUNDING = 1e-12  # of a sum of squares
FINEST = 1000  # exponent of the finest grid

# The place of the only bit that is set in a number of 64 bits, by the leading 6 bits of its product with a sequence
# that has every number of 6 bits in it.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(BINS, np.uint64)
PLACES[[((0x03F79D71B4CB0A89 << place) % 2**64) >> 58 for place in range(BINS)]] = np.arange(BINS)
ZERO, ONE, TWO, TOP, WIDTH = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(58), np.uint64(BINS)


@inlined
def lowest(bits):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set."""
    return PLACES[((bits & (~bits + ONE)) * DE_BRUIJN) >> TOP]


@inlined
def packed(y, drawn, shares):  # type: ignore[no-untyped-def]
    """Draws of each row, and above them its demand times as many, in ``shares``; returned is how many bits draws have.

    The grid of demands is as fine as leaves room for all sums, and a power of two: it ignores rows that are not drawn.
    """
    total, largest = 0.0, 0.0
    for i in range(y.size):
        total += drawn[i]
        largest = max(largest, abs(y[i]) if drawn[i] > 0.0 else 0.0)
    low = 1
    while (1 << low) <= total:
        low += 1
    unit = math.ldexp(1.0, min(62 - 2 * low - math.frexp(largest)[1], FINEST))
    for i in range(y.size):
        demand = y[i] if drawn[i] > 0.0 else 0.0
        shares[i] = np.int64(drawn[i]) * ((np.int64(np.rint(demand * unit)) << low) + 1)
    return low


@inlined
def unpacked(sums, low):  # type: ignore[no-untyped-def]
    """Draws and demands."""
    return float(sums & ((np.int64(1) << low) - 1)), float(sums >> low)


@inlined
def draw_features(order, tried, column, wanted, asked, used, state):  # type: ignore[no-untyped-def]
    """Draw features without replacement to the front of ``order``; their columns become the first of ``wanted``."""
    several = ZERO
    for k in range(asked.size):
        asked[k] = used[k] = ZERO
    for j in range(tried):
        state, step = next_draw(state, order.size - j)
        order[j], order[j + step] = order[j + step], order[j]
        c = column[order[j]]
        wanted[several] = c
        several += ONE - asked[c]
        asked[c] = ONE
    return state, several


@inlined
def add_rows(c, number, columns, rows, begin, end, shares, used, sums):  # type: ignore[no-untyped-def]
    """Add up the shares of rows by bin of a column, whose sums are zero before.

    Which bins are in use is kept as bits, so that a small node, as most are, looks at few of them. Of two bins, those
    of a flag, only the second matters.
    """
    start, bits, total = c * WIDTH, ZERO, np.int64(0)
    if number == TWO:
        for j in range(begin, end):
            total += shares[rows[j]] * np.int64(columns[c, rows[j]])
        bits, sums[start + ONE] = TWO, total
    else:
        for j in range(begin, end):
            i = rows[j]
            b = np.uint64(columns[c, i])
            bits |= ONE << b
            sums[start + b] += shares[i]
    used[c] = bits


@inlined
def add_bins(c, source, place, used, sums):  # type: ignore[no-untyped-def]
    """The same from the sums of a column whose bins tell those of this one."""
    start, other, left, bits = c * WIDTH, source * WIDTH, used[source], ZERO
    while left:
        here = lowest(left)
        left &= left - ONE
        b = np.uint64(place[start + here])
        bits |= ONE << b
        sums[start + b] += sums[other + here]
    used[c] = bits


@inlined
def add_up(columns, rows, span, shares, sources, wanted, several, asked, used, sums):  # type: ignore[no-untyped-def]
    """The sums of all wanted columns, and of those from which they are derived where there are enough rows.

    The latter are added to the wanted ones; returned is how many there are then.
    """
    (begin, end), (source, enough, place, number) = span, sources
    for k in range(several):
        c = wanted[k]
        if used[c]:  # as a source
            continue
        s = source[c] if end - begin >= enough[c] else c
        if not used[s]:
            add_rows(s, number[s], columns, rows, begin, end, shares, used, sums)
        if s != c:
            wanted[several] = s
            several += ONE - asked[s]
            asked[s] = ONE
            add_bins(c, s, place, used, sums)
    return several


@inlined
def gained(left, low, n, s, least):  # type: ignore[no-untyped-def]
    """By how much the sum of squares falls with a split, times n; 0 if one side has too few draws.

    n and s are the draws and demands of the node.
    """
    left_n, left_s = unpacked(left, low)
    apart, both = left_s * n - left_n * s, left_n * (n - left_n)
    product = apart * apart if both >= least * (n - least) else 0.0
    return product / (both + 1e-300)


@inlined
def clearly(gain, s):  # type: ignore[no-untyped-def]
    """What gains more: splits that gain as much but for rounding are equally good, and the first one is taken."""
    return gain + (s * s + gain) * ROUNDING


@inlined
def most_gained(bits, sums, start, low, n, s, least, gains):  # type: ignore[no-untyped-def]
    """The largest gain of the splits by one column, each at its last bin in ``gains``.

    ``bits`` are the bins in use, whose sums begin at ``start`` and are set back to zero. There is no question whose
    answer could not be foreseen: to guess wrong takes longer than several divisions.
    """
    left, most = np.int64(0), 0.0
    while bits:
        at = start + lowest(bits)
        bits &= bits - ONE
        left += sums[at]
        sums[at] = 0
        gain = gains[at] = gained(left, low, n, s, least)
        most = max(most, gain)
    return most


@inlined
def first_at(bits, gains, start, most, s):  # type: ignore[no-untyped-def]
    """The first bin whose split gains as much as the best of its column."""
    while clearly(gains[start + lowest(bits)], s) < most:
        bits &= bits - ONE
    return lowest(bits)


@inlined
def chosen_split(order, tried, column, second, used, sums, whole, low, least, asked, gains):  # type: ignore[no-untyped-def]
    """The best split over the features drawn: a feature, -1 if none gains anything, and the bin up to which.

    Columns that are no longer ``asked`` for have sums of zero.
    """
    n, s = unpacked(whole, low)
    feature, most, best = np.int64(-1), 0.0, clearly(1e-300, s)
    for j in range(tried):
        f = order[j]
        c, b = column[f], second[f]
        start = c * WIDTH
        if b == ZERO:
            gain = most_gained(used[c], sums, start, low, n, s, least, gains)
            asked[c] = ZERO
        else:  # of two bins, of which the second is known
            gain = gained(sums[start + b], low, n, s, least)
        if gain > best:
            feature, most, best = np.int64(f), gain, clearly(gain, s)
    where = np.int64(0)
    if feature >= 0 and second[feature] == ZERO:
        c = column[feature]
        where = np.int64(first_at(used[c], gains, c * WIDTH, most, s))
    return feature, where


@inlined
def clear(wanted, several, asked, used, sums):  # type: ignore[no-untyped-def]
    """Set the sums of columns back to zero that are still there: several features look at shared ones."""
    for k in range(several):
        c = wanted[k]
        start, bits = c * WIDTH, used[c]
        while bits and asked[c]:
            sums[start + lowest(bits)] = 0
            bits &= bits - ONE
