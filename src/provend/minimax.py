"""The best policy there is, and the proof that none is better by more than a stated gap."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._display import Shown, Tabular
from provend._kernels.arithmetic.points import TwoFloats
from provend._kernels.game.prior import Prior, certified_prior
from provend._kernels.game.search import Rules, Search
from provend._kernels.programs.program import ORDINARY
from provend._validation import as_critical_ratio, as_dissimilarities, as_rtol, as_unit
from provend.certificate import Frozen, Guarantee, relative_gap, rounded_down, scaled_down
from provend.mixtures import best_mixture, spread_mixture
from provend.newsvendor import Ratio
from provend.policies import PATIENT, DecidingPolicy, Form, Mixture, NoData, WeightedQuantile
from provend.regret import certified, lengths, worst_case_regret

Floats = NDArray[np.float64]

RETRIES = 4  # of certifying: a worst case that the program has missed becomes a row of it
PARTS = 10**12  # probabilities are multiples of about 1 / PARTS
BY_RANKS = 200  # equal dissimilarities up to this many: the program over all ranks is exact to 1e-9
UPSIDE_DOWN = Fraction(1, 10**6)  # q below: means close to 1 are no good in floats, so top and bottom change places


@dataclass(frozen=True, eq=False, repr=False)
class PriorPoint(Shown, Frozen):
    """One world that Nature may draw: Bernoulli demands on the two ends of the support.

    Attributes
    ----------
    mean : float
        Probability that the demand to come is at the top of the support.
    probability : float
        How often Nature draws this world.
    history : array
        The same probability for each past observation, in the order of the dissimilarities.
    """

    mean: float
    probability: float
    history: Floats

    def _facts(self) -> dict[str, object]:
        return {"mean": self.mean, "probability": self.probability, "samples": self.history.size}


@dataclass(frozen=True, eq=False, repr=False)
class Minimax(Shown, Tabular, Frozen):
    """The best policy found, what it guarantees, and what no policy can beat.

    Attributes
    ----------
    policy : DecidingPolicy
        Weighted quantiles with integer weights, mixed; :class:`~provend.NoData` where the data are of no use.
    guarantee : Guarantee
        Its certified worst-case regret, in money where a :class:`~provend.Newsvendor` was given.
    lower_bound : float
        No policy whatsoever has a smaller worst-case regret, rounding errors included; in the same unit.
    prior : tuple of PriorPoint
        The worlds behind the bound. Where all dissimilarities are equal the bound may rest on more points than these.
    weights : array
        How much each past observation counts, in percent of the total, in the order of ``d``; all zero: no data used.
    """

    policy: DecidingPolicy
    guarantee: Guarantee
    lower_bound: float
    prior: tuple[PriorPoint, ...]
    weights: Floats

    @property
    def gap(self) -> float:
        """(upper - lower_bound) / upper: by how much another policy could be better at most."""
        return relative_gap(self.lower_bound, self.guarantee.upper)

    @property
    def percent_of_no_data(self) -> float:
        """The guarantee's ``upper`` as a percentage of the regret of ordering without any data."""
        return self.guarantee.percent_of_no_data

    @property
    def unused(self) -> int:
        """How many observations have weight zero: too dissimilar to be of any use."""
        return int(np.count_nonzero(self.weights == 0))

    def _facts(self) -> dict[str, object]:
        bracket = {"lower_bound": self.lower_bound, "upper": self.guarantee.upper}
        percent = {"percent_of_no_data": self.percent_of_no_data}
        return {**bracket, **percent, "used": self.weights.size - self.unused, "samples": self.weights.size}

    def _columns(self) -> dict[str, Floats]:
        low, high = self.prior
        return {"weight": self.weights, "low_history": low.history, "high_history": high.history}


@dataclass(frozen=True, eq=False, repr=False)
class ValueOfData(Shown):
    """What more observations would be worth.

    Attributes
    ----------
    now, then : Minimax
        The best policy on the data there are, and with the new ones added after them.
    """

    now: Minimax
    then: Minimax

    @property
    def reduction(self) -> float:
        """By how much the guarantee falls; it may be below zero by the gap of ``then``, where nothing is gained."""
        return self.now.guarantee.upper - self.then.guarantee.upper

    @property
    def least_reduction(self) -> float:
        """What is gained for sure, whatever the policy: nobody can guarantee less than ``now.lower_bound`` without."""
        return max(self.now.lower_bound - self.then.guarantee.upper, 0.0)

    @property
    def most_reduction(self) -> float:
        """What can be gained at most: with the new data nobody can guarantee less than ``then.lower_bound``."""
        return max(self.now.guarantee.upper - self.then.lower_bound, 0.0)

    def _facts(self) -> dict[str, object]:
        names = ("reduction", "least_reduction", "most_reduction")
        ends = {"now": self.now.guarantee.upper, "then": self.then.guarantee.upper}
        return ends | {name: getattr(self, name) for name in names}


