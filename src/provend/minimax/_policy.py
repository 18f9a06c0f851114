"""The best policy as a policy of its own, found anew for each problem it meets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from provend._errors import InputError
from provend._kernels.arithmetic.points import Floats
from provend._validation import Seed
from provend.minimax._solve import minimax
from provend.policies import DecidingPolicy, Form, Policy
from provend.policies.names import GRAMMAR, parse


@dataclass(frozen=True)
class Optimal(DecidingPolicy):
    """The policy that :func:`minimax` finds for the dissimilarities and the critical ratio at hand.

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


def named_policy(name: str) -> Policy:
    """A policy by its name, with all it needs; "minimax" among them."""
    parsed = parse(name)
    policy = Optimal() if parsed.kind == "minimax" else parsed.policy()
    if policy is None:
        raise InputError(f"its parameter is missing; use {GRAMMAR}")
    return policy
