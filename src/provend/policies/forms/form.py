"""What a form is: everything that callers ask of a policy, once dissimilarities and critical ratio are known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from provend._kernels.maximise.side import Term, mixture_point

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Sides = tuple[list[Term], list[Term]]  # how a form errs on the low and on the high side
Chance = Callable[[Floats], float]  # from the past cdfs at y to the probability of ordering at most y


class Effort(NamedTuple):
    """Steps (samples times cells) that one evaluation of weighted counts may take; a bracket takes about a hundred.

    ``exact`` holds on a lattice of the weights' own unit, ``rounded`` between two lattices, where fewer are needed.
    """

    exact: int
    rounded: int

    def shared(self, among: int) -> Effort:
        """The effort for each of several forms that share it."""
        return Effort(self.exact // max(among, 1), self.rounded // max(among, 1))


QUICK = Effort(2**26, 2**27)  # a few seconds in all
PATIENT = Effort(2**30, 2**27)  # minutes, for callers who want all digits


class Resolution(NamedTuple):
    """How a chance is estimated where it cannot be computed: on a lattice of this many cells.

    With ``ties``, the mass that the lattice cannot tell from the threshold is added.
    """

    cells: int
    ties: bool = False


class WholeCount(NamedTuple):
    """Order the smallest a at which the integer weights of the demands up to a add up to what is needed.

    That is ``needed[j]`` with probability ``probabilities[j]``, from 0 (the bottom of the support) to one more than the
    total weight (its top). An order statistic has weights 0 and 1; a policy that looks at no data has no weight at all.
    """

    weights: Integers
    needed: tuple[int, ...]
    probabilities: tuple[Fraction, ...]

    @classmethod
    def of(cls, weights: Integers, needed: Iterable[int], probabilities: tuple[Fraction, ...]) -> WholeCount:
        """A count with what is needed clipped to the range from 0 to one more than the total weight."""
        total = int(weights.sum())
        return cls(weights, tuple(min(max(need, 0), total + 1) for need in needed), probabilities)

    @property
    def total(self) -> int:
        """The total weight."""
        return int(self.weights.sum())

    @property
    def samples(self) -> NDArray[np.intp]:
        """Positions of the samples that count."""
        return np.flatnonzero(self.weights)

    @property
    def unweighted(self) -> bool:
        """Whether all samples that count have weight one: an order statistic."""
        return int(self.weights.max(initial=0)) <= 1

    @property
    def bottom(self) -> Fraction:
        """Probability of ordering the bottom of the support, whatever the demands."""
        return self._share_of(0)

    @property
    def top(self) -> Fraction:
        """Probability of ordering the top of the support, whatever the demands."""
        return self._share_of(self.total + 1)

    def _share_of(self, needed: int) -> Fraction:
        pairs = zip(self.needed, self.probabilities, strict=True)
        return sum((p for need, p in pairs if need == needed), Fraction(0))

    def effect(self, d: Floats) -> Hashable:
        """What the worst case depends on: contexts without weight may come and go."""
        used = self.samples
        return self.needed, self.probabilities, d[used].tobytes(), self.weights[used].tobytes()


class Form(ABC):
    """A policy at given dissimilarities: one order or several, each with its probability.

    A new form says how it errs (``errs``), how likely it is (``probabilities``, ``times``) and, if it decides on real
    demands, how (``orders``). Everything else has an answer that is right for any form; a form that knows better
    overrides it.
    """

    @property
    @abstractmethod
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probabilities of its orders, which sum to the form's share of the policy."""

    @abstractmethod
    def times(self, share: Fraction) -> Self:
        """The same form with its probabilities multiplied: as a member of a mixture."""

    @abstractmethod
    def errs(self, d: Floats) -> Sides:
        """How it errs on Bernoulli demands, as terms.

        Low side: E[a(Y)] where sample i is a one with probability t + d_i, a(y) being the probability of ordering the
        top. High side: 1 - E[a(Y)] where it is a zero with that probability.
        """

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        """What it orders: one row per history (a row of ``y``), one column per probability."""
        raise TypeError(f"{type(self).__name__} does not say how to decide: it has no orders")

    @property
    def note(self) -> str:
        """What its guarantee rests on, or why its bracket is wide; else empty."""
        return ""

    def fixed(self, support: tuple[float, float]) -> tuple[tuple[Fraction, float], ...]:
        """Probabilities and sizes of the orders it places whatever the data say; ``chance`` leaves them out."""
        return ()

    @property
    def estimated(self) -> bool:
        """Whether its chance is an estimate, whose error depends on the resolution."""
        return False

    def chance(self, resolution: Resolution) -> Chance:
        """The probability of ordering at most y: Theorem 1's high side at t = 0 with the past cdfs for d."""
        return lambda h: mixture_point(self.errs(h)[1])(0.0).f

    def count(self, n: int) -> WholeCount | None:
        """The form as a count of ``n`` contexts with integer weights, or None where it is not one."""
        return None

    @property
    def kin(self) -> Hashable | None:
        """Forms with equal kin can be joined into one; None: with no other."""
        return None

    def joined(self, others: Sequence[Self]) -> Self:
        """One form for itself and its kin."""
        if others:
            raise TypeError(f"{type(self).__name__} has kin but does not say how to join it")
        return self

    @property
    def shares_effort(self) -> bool:
        """Whether its work is limited by an effort, to be shared with other such forms."""
        return False

    def with_effort(self, effort: Effort) -> Self:
        """The same form, whose evaluation may take this effort."""
        return self

    @property
    def steps(self) -> float:
        """Steps of one evaluation, in the units of :class:`Effort`; 0 where no effort limits it."""
        return 0.0

    def coarsely(self, d: Floats, cells: int) -> Sides | None:
        """Like ``errs``, with weights on lattices coarse enough for quick estimates; None without weights."""
        return None


def with_effort(forms: Iterable[Form], effort: Effort) -> tuple[Form, ...]:
    """The same forms; those with weights share the effort."""
    forms = tuple(forms)
    part = effort.shared(sum(form.shares_effort for form in forms))
    return tuple(form.with_effort(part) for form in forms)
