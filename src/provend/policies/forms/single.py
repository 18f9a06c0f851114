"""Forms that are a single thing, and as such a member of a mixture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from provend.policies.forms.form import Form


@dataclass(frozen=True, kw_only=True)
class Single(Form):
    """A form that is not split into orders of their own, taken with some probability."""

    probability: Fraction = Fraction(1)

    @property
    def probabilities(self) -> tuple[Fraction]:
        """Just one."""
        return (self.probability,)

    def times(self, share: Fraction) -> Self:
        """The same form, less likely."""
        return replace(self, probability=share * self.probability)
