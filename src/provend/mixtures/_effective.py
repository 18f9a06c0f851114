"""How many samples are worth having (Appendix C)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi

import numpy as np
from numpy.typing import ArrayLike

from provend._display import Shown
from provend._kernels.programs.adjacent import AdjacentProblem, AdjacentTrials
from provend._kernels.programs.adjacent_counts import EqualCounts
from provend._kernels.programs.exchange import Atom
from provend._kernels.programs.rank_bounds import prior_bounds
from provend.certificate import Guarantee
from provend.mixtures._best import BestMixture, Floats, Ranks, Setting, best_mixture, package, read, search_all
from provend.newsvendor import Ratio

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False, repr=False)
class EffectiveSampleSize(Shown):
    """How many of the nearest contexts are best used.

    Attributes
    ----------
    k : int
        The number whose best mixture is best; of those that certified bounds cannot tell apart, the smallest.
    mixture : BestMixture
        That mixture.
    rule_of_thumb : float or None
        (pi / 2) q (1 - q) / zeta^2 where all are at zeta (``None`` if that is 0). Otherwise, and only as an order of
        magnitude, the largest k that does not exceed this formula with the mean of the k nearest for zeta.
    indistinguishable : tuple of int
        Every number of contexts, ``k`` included, that has not been shown to be worse than the best.
    """

    k: int
    mixture: BestMixture
    rule_of_thumb: float | None
    indistinguishable: tuple[int, ...]

    @property
    def guarantee(self) -> Guarantee:
        """The certified worst-case regret of ``mixture``."""
        return self.mixture.guarantee

    def _facts(self) -> dict[str, object]:
        return {"k": self.k, "upper": self.guarantee.upper, "indistinguishable": self.indistinguishable}


def effective_sample_size(
    d: ArrayLike, /, *, q: Ratio, ranks: Ranks = "adjacent", progress: Progress | None = None
) -> EffectiveSampleSize:
    r"""The number k of nearest contexts whose best mixture of order statistics is best.

    .. math:: k^* \in \arg\min_{1 \le k \le n} \; \min_{\lambda \in \Lambda_k} \text{worst-case regret of } \lambda

    the paper's effective sample size (Appendix C). The curve is extremely flat near its minimum, so k is decided on
    certified values: a rigorous lower bound for each other number lies above the regret of the best.

    Parameters
    ----------
    d, q
        As in :func:`best_mixture`.
    ranks : {"adjacent", "all"}
        The class of mixtures. With all ranks and equal dissimilarities more data never hurt, and k is where they
        stop helping.
    progress : callable, optional
        Called as ``progress(done, total)`` where numbers of contexts are tried one by one.

    Examples
    --------
    >>> effective_sample_size([0.1] * 60, q=0.9).k
    15
    """
    setting = read(d, q, ranks)
    ascending = np.sort(setting.d)
    if ascending[0] != ascending[-1]:
        candidates = _try_each(ascending, setting, progress)
    elif ranks == "adjacent":
        candidates = _try_at_once(ascending, setting)
    else:
        candidates = _bisect(ascending, setting)
    best = candidates[0]
    mixture = best_mixture(setting.d, q=q, ranks=ranks, k=best)
    return EffectiveSampleSize(best, mixture, _rule_of_thumb(ascending, setting.q), tuple(candidates))


def _rule_of_thumb(d: Floats, q: Fraction) -> float | None:  # from the slope of a normal cdf
    scale = pi / 2 * float(q * (1 - q))
    if d[0] == d[-1]:
        return scale / float(d[0]) ** 2 if d[0] > 0 else None
    k = np.arange(1, d.size + 1)
    return float(max(int(np.count_nonzero(np.cumsum(d) ** 2 <= scale * k)), 1))


def _try_at_once(d: Floats, setting: Setting) -> list[int]:
    """Equal dissimilarities, neighbouring ranks: the brackets of all k in one vectorised call."""
    best = AdjacentProblem(EqualCounts(np.arange(1, d.size + 1), float(d[0])), *setting.low_and_high).solve()
    return [int(k) for k in np.flatnonzero(best.lower <= best.upper.min()) + 1]


def _bisect(d: Floats, setting: Setting) -> list[int]:
    """Equal dissimilarities, all ranks: more data never hurt, so the k not worse than n are an interval.

    A mixture for k samples, applied to k of k + 1 at random, errs as a monotone function of the count of k + 1, that
    is, as a mixture of their ranks: the value cannot rise in k.
    """
    least = best_mixture(d, q=setting.q, ranks="all").guarantee.upper
    worse, as_good = 0, d.size
    while as_good - worse > 1:
        middle = (worse + as_good) // 2
        if search_all(d[:middle], *setting.low_and_high).bounds.mixtures > least:
            worse = middle
        else:
            as_good = middle
    return list(range(as_good, d.size + 1))


def _try_each(d: Floats, setting: Setting, progress: Progress | None) -> list[int]:
    """Unequal dissimilarities: a bracket for every k, as sharp as it takes to compare it with the best."""
    trials = AdjacentTrials(*setting.low_and_high) if setting.ranks == "adjacent" else _AllTrials(setting)
    lower, least = np.zeros(d.size), inf
    for k in range(1, d.size + 1):
        lower[k - 1], upper = trials.bracket(d[:k], least)
        least = min(least, upper)
        if progress is not None:
            progress(k, d.size)
    return [int(k) for k in np.flatnonzero(lower <= least) + 1]


class _AllTrials:
    """Like ``AdjacentTrials`` for all ranks: the prior of the last program solved often rules the next one out."""

    def __init__(self, setting: Setting) -> None:
        self._setting, self._prior = setting, list[Atom]()

    def bracket(self, d: Floats, least: float) -> tuple[float, float]:
        """Lower and upper bounds of the best value; (lower, inf) if lower exceeds ``least``."""
        c = self._setting.low_and_high
        if self._prior and (lower := prior_bounds(d, *c, self._prior).mixtures) > least:
            return lower, inf
        found = search_all(d, *c)
        self._prior, lower = found.prior, found.bounds.mixtures
        if lower > least:
            return lower, inf
        return lower, package(self._setting._replace(d=d), found, None, self._setting.q).guarantee.upper
