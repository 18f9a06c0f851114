"""Split conformal prediction's one-sided rule, as a policy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._rational import ceil_product
from provend._validation import as_open_share
from provend.policies import DecidingPolicy, Form, Ranks


@dataclass(frozen=True)
class Conformal(DecidingPolicy):
    """The ceil((n + 1) target)-th smallest of n demands, or the top of the support if that exceeds n.

    Without shift it covers the demand to come with probability at least ``target``.

    Parameters
    ----------
    target : number
        The coverage, one minus the usual alpha; strictly between 0 and 1, read exactly.
    """

    target: object

    def __post_init__(self) -> None:
        as_open_share(self.target, "target")

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """One rank, whatever the critical ratio."""
        return (Ranks(None, (ceil_product(as_open_share(self.target, "target"), d.size + 1),)),)
