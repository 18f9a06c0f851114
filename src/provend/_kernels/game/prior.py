"""The game against a prior on two means: a bound below every policy.

Nature draws mu- = c - a or mu+ = c + b, c = 1 - q, and picks the most misleading histories, p_i- = mu- + d_i and
p_i+ = mu+ - d_i. Where these would change places she makes the context useless: the same mean under both. The best
reply is a threshold on sum w_i y_i, w_i = logit p_i+ - logit p_i-, and its cost is the sum over outcomes of
min(pi a P-, (1 - pi) b P+).
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats
from provend._kernels.arithmetic.rounding import HISTORY, LOG_ODDS, LONG_SUM, PRIOR, TINY, USELESS, recurrence_error
from provend._kernels.game.candidate import DECISIVE, LEAST_MEAN, Candidate, logit

STEPS_TRIED, LONGEST = 24, 1.25  # lattices tried, as the concession jumps with their step; most cells, relative
SAME = 1e-9  # a ratio that exceeds a multiple of the step by less counts as that multiple; the rest is accounted for


class Prior(NamedTuple):
    """Two hypotheses and what they prove; histories are aligned with the ascending dissimilarities.

    No policy has a worst-case regret below ``bound``, rounding errors included.
    """

    low: float
    high: float
    probability: float  # of the low mean
    low_history: Floats
    high_history: Floats
    bound: float


def certified_prior(d: Floats, c: TwoFloats, one: Candidate, cells: int) -> Prior:
    """The bound of a prior, proved: Nature concedes a little so that an integer count tells nearly everything.

    Log-odds ratios are raised to the next multiple of a step by moving p- down and, at mu-, p+ up. What is left, e in
    all, is of the size of rounding errors; inside a group of outcomes with the same count likelihood ratios differ by
    at most the factor exp(2 e), so the sum of minima over groups, divided by it, is a bound.
    """
    from provend._kernels.game.lattice_game import level
    from provend._kernels.tails.laws import law_of

    mu = max(c.value - one.a, LEAST_MEAN * c.value)
    nu = min(c.value + one.b, 1 - LEAST_MEAN * (1 - c.value))
    a, b = (c.value - mu) + c.rest, (nu - c.value) - c.rest
    low = np.clip((mu + d) * (1 - HISTORY), mu, nu)  # never beyond what d allows, rounding included
    high = np.clip((nu - d) * (1 + HISTORY), mu, nu)
    used = high > low
    low, high = np.where(used, low, high), high  # any mean between them is feasible under both
    if not used.any():
        pi = b / (a + b)
        return Prior(mu, nu, pi, low, high, min(pi * a, (1 - pi) * b) * (1 - USELESS))
    k, step = _lattice(low[used], high[used], cells)
    low[used], high[used], e = _concede(low[used], high[used], (mu, nu), np.asarray(k * step, np.float64))
    light_first = np.argsort(k, kind="stable")
    P, at = law_of(low[used][light_first], k[light_first])
    R, from_ = law_of(high[used][light_first], k[light_first])
    _, _, _, m, M = level(a, b, P, at, R, from_)
    pi = b * M / (a * m + b * M) if a * m + b * M > 0 else 0.5
    begin = max(at, from_)
    end = max(begin, min(at + P.size, from_ + R.size))  # empty where the laws do not overlap
    minima = np.minimum(pi * a * P[begin - at : end - at], (1 - pi) * b * R[begin - from_ : end - from_])
    error = recurrence_error(k.size, int(k.sum())) + PRIOR
    return Prior(mu, nu, pi, low, high, max(float(minima.sum()) * exp(-2 * e) * (1 - error) - TINY, 0.0))


def _lattice(low: Floats, high: Floats, cells: int) -> tuple[Integers, float]:
    """Integers k with k * step at least the log-odds ratios; of several steps, the one that adds least is taken."""
    w = logit(high) - logit(low)
    values, counts = np.unique(w, return_counts=True)
    most = values[-1]
    if values.size == 1:
        return np.ones(w.size, np.int64), float(most)
    cells = int(cells * max(most / DECISIVE, 1.0))
    tries = np.unique(np.linspace(cells, LONGEST * cells, STEPS_TRIED).astype(int))
    added = [float((np.ceil(values * n / most - SAME) * most / n - values) @ counts) for n in tries]
    step = most / float(tries[int(np.argmin(added))])
    return np.maximum(np.ceil(w / step - SAME), 1).astype(np.int64), float(step)


def _concede(low: Floats, high: Floats, ends: tuple[float, float], ratios: Floats) -> tuple[Floats, Floats, float]:
    """Histories whose log-odds differ by ``ratios``, and a bound on the sum of what they are off by."""
    mu, nu = ends
    low = np.clip(_expit(logit(high) - ratios), mu, low)
    high = np.where(low > mu, high, np.clip(_expit(logit(np.full(low.size, mu)) + ratios), high, nu))
    first, second = logit(low), logit(high)
    off = np.abs(second - first - ratios) + LOG_ODDS * (2 + np.abs(first) + np.abs(second))
    return low, high, float(off.sum()) * (1 + LONG_SUM)


def _expit(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
