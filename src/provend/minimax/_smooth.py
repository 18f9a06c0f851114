"""A good rule at once where so many contexts count that sums are nearly normal; nothing about it is proved."""

from __future__ import annotations

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.game.candidate import Candidate
from provend.certificate import relative_gap
from provend.minimax._candidates import climbed
from provend.minimax._efforts import EFFORTS
from provend.minimax._game import Game
from provend.minimax._rules import Rule, Rules, first_values
from provend.minimax._weights import rounded_weights

NO_CELLS = 0.0  # estimates by cumulants


def smooth_rules(game: Game) -> Rules | None:
    """Two neighbouring levels on the weights of the best prior; ``None`` where sums are rough, or the two do not meet.

    Prior and rules are those of the search by cells; only their costs are taken from the cumulants of sums.
    """
    from provend._kernels.game.smooth_game import balanced, cumulants

    d, c = game.near, game.c.value
    prior = max(climbed(d, c, NO_CELLS), key=lambda one: one.value)
    k = rounded_weights(d, c, prior, EFFORTS.smooth_cells)
    used = k > 0
    if not _is_smooth(d[used], k[used], c, prior):
        return None
    low, high = ((t, cumulants(t, d[used], k[used])) for t in first_values(c, prior))
    level, (low_here, high_here), (low_next, high_next) = balanced(int(k.sum()), c, low, high)
    share = (high_next - low_next) / (low_here - high_here + high_next - low_next)
    value = share * low_here + (1 - share) * low_next
    if relative_gap(prior.value, value) > game.rtol * EFFORTS.share_of_rtol:
        return None
    return Rules((Rule(k, level, share), Rule(k, level + 1, 1 - share)), value, ())


def _is_smooth(d: Floats, k: Integers, c: float, prior: Candidate) -> bool:
    """Whether no context is decisive, and sums do not come in clumps, under either of the two means."""
    from provend._kernels.game.smooth_game import roughness

    if not k.size or k.max() > EFFORTS.smooth_cells:
        return False
    for mean in (c - prior.a + d, c + prior.b - d):
        z = np.maximum(mean * (1 - mean), 0.0)
        variance = float(z @ np.square(k, dtype=np.float64))
        if variance < EFFORTS.smooth_variance * float(k.max()) ** 2:
            return False
        waves = (wave / variance**0.5 for wave in (EFFORTS.slowest_wave, EFFORTS.next_wave))
        if roughness(np.bincount(k, z), *waves) > EFFORTS.clumsy:
            return False
    return True
