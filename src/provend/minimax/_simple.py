"""Two cases that need no search: all contexts equally dissimilar, and none of them of any use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from provend._kernels.arithmetic.points import Floats
from provend._kernels.arithmetic.rounding import HISTORY
from provend._kernels.game.prior import certified_prior
from provend._kernels.programs.exchange import Atom
from provend.certificate import relative_gap, rounded_down, scaled_down
from provend.minimax._candidates import promising
from provend.minimax._efforts import EFFORTS
from provend.minimax._game import Game
from provend.minimax._results import Minimax, PriorPoint
from provend.mixtures import BestMixture, best_mixture, mixture_with_prior, spread_mixture
from provend.policies import NoData
from provend.regret import worst_case_regret


def by_ranks(game: Game) -> Minimax:
    """Equal dissimilarities: the number of ones says all there is to know, and the best mixture of ranks is optimal.

    Of very many contexts the program takes the first few. Where these are enough, all contexts are used instead, with
    some of their many ranks.
    """
    d, q, few = game.d, game.ratio, EFFORTS.by_ranks
    if d.size <= few:
        mixture, atoms = mixture_with_prior(d, q=q)
        bound = mixture.lower_bound_any_policy or 0.0
        if relative_gap(bound, mixture.guarantee.upper) <= game.rtol:  # nothing to look for, and nothing to compile
            return Minimax(mixture.policy, mixture.guarantee, bound, _likeliest(d, atoms), _weights(mixture, d.size))
    candidates = promising(d, game.c.value)
    prior = max((certified_prior(d, game.c, one, 1) for one in candidates), key=lambda one: one.bound)
    bound = scaled_down(prior.bound, game.unit)
    mixture = best_mixture(d, q=q, k=few if d.size > few else None)
    if d.size <= few:
        bound = max(mixture.lower_bound_any_policy or 0.0, bound)
    elif relative_gap(bound, mixture.guarantee.upper) <= game.rtol:
        spread = spread_mixture(d, mixture, q=q)
        mixture = spread if relative_gap(bound, spread.guarantee.upper) <= game.rtol else mixture
    return Minimax(mixture.policy, mixture.guarantee, bound, game.points(prior), _weights(mixture, d.size))


def _weights(mixture: BestMixture, n: int) -> Floats:
    """All the same, in percent, unless only the ends of the support are ordered."""
    counts = any(0 < rank <= mixture.k for rank in mixture.ranks)
    return np.where(np.arange(n) < mixture.k, 100 / mixture.k if counts else 0.0, 0.0)


def _likeliest(d: Floats, prior: Sequence[Atom]) -> tuple[PriorPoint, PriorPoint]:
    """The likeliest world of either side, each with the most misleading history; the same where they would cross."""
    low, high = (max((a for a in prior if a.side == side), key=lambda a: a.probability) for side in (0, 1))
    mu, nu = low.t, 1 - high.t
    down, up = (mu + d) * (1 - HISTORY), (nu - d) * (1 + HISTORY)  # never beyond what d allows, rounding included
    past_high = np.clip(up, mu, nu)
    past_low = np.minimum(np.clip(down, mu, nu), past_high)
    share = low.probability / (low.probability + high.probability)
    return PriorPoint(mu, share, past_low), PriorPoint(nu, 1 - share, past_high)


def without_data(game: Game) -> Minimax:
    """All d at least 1/2: demand is certain, at the bottom or at the top, and the history looks the same for both."""
    low, high = float(1 - game.q), float(game.q)
    half = np.full(game.d.size, 0.5)
    points = PriorPoint(0.0, high, half), PriorPoint(1.0, low, half)
    guarantee = worst_case_regret(NoData(), game.given, q=game.ratio)
    bound = scaled_down(rounded_down(low * high), game.unit)
    return Minimax(NoData(), guarantee, bound, points, np.zeros(game.d.size))
