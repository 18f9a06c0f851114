"""How far apart two demand distributions are, from a sample of each: the Kolmogorov distance and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from provend._display import Shown
from provend._rational import Number
from provend._validation import as_confidence, as_sample

Step = TypeVar("Step", np.int64, np.float64)
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDING = 1e-12  # added to limits on their safe side: far more than the error of the binomial tails behind them
NEGLIGIBLE = 37.0  # exp(-37) < 1e-16
KNOTS = 64  # most values of a distribution function computed for its mean, with linear interpolation between
FINENESS = 0.05  # looseness of the upper limit for unequal sizes, in standard deviations of a difference of shares


@dataclass(frozen=True, repr=False)
class DissimilarityEstimate(Shown):
    """What two samples say about the Kolmogorov distance between the distributions they come from.

    Attributes
    ----------
    distance : float
        Largest difference between the two empirical distribution functions: the paper's estimate.
    bias : float
        By how much ``distance`` is too large on average if the two distribution functions are equally far apart all
        along the support, as in the paper's experiment. This is an estimate; for other pairs the bias is smaller.
    corrected : float
        ``distance - bias``, an estimate in [0, 1]: the true distance at which the average ``distance`` in the paper's
        experiment is the observed one. Do not use it for guarantees: it is too small where the bias is smaller.
    lower, upper : float or None
        Confidence limits, each of which holds with probability at least ``confidence`` (so both together with
        2 * ``confidence`` - 1), for any two distributions and any sample sizes. None without ``confidence``.
    confidence : float or None
        As given.
    sizes : tuple of int
        The size of each sample.
    """

    distance: float
    bias: float
    corrected: float
    lower: float | None
    upper: float | None
    confidence: float | None
    sizes: tuple[int, int]


def estimate_dissimilarity(a: ArrayLike, b: ArrayLike, /, *, confidence: Number | None = None) -> DissimilarityEstimate:
    r"""Estimate the dissimilarity of two contexts from independent samples of their demands.

    .. math:: \hat d = \sup_y |\hat F_a(y) - \hat F_b(y)|

    A guarantee computed with ``upper`` in place of the unknown dissimilarity holds with probability ``confidence``.

    Parameters
    ----------
    a, b : array
        Demands seen in each of the two contexts, all independent. Sizes may differ; ties are fine.
    confidence : float, optional
        Probability in (0, 1) with which each of the limits should hold, such as 0.95.

    Examples
    --------
    >>> import numpy as np
    >>> white, black = np.arange(400) / 400, np.arange(400) / 400 - 0.1
    >>> estimate = estimate_dissimilarity(white, black, confidence=0.95)
    >>> print(f"{estimate.distance:.3f}, corrected {estimate.corrected:.3f}, at most {estimate.upper:.3f}")
    0.102, corrected 0.060, at most 0.161
    """
    first, second = as_sample(a, "a"), as_sample(b, "b")
    level = None if confidence is None else as_confidence(confidence)
    n, m = first.size, second.size
    steps = int(_largest_gaps(first[None], second[None])[0])  # the distance in units of 1 / (n m)
    distance = steps / (n * m)
    corrected = without_bias(distance, round(2 * n * m / (n + m)))
    lower = None if level is None else max(0.0, _lower_limit(steps, n, m, 1 - level) - ROUNDING)
    upper = None if level is None else min(1.0, _upper_limit(steps, n, m, 1 - level) + ROUNDING)
    return DissimilarityEstimate(distance, distance - corrected, corrected, lower, upper, level, (n, m))


def distance_limit(a: Floats, b: Floats, alpha: float) -> float:
    """An upper limit on the Kolmogorov distance that fails with probability at most ``alpha``.

    Of the larger sample, only the first demands are used, as many as the other sample has: the limit then has a closed
    form.
    """
    n = min(a.size, b.size)
    steps = int(_largest_gaps(a[None, :n], b[None, :n])[0])
    return min(1.0, _upper_limit(steps, n, n, alpha) + ROUNDING)


def kolmogorov_distances(a: Floats, b: Floats, /) -> Floats:
    """Kolmogorov distances of many pairs of samples: row i of ``a`` against row i of ``b``."""
    distances: Floats = _largest_gaps(a, b) / (a.shape[1] * b.shape[1])
    return distances


def _largest_gaps(a: Floats, b: Floats) -> Integers:
    """The same distances as exact integers, in units of 1 / (n m)."""
    n, m = a.shape[1], b.shape[1]
    steps = np.concatenate([np.full(n, m), np.full(m, -n)])
    return largest_contrasts(np.concatenate([a, b], axis=1), steps).astype(np.int64)


def largest_contrasts(pooled: Floats, steps: NDArray[Step]) -> NDArray[Step]:
    """Largest absolute value, row by row, of the function that jumps by ``steps[j]`` at ``pooled[:, j]``."""
    order = np.argsort(pooled, axis=1)
    heights = np.abs(np.cumsum(steps[order], axis=1))
    values = np.take_along_axis(pooled, order, axis=1)
    heights[:, :-1][values[:, 1:] == values[:, :-1]] = 0  # within a tie, the function has not yet finished its jump
    return np.asarray(heights.max(axis=1))


# The upper limit. Where the distribution functions are farthest apart, at y, the two shares of demands up to y are
# binomial, and the distance of the samples is at least their difference. So a distance d is refuted at level alpha
# if sup_p P(Bin(m, p + d) / m - Bin(n, p) / n <= observed) <= alpha. Bernoulli demands attain it: no function of
# the observed distance is a better limit, except for the other tail of that difference.


def _upper_limit(steps: int, n: int, m: int, alpha: float) -> float:
    if n != m:
        return _unequal_upper_limit(steps, min(n, m), max(n, m), alpha)
    # Bin(n, p + d) + n - Bin(n, p) are 2 n trials of mean (1 + d) / 2. Hoeffding (1956, theorem 4): the lower tail is
    # fattest when all have that probability, up to one below the expected number, that is, for d >= (gap + 1) / n.
    gap = steps // n
    most = 2 * float(special.betaincinv(n + gap + 1, n - gap, 1 - alpha)) - 1 if gap < n else 1.0
    return max(most, (gap + 1) / n)


def _unequal_upper_limit(steps: int, n: int, m: int, alpha: float) -> float:
    """The largest q(p) - p, where q(p) is the largest share not refuted; q rises, so q(right) - left bounds a cell."""
    tolerance = FINENESS * sqrt(1 / (4 * n) + 1 / (4 * m))
    p = np.linspace(0, 1, 17)
    q = _refuted_share(p, np.zeros(17), np.ones(17), (steps, n, m, alpha))
    while (wide := q[1:] - p[:-1] > (q - p).max() + tolerance).any():
        middle = (p[:-1] + p[1:])[wide] / 2
        share = _refuted_share(middle, q[:-1][wide], q[1:][wide], (steps, n, m, alpha))
        order = np.argsort(np.concatenate([p, middle]))
        p, q = np.concatenate([p, middle])[order], np.concatenate([q, share])[order]
    return float((q[1:] - p[:-1]).max())


def _refuted_share(p: Floats, low: Floats, high: Floats, case: tuple[int, int, int, float]) -> Floats:
    """For each p, a q, from above, with P(Bin(m, q) / m - Bin(n, p) / n <= steps / (n m)) <= alpha, or 1."""
    steps, n, m, alpha = case
    j = _around(np.array(n), p[:, None])
    weights = binomial_density(j, n, p[:, None])
    most = (steps + m * j) // n
    while (high - low).max() > FINENESS / 16 / sqrt(m):
        q = (low + high) / 2
        k = _around(np.array(m), q[:, None])
        below = np.cumsum(binomial_density(k, m, q[:, None]), axis=1)
        place = most - k[:, :1]
        reached = np.take_along_axis(below, np.clip(place, 0, k.shape[1] - 1), axis=1) * (place >= 0)
        refuted = (weights * reached).sum(axis=1) <= alpha - ROUNDING
        low, high = np.where(refuted, low, q), np.where(refuted, q, high)
    return high


# The lower limit. With F_a^ = G_n(F_a), F_b^ = G_m(F_b) for empirical distribution functions G of uniform samples,
# F_b <= min(F_a + d, 1) gives F_b^ - F_a^ <= sup_u G_m(min(u + d, 1)) - G_n(u), and likewise with a and b exchanged.


def _lower_limit(steps: int, n: int, m: int, alpha: float) -> float:
    distance, low = steps / (n * m), 0.0
    if n != m:
        return distance - _noise(n, m, alpha / 2)
    gap, high, level = steps // n, distance, alpha / 2 - ROUNDING
    if gap == 0 or _shift_tail(n, 0.0, gap) > level:
        return 0.0
    for _ in range(40):
        zeta = (low + high) / 2
        low, high = (zeta, high) if _shift_tail(n, zeta, gap) <= level else (low, zeta)
    return low


def _noise(n: int, m: int, alpha: float) -> float:
    """A level that sup (G_m - u) + sup (u - G_n) exceeds with probability at most ``alpha``: Massart, convolved."""

    def beyond(t: Floats, size: int) -> Floats:  # Massart (1990): valid where the bound is at most 1/2
        return np.where(2 * size * t * t >= log(2), np.exp(-2 * size * np.maximum(t, 0) ** 2), 1.0)

    low, high = 0.0, sqrt(log(2 / alpha) / (2 * n)) + sqrt(log(2 / alpha) / (2 * m))
    for _ in range(40):
        level = (low + high) / 2
        t = np.linspace(0, level, 1001)
        mass = beyond(t[:-1], n) - beyond(t[1:], n)
        total = beyond(t[-1:], n)[0] + (mass * beyond(level - t[1:], m)).sum()
        low, high = (low, level) if total <= alpha else (level, high)
    return high


# The paper's experiment: F_b = min(F_a + zeta, 1), n demands of each. On the scale of F_a, those from F_b are U - zeta,
# or 0 if that is negative. Let b of them be at 0 and w of those from F_a above 1 - zeta. In between, all orders are
# equally likely: n (F_b^ - F_a^) is a simple walk from b to w with n - b steps up and n - w down. Reflections at -r and
# r count the walks that stay between, and summed over b and w they are binomial and trinomial probabilities.


def shift_distribution(n: int, zeta: float, r: Integers, /) -> Floats:
    """P(distance < r / n), r >= 1, for two samples of size n with distribution functions ``zeta`` apart throughout."""
    total = np.zeros(r.size)
    reach = min(n, ceil(n * zeta + sqrt(2 * NEGLIGIBLE * n)))
    for k in range(-(reach // (2 * int(r.min()))) - 1, reach // (2 * int(r.min())) + 1):
        there = 2 * abs(k) * r <= n
        back = np.where(there, 2 * k * r, 0)
        ends = _binomial_tail(r - 1, n + back, zeta) * _binomial_tail(r - 1, n - back, zeta)
        total += np.where(there, np.exp(_log_ratio(n, back)) * ends, 0.0)
        total -= _reflected(n, zeta, r, (2 * k + 1) * r)
    return np.clip(total, 0.0, 1.0)


def _shift_tail(n: int, zeta: float, r: int) -> float:
    """P(sup_u G(min(u + zeta, 1)) - G'(u) >= r / n): the same walk with only one wall."""
    wall = np.array([r])
    inside = _binomial_tail(wall - 1, np.array([n]), zeta) ** 2 - _reflected(n, zeta, wall, wall)
    return float(1 - inside[0])


def _reflected(n: int, zeta: float, r: Integers, j: Integers) -> Floats:
    """(2n over n+j) / (2n over n) * (1 - zeta)^(n-j) (1 + zeta)^(n+j) * P(two of three counts of n + j are below r)."""
    found = np.zeros(r.size)
    there = np.abs(j) <= n
    j = np.where(there, j, 0)
    log_scale = _log_ratio(n, j) + special.xlog1py(n - j, -zeta) + (n + j) * np.log1p(zeta)
    there &= log_scale > -NEGLIGIBLE
    if there.any():
        found[there] = np.exp(log_scale[there]) * _both_below(r[there, None], (n + j)[there, None], zeta / (1 + zeta))
    return found


def _both_below(r: Integers, trials: Integers, p: float) -> Floats:
    """P(B < r and W < r), row by row, where each trial counts towards B or W with probability ``p`` each."""
    s = _around(trials, 2 * p)  # B + W; given it, B is Bin(s, 1/2)
    some = np.maximum(s, 0)
    # P(Bin(s, 1/2) >= r) rises with s by P(Bin(s, 1/2) = r - 1) / 2
    rises = (s[:, :-1] >= 0) * binomial_density(r - 1, some[:, :-1], 0.5) / 2
    above = np.cumsum(np.hstack([1 - _binomial_tail(r - 1, some[:, :1], 0.5), rises]), axis=1)
    inside = np.where(s <= 2 * r - 2, 1 - 2 * above, 0.0)
    found: Floats = (inside * binomial_density(s, trials, 2 * p)).sum(axis=1)
    return found


def shift_mean(n: int, zeta: float, /) -> float:
    """E[distance] in the same experiment, accurate to about 1e-5 for large n, where not every r is computed."""
    low = max(1, floor(n * zeta - sqrt(NEGLIGIBLE * n / 2)), floor(sqrt(n) / 4))  # less has probability below 1e-16
    high = min(n, ceil(n * zeta + sqrt(NEGLIGIBLE * n)))
    r = np.arange(low, high + 1)
    knots = r[np.unique(np.linspace(0, r.size - 1, KNOTS).round().astype(int))]
    return float(low - 1 + np.interp(r, knots, 1 - shift_distribution(n, zeta, knots)).sum()) / n


def without_bias(distance: float, n: int, /) -> float:
    """The zeta whose mean distance in that experiment is ``distance``; 0 if even identical distributions show more."""
    from scipy.optimize import brentq

    if distance >= 1 and n > 1:
        return 1.0
    if distance <= shift_mean(n, 0.0):
        return 0.0
    return float(brentq(lambda zeta: shift_mean(n, zeta) - distance, 0.0, distance, xtol=1e-6))


def _around(trials: Integers, p: float | Floats) -> Integers:
    """All values that a binomial count has a real chance of, one row per number of trials (Hoeffding, Bernstein)."""
    variance = float((trials * p * (1 - p)).max())
    half = min(sqrt(NEGLIGIBLE * trials.max() / 2), sqrt(2 * NEGLIGIBLE * variance) + 2 * NEGLIGIBLE / 3)
    return np.asarray(np.floor(trials * p).astype(np.int64) + np.arange(-ceil(half) - 1, ceil(half) + 2))


def _log_ratio(n: int, j: Integers) -> Floats:
    found: Floats = 2 * special.gammaln(n + 1.0) - special.gammaln(n + j + 1.0) - special.gammaln(n - j + 1.0)
    return found


def binomial_density(k: Integers, n: int | Integers, p: float | Floats) -> Floats:
    """P(Bin(n, p) = k); 0 where k is not between 0 and n."""
    inside = (k >= 0) & (k <= n)
    k = np.where(inside, k, 0)
    log_choices = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    found: Floats = np.where(inside, np.exp(log_choices + special.xlogy(k, p) + special.xlog1py(n - k, -p)), 0.0)
    return found


def _binomial_tail(k: Integers, n: int | Integers, p: float | Floats) -> Floats:
    """P(Bin(n, p) <= k)."""
    inside = (k >= 0) & (k < n)
    below: Floats = special.betaincc(np.where(inside, k, 0) + 1.0, np.where(inside, n - k, 1.0), p)
    return np.where(inside, below, np.where(k < 0, 0.0, 1.0))
