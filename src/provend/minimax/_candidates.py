"""Priors worth a proof: a grid and climbs on estimates of the cost they force, and what worst cases suggest.

Dissimilarities are ascending and below 1/2 throughout, c is 1 - q. The estimates are not bounds: whoever uses a
candidate certifies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from provend._kernels.arithmetic.points import Floats
from provend._kernels.game.candidate import Candidate
from provend._kernels.programs.exchange import Atom
from provend.minimax._efforts import EFFORTS


def promising(d: Floats, c: float) -> list[Candidate]:
    """The best priors, found by a grid and climbs, and by further climbs on a finer lattice."""
    distinct = climbed(d, c, EFFORTS.coarse if d.size <= EFFORTS.many_for_grid else EFFORTS.crowded_coarse)
    return refined(d, c, [one for one in distinct if one.value > EFFORTS.close_second * distinct[0].value])


def climbed(d: Floats, c: float, cells: float) -> list[Candidate]:
    """Priors found by a grid over cut-off and share and by climbs from its highest local maxima."""
    from provend._kernels.game.lattice_game import peaks, scan

    least = max(EFFORTS.least_cut_off * (c * (1 - c) / d.size) ** 0.5, EFFORTS.below_nearest * float(d[0]))
    first = min(least, EFFORTS.largest_first)
    cut_offs = first * (0.5 / first) ** evenly(0, EFFORTS.cut_offs)
    shares = np.array(EFFORTS.shares)
    values = scan(cut_offs, shares, c, d, cells, EFFORTS.fallen)
    distinct = list[Candidate]()
    for i, j in peaks(values, EFFORTS.starts, EFFORTS.hopeful):
        step = EFFORTS.climb_step[0] * cut_offs[i], EFFORTS.climb_step[1]
        one = _climbed((cut_offs[i], shares[j]), step, EFFORTS.climb_halvings, c, d, cells)
        if not any(_same(one, other) for other in distinct):
            distinct.append(one)
    return distinct


@lru_cache
def evenly(begin: float, count: int) -> Floats:
    """Numbers up to 1, evenly spaced."""
    return np.linspace(begin, 1, count)


def _same(one: Candidate, other: Candidate) -> bool:
    return abs(one.a - other.a) + abs(one.b - other.b) < EFFORTS.apart * other.cut_off


def refined(d: Floats, c: float, starts: Sequence[Candidate]) -> list[Candidate]:
    """Climb from each of these priors on a finer lattice; the best first."""
    found = []
    for one in starts:
        x = one.cut_off
        step = EFFORTS.fine_step[0] * x, EFFORTS.fine_step[1]
        halvings = EFFORTS.fine_halvings if _each_shows(d, x) else EFFORTS.smooth_halvings
        found.append(_climbed((x, one.a / (one.a + one.b)), step, halvings, c, d, _fine(d, x)))
    found += [snapped for one in found if _each_shows(d, one.cut_off) for snapped in _snapped(one, d, c)]
    found.sort(key=lambda one: -one.value)
    near = [one for one in found if one.value > found[0].value * (1 - EFFORTS.nearly)]
    return near[: EFFORTS.certified if found and _each_shows(d, found[0].cut_off) else 1]


def _climbed(
    start: tuple[float, float], step: tuple[float, float], halvings: int, c: float, d: Floats, cells: float
) -> Candidate:
    from provend._kernels.game.lattice_game import climb, means

    x, r, value = climb(start, step, halvings, c, d, cells)
    a, b = means(x, r, c)
    return Candidate(a, b, value)


def _each_shows(d: Floats, cut_off: float) -> bool:
    """Whether so few contexts count that each one shows in the bound; otherwise it is smooth in the prior."""
    near = d[: np.searchsorted(d, EFFORTS.a_little_beyond * cut_off)]
    return int(np.count_nonzero(np.diff(near))) < EFFORTS.few_levels


def _fine(d: Floats, cut_off: float) -> float:
    """Cells of the finer lattice: many for few contexts."""
    near = max(int(np.searchsorted(d, EFFORTS.a_little_beyond * cut_off)), 1)
    return float(np.clip(EFFORTS.fine_operations / near, *EFFORTS.fine_cells))


def _snapped(one: Candidate, d: Floats, c: float) -> list[Candidate]:
    """The same prior with its cut-off moved onto a dissimilarity nearby: the bound has kinks there."""
    from provend._kernels.game.lattice_game import estimate

    near = np.unique(d[np.abs(d - one.cut_off) <= EFFORTS.snap * one.cut_off])
    moved = []
    for x in near[np.argsort(np.abs(near - one.cut_off))][: EFFORTS.snaps].tolist():
        a, b = (one.a, 2 * x - one.a) if one.a >= c else (2 * x - one.b, one.b)
        if 0 < a <= c and 0 < b <= 1 - c:
            moved.append(Candidate(a, b, estimate(a, b, c, d, _fine(d, x))))
    return moved


def suggested(worst: Sequence[Atom], c: float) -> list[Candidate]:
    """Priors on one low and one high mean, taken from the likeliest worst cases."""
    likely = sorted(worst, key=lambda atom: -atom.probability)
    low, high = ([atom.t for atom in likely if atom.side == side][: EFFORTS.likely] for side in (0, 1))
    gaps = [(c - t, 1 - c - s) for t in low for s in high]
    return [Candidate(a, b, 0.0) for a, b in gaps if a > 0 and b > 0]


def around(one: Candidate, c: float) -> list[Candidate]:
    """Priors nearby, whose weights order the outcomes a little differently."""
    return [Candidate(min(one.a * x, c), min(one.b * y, 1 - c), 0.0) for x, y in EFFORTS.around]