def minimax(d: ArrayLike, /, *, q: Ratio, rtol: float = 1e-3) -> Minimax:
    r"""The policy with the smallest worst-case regret, and a bound that no policy is below.

    .. math:: \min_{\pi} \; \sup_{F_0} \sup_{\|F_i - F_0\|_K \le d_i}
       \mathbb{E}_{y_i \sim F_i}\bigl[L(\pi(y), F_0) - \min_a L(a, F_0)\bigr]

    over *all* functions :math:`\pi` of the past demands. A prior on two means :math:`1 - q - a` and :math:`1 - q + b`
    gives the weights :math:`w_i = \mathrm{logit}(p_i^+) - \mathrm{logit}(p_i^-)` of a weighted quantile, zero from
    :math:`d_i = (a + b) / 2` on, and a lower bound for every policy.

    Parameters
    ----------
    d : array
        Dissimilarities of the past contexts to the target context, in any order; above 1 counts as 1.
    q : number or Newsvendor
        Critical ratio; with a :class:`Newsvendor` all results are in money.
    rtol : float
        The gap aimed at. Where it is not reached, ``gap`` says how far the two bounds are apart.

    Examples
    --------
    >>> from provend.minimax import minimax
    >>> best = minimax([0.0025 * i for i in range(1, 101)], q=0.9)
    >>> print(f"{best.lower_bound:.5f} {best.guarantee.upper:.5f} {best.gap <= 1e-3} {best.unused}")
    0.01757 0.01757 True 76
    """
    dissimilarities, tolerance = as_dissimilarities(d), as_rtol(rtol)
    game = _Game(np.argsort(dissimilarities, kind="stable"), q, as_critical_ratio(q) < UPSIDE_DOWN)
    if dissimilarities.min() >= 0.5:
        return _without_data(dissimilarities, q)
    ascending = dissimilarities[game.by_d]
    if ascending[0] == ascending[-1]:
        by_ranks = _by_ranks(ascending, game, tolerance)
        if ascending.size <= BY_RANKS or by_ranks.gap <= tolerance:
            return by_ranks
    found = Search(ascending, game.c, tolerance)
    found.run()
    return _package(found, game)


def value_of_data(d: ArrayLike, /, *, q: Ratio, new: ArrayLike, rtol: float = 1e-3) -> ValueOfData:
    """How much the best possible guarantee falls when observations at dissimilarities ``new`` are added to ``d``.

    Parameters
    ----------
    d, q, rtol
        As in :func:`minimax`.
    new : array
        Dissimilarities of the contexts that could be observed in addition.

    Examples
    --------
    >>> from provend.minimax import value_of_data
    >>> worth = value_of_data([0.05] * 5, q=0.9, new=[0.01] * 5)
    >>> print(f"{worth.now.guarantee.upper:.3f} -> {worth.then.guarantee.upper:.3f}")
    0.039 -> 0.023
    """
    have = as_dissimilarities(d)
    more = as_dissimilarities(new)
    return ValueOfData(minimax(have, q=q, rtol=rtol), minimax(np.concatenate([have, more]), q=q, rtol=rtol))


@dataclass(frozen=True)
class Optimal(DecidingPolicy):
    """What :func:`minimax` finds for whatever dissimilarities and critical ratio it meets.

    Parameters
    ----------
    rtol : float
        The gap aimed at.
    """

    rtol: float = 1e-3

    def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
        """The forms of the policy found."""
        return minimax(d, q=q, rtol=self.rtol).policy.form(d, q)

    def _decide(
        self,
        y: Floats,
        d: Floats,
        q: Fraction,
        support: tuple[float, float],
        random_state: int | np.random.Generator | None,
    ) -> float:
        return minimax(d, q=q, rtol=self.rtol).policy._decide(y, d, q, support, random_state)


