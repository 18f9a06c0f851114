"""Mixtures of policies, and the policy that looks at no data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._validation import Seed, as_entries, as_generator, as_probabilities
from provend.policies._base import DecidingPolicy, Policy
from provend.policies.forms import Form, Top


@dataclass(frozen=True)
class NoData(DecidingPolicy):
    """Order the bottom of the support plus q times its width: the minimax order without data, with regret q (1 - q)."""

    sees = frozenset()

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """The top with probability q."""
        return (Top(q),)


@dataclass(frozen=True)
class Mixture(DecidingPolicy):
    """One of several policies, each with its probability.

    Its worst case is that of the convex combination of the orders, which is never worse on any instance (the
    paper's Lemma D-2). So ``order`` averages, unless a ``random_state`` asks for a draw.
    """

    policies: Sequence[Policy]
    probabilities: Iterable[object]

    def __post_init__(self) -> None:
        policies = tuple(as_entries(self.policies, "policies"))
        if not policies:
            raise InputError("policies is empty; give at least one")
        for i, policy in enumerate(policies):
            if not isinstance(policy, Policy):
                raise TypeError(f"policies[{i}] = {policy!r} is not a policy; give one such as ERM()")
        probabilities = as_probabilities(self.probabilities, "probabilities")
        if len(probabilities) != len(policies):
            raise InputError(
                f"probabilities has {len(probabilities)} entries for {len(policies)} policies; give one each"
            )
        object.__setattr__(self, "policies", policies)
        object.__setattr__(self, "probabilities", probabilities)

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """The members' forms, each with its share; those that differ only in rank or level become one form."""
        families: dict[object, list[Form]] = {}
        for policy, share in zip(self.policies, self._shares, strict=True):
            for form in policy.form(d, q) if share else ():
                kin = object() if form.kin is None else form.kin
                families.setdefault(kin, []).append(form.times(share))
        return tuple(first.joined(others) for first, *others in families.values())

    @property
    def sees(self) -> frozenset[str]:
        """What any of the members sees."""
        return frozenset().union(*(policy.sees for policy in self.policies))

    def on_first(self, n: int) -> Mixture:
        """A mixture of the members on the first n contexts."""
        return Mixture([policy.on_first(n) for policy in self.policies], self._shares)

    @property
    def _shares(self) -> tuple[Fraction, ...]:
        return self.probabilities  # type: ignore[return-value]

    def _decide(
        self,
        y: NDArray[np.float64],
        d: NDArray[np.float64],
        q: Fraction,
        support: tuple[float, float],
        random_state: Seed | None,
    ) -> float:
        members = [policy for policy in self.policies if isinstance(policy, DecidingPolicy)]
        if len(members) < len(self.policies):
            raise TypeError("a Mixture with a Separable member has no order: a P alone does not say how to decide")
        if random_state is None:
            return super()._decide(y, d, q, support, None)
        generator = as_generator(random_state)
        drawn = generator.choice(len(members), p=[float(share) for share in self._shares])
        return members[drawn]._decide(y, d, q, support, generator)
