"""The game against a two-point prior on a lattice, as machine code. Import only when one of them runs."""

# mypy: allow-untyped-decorators

import numpy as np

from provend._kernels.arithmetic.jit import compiled
from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats
from provend._kernels.game.prior import DECISIVE, LEAST_MEAN, Candidate, logit
from provend._kernels.programs.lp import Atom

COARSE = 12.0  # cells of the heaviest weight while searching: errors are of second order
HOPEFUL = 0.5  # a local maximum of the grid below this share of the highest is not climbed
STARTS = 3  # local maxima of the grid that are climbed
SHARES = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
VERY_MANY = 1000  # contexts that count from which on one more makes no difference
AT_CUT_OFF = 5e-3  # relative distance within which a context counts as being at the cut-off
NEARLY = 1e-2  # estimates that differ by less are compared by their certified bounds
FORGOTTEN = 1e-20  # mass at either end of a law that is left out: what is missing only lowers a sum of minima


@compiled
def lattice_law(p, k):  # type: ignore[no-untyped-def]
    """P(sum k_i Y_i = s), Y_i ~ Bernoulli(p_i): the masses from a first s on, by an all-positive recurrence.

    Unsigned indices cannot be negative, so the compiler may process several cells at once.
    """
    total = k.sum()
    Q, R = np.zeros(total + 1), np.zeros(total + 1)
    Q[0] = 1.0
    low = high = 0  # Q is zero outside low..high
    for j in range(p.size):
        x, y, step = p[j], 1.0 - p[j], np.uint64(k[j])
        both = max(high + 1 - k[j], low)  # s from here on are reached by one more only
        for s in range(np.uint64(low), np.uint64(min(low + k[j], high + 1))):
            R[s] = Q[s] * y
        for s in range(np.uint64(high + 1), np.uint64(max(low + k[j], high + 1))):
            R[s] = 0.0
        for s in range(np.uint64(low), np.uint64(both)):
            R[s + step] = Q[s + step] * y + Q[s] * x
        for s in range(np.uint64(both), np.uint64(high + 1)):
            R[s + step] = Q[s] * x
        Q, R, high = R, Q, high + k[j]
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
        whole = int(w[j])
        part, step, next_step = w[j] - whole, np.uint64(whole), np.uint64(whole + 1)
        x, z, y = p[j] * (1.0 - part), p[j] * part, 1.0 - p[j]
        begin, end = np.uint64(low), np.uint64(high + 1)
        for s in range(begin, end):
            R[s] = Q[s] * y
        for s in range(end, end + next_step):
            R[s] = 0.0
        for s in range(begin, end):
            R[s + step] += Q[s] * x
        for s in range(begin, end):
            R[s + next_step] += Q[s] * z
        Q, R, high = R, Q, high + whole + 1
        while low < high and Q[low] < 1e-12:
            low += 1
        while low < high and Q[high] < 1e-12:
            high -= 1
    return Q[low : high + 1].copy(), low


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
def scan(cut_offs, shares, c, d, cells):  # type: ignore[no-untyped-def]
    """The estimate on a grid, cut-offs ascending; left at zero where data are so many that it has fallen far."""
    values = np.zeros((cut_offs.size, shares.size))
    for j in range(shares.size):
        most = 0.0
        for i in range(cut_offs.size):
            a, b = means(cut_offs[i], shares[j], c)
            values[i, j] = estimate(a, b, c, d, cells)
            most = max(most, values[i, j])
            if values[i, j] < most / 5:
                break
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


def _candidate(x: float, r: float, value: float, c: float) -> Candidate:
    a, b = means(x, r, c)
    return Candidate(a, b, value)


def search(d: Floats, c: TwoFloats) -> list[Candidate]:
    """Promising priors, the best first: a grid over cut-off and share, then climbs from its highest local maxima."""
    base = c.high
    coarse = COARSE if d.size <= 500 else COARSE / 3
    least = max(0.3 * (base * (1 - base) / d.size) ** 0.5, 0.95 * float(d[0]))
    cut_offs = np.geomspace(min(least, 0.4), 0.5, 15)
    values = scan(cut_offs, SHARES, base, d, coarse)
    padded = np.pad(values, 1, constant_values=-1.0)
    size = values.shape
    around = [padded[i : i + size[0], j : j + size[1]] for i in range(3) for j in range(3)]
    peaks = np.argwhere(values >= np.max(around, axis=0))
    peaks = peaks[np.argsort(-values[tuple(peaks.T)], kind="stable")][:STARTS]
    peaks = peaks[values[tuple(peaks.T)] > HOPEFUL * values.max()]
    starts = list[Candidate]()
    for i, j in peaks:
        x, r, value = climb(cut_offs[i], SHARES[j], 0.2 * cut_offs[i], 0.1, base, d, coarse, 5)
        one = _candidate(x, r, value, base)
        if not any(abs(one.a - other.a) + abs(one.b - other.b) < 0.15 * other.cut_off for other in starts):
            starts.append(one)
    return improve(d, c, [one for one in starts if one.value > 0.97 * starts[0].value])


