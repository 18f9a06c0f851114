"""A certified regret against what a researcher would write: scipy's Poisson-binomial on a grid of means."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson_binom

import provend as pv
from benchmarks.timing import best_time

GRID, Q = 1000, 0.9


def grid_regret(d: NDArray[np.float64], rank: int) -> float:
    """The largest regret on a grid over both sides, one batched call; uncertified."""
    n = d.size
    low, high = np.linspace(0, 1 - Q, GRID // 10), np.linspace(0, Q, GRID - GRID // 10)
    t = np.concatenate([low, high])
    most = np.concatenate([np.full(low.size, n - rank), np.full(high.size, rank - 1)])
    gaps = np.concatenate([1 - Q - low, Q - high])
    return float((gaps * poisson_binom.sf(most, np.minimum(1, t[:, None] + d))).max())


def rows() -> Iterator[tuple[str, ...]]:
    for n, asked in ((100, 100), (1000, 500)):
        d = pv.drift(0.001, n)
        rank = -(-9 * n // 10)
        guarantee = pv.worst_case_regret(pv.ERM(), d, q=Q)
        ours = best_time(lambda d=d: pv.worst_case_regret(pv.ERM(), d, q=Q))
        theirs = best_time(lambda d=d, rank=rank: grid_regret(d, rank))
        short = (guarantee.upper - grid_regret(d, rank)) / guarantee.upper
        yield (
            f"ERM, drift 0.001, n = {n}",
            f"{ours * 1e6:.0f} us",
            f"{theirs * 1e3:.1f} ms",
            f"{theirs / ours:.0f}x (aim: {asked}x)",
            f"{guarantee.evaluations} evaluations, gap {guarantee.gap:.0e}; the grid is {short:.0e} too low",
        )
