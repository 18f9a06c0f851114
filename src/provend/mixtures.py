"""Best mixtures of order statistics, and how many samples are worth having (Appendix C)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, pi
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._kernels.adjacent import AdjacentProblem, AdjacentTrials, EqualCounts, UnequalCounts
from provend._kernels.lp import Atom, Bounds, best_weights, prior_bounds, spread_ranks
from provend._kernels.points import TwoFloats
from provend._kernels.program import ORDINARY
from provend._validation import as_count, as_critical_ratio, as_dissimilarities, as_unit
from provend.certificate import Guarantee, relative_gap, scaled_down
from provend.newsvendor import Ratio
from provend.policies import Mixture, OrderStatistic
from provend.policies._order import nearest
from provend.regret import lengths, worst_case_regret

Ranks = Literal["all", "adjacent"]
Progress = Callable[[int, int], None]
Floats = NDArray[np.float64]

PARTS = 10**15  # probabilities are multiples of about 1 / PARTS
NEGLIGIBLE = 1e-12  # probabilities below are dropped: they move the regret by no more
RTOL: dict[Ranks, float] = {"all": 1e-9, "adjacent": 1e-12}  # of the guarantee: what the search itself resolves


@dataclass(frozen=True, eq=False, repr=False)
class BestMixture(Shown, Tabular):
    """The best mixture of order statistics, and how good any could be.

    Attributes
    ----------
    policy : Mixture or OrderStatistic
        A single order statistic where mixing does not help.
    guarantee : Guarantee
        Its certified worst-case regret, in money where a :class:`~provend.Newsvendor` was given.
    lower_bound : float
        No policy of this class (all ranks, or two neighbouring ones, of the k nearest) is below it.
    lower_bound_any_policy : float or None
        No policy whatsoever that sees only these k observations is below it. ``None`` unless all k are equally
        dissimilar: only then does the number of ones say all there is to know.
    k : int
        How many of the nearest contexts are used.
    ranks, probabilities : tuple
        What is mixed; rank 0 is the bottom of the support, rank k + 1 its top.
    """

    policy: Mixture | OrderStatistic
    guarantee: Guarantee
    lower_bound: float
    lower_bound_any_policy: float | None
    k: int
    ranks: tuple[int, ...]
    probabilities: tuple[Fraction, ...]

    @property
    def gap(self) -> float:
        """(upper - lower_bound) / upper: how much better a mixture of the class could be at most."""
        return relative_gap(self.lower_bound, self.guarantee.upper)

    @property
    def percent_of_no_data(self) -> float:
        """The guarantee's ``upper`` as a percentage of the regret of ordering without any data."""
        return self.guarantee.percent_of_no_data

    def _facts(self) -> dict[str, object]:
        bracket = {"lower_bound": self.lower_bound, "upper": self.guarantee.upper}
        return {"k": self.k, "ranks": self.ranks} | bracket | {"percent_of_no_data": self.percent_of_no_data}

    def _columns(self) -> dict[str, list[float]]:
        return {"rank": list(self.ranks), "probability": list(map(float, self.probabilities))}


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
        (pi / 2) q (1 - q) / zeta^2 where all are at zeta (``None`` if that is 0). Elsewhere, and only as an order of
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


def best_mixture(d: ArrayLike, /, *, q: Ratio, ranks: Ranks = "all", k: int | None = None) -> BestMixture:
    r"""The mixture of order statistics with the smallest worst-case regret.

    .. math:: \min_{\lambda \in \Delta} \; \max_{s \in \{\text{low}, \text{high}\}} \; \sup_{0 \le t \le c_s}
       (c_s - t) \sum_r \lambda_r f_{s,r}(t)

    with :math:`c_{low} = 1 - q`, :math:`c_{high} = q` and :math:`f_{s,r}` the probability that the r-th smallest of
    the k nearest errs. ``policy.order`` takes the convex combination, never worse than drawing one.

    Parameters
    ----------
    d : array
        Dissimilarities of the past contexts to the target context, in any order; above 1 counts as 1.
    q : number or Newsvendor
        Critical ratio; with a :class:`Newsvendor` all results are in money.
    ranks : {"all", "adjacent"}
        Mix all ranks from 0 to k + 1 (Definition of mixtures, Appendix C), or two neighbouring ones, as in the
        paper's figures.
    k : int, optional
        Use the k nearest contexts; all by default.

    Examples
    --------
    >>> best = best_mixture([0.1] * 15, q=0.9)
    >>> print(f"{best.guarantee.upper:.6f} {best.lower_bound:.6f}")
    0.050000 0.050000
    """
    problem = _read(d, q, ranks)
    count = problem.d.size if k is None else as_count(k, "k")
    chosen = problem.d[nearest(problem.d, count)]
    found = _SEARCH[ranks](chosen, *problem.lengths)
    return _package(problem, found, None if k is None else count, q)


