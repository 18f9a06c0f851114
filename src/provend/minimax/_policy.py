"""The best policy, as one that finds itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from provend._kernels.arithmetic.points import Floats
from provend._validation import Seed
from provend.minimax._solve import minimax
from provend.policies import DecidingPolicy, Form


@dataclass(frozen=True)
class Optimal(DecidingPolicy):
    """What :func:`minimax` finds for whatever dissimilarities and critical ratio it meets.

    Parameters
    ----------
    rtol : float
        The gap aimed at.
    """

    rtol: float = 1e-3

    def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
        """The forms of the policy found."""
        return minimax(d, q=q, rtol=self.rtol).policy.form(d, q)

    def _decide(
        self,
        y: Floats,
        d: Floats,
        q: Fraction,
        support: tuple[float, float],
        random_state: Seed | None,
    ) -> float:
        return minimax(d, q=q, rtol=self.rtol).policy._decide(y, d, q, support, random_state)
