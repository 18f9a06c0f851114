"""A good rule at once, without the program over all thresholds; nothing about it is proved."""

from __future__ import annotations

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.game.candidate import Candidate
from provend.certificate import relative_gap
from provend.minimax._candidates import climbed
from provend.minimax._efforts import EFFORTS
from provend.minimax._game import Game
from provend.minimax._rules import Rule, Rules, first_values, near_values
from provend.minimax._weights import enough_cells, rounded_weights

NO_CELLS = 0.0  # estimates by cumulants

Costs = tuple[float, float]  # of ordering the top above a level, on the low side and on the high one


def rules_at_once(game: Game) -> Rules | None:
    """Two neighbouring levels on the weights of the best prior; ``None`` where prior and rules do not meet.

    The prior is found by the cumulants of sums, and so are the levels, if sums are nearly normal. If they come in
    clumps, the best prior is hardly another one, but levels have to be seen cell by cell.
    """
    d, c = game.near, game.c.value
    prior = max(climbed(d, c, NO_CELLS), key=lambda one: one.value)
    cells = enough_cells(EFFORTS.cells_at_once, int(np.searchsorted(d, prior.cut_off)))
    k = rounded_weights(d, c, prior, cells)
    used = k > 0
    if not used.any() or k.max() > cells:  # a single context is decisive
        return None
    count = d[used], k[used]
    balance = _by_cumulants if _is_smooth(*count, c, prior) else _by_cells
    bound, level, (low_here, high_here), (low_next, high_next) = balance(*count, c, prior)
    share = (high_next - low_next) / (low_here - high_here + high_next - low_next)
    value = share * low_here + (1 - share) * low_next
    if relative_gap(bound, value) > game.rtol * EFFORTS.share_of_rtol:
        return None
    return Rules((Rule(k, level, share), Rule(k, level + 1, 1 - share)), value, ())


def _by_cumulants(d: Floats, k: Integers, c: float, prior: Candidate) -> tuple[float, int, Costs, Costs]:
    """The cost that the prior forces, the last level at which the low side is the dearer one, costs there and next."""
    from provend._kernels.game.smooth_game import balanced, cumulants

    low, high = ((t, cumulants(t, d, k)) for t in first_values(c, prior))
    return prior.value, *balanced(int(k.sum()), c, low, high)


def _by_cells(d: Floats, k: Integers, c: float, prior: Candidate) -> tuple[float, int, Costs, Costs]:
    """The same from the laws of sums, around the means of the prior."""
    from provend._kernels.game.lattice_game import estimate, rule_costs

    total = int(k.sum())
    levels = np.arange(-1, total + 1)
    needed = levels + 1, total - levels
    sides = zip(near_values(c, prior), (c, 1 - c), needed, strict=True)
    low, high = (rule_costs(t, length, d, k, need).max(axis=0) for t, length, need in sides)
    at = int(np.flatnonzero(low > high)[-1])
    here, after = ((float(low[i]), float(high[i])) for i in (at, at + 1))
    return estimate(prior.a, prior.b, c, d, float(k.max())), int(levels[at]), here, after


def _is_smooth(d: Floats, k: Integers, c: float, prior: Candidate) -> bool:
    """Whether no context is decisive, and sums do not come in clumps, under either of the two means."""
    from provend._kernels.game.smooth_game import roughness

    least = EFFORTS.smooth_variance * float(k.max()) ** 2
    laws = (roughness(mean, k, EFFORTS.slowest_wave, EFFORTS.next_wave) for mean in (c - prior.a + d, c + prior.b - d))
    return all(variance >= least and left <= EFFORTS.clumsy for variance, left in laws)
