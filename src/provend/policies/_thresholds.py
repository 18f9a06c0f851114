"""Weighted counts against a level: the threshold form of weighted ERM, by the method that its weights allow."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, fsum, inf, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.maximise.banded import LARGE, MANY, BandedRoundedTerm, BandedTerm, band
from provend._kernels.maximise.side import LatticeTerm, RoundedTerm, TableTerm
from provend._kernels.tails.table import MOST_SAMPLES
from provend.policies._ranks import Floats, Ranks, Sides
from provend.policies._weights import Weights

MOST_CELLS = 2**20  # between two lattices: beyond, caches are too small
MOST_SUMS = 2**27  # cells of an exact lattice: three arrays of a gigabyte each


@dataclass(frozen=True)
class Level:
    """The condition sum w_i b_i >= share * sum w + level, or > where ``strict``."""

    share: Fraction = Fraction(0)
    level: Fraction = Fraction(0)
    strict: bool = False

    def needed(self, total: int, unit: Fraction) -> int:
        """The least integer count that meets it, for integer weights that count ``unit`` each."""
        threshold = self.share * total + self.level / unit
        return floor(threshold) + 1 if self.strict else ceil(threshold)

    def relative(self, weights: Weights) -> float:
        """The threshold in units of the weights' scale, to within a rounding per weight; what is far off is cut off."""
        total = fsum(weights.floats)
        beyond = Fraction(total) + 1
        return float(self.share) * total + float(min(max(self.level / weights.scale, -beyond), beyond))

    def met(self, total: Fraction, reached: Fraction) -> bool:
        """Whether the exact sum ``reached`` meets it."""
        threshold = self.share * total + self.level
        return reached > threshold or (reached == threshold and not self.strict)


