"""Laws of weighted counts, cell by cell, as machine code. Import only when one of the functions runs.

``weighted.lattice_tail`` and ``weighted_band.banded_tail`` are not special cases of these: they carry the derivatives
along, in two more arrays, and absorb what has passed the last threshold. Nor is ``lattice_law`` one of ``spread_law``,
which goes over the cells more often: 1.1 to 1.8 times the time, measured on 20 to 2000 samples.
"""

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.jit import compiled

Floats = NDArray[np.float64]

FORGOTTEN = 1e-20  # mass at either end of a law that is left out: what is missing only lowers a sum of minima
THIN = 1e-12  # the same where the law is an estimate anyway


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
        both = max(high + 1 - k[j], low)  # from here on, s + k_j is reached with sample j only
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


def law_of(p: Floats, k: NDArray[np.int64]) -> tuple[Floats, int]:
    """What ``lattice_law`` says, for Python to call: an interrupt stays one, as no array comes beside a number."""
    masses = np.empty(int(k.sum()) + 1)
    low, many = put_law(p, k, masses)
    return masses[:many], low


@compiled
def put_law(p, k, masses):  # type: ignore[no-untyped-def]
    """Put the masses into an array; returned are the first s and how many there are."""
    found, low = lattice_law(p, k)
    masses[: found.size] = found
    return low, found.size


@compiled
def spread(p, w, forgotten):  # type: ignore[no-untyped-def]
    """An estimate of ``lattice_law`` for real weights: each atom is spread over two cells so that its mean is kept.

    Returns all cells with low and high; only those from low to high count.
    """
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
        while low < high and Q[low] < forgotten:
            low += 1
        while low < high and Q[high] < forgotten:
            high -= 1
    return Q, low, high


@compiled
def spread_law(p, w):  # type: ignore[no-untyped-def]
    """The masses of ``spread`` from a first cell on, without those that hardly count."""
    Q, low, high = spread(p, w, THIN)
    return Q[low : high + 1].copy(), low
