"""A regression of demand on contexts that knows which sales were cut off by stock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from provend.levels._normal import mean_beyond, variance_beyond
from provend.levels._ridge import MOST_LEVERAGE

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

PENALTY = 1.0  # ridge penalty for standardised features
# Further rounds only raise the levels of contexts that always sell out, for which there is no evidence: they left the
# cost of orders on the bakery as it was and made errors of the level larger.
ROUNDS = 60


@dataclass(frozen=True, eq=False)
class Tobit:
    """Normal errors around a linear level (Tobin, 1958).

    Attributes
    ----------
    level : array
        The level of each row.
    past : array
        The same, without what the row itself, as far as it is known, adds to it.
    spread : float
        Standard deviation of the errors; positive.
    """

    level: Floats
    past: Floats
    spread: float

    @classmethod
    def of(cls, matrix: Floats, z: Floats, cut_off: Flags) -> Tobit:
        """By expectation and maximisation: what was cut off counts with its mean and variance beyond where it was.

        The spread includes that variance, so that a parametric tail stands for what nobody has seen: the law of the
        errors that were seen would end where stock did.
        """
        centred = matrix - matrix.mean(axis=0)
        fit = np.linalg.solve(centred.T @ centred + PENALTY * np.eye(matrix.shape[1]), centred.T)
        least = 1e-9 * (float(np.ptp(z)) or 1.0)
        likely, level, unsure, spread = z, z, np.zeros(z.size), least
        for _ in range(ROUNDS):
            level = likely.mean() + centred @ (fit @ (likely - likely.mean()))
            spread = max(float(np.sqrt((np.square(likely - level) + unsure).mean())), least)
            u = (z - level) / spread
            likely = np.where(cut_off, level + spread * mean_beyond(u), z)
            unsure = np.where(cut_off, spread**2 * variance_beyond(u), 0.0)
        leverage = np.minimum((centred * fit.T).sum(axis=1) + 1 / z.size, MOST_LEVERAGE)
        return cls(level, likely - (likely - level) / (1 - leverage), spread)