def improve(d: Floats, c: TwoFloats, starts: list[Candidate]) -> list[Candidate]:
    """Climb from each of these priors on a finer lattice; the best first."""
    found = []
    for one in starts:
        x, r = one.cut_off, one.a / (one.a + one.b)
        x, r, value = climb(x, r, 0.02 * x, 0.01, c.high, d, _fine(d, x), 7 if _few(d, x) else 3)
        found.append(_candidate(x, r, value, c.high))
    found += [snapped for one in found if _few(d, one.cut_off) for snapped in _snapped(one, d, c.high)]
    found.sort(key=lambda one: -one.value)
    near = [one for one in found if one.value > found[0].value * (1 - NEARLY)]
    return near[: 5 if found and _few(d, found[0].cut_off) else 1]


def _few(d: Floats, cut_off: float) -> bool:
    """Whether so few contexts matter that each of them shows; otherwise the bound is smooth in the prior."""
    near = d[: np.searchsorted(d, 1.02 * cut_off)]
    return int(np.count_nonzero(np.diff(near))) < 25


def _fine(d: Floats, cut_off: float) -> float:
    return float(np.clip(2000 / max(int(np.searchsorted(d, 1.02 * cut_off)), 1), 8.0, 400.0))


def _snapped(one: Candidate, d: Floats, c: float) -> list[Candidate]:
    """The same with the cut-off moved onto a dissimilarity nearby: the bound has kinks there."""
    near = np.unique(d[np.abs(d - one.cut_off) <= 0.02 * one.cut_off])
    moved = []
    for x in near[np.argsort(np.abs(near - one.cut_off))][:2].tolist():
        a, b = (one.a, 2 * x - one.a) if one.a >= c else (2 * x - one.b, one.b)
        if 0 < a <= c and 0 < b <= 1 - c:
            moved.append(Candidate(a, b, estimate(a, b, c, d, _fine(d, x))))
    return moved


def pairs(atoms: list[Atom], c: TwoFloats) -> list[Candidate]:
    """Priors on one low and one high mean out of the most likely of many."""
    likely = sorted(atoms, key=lambda atom: -atom.probability)
    low, high = ([atom.t for atom in likely if atom.side == side][:3] for side in (0, 1))
    gaps = [(c.high - t, 1 - c.high - s) for t in low for s in high]
    return [Candidate(a, b, 0.0) for a, b in gaps if a > 0 and b > 0]


def policy_cells(d: Floats, cut_off: float) -> int:
    """Cells of the heaviest weight: many for few samples, few for many, so that a certified regret stays quick."""
    used = max(int(np.searchsorted(d, cut_off)), 1)
    least = 24 if used <= 1000 else 16 if used <= 2500 else 8
    return int(np.clip(1800 / used, least, 200))


def around(one: Candidate, c: float) -> list[Candidate]:
    """Priors nearby: where two outcomes change places in the order of likelihood, the best policy mixes both orders."""
    moves = ((1.01, 1.0), (0.99, 1.0), (1.0, 1.01), (1.0, 0.99), (0.95, 0.95), (1.05, 1.05))
    return [Candidate(min(one.a * x, c), min(one.b * y, 1 - c), 0.0) for x, y in moves]


def integer_weights(d: Floats, c: float, one: Candidate, cells: int) -> Integers:
    """The log-odds ratios rounded to at most ``cells``; contexts at the cut-off become tie-breakers of weight one.

    Among very many contexts there is no tie worth breaking, and the lattice would only become finer.
    """
    low = np.maximum(np.minimum(c - one.a + d, 1.0), LEAST_MEAN * c)
    high = np.minimum(np.maximum(c + one.b - d, 0.0), 1 - LEAST_MEAN * (1 - c))
    used = high > low
    k = np.zeros(d.size, np.int64)
    if used.any():
        w = logit(high[used]) - logit(low[used])
        k[used] = 1 if w.min() == w.max() else np.rint(w * (cells / min(w.max(), DECISIVE)))
    ties = (np.abs(d - one.cut_off) <= AT_CUT_OFF * one.cut_off) & (k <= 1 + 0.02 * k.max())
    m = int(np.count_nonzero(ties))
    if m and np.count_nonzero(k[~ties]) <= VERY_MANY:
        k[ties] = 0
        k *= min(m, 8) + 1
        k[ties] = 1
    return k
