"""Nature's side: the best prior proved so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from provend._kernels.arithmetic.points import Floats
from provend._kernels.game.candidate import Candidate
from provend._kernels.game.prior import Prior, certified_prior
from provend.minimax._efforts import EFFORTS
from provend.minimax._game import Game


@dataclass(frozen=True)
class Proved:
    """The best prior proved, where its means came from, and all that was tried: each (means, cells) only once."""

    prior: Prior
    means: Candidate
    tried: frozenset[tuple[Candidate, int]]


def prove(game: Game, candidates: Iterable[Candidate], steps: float, best: Proved | None = None) -> Proved:
    """Certify some priors with laws of about ``steps`` operations; returns the best of them and of what was known."""
    tried, known = (frozenset(), []) if best is None else (best.tried, [(best.prior, best.means)])
    new = [(one, cells) for one in candidates if (one, cells := _cells(game.near, one.cut_off, steps)) not in tried]
    proofs = [(certified_prior(game.d, game.c, one, cells), one) for one, cells in dict.fromkeys(new)]
    prior, means = max(known + proofs, key=lambda proof: proof[0].bound)
    return Proved(prior, means, tried.union(new))


def polish(game: Game, best: Proved, steps: float) -> Proved:
    """Pattern search on the certified bound itself, both means in steps relative to their distance from 1 - q."""
    step, c = EFFORTS.polish_from, game.c.value
    while step > EFFORTS.polish_to:
        a, b, _ = best.means
        moves = [(i * step, j * step) for i, j in product((-1, 0, 1), repeat=2) if i or j]
        moved = [Candidate(min(a * (1 + i), c), min(b * (1 + j), 1 - c), 0.0) for i, j in moves]
        better = prove(game, moved, min(steps, EFFORTS.polishing), best)
        step = step / 2 if better.prior is best.prior else step
        best = better
    return best


def _cells(d: Floats, cut_off: float, steps: float) -> int:
    """Cells for the heaviest weight such that one law takes about ``steps`` operations."""
    near = d[d < cut_off]
    spread = float(np.sqrt(np.sum((1 - near / cut_off) ** 2))) if near.size else 1.0
    least, most = EFFORTS.bound_cells
    return int(min(max(steps / (max(near.size, 1) * (EFFORTS.deviations * spread + 1)), least), most))
