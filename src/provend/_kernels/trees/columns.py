"""What trees add up by bin, as machine code: features, and features with two bins together. Import only when grown."""

import numpy as np

from provend._kernels.arithmetic.jit import inlined, trusting
from provend._kernels.trees import BINS

FEW = 16  # bins of a column from which others are derived: categories, not numbers
PER_BIN = 8  # rows of a node for each of these bins, from which on adding up rows takes longer than deriving


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

    Those are the levels of a category, of which a row has one: added up once, they are all known. Returned are the bins
    again, the columns, and for each feature its column and which bin of it is the second one, 0 where it is a column of
    its own. ``bins`` and columns have a row for each feature and column.
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
    columns = columns[:count].copy()
    return bins, columns, (column, second), sources_of(columns)


@trusting
def sources_of(columns):  # type: ignore[no-untyped-def]
    """For each column the first one of few bins that tells its bin: a weekday tells its indicators, a month its waves.

    Returned are these, itself where there is none, how many rows a node must have for sums to be derived from those of
    the source, the place of each bin of a source among those of the column, and the number of bins.
    """
    source, enough = np.arange(columns.shape[0]).astype(np.uint64), np.zeros(columns.shape[0], np.uint64)
    place, number = np.zeros(columns.shape[0] * BINS, np.uint8), np.zeros(columns.shape[0], np.uint64)
    for c in range(columns.shape[0]):
        number[c] = columns[c].max() + 1
        for s in range(c):
            able = source[c] == c and source[s] == s and 2 < number[s] <= FEW
            able &= number[c] <= number[s] + 1  # of levels that share a column, nobody may be in the first bin
            if able and follows(columns[s], columns[c], c * BINS, place):
                source[c], enough[c] = s, number[s] * PER_BIN
    return source, enough, place, number


@inlined
def follows(one, other, start, place):  # type: ignore[no-untyped-def]
    """Whether the bins of one column tell those of another, whose places are then found from ``start`` on."""
    place[start : start + BINS] = BINS
    i = 0
    while i < one.size and (place[start + one[i]] == BINS or place[start + one[i]] == other[i]):
        place[start + one[i]] = other[i]
        i += 1
    return i == one.size
