"""Weighted counts against a level: the form of weighted ERM (Theorem 2), by the method that its weights allow."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf

import numpy as np

from provend._kernels.maximise.banded import LARGE, MANY, BandedRoundedTerm, BandedTerm, band
from provend._kernels.maximise.side import LatticeTerm, RoundedTerm, TableTerm
from provend._kernels.tails.table import MOST_SAMPLES
from provend.policies.forms.form import PATIENT, QUICK, Chance, Effort, Floats, Form, Resolution, Sides, WholeCount
from provend.policies.forms.level import Level
from provend.policies.forms.quantile import with_ends
from provend.policies.forms.ranks import Ranks
from provend.policies.forms.table import expectation
from provend.policies.forms.weights import Weights

MOST_CELLS = 2**20  # between two lattices: beyond this, caches are too small
MOST_SUMS = 2**27  # cells of an exact lattice: three arrays of a gigabyte each
NEAR = 3.0  # cells within which the lattice cannot tell sums of real weights from their threshold


@dataclass(frozen=True)
class Thresholds(Form):
    """The smallest a at which the weight of the demands up to a meets a level, with a probability each."""

    weights: Weights
    levels: tuple[Level, ...]
    probabilities: tuple[Fraction, ...] = (Fraction(1),)
    effort: Effort = QUICK

    @property
    def note(self) -> str:
        """Weights with no common unit, or too fine a one, are not evaluated exactly; say so, and what would help."""
        if not self.estimated:
            return ""
        said = f"bracketed between two lattices of {self._cells():,} cells"
        if self._steps() > PATIENT.exact:
            return f"real weights, {said}"
        return f"weights with a fine unit, {said}; coarser ones, or rtol below 1e-9 and patience, give all digits"

    @cached_property
    def _whole(self) -> WholeCount | None:
        """The count on the weights' own lattice, if there is one."""
        if (lattice := self.weights.lattice) is None:
            return None
        weights, unit = lattice
        total = int(weights.sum())
        return WholeCount.of(weights, (level.needed(total, unit) for level in self.levels), self.probabilities)

    @property
    def unweighted(self) -> bool:
        """Whether the weights that are not zero are all equal: an order statistic."""
        return self._whole is not None and self._whole.unweighted

    @property
    def estimated(self) -> bool:
        """Whether the weights are bracketed between two lattices."""
        return not self.unweighted and self._method() == "rounded"

    @property
    def shares_effort(self) -> bool:
        """An order statistic needs none."""
        return not self.unweighted

    def with_effort(self, effort: Effort) -> Thresholds:
        """Another effort may mean another method."""
        return replace(self, effort=effort)

    def times(self, share: Fraction) -> Thresholds:
        """The same levels, each less likely."""
        return replace(self, probabilities=tuple(share * p for p in self.probabilities))

    @property
    def kin(self) -> Hashable:
        """Levels of the same weights."""
        return Thresholds, self.weights

    def joined(self, others: Sequence[Thresholds]) -> Thresholds:
        """All the levels."""
        forms = (self, *others)
        levels = tuple(level for form in forms for level in form.levels)
        return replace(self, levels=levels, probabilities=tuple(p for form in forms for p in form.probabilities))

    def _cells(self) -> int:
        return min(max(self.effort.rounded // self.weights.used.size, 2**10), MOST_CELLS)

    def _steps(self) -> float:
        """Steps of one exact evaluation on the lattice; infinite if there is none, or none that fits into memory."""
        if (whole := self._whole) is None:
            return inf
        highest, other = max(whole.needed), whole.total - min(whole.needed) + 1  # the thresholds of the two sides
        if max(highest, other) > MOST_SUMS:
            return inf
        return self.weights.used.size * min(highest, other, band(whole.weights))

    def _method(self) -> str:
        used, steps = self.weights.used.size, self._steps()
        if used <= MOST_SAMPLES:
            return "lattice" if steps <= 2**used else "table"
        return "lattice" if steps <= self.effort.exact else "rounded"

    @property
    def steps(self) -> float:
        """Steps of one evaluation by the method chosen."""
        method = self._method()
        if self.unweighted or method == "lattice":
            return self._steps()
        return 2.0**self.weights.used.size if method == "table" else float(self.weights.used.size * self._cells())

    def errs(self, d: Floats) -> Sides:
        """By the cheapest exact method there is, else between two lattices."""
        if (whole := self._whole) is not None and whole.unweighted:
            return Ranks(whole.samples, whole.needed, self.probabilities).errs(d)
        method = self._method()
        if method == "rounded":
            return self.coarsely(d, self._cells())
        return self._on_table(d) if whole is None or method == "table" else _on_lattice(whole, d)

    def _on_table(self, d: Floats) -> Sides:
        used = self.weights.used
        high, low = np.zeros(2**used.size), np.zeros(2**used.size)
        for level, probability in zip(self.levels, self.probabilities, strict=True):
            kappa = level.kappa(self.weights)
            high += float(probability) * kappa
            low += float(probability) * ~kappa[::-1]
        return [TableTerm(d[used], low)], [TableTerm(d[used], high)]

    def coarsely(self, d: Floats, cells: int) -> Sides:
        """As for real weights, whatever the weights are: coarse lattices give quick estimates."""
        low, high = self._between_lattices(d, cells)
        return [low], [high]

    def _between_lattices(self, d: Floats, cells: int) -> tuple[RoundedTerm, RoundedTerm]:
        used = self.weights.used
        weights = self.weights.floats[used]
        scale = cells / float(weights.sum())
        high = [level.relative(self.weights) * scale for level in self.levels]
        probabilities = [float(p) for p in self.probabilities]
        kind = BandedRoundedTerm if used.size >= MANY else RoundedTerm
        low_term = kind(d[used], weights * scale, [cells - level for level in high], probabilities)
        return low_term, kind(d[used], weights * scale, high, probabilities)

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        """Weighted quantiles, ties decided exactly."""
        by_demand = np.argsort(y, axis=1, kind="stable")
        row = np.arange(len(y))[:, None]
        taken = np.stack([level.demands_taken(self.weights, by_demand) for level in self.levels], axis=1)
        return with_ends(y[row, by_demand], support)[row, taken]

    def count(self, n: int) -> WholeCount | None:
        """The count on the lattice, if there is one."""
        return self._whole

    def chance(self, resolution: Resolution) -> Chance:
        """By the same method as the guarantee; real weights on a lattice of their own, as an estimate."""
        if self.unweighted:
            return super().chance(resolution)
        used, nowhere = self.weights.used, np.zeros(self.weights.size)
        (term,) = self.errs(nowhere)[1]
        if isinstance(term, TableTerm):
            fold = expectation(term.table)
            return lambda h: fold(h[used])
        if isinstance(term, RoundedTerm):
            _, lattice = self._between_lattices(nowhere, resolution.cells)
            rounded = _with_ties(lattice) if resolution.ties else lattice
            return lambda h: replace(rounded, d=h[used]).estimate(0.0)
        assert isinstance(term, LatticeTerm)
        return lambda h: replace(term, d=h[used]).point()(0.0).f


def _on_lattice(whole: WholeCount, d: Floats) -> Sides:
    used = whole.samples
    w, high = whole.weights[used], list(whole.needed)
    low = [whole.total - need + 1 for need in high]
    probabilities = [float(p) for p in whole.probabilities]
    kind = BandedTerm if used.size * min(max(low), max(high)) >= LARGE else LatticeTerm
    return [kind(d[used], w, low, probabilities)], [kind(d[used], w, high, probabilities)]


def _with_ties(term: RoundedTerm) -> RoundedTerm:
    """P plus the mass at the threshold: that within a few cells, less a tenth of that within ten times as many."""
    offsets = {0.0: 1.0, -NEAR: 1.0, NEAR: -1.0, -10 * NEAR: -0.1, 10 * NEAR: 0.1}
    levels = [level + offset for level in term.levels for offset in offsets]
    return replace(
        term, levels=levels, probabilities=[p * sign for p in term.probabilities for sign in offsets.values()]
    )
