"""The game where so many contexts count that their sums are nearly normal, as machine code: estimates, no bounds.

A sum is described by its first four cumulants, its tail by Edgeworth's series in them: however many cells a law has,
this takes one pass over the contexts. Import only when one of the functions runs.
"""

import math

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.game.candidate import LEAST_MEAN

FARTHEST = 8.0  # standard deviations from the mean beyond which nothing is left of a tail
HALVINGS = 12  # of the range of a threshold: a hundredth of a spread is left, and a line across it
TOLD_APART = 64  # contexts up to which each counts by itself in an estimate; of more, some stand for their neighbours
PER_ROOT = 1 / math.sqrt(2.0)
PER_DENSITY = 1 / math.sqrt(2 * math.pi)


@compiled
def beyond(s, law):  # type: ignore[no-untyped-def]
    """Roughly P(S > s) for a sum with these four cumulants."""
    mean, variance, third, fourth = law
    if variance <= 0.0:
        return 1.0 if mean > s else 0.0
    spread = math.sqrt(variance)
    x = (s - mean) / spread
    if abs(x) > FARTHEST:
        return 1.0 if x < 0.0 else 0.0
    skew, excess, square = third / (variance * spread), fourth / (variance * variance), x * x
    tilt = skew / 6 * (square - 1) + x * (excess / 24 * (square - 3) + skew * skew / 72 * (square * (square - 10) + 15))
    return min(max(math.erfc(x * PER_ROOT) / 2 + PER_DENSITY * math.exp(-square / 2) * tilt, 0.0), 1.0)


@compiled
def with_one(law, p, w):  # type: ignore[no-untyped-def]
    """The cumulants of a sum to which w times a Bernoulli variable of mean p is added."""
    mean, variance, third, fourth = law
    z = p * (1.0 - p)
    more = w * w * z
    return mean + w * p, variance + more, third + more * w * (1.0 - 2.0 * p), fourth + more * w * w * (1.0 - 6.0 * z)


@compiled
def both_means(a, b, c, d):  # type: ignore[no-untyped-def]
    """The means of a context at dissimilarity d under the two hypotheses, as near to each other as d allows."""
    return max(min(c - a + d, 1.0), LEAST_MEAN * c), min(max(c + b - d, 0.0), 1.0 - LEAST_MEAN * (1.0 - c))


@compiled
def with_several(law, other, many):  # type: ignore[no-untyped-def]
    """The cumulants of a sum to which so many independent copies of another are added."""
    return law[0] + many * other[0], law[1] + many * other[1], law[2] + many * other[2], law[3] + many * other[3]


