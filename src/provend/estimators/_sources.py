"""Where the policy for a target comes from, and in which form it is executed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from provend.estimators._by_rank import ByRank
from provend.estimators._rules import decode
from provend.minimax import Optimal, minimax
from provend.policies import DecidingPolicy, Exponential, Kernel, Mixture, NoData, Policy
from provend.tables import Contexts

Floats = NDArray[np.float64]


class Source(Protocol):
    """Provides a policy for every target, on the past rows in their given order."""

    def policies(self, d: Floats, targets: Contexts, q: Fraction) -> list[DecidingPolicy]:
        """One policy per row of ``d``."""


@dataclass(frozen=True)
class AsGiven:
    """The same policy for all targets."""

    policy: DecidingPolicy

    def policies(self, d: Floats, targets: Contexts, q: Fraction) -> list[DecidingPolicy]:
        """The policy, once per target."""
        return [self.policy] * len(d)


@dataclass(frozen=True, eq=False)
class Shared:
    """The rules of representative designs, by rank."""

    rules: ByRank

    def policies(self, d: Floats, targets: Contexts, q: Fraction) -> list[DecidingPolicy]:
        """Each rule, with its weights placed on the rows nearest to the target."""
        nearest, keys = np.argsort(d, axis=1, kind="stable"), self.rules.keys(np.sort(d, axis=1))
        placed = (self.rules.rule(int(key)).placed(row, row.size) for key, row in zip(keys, nearest, strict=True))
        return [rule.policy for rule in placed]


def executed(policy: Policy, d: Floats, q: Fraction, importance: Floats | None = None) -> DecidingPolicy:
    """The policy that decides at these dissimilarities and is certified: integer weights, rows by their importance."""
    concrete = _concrete(policy, d, q)
    return concrete if importance is None else decode(concrete, d, q).weighed(importance).policy


def _concrete(policy: Policy, d: Floats, q: Fraction) -> DecidingPolicy:
    """The policy with everything that depends on ``d`` settled."""
    if isinstance(policy, Mixture):
        return Mixture([_concrete(member, d, q) for member in policy.policies], policy.probabilities)
    if isinstance(policy, Optimal):
        return minimax(d, q=q, rtol=policy.rtol).policy
    if isinstance(policy, Kernel | Exponential):
        return policy.rounded(d) if policy.weights(d).any() else NoData()
    if not isinstance(policy, DecidingPolicy):
        raise TypeError(f"policy = {policy!r} does not say how to decide; choose one with an order")
    return policy
