"""The weights and thresholds that a prior suggests: log-odds ratios on a lattice, and sums to compare with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.game.candidate import DECISIVE, LEAST_MEAN, Candidate, logit
from provend.minimax._efforts import EFFORTS


class Family(NamedTuple):
    """Rules with the same weights: order the top iff sum k_i y_i exceeds a level."""

    suggested_by: Candidate
    k: Integers


def family(d: Floats, c: float, one: Candidate, finer: int) -> Family:
    """The weights of the best reply to a prior, on a lattice ``finer`` than usual by this factor."""
    used = max(int(np.searchsorted(d, one.cut_off)), 1)
    least = enough_cells(EFFORTS.least_cells, used)
    usual = int(np.clip(EFFORTS.rule_operations / used, least, EFFORTS.most_cells))
    may_count = int(np.searchsorted(d, EFFORTS.may_count * one.cut_off))
    finest = EFFORTS.finest if may_count <= 2 * EFFORTS.many else EFFORTS.crowded // may_count
    return Family(one, integer_weights(d, c, one, min(finer * usual, finest)))


def enough_cells(steps: tuple[tuple[float, int], ...], used: int) -> int:
    """How many cells do for as many contexts as count: the more of them, the less each rounding matters."""
    return next(cells for most, cells in steps if used <= most)


def integer_weights(d: Floats, c: float, one: Candidate, cells: int) -> Integers:
    """The log-odds ratios rounded to at most ``cells``; contexts at the cut-off become tie-breakers of weight one.

    Among very many contexts there is no tie worth breaking, and the lattice would only become finer.
    """
    k = rounded_weights(d, c, one, cells)
    ties = (np.abs(d - one.cut_off) <= EFFORTS.at_cut_off * one.cut_off) & (k <= 1 + EFFORTS.light * k.max())
    m = int(np.count_nonzero(ties))
    if m and np.count_nonzero(k[~ties]) <= EFFORTS.very_many:
        k[ties] = 0
        k *= min(m, EFFORTS.tie_breakers) + 1
        k[ties] = 1
    return k


def rounded_weights(d: Floats, c: float, one: Candidate, cells: int) -> Integers:
    """The log-odds ratios in whole numbers, the heaviest ``cells`` unless all are the same."""
    low = np.maximum(np.minimum(c - one.a + d, 1.0), LEAST_MEAN * c)
    high = np.minimum(np.maximum(c + one.b - d, 0.0), 1 - LEAST_MEAN * (1 - c))
    used = high > low
    k = np.zeros(d.size, np.int64)
    if used.any():
        w = logit(high[used]) - logit(low[used])
        k[used] = 1 if w.min() == w.max() else np.rint(w * (cells / min(w.max(), DECISIVE)))
    return k


def levels(d: Floats, c: float, of: Family) -> Integers:
    """Sums to compare with: all, or those next to where both hypotheses cost the same, and some further out."""
    from provend._kernels.game.lattice_game import level
    from provend._kernels.tails.laws import law_of

    one, k = of
    used, total = k > 0, int(k.sum())
    if total <= EFFORTS.all_levels:
        return np.arange(-1, total + 1)
    P, at = law_of(np.minimum(c - one.a + d[used], 1.0), k[used])
    R, from_ = law_of(np.maximum(c + one.b - d[used], 0.0), k[used])
    s = level(one.a, one.b, P, at, R, from_)[0]
    both = np.zeros(total + 1)
    both[at : at + P.size] += P
    both[from_ : from_ + R.size] += R
    attained = np.flatnonzero(both > EFFORTS.possible)
    middle = int(np.searchsorted(attained, s))
    share = np.cumsum(both[attained]) / both[attained].sum()
    quantiles = np.linspace(EFFORTS.outermost, 1 - EFFORTS.outermost, EFFORTS.levels_beyond)
    spread = attained[np.minimum(np.searchsorted(share, quantiles), attained.size - 1)]
    close = attained[max(middle - EFFORTS.next_to, 0) : middle + EFFORTS.next_to]
    return np.unique(np.concatenate([[-1, total], close, spread])).astype(np.int64)