def spread_mixture(d: Floats, few: BestMixture, /, *, q: Ratio) -> BestMixture:
    """The best mixture of some ranks of all n, equally dissimilar, where ``few`` has those of its k; without bounds."""
    problem, chosen = _read(d, q, "all"), spread_ranks(few.ranks, few.k, d.size)
    optimum = best_weights(d, *problem.lengths, chosen)
    found = _Found(dict(zip(chosen.tolist(), optimum.weights.tolist(), strict=True)), [], Bounds(0.0, None))
    return _package(problem, found, None, q)


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
    problem = _read(d, q, ranks)
    ascending = np.sort(problem.d)
    if ascending[0] != ascending[-1]:
        candidates = _try_each(ascending, problem, progress)
    elif ranks == "adjacent":
        candidates = _try_at_once(ascending, problem)
    else:
        candidates = _bisect(ascending, problem)
    best = candidates[0]
    mixture = best_mixture(problem.d, q=q, ranks=ranks, k=best)
    return EffectiveSampleSize(best, mixture, _rule_of_thumb(ascending, problem.q), tuple(candidates))


def _rule_of_thumb(d: Floats, q: Fraction) -> float | None:  # from the slope of a normal cdf
    scale = pi / 2 * float(q * (1 - q))
    if d[0] == d[-1]:
        return scale / float(d[0]) ** 2 if d[0] > 0 else None
    k = np.arange(1, d.size + 1)
    return float(max(int(np.count_nonzero(np.cumsum(d) ** 2 <= scale * k)), 1))


class _Problem(NamedTuple):
    """Validated input; ``lengths`` are 1 - q and q to twice double precision."""

    d: Floats
    q: Fraction
    ranks: Ranks

    @property
    def lengths(self) -> tuple[TwoFloats, TwoFloats]:
        high, low = lengths(self.q)
        return low, high


def _read(d: ArrayLike, q: object, ranks: object) -> _Problem:
    if ranks not in ("all", "adjacent"):
        raise InputError(f"ranks = {ranks!r} is unknown; choose 'all' or 'adjacent'")
    return _Problem(as_dissimilarities(d), as_critical_ratio(q), ranks)


class _Found(NamedTuple):
    """A mixture with lower bounds and the prior behind them, not yet certified from above."""

    probabilities: dict[int, float]
    prior: list[Atom]
    bounds: Bounds


def _search_all(d: Floats, low: TwoFloats, high: TwoFloats) -> _Found:
    optimum = best_weights(d, low, high)
    weights, prior = dict(enumerate(optimum.weights.tolist())), optimum.prior
    return _Found(weights, prior, prior_bounds(d, low, high, prior))


def _search_adjacent(d: Floats, low: TwoFloats, high: TwoFloats) -> _Found:
    counts = _counts(d)
    best = AdjacentProblem(counts, low, high).solve()
    (R,), (share,), (tilt,) = best.R.tolist(), best.lam.tolist(), best.tilt.tolist()
    worst = [Atom(0, best.low[0] - counts.start, tilt), Atom(1, best.high[0] - counts.start, 1 - tilt)]
    policies = prior_bounds(d, low, high, worst).policies
    return _Found({R: 1 - share, R + 1: share}, worst, Bounds(float(best.lower[0]), policies))


