"""What orders for several targets guarantee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class SupportWarning(UserWarning):
    """A guarantee rests on a support that was read off the history."""


@dataclass(frozen=True, eq=False)
class OrderGuarantees:
    """Brackets of the worst-case expected regret, one per target, in money.

    Attributes
    ----------
    lower, upper : array
        The exact worst case of the order's rule lies between them, given the dissimilarities and the support. Targets
        of similar designs share a computation; their brackets are wider for it, never wrong.
    no_data_regret : float
        The worst case of the best order that looks at no data.
    basis : str
        What was given, estimated or calibrated, and what the brackets mean therefore.
    """

    lower: Floats
    upper: Floats
    no_data_regret: float
    basis: str

    @property
    def percent_of_no_data(self) -> Floats:
        """``upper`` in percent of the regret without data."""
        return 100 * self.upper / self.no_data_regret
