"""A step: the level to which demand has changed at once, and where it has stayed since."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import median
from provend.levels._runs import Moments

Floats = NDArray[np.float64]

SHORTEST = 10  # moments since a step, and before it: fewer may be a holiday, or a delivery that was late
BESIDE = 28  # moments before a step, at least, that must differ from those since it as clearly as all before do
APART = 0.9  # the Kolmogorov distance of what a forecast misses before and since a step: hardly any overlap
AT_ONCE = 2 / 3  # of a step, at least, between the last moments before it and the first since it
STAYS = 1 / 3  # of a step, at most, between the first and the second half of the moments since it
TRIED = 4  # places where what is missed changes most


@dataclass(frozen=True)
class Step:
    """A change of level by ``size`` from the time ``start`` on."""

    start: float
    size: float

    def at(self, time: Floats) -> Floats:
        """What the step adds at each time."""
        added: Floats = np.where(time >= self.start, self.size, 0.0)
        return added

    @classmethod
    def of(cls, errors: Floats, moments: Moments) -> Step | None:
        """The latest step in the errors of a forecast that knows none; ``None`` if there is none beyond doubt.

        Demand since a step has hardly ever been there before, neither just before it nor at any time: what has come
        and gone may do so again. A season, which is gradual, is none.
        """
        if moments.times.size < 2 * SHORTEST:
            return None
        missed = np.bincount(moments.at, errors) / np.bincount(moments.at)
        for at in sorted(_jumps(missed), reverse=True):
            before, beside, since = missed[:at], missed[max(at - max(missed.size - at, BESIDE), 0) : at], missed[at:]
            if min(_apart(before, since), _apart(beside, since)) > APART:
                size, near, half = median(since) - median(beside), SHORTEST // 2, since.size // 2
                at_once = float(since[:near].mean() - before[-near:].mean()) / size
                later = abs(median(since[half:]) - median(since[:half])) / abs(size)
                if at_once > AT_ONCE and later < STAYS:
                    return cls(float(moments.times[at]), size)
        return None


def _jumps(missed: Floats) -> list[int]:
    """Where the means of the moments before and after differ most, none of these places close to another."""
    total = np.concatenate([[0.0], np.cumsum(missed)])
    means = (total[SHORTEST:] - total[:-SHORTEST]) / SHORTEST
    jumps, found = np.abs(means[SHORTEST:] - means[:-SHORTEST]), list[int]()
    while len(found) < TRIED and jumps.max() > 0:
        at = int(jumps.argmax())
        found.append(at + SHORTEST)
        jumps[max(at - SHORTEST, 0) : at + SHORTEST + 1] = 0.0
    return found


def _apart(one: Floats, other: Floats) -> float:
    """The Kolmogorov distance of two samples."""
    both = np.concatenate([one, other])
    shares = (np.searchsorted(np.sort(some), both, side="right") / some.size for some in (one, other))
    return float(np.abs(next(shares) - next(shares)).max())