_SEARCH: dict[Ranks, Callable[[Floats, TwoFloats, TwoFloats], _Found]] = {
    "all": _search_all,
    "adjacent": _search_adjacent,
}


def _counts(d: Floats) -> EqualCounts | UnequalCounts:
    return EqualCounts(np.array([d.size]), float(d[0])) if d[0] == d[-1] else UnequalCounts(d)


def _package(problem: _Problem, found: _Found, k: int | None, q: Ratio) -> BestMixture:
    """Round the probabilities to exact rationals, then certify the policy that results."""
    least = min(float(problem.q * (1 - problem.q)) / ORDINARY, 1.0)  # shares scale with a tiny regret
    parts = {rank: round(p / least * PARTS) for rank, p in found.probabilities.items() if p >= NEGLIGIBLE * least}
    total = sum(parts.values())
    shares = tuple(Fraction(part, total) for part in parts.values())
    statistics = [OrderStatistic(rank, k=k) for rank in parts]
    policy = statistics[0] if len(statistics) == 1 else Mixture(statistics, shares)
    unit, policies = as_unit(q), found.bounds.policies
    return BestMixture(
        policy=policy,
        guarantee=worst_case_regret(policy, problem.d, q=q, rtol=RTOL[problem.ranks]),
        lower_bound=scaled_down(found.bounds.mixtures, unit),
        lower_bound_any_policy=None if policies is None else scaled_down(policies, unit),
        k=problem.d.size if k is None else k,
        ranks=tuple(parts),
        probabilities=shares,
    )


def _try_at_once(d: Floats, problem: _Problem) -> list[int]:
    """Equal dissimilarities, neighbouring ranks: the brackets of all k in one vectorised call."""
    best = AdjacentProblem(EqualCounts(np.arange(1, d.size + 1), float(d[0])), *problem.lengths).solve()
    return [int(k) for k in np.flatnonzero(best.lower <= best.upper.min()) + 1]


def _bisect(d: Floats, problem: _Problem) -> list[int]:
    """Equal dissimilarities, all ranks: more data never hurt, so the k not worse than n are an interval.

    A mixture for k samples, applied to k of k + 1 at random, errs as a monotone function of the count of k + 1, that
    is, as a mixture of their ranks: the value cannot rise in k.
    """
    least = best_mixture(d, q=problem.q, ranks="all").guarantee.upper
    worse, as_good = 0, d.size
    while as_good - worse > 1:
        middle = (worse + as_good) // 2
        if _search_all(d[:middle], *problem.lengths).bounds.mixtures > least:
            worse = middle
        else:
            as_good = middle
    return list(range(as_good, d.size + 1))


def _try_each(d: Floats, problem: _Problem, progress: Progress | None) -> list[int]:
    """Unequal dissimilarities: a bracket for every k, as sharp as it takes to compare it with the best."""
    trials = AdjacentTrials(*problem.lengths) if problem.ranks == "adjacent" else _AllTrials(problem)
    lower, least = np.zeros(d.size), inf
    for k in range(1, d.size + 1):
        lower[k - 1], upper = trials.bracket(d[:k], least)
        least = min(least, upper)
        if progress is not None:
            progress(k, d.size)
    return [int(k) for k in np.flatnonzero(lower <= least) + 1]


class _AllTrials:
    """Like ``AdjacentTrials`` for all ranks: the prior of the last program solved often rules the next one out."""

    def __init__(self, problem: _Problem) -> None:
        self._problem, self._prior = problem, list[Atom]()

    def bracket(self, d: Floats, least: float) -> tuple[float, float]:
        """Lower and upper bound of the best value; (lower, inf) where lower exceeds ``least``."""
        c = self._problem.lengths
        if self._prior and (lower := prior_bounds(d, *c, self._prior).mixtures) > least:
            return lower, inf
        found = _search_all(d, *c)
        self._prior, lower = found.prior, found.bounds.mixtures
        if lower > least:
            return lower, inf
        return lower, _package(self._problem._replace(d=d), found, None, self._problem.q).guarantee.upper