class _Game(NamedTuple):
    """How the search sees it: contexts by ascending d and, where ``flipped``, the top of the support at the bottom."""

    by_d: NDArray[np.intp]
    q: Ratio
    flipped: bool

    @property
    def c(self) -> TwoFloats:
        """The length of the low side as the search sees it."""
        sides = lengths(as_critical_ratio(self.q))
        return sides.high if self.flipped else sides.low

    def policy(self, rules: Rules) -> tuple[DecidingPolicy, Floats]:
        """The mixture as a policy on the contexts as given, and the weights in percent."""
        no_data = float(as_critical_ratio(self.q) * (1 - as_critical_ratio(self.q)))
        scale = PARTS / min(no_data / ORDINARY, 1.0)  # shares scale with a tiny regret
        parts = [(rule, round(rule.probability * scale)) for rule in rules.rules]
        total = sum(part for _, part in parts)
        members, percent = [], np.zeros(self.by_d.size)
        for rule, part in parts:
            k = np.zeros(self.by_d.size, np.int64)
            k[self.by_d[: rule.k.size]] = rule.k
            # To order the top on more than the level of ones: flipped, the bottom on more than the level of zeros.
            members.append(WeightedQuantile(k, rule.level + 1 if self.flipped else int(k.sum()) - rule.level))
            if 0 <= rule.level < k.sum():  # the others ignore the data
                percent += part * (k / k.sum())
        if not percent.any():
            return NoData(), percent
        policy = Mixture(members, [Fraction(part, total) for _, part in parts]) if len(members) > 1 else members[0]
        return policy, 100 * percent / percent.sum()

    def points(self, prior: Prior) -> tuple[PriorPoint, ...]:
        """The two hypotheses with their histories as given."""
        histories = np.empty((2, self.by_d.size))
        histories[:, self.by_d] = prior.low_history, prior.high_history
        low = PriorPoint(prior.low, prior.probability, histories[0])
        high = PriorPoint(prior.high, 1 - prior.probability, histories[1])
        if not self.flipped:
            return low, high
        return tuple(PriorPoint(1 - point.mean, point.probability, 1 - point.history) for point in (high, low))

    def worst(self, guarantee: Guarantee) -> tuple[int, float]:
        """Side and t of a worst case, as the search sees them."""
        world = guarantee.worst_case
        t = world.mean if world.side == "low" else 1 - world.mean
        return int((world.side == "high") != self.flipped), t


def _package(found: Search, game: _Game) -> Minimax:
    """Certify the policy; where the program had missed a worst case, tell it and try again."""
    given, ratio, unit = np.empty(game.by_d.size), as_critical_ratio(game.q), as_unit(game.q)
    given[game.by_d] = found.all
    best: tuple[DecidingPolicy, Floats, Guarantee] | None = None
    for _ in range(RETRIES):
        assert found.rules is not None
        policy, weights = game.policy(found.rules)
        # Exactly, as the weights have been chosen so that it can be done.
        guarantee = certified(policy.form(given, ratio), given, ratio, found.rtol / 50, PATIENT).scaled(unit, unit=unit)
        if best is None or guarantee.upper < best[2].upper:
            best = policy, weights, guarantee
        if guarantee.upper <= found.rules.value * (1 + found.rtol / 4) * unit:
            break
        found.again(*game.worst(guarantee))
    assert best is not None
    assert found.prior is not None
    policy, weights, guarantee = best
    return Minimax(
        policy, guarantee, scaled_down(found.prior.bound, as_unit(game.q)), game.points(found.prior), weights
    )


def _by_ranks(d: Floats, game: _Game, rtol: float) -> Minimax:
    """Equal dissimilarities: the number of ones says all there is to know, and the best mixture of ranks is optimal.

    Of very many contexts the program takes the first few. Where these are enough, all of them are used instead, with
    some of their many ranks.
    """
    from provend._kernels.game.lattice_game import search

    prior = max((certified_prior(d, game.c, one, 1) for one in search(d, game.c)), key=lambda one: one.bound)
    bound = scaled_down(prior.bound, as_unit(game.q))
    mixture = best_mixture(d, q=game.q, k=BY_RANKS if d.size > BY_RANKS else None)
    if d.size <= BY_RANKS:
        bound = max(mixture.lower_bound_any_policy or 0.0, bound)
    elif 1 - bound / mixture.guarantee.upper <= rtol:
        spread = spread_mixture(d, mixture, q=game.q)
        mixture = spread if 1 - bound / spread.guarantee.upper <= rtol else mixture
    counts = any(0 < rank <= mixture.k for rank in mixture.ranks)
    weights = np.where(np.arange(d.size) < mixture.k, 100 / mixture.k if counts else 0.0, 0.0)
    return Minimax(mixture.policy, mixture.guarantee, bound, game.points(prior), weights)


def _without_data(d: Floats, q: Ratio) -> Minimax:
    """All d at least 1/2: demands at the bottom or at the top for sure, and a history that looks the same for both."""
    ratio = as_critical_ratio(q)
    low, high = float(1 - ratio), float(ratio)
    half = np.full(d.size, 0.5)
    points = PriorPoint(0.0, high, half), PriorPoint(1.0, low, half)
    guarantee = worst_case_regret(NoData(), d, q=q)
    bound = scaled_down(rounded_down(low * high), as_unit(q))
    return Minimax(NoData(), guarantee, bound, points, np.zeros(d.size))
