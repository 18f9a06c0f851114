"""Threshold forms: what a policy is, once dissimilarities and critical ratio are known.

Each form says how the policy decides on real demands (``orders``) and how it errs on Bernoulli demands (``errs``):
E[a(Y)] on the low side and 1 - E[a(Y)] on the high side, a(y) being the probability of ordering the top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, fsum

import numpy as np
from numpy.typing import NDArray

from provend._kernels.rounding import UNIT
from provend._kernels.side import (
    BlackBoxTerm,
    ConstantTerm,
    LatticeTerm,
    RoundedTerm,
    TableTerm,
    Term,
    count_terms,
)
from provend._kernels.table import MOST_SAMPLES
from provend.policies._weights import Weights

LATTICE_STEPS = 2**30  # most steps (samples times cells) of one exact evaluation of a weighted count
ROUNDED_STEPS, MOST_CELLS = 2**27, 2**20  # the same between two lattices, where finer is only tighter

Floats = NDArray[np.float64]
Sides = tuple[list[Term], list[Term]]


@dataclass(frozen=True)
class Ranks:
    """The rank-th smallest of the demands at ``index`` (all, if None), with a probability each."""

    index: NDArray[np.intp] | None
    ranks: tuple[int, ...]
    probabilities: tuple[Fraction, ...] = (Fraction(1),)

    note = ""

    def errs(self, d: Floats) -> Sides:
        """Low: at least n - rank + 1 ones. High: at least rank zeros."""
        chosen = np.sort(d if self.index is None else d[self.index])
        n, probabilities = chosen.size, [float(p) for p in self.probabilities]
        low = count_terms(chosen, [n - rank + 1 for rank in self.ranks], probabilities)
        return low, count_terms(chosen, self.ranks, probabilities)

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """Rank 0 is the bottom of the support, a rank beyond the last sample its top."""
        bottom, top = support
        ordered = np.sort(y if self.index is None else y[self.index])
        padded = [bottom, *ordered.tolist(), top]
        return [(p, padded[min(r, ordered.size + 1)]) for r, p in zip(self.ranks, self.probabilities, strict=True)]


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


@dataclass(frozen=True)
class Thresholds:
    """The smallest a at which the weight of the demands up to a meets a level, with a probability each."""

    weights: Weights
    levels: tuple[Level, ...]
    probabilities: tuple[Fraction, ...] = (Fraction(1),)

    @property
    def note(self) -> str:
        """Weights with no common unit, or too fine a one, cannot be evaluated exactly; say so."""
        if self._method() != "rounded":
            return ""
        return f"real weights, bracketed between two lattices of {self._cells():,} cells"

    @property
    def unweighted(self) -> bool:
        """Whether the weights that are not zero are all equal: an order statistic."""
        lattice = self.weights.lattice
        return lattice is not None and int(lattice[0].max()) == 1

    def _cells(self) -> int:
        return min(max(ROUNDED_STEPS // self.weights.used.size, 2**10), MOST_CELLS)

    def _method(self) -> str:
        used, lattice = self.weights.used.size, self.weights.lattice
        steps = np.inf
        if lattice is not None:
            total = int(lattice[0].sum())
            needed = [level.needed(total, lattice[1]) for level in self.levels]
            steps = used * min(max(needed), total - min(needed) + 1)  # both tails are the short way round
        if steps <= LATTICE_STEPS and (used > MOST_SAMPLES or steps <= 2**used):
            return "lattice"
        if used <= MOST_SAMPLES:
            return "table"
        return "rounded"

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
        return [LatticeTerm(d, w, low, probabilities)], [LatticeTerm(d, w, high, probabilities)]

    def _on_table(self, d: Floats, used: NDArray[np.intp]) -> Sides:
        high, low = np.zeros(2**used.size), np.zeros(2**used.size)
        for level, probability in zip(self.levels, self.probabilities, strict=True):
            kappa = self._kappa(level, used)
            high += float(probability) * kappa
            low += float(probability) * ~kappa[::-1]
        return [TableTerm(d, low)], [TableTerm(d, high)]

    def _kappa(self, level: Level, used: NDArray[np.intp]) -> NDArray[np.bool_]:
        """The counting function on all subsets; sums too close to call in floats are decided exactly."""
        exact, total = [self.weights.exact[i] for i in used], self.weights.total
        sums = np.zeros(1)
        for weight in self.weights.floats[used][::-1]:
            sums = np.concatenate([sums, sums + weight])
        threshold = level.relative(self.weights)
        slack = 4 * UNIT * (used.size + 2) * (sums[-1] + abs(threshold))
        kappa = sums > threshold
        for subset in np.flatnonzero(np.abs(sums - threshold) <= slack):
            members = [w for i, w in enumerate(exact) if subset >> (used.size - 1 - i) & 1]
            kappa[subset] = level.met(total, sum(members, Fraction(0)))
        return kappa

    def between_lattices(self, d: Floats, cells: int) -> Sides:
        """As for real weights, whatever they are: coarse lattices give quick estimates."""
        used = self.weights.used
        weights = self.weights.floats[used]
        scale = cells / float(weights.sum())
        high = [level.relative(self.weights) * scale for level in self.levels]
        probabilities = [float(p) for p in self.probabilities]
        low_term = RoundedTerm(d[used], weights * scale, [cells - level for level in high], probabilities)
        return [low_term], [RoundedTerm(d[used], weights * scale, high, probabilities)]

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


@dataclass(frozen=True)
class Table:
    """A monotone counting function by its table, the first sample being the highest bit of the index."""

    kappa: NDArray[np.bool_]
    probability: Fraction = Fraction(1)

    note = ""

    def errs(self, d: Floats) -> Sides:
        """High: kappa of the zeros. Low: one minus kappa of the zeros, as a function of the ones."""
        table = float(self.probability) * self.kappa.astype(np.float64)
        return [TableTerm(d, float(self.probability) - table[::-1])], [TableTerm(d, table)]

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """The smallest a among the demands and the ends of the support with kappa(1{y <= a}) = 1."""
        bottom, top = support
        if self.kappa[0]:
            return [(self.probability, bottom)]
        bits = 1 << np.arange(y.size - 1, -1, -1)
        for a in np.unique(y):
            if self.kappa[int(bits[y <= a].sum())]:
                return [(self.probability, float(a))]
        return [(self.probability, top)]


@dataclass(frozen=True)
class Distribution:
    """A separable policy by its P: the probability of ordering at most a, given the past cdfs at a."""

    cdf: Callable[[Floats], float]
    probability: Fraction = Fraction(1)

    note = "conditional on the given P being non-decreasing and exact"

    def errs(self, d: Floats) -> Sides:
        """High: P of the zeros' probabilities. Low: one minus that."""

        def high(t: float) -> float:
            return float(self.cdf(np.minimum(t + d, 1.0)))

        def low(t: float) -> float:
            return 1.0 - float(self.cdf(np.maximum(1.0 - t - d, 0.0)))

        return [BlackBoxTerm(low, float(self.probability))], [BlackBoxTerm(high, float(self.probability))]


@dataclass(frozen=True)
class Top:
    """No data: order the top with probability ``share``, in expectation lo + share (hi - lo)."""

    share: Fraction
    probability: Fraction = Fraction(1)

    note = ""

    def errs(self, d: Floats) -> Sides:
        """Whatever the data say."""
        return (
            [ConstantTerm(float(self.probability * self.share))],
            [ConstantTerm(float(self.probability * (1 - self.share)))],
        )

    def orders(self, y: Floats, support: tuple[float, float]) -> list[tuple[Fraction, float]]:
        """The no-data order."""
        bottom, top = map(Fraction, support)
        return [(self.probability, float(bottom + self.share * (top - bottom)))]


Form = Ranks | Thresholds | Table | Distribution | Top
