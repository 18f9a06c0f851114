"""What a prior over (side, t) proves about mixtures of ranks, and about every policy where all d are equal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, TwoFloats
from provend._kernels.arithmetic.rounding import TINY, UNIT, recurrence_error
from provend._kernels.programs.count_laws import count_masses, tails_of
from provend._kernels.programs.exchange import Atom


class Bounds(NamedTuple):
    """Rigorous lower bounds from a prior: for every mixture of ranks, and for every policy (equal d only)."""

    mixtures: float
    policies: float | None


def prior_bounds(d: Floats, c_low: TwoFloats, c_high: TwoFloats, prior: list[Atom]) -> Bounds:
    """What the prior costs the best rank and, where the count is a sufficient statistic, the best function of it."""
    mixtures, masses, total = np.zeros(d.size + 2), list[_Masses](), 0.0
    for side, c in enumerate((c_low, c_high)):
        atoms = [atom for atom in prior if atom.side == side]
        t, p = np.array([atom.t for atom in atoms]), np.array([atom.probability for atom in atoms])
        ranks = p * np.maximum((c.value - t) + c.rest, 0.0) @ tails_of(count_masses(d, t))
        mixtures += ranks[::-1] if side == 0 else ranks
        # For the law of the count, let x be the float t + d, and let t be exactly what follows from that x.
        x, C = t + d[0], c.plus(float(d[0]))
        gap = np.where(x <= 1, (C.value - x) + C.rest, (c.value - t) + c.rest)
        masses.append(_Masses(p * np.maximum(gap, 0.0), t, np.minimum(x, 1.0)))
        total += float(p.sum())
    error = recurrence_error(d.size) + (4 * d.size + 4 * len(prior) + 32) * UNIT

    def down(value: float) -> float:
        return max(0.0, value / total * (1 - error) - TINY)

    equal = bool(d[0] == d[-1])
    return Bounds(down(float(mixtures.min())), down(_sum_of_minima(d.size, *masses)) if equal else None)


class _Masses(NamedTuple):
    """Points of the prior on one side, with mass times regret, mean t and success probability at most x."""

    weight: Floats
    t: Floats
    x: Floats


def _sum_of_minima(n: int, low: _Masses, high: _Masses) -> float:
    """Sum over counts of the smaller of the two masses: no policy can undercut it when all d are equal.

    The most misleading history is x. But where the histories of the two sides would change places, Nature does better
    to stop where they meet; both are feasible, so the larger of the two sums counts. For unequal d the count is not
    sufficient, and grouping outcomes by it would give a number that is not a bound.
    """
    if not (low.x.size and high.x.size):
        return 0.0
    meet = (float(low.x.mean()) + 1 - float(high.x.mean())) / 2
    histories = low.x, high.x, np.clip(meet, low.t, low.x), np.clip(1 - meet, high.t, high.x)
    masses = np.split(count_masses(np.zeros(n), np.concatenate(histories)), np.cumsum([x.size for x in histories[:-1]]))
    return max(
        float(np.minimum(low.weight @ ones, (high.weight @ zeros)[::-1]).sum())
        for ones, zeros in (masses[:2], masses[2:])
    )
