"""The game against a two-point prior on a lattice, as machine code. Import only when one of them runs."""

import numpy as np

from provend._kernels.jit import compiled

FORGOTTEN = 1e-28  # mass at either end of a law that is left out: what is missing only lowers a sum of minima
LEAST_MEAN = 1e-12  # of a hypothesis, relative to its range: keeps log-odds finite


@compiled
def lattice_law(p, k):  # type: ignore[no-untyped-def]
    """P(sum k_i Y_i = s), Y_i ~ Bernoulli(p_i): the masses from a first s on, by an all-positive recurrence."""
    total = k.sum()
    Q, R = np.zeros(total + 1), np.zeros(total + 1)
    Q[0] = 1.0
    low = high = 0  # Q is zero outside low..high
    for j in range(p.size):
        x, y, step = p[j], 1.0 - p[j], k[j]
        top = high + step
        for s in range(low, min(low + step, high + 1)):
            R[s] = Q[s] * y
        for s in range(high + 1, low + step):
            R[s] = 0.0
        for s in range(low + step, high + 1):
            R[s] = Q[s] * y + Q[s - step] * x
        for s in range(max(high + 1, low + step), top + 1):
            R[s] = Q[s - step] * x
        Q, R, high = R, Q, top
        while low < high and Q[low] < FORGOTTEN:
            low += 1
        while low < high and Q[high] < FORGOTTEN:
            high -= 1
    return Q[low : high + 1].copy(), low


@compiled
def spread_law(p, w):  # type: ignore[no-untyped-def]
    """An estimate of the same for real weights: each atom is spread over two cells so that its mean is kept."""
    cells = int(np.ceil(w.sum())) + p.size + 2
    Q, R = np.zeros(cells), np.zeros(cells)
    Q[0] = 1.0
    low = high = 0
    for j in range(p.size):
        step = int(w[j])
        part = w[j] - step
        x, z, y = p[j] * (1.0 - part), p[j] * part, 1.0 - p[j]
        top = high + step + 1
        for s in range(high + 1, top + 1):
            Q[s] = 0.0
        for s in range(low, min(low + step, top + 1)):
            R[s] = Q[s] * y
        if low + step <= top:
            R[low + step] = Q[low + step] * y + Q[low] * x
        for s in range(low + step + 1, top + 1):
            R[s] = Q[s] * y + Q[s - step] * x + Q[s - step - 1] * z
        Q, R, high = R, Q, top
        while low < high and Q[low] < 1e-12:
            low += 1
        while low < high and Q[high] < 1e-12:
            high -= 1
    return Q[low : high + 1].copy(), low


@compiled
def level(a, b, low_law, low_start, high_law, high_start):  # type: ignore[no-untyped-def]
    """The threshold s, and the share of it that orders the top, that make both hypotheses cost the same.

    Ordering the top above s and, with the share, at s costs a P-(S > s) + share a P-(s) and b P+(S < s) +
    (1 - share) b P+(s). Returned with them: that cost, P-(s) and P+(s).
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
    """The cost that a prior on c - a and c + b can force, about; d ascending, c = 1 - q."""
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
            n += 1
    if n == 0:
        return a * b / (a + b)
    w = w[:n] * (cells / top)
    low_law, low_start = spread_law(p[:n], w)
    high_law, high_start = spread_law(r[:n], w)
    return level(a, b, low_law, low_start, high_law, high_start)[2]


@compiled
def means(x, r, c):  # type: ignore[no-untyped-def]
    """The distances a and b from c for a cut-off x = (a + b) / 2 and a share r = a / (a + b), inside the range."""
    return min(2.0 * x * r, c), min(2.0 * x * (1.0 - r), 1.0 - c)


@compiled
def scan(cut_offs, shares, c, d, cells):  # type: ignore[no-untyped-def]
    """The estimate on a grid."""
    values = np.empty((cut_offs.size, shares.size))
    for i in range(cut_offs.size):
        for j in range(shares.size):
            a, b = means(cut_offs[i], shares[j], c)
            values[i, j] = estimate(a, b, c, d, cells)
    return values


@compiled
def climb(x, r, dx, dr, c, d, cells, shrinks):  # type: ignore[no-untyped-def]
    """Pattern search upwards from (x, r): steps along the axes and the diagonals, halved where none helps."""
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
