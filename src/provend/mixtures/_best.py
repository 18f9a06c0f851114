"""Best mixtures of order statistics (Appendix C)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._errors import InputError
from provend._kernels.arithmetic.points import TwoFloats
from provend._kernels.programs.adjacent import AdjacentProblem
from provend._kernels.programs.adjacent_counts import EqualCounts, UnequalCounts
from provend._kernels.programs.exchange import Atom
from provend._kernels.programs.program import ORDINARY
from provend._kernels.programs.rank_bounds import Bounds, prior_bounds
from provend._kernels.programs.rank_mixture import best_weights, spread_ranks
from provend._validation import as_count, as_critical_ratio, as_dissimilarities, as_unit
from provend.certificate import BestOfClass, Guarantee, scaled_down
from provend.newsvendor import Ratio
from provend.policies import Mixture, OrderStatistic, nearest
from provend.regret import lengths, worst_case_regret

Ranks = Literal["all", "adjacent"]
Progress = Callable[[int, int], None]
Floats = NDArray[np.float64]

PARTS = 10**15  # probabilities are multiples of about 1 / PARTS
NEGLIGIBLE = 1e-12  # probabilities below this are dropped: they move the regret by no more
RTOL: dict[Ranks, float] = {"all": 1e-9, "adjacent": 1e-12}  # of the guarantee: what the search itself resolves


@dataclass(frozen=True, eq=False, repr=False)
class BestMixture(BestOfClass, Shown, Tabular):
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

    def _facts(self) -> dict[str, object]:
        bracket = {"lower_bound": self.lower_bound, "upper": self.guarantee.upper}
        return {"k": self.k, "ranks": self.ranks} | bracket | {"percent_of_no_data": self.percent_of_no_data}

    def _columns(self) -> dict[str, list[float]]:
        return {"rank": list(self.ranks), "probability": list(map(float, self.probabilities))}


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
        Mix all ranks from 0 to k + 1 (Definition C-2), or two neighbouring ones, as in the
        paper's figures.
    k : int, optional
        Use the k nearest contexts; all by default.

    Examples
    --------
    >>> best = best_mixture([0.1] * 15, q=0.9)
    >>> print(f"{best.guarantee.upper:.6f} {best.lower_bound:.6f}")
    0.050000 0.050000
    """
    setting = read(d, q, ranks)
    count = setting.d.size if k is None else as_count(k, "k")
    chosen = setting.d[nearest(setting.d, count)]
    found = _SEARCH[ranks](chosen, *setting.low_and_high)
    return package(setting, found, None if k is None else count, q)


def mixture_with_prior(d: Floats, /, *, q: Ratio) -> tuple[BestMixture, list[Atom]]:
    """The best mixture of all ranks, and the prior behind its lower bounds."""
    setting = read(d, q, "all")
    found = search_all(setting.d, *setting.low_and_high)
    return package(setting, found, None, q), found.prior


def spread_mixture(d: Floats, few: BestMixture, /, *, q: Ratio) -> BestMixture:
    """The best mixture of some ranks of n equally dissimilar samples, around those of ``few``; without lower bounds."""
    setting, chosen = read(d, q, "all"), spread_ranks(few.ranks, few.k, d.size)
    optimum = best_weights(d, *setting.low_and_high, chosen)
    found = Found(dict(zip(chosen.tolist(), optimum.weights.tolist(), strict=True)), [], Bounds(0.0, None))
    return package(setting, found, None, q)


class Setting(NamedTuple):
    """Validated input: the dissimilarities, the critical ratio, and the class of mixtures."""

    d: Floats
    q: Fraction
    ranks: Ranks

    @property
    def low_and_high(self) -> tuple[TwoFloats, TwoFloats]:
        """Theorem 1's c on the low and on the high side."""
        c = lengths(self.q)
        return c.low, c.high


def read(d: ArrayLike, q: object, ranks: object) -> Setting:
    if ranks not in ("all", "adjacent"):
        raise InputError(f"ranks = {ranks!r} is unknown; choose 'all' or 'adjacent'")
    return Setting(as_dissimilarities(d), as_critical_ratio(q), ranks)


class Found(NamedTuple):
    """A mixture with lower bounds and the prior behind them, not yet certified from above."""

    probabilities: dict[int, float]
    prior: list[Atom]
    bounds: Bounds


def search_all(d: Floats, low: TwoFloats, high: TwoFloats) -> Found:
    optimum = best_weights(d, low, high)
    weights, prior = dict(enumerate(optimum.weights.tolist())), optimum.prior
    return Found(weights, prior, prior_bounds(d, low, high, prior))


def _search_adjacent(d: Floats, low: TwoFloats, high: TwoFloats) -> Found:
    counts = _counts(d)
    best = AdjacentProblem(counts, low, high).solve()
    (R,), (share,), (tilt,) = best.R.tolist(), best.lam.tolist(), best.tilt.tolist()
    worst = [Atom(0, best.low[0] - counts.start, tilt), Atom(1, best.high[0] - counts.start, 1 - tilt)]
    policies = prior_bounds(d, low, high, worst).policies
    return Found({R: 1 - share, R + 1: share}, worst, Bounds(float(best.lower[0]), policies))


_SEARCH: dict[Ranks, Callable[[Floats, TwoFloats, TwoFloats], Found]] = {
    "all": search_all,
    "adjacent": _search_adjacent,
}


def _counts(d: Floats) -> EqualCounts | UnequalCounts:
    return EqualCounts(np.array([d.size]), float(d[0])) if d[0] == d[-1] else UnequalCounts(d)


def package(setting: Setting, found: Found, k: int | None, q: Ratio) -> BestMixture:
    """Round the probabilities to exact rationals, then certify the policy that results."""
    least = min(float(setting.q * (1 - setting.q)) / ORDINARY, 1.0)  # shares scale with a tiny regret
    parts = {rank: round(p / least * PARTS) for rank, p in found.probabilities.items() if p >= NEGLIGIBLE * least}
    total = sum(parts.values())
    shares = tuple(Fraction(part, total) for part in parts.values())
    statistics = [OrderStatistic(rank, k=k) for rank in parts]
    policy = statistics[0] if len(statistics) == 1 else Mixture(statistics, shares)
    unit, policies = as_unit(q), found.bounds.policies
    return BestMixture(
        policy=policy,
        guarantee=worst_case_regret(policy, setting.d, q=q, rtol=RTOL[setting.ranks]),
        lower_bound=scaled_down(found.bounds.mixtures, unit),
        lower_bound_any_policy=None if policies is None else scaled_down(policies, unit),
        k=setting.d.size if k is None else k,
        ranks=tuple(parts),
        probabilities=shares,
    )
