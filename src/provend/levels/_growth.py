"""Growth: a straight line in time, continued only as far and as steeply as it has held in the past."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.levels._runs import means_of

Floats = NDArray[np.float64]

CUTS = 0.4, 0.5, 0.6, 0.7, 0.8  # after each share of the history the next quarter is forecast, as if it were the future
AHEAD = 0.25  # of the history: how far ahead these forecasts reach, and how far growth is continued
RECENT = 0.1  # of the history, up to the last row before a cut: the stretch the line starts from
FEWEST = 100  # moments needed to tell growth from chance
SHORTEST = 730.0  # days, or whatever unit time has: within less than two years, the season looks like growth
PENALTY = 1.0  # ridge penalty for standardised features
DOUBT = 2.0  # standard errors by which growth must improve the forecast
LEAST_SHARE = 0.2  # of the slope; below that, growth is not worth having


@dataclass(frozen=True, eq=False)
class Growth:
    """A ``slope`` per day up to the ``last`` day, and a ``share`` of it for at most ``most`` days after that."""

    slope: float
    share: float
    last: float
    most: float

    def at(self, time: Floats) -> Floats:
        """What growth adds at each time, relative to the last day."""
        beyond = self.share * np.minimum(time - self.last, self.most)
        added: Floats = self.slope * np.where(time > self.last, beyond, time - self.last)
        return added

    @classmethod
    def of(cls, timeless: Floats, z: Floats, time: Floats, runs: NDArray[np.intp]) -> Growth | None:
        """The line, if lines learned before each cut have served well after it; otherwise ``None``."""
        if float(np.ptp(time)) < SHORTEST or (moments := np.unique(time)).size < FEWEST:
            return None
        parts = [_ahead(timeless, z, time, moments[int(cut * moments.size)]) for cut in CUTS]
        missed, grown = (np.concatenate([part[i] for part in parts]) for i in range(2))
        share = float(np.clip(missed @ grown / max(float(grown @ grown), 1e-300), 0.0, 1.0))
        saved = [means_of(np.abs(m) - np.abs(m - share * g), runs[rows]) for m, g, rows in parts]
        held = sum(part.mean() > 0 for part in saved) > len(CUTS) // 2
        if share < LEAST_SHARE or not held or not _clear(np.concatenate(saved)):
            return None
        slope, _ = _line(timeless, z, time)
        return cls(slope, share, float(time.max()), AHEAD * float(np.ptp(time)))


def _clear(saved: Floats) -> bool:
    return bool(saved.mean() > DOUBT * saved.std() / np.sqrt(saved.size))


def _line(timeless: Floats, z: Floats, time: Floats) -> tuple[float, Floats]:
    """The slope, and the coefficients of everything else, from a joint ridge regression."""
    spread = time.std()
    matrix = np.column_stack([timeless, (time - time.mean()) / spread])
    matrix = matrix - matrix.mean(axis=0)
    gram = matrix.T @ matrix + PENALTY * np.eye(matrix.shape[1])
    found = np.linalg.solve(gram, matrix.T @ (z - z.mean()))
    return float(found[-1] / spread), found[:-1]


def _ahead(timeless: Floats, z: Floats, time: Floats, cut: float) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """What a forecast without growth misses after a cut, what growth would add there, and which rows are concerned."""
    before = time < cut
    after = np.flatnonzero(~before & (time <= cut + AHEAD * np.ptp(time)))
    slope, others = _line(timeless[before], z[before], time[before])
    left = z - timeless @ others
    near = before & (time >= time[before].max() - RECENT * np.ptp(time))  # back from the last row, however long ago
    start, level = float(time[near].mean()), float(left[near].mean())
    return left[after] - level, slope * (time[after] - start), after