@compiled
def smooth_estimate(a, b, c, d):  # type: ignore[no-untyped-def]
    """Roughly the cost that a prior on the means c - a and c + b can force; d is ascending and c = 1 - q."""
    low = high = nothing = (0.0, 0.0, 0.0, 0.0)
    stride = (d.size + TOLD_APART - 1) // TOLD_APART
    for first in range(0, d.size, stride):
        many = min(stride, d.size - first)
        middle = (d[first + (many - 1) // 2] + d[first + many // 2]) / 2
        if middle >= (a + b) / 2:
            break
        x, y = both_means(a, b, c, middle)
        if y > x:
            w = math.log(y * (1.0 - x) / (x * (1.0 - y)))
            low = with_several(low, with_one(nothing, x, w), many)
            high = with_several(high, with_one(nothing, y, w), many)
    return a * b / (a + b) if low[1] == 0.0 else evened(a, low, b, high)


@compiled
def evened(a, low, b, high):  # type: ignore[no-untyped-def]
    """What both hypotheses cost at the threshold at which they cost the same, a P(S > s) and b P(S <= s)."""
    begin, end = low[0] - FARTHEST * math.sqrt(low[1]), high[0] + FARTHEST * math.sqrt(high[1])
    at_begin, at_end = (a, 0.0), (0.0, b)
    for _ in range(HALVINGS):
        s = (begin + end) / 2
        costs = a * beyond(s, low), b * (1.0 - beyond(s, high))
        if costs[0] > costs[1]:
            begin, at_begin = s, costs
        else:
            end, at_end = s, costs
    above, below = at_begin[0] - at_begin[1], at_end[1] - at_end[0]
    return (below * at_begin[0] + above * at_end[0]) / (above + below)


@compiled
def told_apart(d, cut_offs):  # type: ignore[no-untyped-def]
    """The sum of the squares of (x - d_i)+ for each row of dissimilarities, in any order, and each ascending cut-off x.

    Between two cut-offs, the number of dissimilarities, their sum and that of their squares say all there is to know.
    They are at hand until a dissimilarity is not between the same two: where these ascend, there are few such.
    """
    found, moments = np.empty((d.shape[0], cut_offs.size)), np.empty((cut_offs.size + 1, 3))
    for row in range(d.shape[0]):
        moments[:] = 0.0  # of those below each cut-off, and not below the one before
        many = total = squares = 0.0  # the moments at hand, from ``low`` to ``high``
        at, low, high = 0, -np.inf, cut_offs[0]
        for one in d[row]:
            if one < low or one >= high:
                moments[at, 0], moments[at, 1], moments[at, 2] = many, total, squares
                at = at if one >= low else 0
                while at < cut_offs.size and cut_offs[at] <= one:
                    at += 1
                low = cut_offs[at - 1] if at > 0 else -np.inf
                high = cut_offs[at] if at < cut_offs.size else np.inf
                many, total, squares = moments[at, 0], moments[at, 1], moments[at, 2]
            many += 1.0
            total += one
            squares += one * one
        moments[at, 0], moments[at, 1], moments[at, 2] = many, total, squares
        many = total = squares = 0.0
        for j in range(cut_offs.size):
            x = cut_offs[j]
            many, total, squares = many + moments[j, 0], total + moments[j, 1], squares + moments[j, 2]
            found[row, j] = max(x * (x * many - 2.0 * total) + squares, 0.0)
    return found


@compiled
def cumulants(t, d, k):  # type: ignore[no-untyped-def]
    """The cumulants of sum k_i Y_i, Y_i ~ Bernoulli(min(1, t + d_i)): a row for each t.

    For all t at once, one context after the other: sums that do not wait for each other.
    """
    mean, variance, third, fourth = np.zeros(t.size), np.zeros(t.size), np.zeros(t.size), np.zeros(t.size)
    for i in range(d.size):
        w, far = float(k[i]), d[i]
        for j in range(t.size):
            law = with_one((mean[j], variance[j], third[j], fourth[j]), min(t[j] + far, 1.0), w)
            mean[j], variance[j], third[j], fourth[j] = law
    return np.column_stack((mean, variance, third, fourth))


@compiled
def dearest(needed, c, t, laws):  # type: ignore[no-untyped-def]
    """Roughly the largest (c - t) P(S >= needed), S being a whole number."""
    most = 0.0
    for j in range(t.size):
        law = laws[j, 0], laws[j, 1], laws[j, 2], laws[j, 3]
        most = max(most, (c - t[j]) * beyond(needed - 0.5, law))
    return most


@compiled
def balanced(total, c, low, high):  # type: ignore[no-untyped-def]
    """The highest level above which ordering the top costs more on the low side, and what both sides then cost there.

    ``low`` and ``high`` are values of t with their cumulants. Also returned: the costs at the next level.
    """
    begin, end = -1, total
    at_begin = dearest(0, c, *low), dearest(total + 1, 1.0 - c, *high)
    at_end = dearest(total + 1, c, *low), dearest(0, 1.0 - c, *high)
    while end - begin > 1:
        middle = (begin + end) // 2
        costs = dearest(middle + 1, c, *low), dearest(total - middle, 1.0 - c, *high)
        if costs[0] > costs[1]:
            begin, at_begin = middle, costs
        else:
            end, at_end = middle, costs
    return begin, at_begin, at_end


@compiled
def roughness(p, k, slowest, step):  # type: ignore[no-untyped-def]
    """The variance of sum k_i Y_i, Y_i ~ Bernoulli(p_i), and at most how much is left of the waves in its law.

    These go from a ``slowest`` to the fastest by steps, in radians per standard deviation. A law without waves is as
    smooth as whole numbers allow; one in which sums come in clumps has a wave of their distance.
    """
    masses, variance = np.zeros(k.max() + 1), 0.0
    for i in range(p.size):
        z = max(p[i] * (1.0 - p[i]), 0.0)
        masses[k[i]] += z
        variance += z * k[i] * k[i]
    if variance == 0.0:
        return variance, 1.0
    spread = math.sqrt(variance)
    waves, w = np.empty(int(math.pi * spread / step) + 2), slowest / spread
    many = 0
    while w < math.pi:
        waves[many], w, many = w, w + step / spread, many + 1
    once = np.cos(waves[:many])
    before, here, fallen = np.ones(many), once.copy(), np.zeros(many)
    for j in range(1, masses.size):
        for i in range(many):  # all waves at once, as no step of one then waits for the last
            fallen[i] += masses[j] * (1.0 - here[i])
            before[i], here[i] = here[i], 2.0 * once[i] * here[i] - before[i]
    return variance, math.exp(-fallen.min()) if many else 0.0