class Effort(NamedTuple):
    """Steps (samples times cells) that one evaluation of weighted counts may take, of about a hundred for a bracket.

    Exact ones on a lattice of the weights' own unit; others between two lattices, of which fewer are needed.
    """

    exact: int
    rounded: int

    def shared(self, among: int) -> Effort:
        """A part of it for each of several."""
        return Effort(self.exact // max(among, 1), self.rounded // max(among, 1))


QUICK = Effort(2**26, 2**27)  # a few seconds in all
PATIENT = Effort(2**30, 2**27)  # minutes, for somebody who asks for the digits


@dataclass(frozen=True)
class Thresholds:
    """The smallest a at which the weight of the demands up to a meets a level, with a probability each."""

    weights: Weights
    levels: tuple[Level, ...]
    probabilities: tuple[Fraction, ...] = (Fraction(1),)
    effort: Effort = QUICK

    @property
    def note(self) -> str:
        """Weights with no common unit, or too fine a one, are not evaluated exactly; say so, and what would help."""
        if self._method() != "rounded":
            return ""
        said = f"bracketed between two lattices of {self._cells():,} cells"
        if self._steps() > PATIENT.exact:
            return f"real weights, {said}"
        return f"weights with a fine unit, {said}; coarser ones, or rtol below 1e-9 and patience, give all digits"

    @property
    def unweighted(self) -> bool:
        """Whether the weights that are not zero are all equal: an order statistic."""
        lattice = self.weights.lattice
        return lattice is not None and int(lattice[0].max()) == 1

    def _cells(self) -> int:
        return min(max(self.effort.rounded // self.weights.used.size, 2**10), MOST_CELLS)

    def _steps(self) -> float:
        """Of one exact evaluation on the lattice; infinite where there is none, or none that fits into memory."""
        if (lattice := self.weights.lattice) is None:
            return inf
        total = int(lattice[0].sum())
        needed = [min(max(need, 0), total + 1) for need in self._needed(total)]
        highest, other = max(needed), total - min(needed) + 1  # the thresholds of the two sides
        if max(highest, other) > MOST_SUMS:
            return inf
        return self.weights.used.size * min(highest, other, band(lattice[0]))

    def _method(self) -> str:
        used, steps = self.weights.used.size, self._steps()
        if used <= MOST_SAMPLES:
            return "lattice" if steps <= 2**used else "table"
        return "lattice" if steps <= self.effort.exact else "rounded"

    @property
    def steps(self) -> float:
        """Of one evaluation, by the method chosen."""
        method = self._method()
        if self.unweighted or method == "lattice":
            return self._steps()
        return 2.0**self.weights.used.size if method == "table" else float(self.weights.used.size * self._cells())

    def errs(self, d: Floats) -> Sides:
        """By the cheapest exact method there is, else between two lattices."""
        used = self.weights.used
        if self.unweighted:
            return self._as_ranks(used).errs(d)
        method = self._method()
        if method == "lattice":
            return self._on_lattice(d[used], used)
        return self._on_table(d[used], used) if method == "table" else self.between_lattices(d, self._cells())

    def _as_ranks(self, used: NDArray[np.intp]) -> Ranks:
        return Ranks(used, tuple(max(need, 0) for need in self._needed(used.size)), self.probabilities)

    def _needed(self, total: int) -> list[int]:
        assert self.weights.lattice is not None
        return [level.needed(total, self.weights.lattice[1]) for level in self.levels]

    def _on_lattice(self, d: Floats, used: NDArray[np.intp]) -> Sides:
        assert self.weights.lattice is not None
        w = self.weights.lattice[0][used]
        total = int(w.sum())
        high = [min(max(need, 0), total + 1) for need in self._needed(total)]
        low = [total - need + 1 for need in high]
        probabilities = [float(p) for p in self.probabilities]
        kind = BandedTerm if used.size * min(max(low), max(high)) >= LARGE else LatticeTerm
        return [kind(d, w, low, probabilities)], [kind(d, w, high, probabilities)]

    def _on_table(self, d: Floats, used: NDArray[np.intp]) -> Sides:
        high, low = np.zeros(2**used.size), np.zeros(2**used.size)
        for level, probability in zip(self.levels, self.probabilities, strict=True):
            kappa = self._kappa(level, used)
            high += float(probability) * kappa
            low += float(probability) * ~kappa[::-1]
        return [TableTerm(d, low)], [TableTerm(d, high)]

    def _kappa(self, level: Level, used: NDArray[np.intp]) -> NDArray[np.bool_]:
        """The counting function on all subsets; sums too close to call in floats are decided exactly."""
        if (lattice := self.weights.lattice) is not None:
            return _subset_sums(lattice[0][used]) >= level.needed(int(lattice[0].sum()), lattice[1])
        sums = _subset_sums(self.weights.floats[used])
        threshold = level.relative(self.weights)
        slack = 4 * UNIT * (used.size + 2) * (sums[-1] + abs(threshold))
        kappa = sums > threshold
        close = np.flatnonzero(np.abs(sums - threshold) <= slack)
        common = lcm(*(self.weights.exact[i].denominator for i in used))
        whole = [int(self.weights.exact[i] * common) for i in used]
        reached = np.zeros(close.size, object)  # integers of any length
        for place, weight in enumerate(reversed(whole)):
            reached += (close >> place & 1).astype(object) * weight
        kappa[close] = reached >= level.needed(sum(whole), Fraction(1, common))
        return kappa

    def between_lattices(self, d: Floats, cells: int) -> Sides:
        """As for real weights, whatever they are: coarse lattices give quick estimates."""
        used = self.weights.used
        weights = self.weights.floats[used]
        scale = cells / float(weights.sum())
        high = [level.relative(self.weights) * scale for level in self.levels]
        probabilities = [float(p) for p in self.probabilities]
        kind = BandedRoundedTerm if used.size >= MANY else RoundedTerm
        low_term = kind(d[used], weights * scale, [cells - level for level in high], probabilities)
        return [low_term], [kind(d[used], weights * scale, high, probabilities)]

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """Weighted quantiles, ties decided exactly."""
        by_demand = np.argsort(y, kind="stable")
        padded = [support[0], *y[by_demand].tolist(), support[1]]
        return [
            (p, padded[self._first_to_meet(level, by_demand)])
            for level, p in zip(self.levels, self.probabilities, strict=True)
        ]

    def _first_to_meet(self, level: Level, by_demand: NDArray[np.intp]) -> int:
        """How many demands, in ascending order, it takes; 0: none, n + 1: all are not enough."""
        if (lattice := self.weights.lattice) is not None:
            reached = np.cumsum(lattice[0][by_demand])
            needed = level.needed(int(reached[-1]), lattice[1])
            return 0 if needed <= 0 else int(np.searchsorted(reached, needed)) + 1
        exact = self.weights.exact
        sums = np.concatenate([[0.0], np.cumsum(self.weights.floats[by_demand])])
        threshold = level.relative(self.weights)
        slack = 4 * UNIT * (sums.size + 1) * (sums[-1] + abs(threshold))
        first, last = np.searchsorted(sums, threshold - slack), np.searchsorted(sums, threshold + slack)
        reached_exactly = sum((exact[i] for i in by_demand[: max(first, 0)]), Fraction(0))
        for count in range(int(first), int(last)):
            if level.met(self.weights.total, reached_exactly):
                return count
            if count < by_demand.size:
                reached_exactly += exact[by_demand[count]]
        return int(last)


def _subset_sums(weights: NDArray[Any]) -> NDArray[Any]:
    """The weight of every subset, the first sample being the highest bit of the index."""
    sums = np.zeros(1, weights.dtype)
    for weight in weights[::-1]:
        sums = np.concatenate([sums, sums + weight])
    return sums
