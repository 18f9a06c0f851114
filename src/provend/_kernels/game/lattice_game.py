"""The game against a two-point prior on a lattice, as machine code. Import only when one of the functions runs."""

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.game.candidate import DECISIVE, LEAST_MEAN
from provend._kernels.game.smooth_game import smooth_estimate
from provend._kernels.tails.laws import lattice_law, spread_law


@compiled
def rule_costs(t, c, d, k, needed):  # type: ignore[no-untyped-def]
    """(c - t) P(sum k_i Y_i >= needed_j), Y_i ~ Bernoulli(min(1, t + d_i)): a row for each t, to rounding errors."""
    rows = np.empty((t.size, needed.size))
    for i in range(t.size):
        Q, start = lattice_law(np.minimum(t[i] + d, 1.0), k)
        for s in range(Q.size - 1, 0, -1):
            Q[s - 1] += Q[s]  # P(S >= start + s)
        for j in range(needed.size):
            s = max(needed[j] - start, 0)
            rows[i, j] = (c - t[i]) * Q[s] if s < Q.size else 0.0
    return rows


@compiled
def level(a, b, low_law, low_start, high_law, high_start):  # type: ignore[no-untyped-def]
    """The threshold s, and the share of cases at s that order the top, which make both hypotheses cost the same.

    Ordering the top above s and, with the share, at s costs a P-(S > s) + share a P-(s) and b P+(S < s) +
    (1 - share) b P+(s). Also returned: that cost, P-(s) and P+(s).
    """
    begin = min(low_start, high_start)
    end = max(low_start + low_law.size, high_start + high_law.size)
    above, below = a * low_law.sum(), 0.0
    for s in range(begin, end):
        i, j = s - low_start, s - high_start
        m = low_law[i] if 0 <= i < low_law.size else 0.0
        M = high_law[j] if 0 <= j < high_law.size else 0.0
        above -= a * m
        if above <= below + b * M:  # without any share at s the low side is the cheaper one
            both = a * m + b * M
            share = min(max((below + b * M - above) / both, 0.0), 1.0) if both > 0 else 0.0
            return s, share, above + share * a * m, m, M
        below += b * M
    return end, 0.0, 0.0, 0.0, 0.0


@compiled
def estimate(a, b, c, d, cells):  # type: ignore[no-untyped-def]
    """Roughly the cost that a prior on the means c - a and c + b can force; d is ascending and c = 1 - q.

    Without any ``cells``, sums are taken to be nearly normal.
    """
    if cells == 0.0:
        return smooth_estimate(a, b, c, d)
    mu, nu = c - a, c + b
    used = 0
    while used < d.size and d[used] < (a + b) / 2:
        used += 1
    p, r, w = np.empty(used), np.empty(used), np.empty(used)
    n, top = 0, 0.0
    for i in range(used):
        x, y = min(mu + d[i], 1.0), max(nu - d[i], 0.0)
        x, y = max(x, LEAST_MEAN * c), min(y, 1.0 - LEAST_MEAN * (1.0 - c))
        if y > x:
            p[n], r[n] = x, y
            w[n] = np.log(y / (1.0 - y)) - np.log(x / (1.0 - x))
            top = max(top, w[n])
            n += w[n] > 0.0
    if n == 0:
        return a * b / (a + b)
    w = w[:n] * (cells / min(top, DECISIVE)) if w[:n].min() < top else np.ones(n)
    low_law, low_start = spread_law(p[:n], w)
    high_law, high_start = spread_law(r[:n], w)
    return level(a, b, low_law, low_start, high_law, high_start)[2]


@compiled
def means(x, r, c):  # type: ignore[no-untyped-def]
    """The distances a and b from c for a cut-off x = (a + b) / 2 and a share r = a / (a + b), inside the range."""
    return min(2.0 * x * r, c), min(2.0 * x * (1.0 - r), 1.0 - c)


@compiled
def scan(cut_offs, shares, c, d, cells, fallen):  # type: ignore[no-untyped-def]
    """The estimate on a grid, cut-offs ascending; left at zero once it has fallen by the factor ``fallen``."""
    values = np.zeros((cut_offs.size, shares.size))
    for j in range(shares.size):
        most = 0.0
        for i in range(cut_offs.size):
            a, b = means(cut_offs[i], shares[j], c)
            values[i, j] = estimate(a, b, c, d, cells)
            most = max(most, values[i, j])
            if values[i, j] < most / fallen:
                break
    return values


@compiled
def peaks(values, most, hopeful):  # type: ignore[no-untyped-def]
    """Positions of local maxima of a grid, the highest first: up to ``most``, and above a share of the highest."""
    heights = np.zeros(values.shape)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            if values[i, j] >= values[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].max():
                heights[i, j] = values[i, j]
    found, least = [(0, 0) for _ in range(0)], hopeful * heights.max()
    while len(found) < most and heights.max() > least:
        at = heights.argmax()
        i, j = at // values.shape[1], at % values.shape[1]
        found.append((i, j))
        heights[i, j] = 0.0
    return found


@compiled
def climb(start, step, shrinks, c, d, cells):  # type: ignore[no-untyped-def]
    """Pattern search upwards from a cut-off x and a share r: steps along the axes and the diagonals, halved in turn."""
    (x, r), (dx, dr) = start, step
    a, b = means(x, r, c)
    best = estimate(a, b, c, d, cells)
    last = (0, 0)
    while shrinks > 0:
        found = False
        for pick in range(9):
            i, j = last
            if pick > 0:
                moves = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))
                i, j = moves[pick - 1]
                if i == last[0] and j == last[1]:  # tried at first
                    continue
            if i == 0 and j == 0:
                continue
            y, t = x + i * dx, r + j * dr
            if y <= 0.0 or y > 0.5 or t <= 0.0 or t >= 1.0:
                continue
            a, b = means(y, t, c)
            value = estimate(a, b, c, d, cells)
            if value > best:
                best, x, r, last, found = value, y, t, (i, j), True
                break
        if not found:
            dx, dr, shrinks, last = dx / 2, dr / 2, shrinks - 1, (0, 0)
    return x, r, best
