"""The law of the unweighted count for many t at once, a row for each."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from provend._kernels.arithmetic.points import Floats


def count_masses(d: Floats, t: Floats) -> Floats:
    """P(S = j), j = 0..n, a row for each t, by an all-positive recurrence."""
    p = np.minimum(t[None, :] + d[:, None], 1.0)
    Q = np.zeros((d.size + 1, t.size))
    Q[0] = 1.0
    for i, x in enumerate(p):
        up = Q[: i + 1] * x
        Q[: i + 1] *= 1 - x
        Q[1 : i + 2] += up
    return Q.T


def quick_masses(d: Floats, t: Floats) -> Floats:
    """The same to about 1e-12, faster where the count is binomial: good enough to search with."""
    if d[0] != d[-1]:
        return count_masses(d, t)
    n, x = d.size, np.minimum(t + d[0], 1.0)[:, None]
    j = np.arange(n + 1)
    return np.asarray(np.exp(_log_choose(n) + special.xlogy(j, x) + special.xlog1py(n - j, -x)))


@lru_cache(maxsize=16)
def _log_choose(n: int) -> Floats:
    j = np.arange(n + 1)
    return np.asarray(special.gammaln(n + 1) - special.gammaln(j + 1) - special.gammaln(n - j + 1))


def tails_of(masses: Floats) -> Floats:
    """P(S >= r), r = 0..n+1."""
    tails = np.zeros((masses.shape[0], masses.shape[1] + 1))
    tails[:, :-1] = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]
    return tails
