"""What trees add up by bin, as machine code: features, and features with two bins together. Import only when grown."""

import numpy as np

from provend._kernels.arithmetic.jit import inlined, trusting
from provend._kernels.trees import BINS, Bins, Table

FEW = 16  # bins of a column from which others are derived: categories, not numbers
PER_BIN = 8  # rows of a node for each of these bins, from which on adding up rows takes longer than deriving


@inlined
def meet(one, other):  # type: ignore[no-untyped-def]
    """Whether some row is beyond the first bin of both."""
    i = 0
    while i < one.size and not (one[i] and other[i]):
        i += 1
    return i < one.size


def columns_of(bins: Bins) -> Table:
    """What is added up by bin: features, and features with two bins together where no row is in the second of several.

    Those are the levels of a category, of which a row has one: added up once, they are all known. Returned are the bins
    again, the columns, for each feature its column and which bin of it is the second one, 0 where it is a column of its
    own, and what ``find_sources`` says of the columns. ``bins`` and columns have a row for each feature and column.
    """
    features, columns = len(bins), np.zeros_like(bins)
    places = np.zeros(features, np.uint64), np.zeros(features, np.uint64)
    count = put_together(bins, columns, *places)
    columns = columns[:count].copy()
    place = np.zeros(count * BINS, np.uint8)
    sources = np.arange(count).astype(np.uint64), np.zeros(count, np.uint64), place, np.zeros(count, np.uint64)
    find_sources(columns, *sources)
    return bins, columns, places, sources


@trusting
def put_together(bins, columns, column, second):  # type: ignore[no-untyped-def]
    """Put features into columns, and for each its column and second bin; returned is how many columns there are."""
    members, count = np.zeros(bins.shape[0], np.uint8), 0  # of each column, if it is shared
    for f in range(bins.shape[0]):
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
    return count


@trusting
def find_sources(columns, source, enough, place, number):  # type: ignore[no-untyped-def]
    """For each column the first one of few bins that tells its bin: a weekday tells its indicators, a month its waves.

    That is ``source``, itself where there is none; ``enough`` is how many rows a node must have for sums to be derived
    from those of the source, ``place`` where each bin of a source is among those of the column, and ``number`` that of
    its bins.
    """
    for c in range(columns.shape[0]):
        number[c] = columns[c].max() + 1
        for s in range(c):
            able = source[c] == c and source[s] == s and 2 < number[s] <= FEW
            able &= number[c] <= number[s] + 1  # of levels that share a column, nobody may be in the first bin
            if able and follows(columns[s], columns[c], c * BINS, place):
                source[c], enough[c] = s, number[s] * PER_BIN


@inlined
def follows(one, other, start, place):  # type: ignore[no-untyped-def]
    """Whether the bins of one column tell those of another, whose places are then found from ``start`` on."""
    place[start : start + BINS] = BINS
    i = 0
    while i < one.size and (place[start + one[i]] == BINS or place[start + one[i]] == other[i]):
        place[start + one[i]] = other[i]
        i += 1
    return i == one.size
