"""A step: the level to which demand has changed at once, and where it has stayed since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import median
from provend.levels._runs import Moments

Floats = NDArray[np.float64]

SHORTEST = 10  # moments since a step, and before it: fewer may be a holiday, or a delivery that was late
LASTING = 21  # moments since a step from which on less is needed
APART = 0.9, 0.75  # the Kolmogorov distance of what is missed before and since a step, at first and once it has lasted
BESIDE = 28  # moments before a step, at least, that must differ from those since it as clearly as all before do
AT_ONCE = 2 / 3  # of a step, at least, between the last moments before it and the first since it
STAYS = 1 / 3  # of a step, at most, between the first and the second half of the moments since it
STILL = {1: 1 / 4, 2: 1 / 2}  # of a step, at least, that the mean of so many of the latest moments is still away
AGAIN = 1 / 2  # of a step: an earlier mean of SHORTEST moments beyond that says demand has been there before
TOLD = 0.5  # the Kolmogorov distance of a column before and since a step, from which on it may be the reason for it
EARLY, LATE = 7, 2  # moments before and after a step in which a column may change that is the reason for it
LIKELY = 1.5  # usual errors, that a jump must exceed for a place to be looked at
NORMAL = 1.128  # mean distance of two normal errors, in standard deviations
ROUNDING = 1e-9  # of differences between running sums
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
    def of(cls, errors: Floats, moments: Moments, *, calendar: bool) -> Step | None:
        """The latest step in the errors of a forecast that knows none; ``None`` if there is none beyond doubt."""
        found = latest_step(np.bincount(moments.at, errors) / np.bincount(moments.at))
        if found is None:
            return None
        start = float(moments.times[found[0]])
        return cls(start, found[1]) if not calendar or lasting(start, float(moments.times[-1])) else None


def lasting(first: float, last: float) -> bool:
    """Whether so many days have passed as a step must have moments: ten hours are none."""
    return last - first >= SHORTEST - 1


def latest_step(missed: Floats) -> tuple[int, float] | None:
    """Where the latest step in what was missed, moment by moment, begins, and its size; ``None`` if there is none.

    Since a step demand is where it has hardly ever been before, neither just before it nor at any time, and never for
    as long as a step must last: what has come and gone may do so again. A season, which is gradual, is none.
    """
    if missed.size < 2 * SHORTEST:
        return None
    for at in sorted(_jumps(missed), reverse=True):
        before, beside, since = missed[:at], missed[max(at - max(missed.size - at, BESIDE), 0) : at], missed[at:]
        if min(_apart(before, since), _apart(beside, since)) > APART[since.size >= LASTING]:
            old, half, near = median(beside), since.size // 2, SHORTEST // 2
            size = median(since) - old
            at_once = float(since[:near].mean() - before[-near:].mean()) / size
            moved = abs(median(since[half:]) - median(since[:half])) / abs(size)
            still = all((float(since[-last:].mean()) - old) / size > least for last, least in STILL.items())
            again = ((_means(before) - old) / size > AGAIN).any()
            if at_once > AT_ONCE and moved < STAYS and still and not again:
                return at, size
    return None


def explained(columns: Iterable[Floats], at: int) -> bool:
    """Whether a column, moment by moment, has changed with the step, as a price does: then it says when demand will.

    It is where it has hardly been before, and has changed more than it ever does on other days, as months do, or from
    one value to another after it had not changed for twice as long.
    """
    return any(
        _apart(column[:at], column[at:]) > TOLD and (_changes_most(column, at) or _changes_once(column, at))
        for column in columns
    )


def _changes_most(column: Floats, at: int) -> bool:
    """Whether its largest change is near this place, and nowhere else; single values that are odd are none."""
    means = _means(np.median(sliding_window_view(np.pad(column, 1, mode="edge"), 3), axis=-1))
    found = np.abs(means[SHORTEST:] - means[:-SHORTEST])
    after = np.arange(found.size) + SHORTEST - at
    near = (after >= -EARLY) & (after <= LATE)
    return bool(found[near].max() > (1 + ROUNDING) * found[~near].max(initial=0.0))


def _changes_once(column: Floats, at: int) -> bool:
    """Whether it has one value since about this place, and had another one for twice as long."""
    since, last = column[at + LATE :], at - EARLY
    before = column[max(last - 2 * (column.size - at), 0) : max(last, 0)]
    return before.size > 0 and np.ptp(since) == 0 == np.ptp(before) and bool(since[0] != before[0])


def jumps(missed: Floats, count: NDArray[np.integer] | int) -> Floats:
    """How far the means of the moments before and after each place are apart, in the lines of a table; 0 if hardly.

    Usual errors are known from those of successive moments, of which each line has ``count``; what comes before its
    first one is like that.
    """
    means = _means(missed)
    found = np.abs(means[..., SHORTEST:] - means[..., :-SHORTEST])
    usual = np.abs(np.diff(missed, axis=-1)).sum(axis=-1) / (count - 1) / NORMAL
    likely: Floats = np.where(found > LIKELY * np.asarray(usual)[..., None], found, 0.0)
    return likely


def _means(missed: Floats) -> Floats:
    """The means of so many successive moments as a step must last."""
    total = np.cumsum(missed, axis=-1)
    total = np.concatenate([np.zeros_like(total[..., :1]), total], axis=-1)
    means: Floats = (total[..., SHORTEST:] - total[..., :-SHORTEST]) / SHORTEST
    return means


def _jumps(missed: Floats) -> list[int]:
    """The places with the largest jumps, none of them close to another."""
    left, found = jumps(missed, missed.size), list[int]()
    while len(found) < TRIED and left.max() > 0:
        at = int(left.argmax())
        found.append(at + SHORTEST)
        left[max(at - SHORTEST, 0) : at + SHORTEST + 1] = 0.0
    return found


def _apart(one: Floats, other: Floats) -> float:
    """The Kolmogorov distance of two samples."""
    both = np.concatenate([one, other])
    shares = (np.searchsorted(np.sort(some), both, side="right") / some.size for some in (one, other))
    return float(np.abs(next(shares) - next(shares)).max())
