"""Mixtures of policies, and the policy that looks at no data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._validation import as_entries, as_probabilities
from provend.policies._base import DecidingPolicy, Policy
from provend.policies._forms import Form, Ranks, Thresholds, Top


@dataclass(frozen=True)
class NoData(DecidingPolicy):
    """Order q of the support's width above its bottom: the minimax decision without data, with regret q (1 - q)."""

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """The top with probability q."""
        return (Top(q),)


@dataclass(frozen=True)
class Mixture(DecidingPolicy):
    """One of several policies, each with its probability.

    Its worst case is that of the convex combination of the orders, which is never worse on any instance (Lemma in
    Appendix D). So ``order`` averages, unless a ``random_state`` asks for a draw.
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
        """The members' forms, each with its share; those that differ in rank or level alone become one form."""
        forms: list[Form] = []
        ranks: dict[bytes | None, dict[int, Fraction]] = {}
        indices: dict[bytes | None, NDArray[np.intp] | None] = {}
        for policy, share in zip(self.policies, self._shares, strict=True):
            for form in policy.form(d, q) if share else ():
                if isinstance(form, Ranks):
                    key = None if form.index is None else np.sort(form.index).tobytes()
                    indices[key], pooled = form.index, ranks.setdefault(key, {})
                    for rank, p in zip(form.ranks, form.probabilities, strict=True):
                        pooled[rank] = pooled.get(rank, Fraction(0)) + share * p
                elif isinstance(form, Thresholds):
                    _pool(forms, replace(form, probabilities=tuple(share * p for p in form.probabilities)))
                else:
                    forms.append(replace(form, probability=share * form.probability))
        pooled_forms = [Ranks(indices[key], tuple(pooled), tuple(pooled.values())) for key, pooled in ranks.items()]
        return (*forms, *pooled_forms)

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
        random_state: int | np.random.Generator | None,
    ) -> float:
        members = [policy for policy in self.policies if isinstance(policy, DecidingPolicy)]
        if len(members) < len(self.policies):
            raise TypeError("a Mixture with a Separable member has no order: a P alone does not say how to decide")
        if random_state is None:
            return super()._decide(y, d, q, support, None)
        generator = np.random.default_rng(random_state)
        drawn = generator.choice(len(members), p=[float(share) for share in self._shares])
        return members[drawn]._decide(y, d, q, support, generator)


def _pool(forms: list[Form], new: Thresholds) -> None:
    """Add it to a form with the same weights, or as one of its own."""
    for i, form in enumerate(forms):
        if isinstance(form, Thresholds) and form.weights == new.weights:
            levels, probabilities = form.levels + new.levels, form.probabilities + new.probabilities
            forms[i] = replace(form, levels=levels, probabilities=probabilities)
            return
    forms.append(new)
