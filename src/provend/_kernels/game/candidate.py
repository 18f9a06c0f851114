"""Two means that Nature may draw, before anything is proved about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats

DECISIVE = 6.0  # a log-odds ratio this large does not set the width of the cells
LEAST_MEAN = 1e-7  # of a hypothesis, relative to its range: keeps log-odds finite


class Candidate(NamedTuple):
    """Distances a and b of the two means from 1 - q, and the estimated cost they force."""

    a: float
    b: float
    value: float

    @property
    def cut_off(self) -> float:
        """Contexts at least this dissimilar are useless."""
        return (self.a + self.b) / 2


def logit(p: Floats) -> Floats:
    return np.asarray(np.log(p / (1 - p)))
