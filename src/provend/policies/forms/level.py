"""A level that a sum of weights has to meet, in integers where the weights have a unit; ties are exact."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, fsum, lcm
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.rounding import UNIT
from provend.policies.forms.quantile import how_many
from provend.policies.forms.weights import Weights

Number = TypeVar("Number", np.int64, np.float64)


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
        """The threshold in units of the weights' scale, to within a rounding per weight; clipped far outside."""
        total = fsum(weights.floats)
        beyond = Fraction(total) + 1
        return float(self.share) * total + float(min(max(self.level / weights.scale, -beyond), beyond))

    def met(self, total: Fraction, reached: Fraction) -> bool:
        """Whether the exact sum ``reached`` meets it."""
        threshold = self.share * total + self.level
        return reached > threshold or (reached == threshold and not self.strict)

    def demands_taken(self, weights: Weights, by_demand: NDArray[np.intp]) -> NDArray[np.intp]:
        """How many demands, in ascending order, it takes to meet it, for each row; n + 1 where all n are not enough."""
        if (lattice := weights.lattice) is not None:
            whole, unit = lattice
            return how_many(whole[by_demand], self.needed(int(whole.sum()), unit))
        return np.array([self._taken(weights, row) for row in by_demand], np.intp)

    def _taken(self, weights: Weights, by_demand: NDArray[np.intp]) -> int:
        """For weights with no useful unit: floats say where to look, fractions decide there."""
        exact = weights.exact
        sums = np.concatenate([[0.0], np.cumsum(weights.floats[by_demand])])
        threshold = self.relative(weights)
        slack = 4 * UNIT * (sums.size + 1) * (sums[-1] + abs(threshold))
        first, last = np.searchsorted(sums, threshold - slack), np.searchsorted(sums, threshold + slack)
        reached = sum((exact[i] for i in by_demand[: max(first, 0)]), Fraction(0))
        for count in range(int(first), int(last)):
            if self.met(weights.total, reached):
                return count
            if count < by_demand.size:
                reached += exact[by_demand[count]]
        return int(last)

    def kappa(self, weights: Weights) -> NDArray[np.bool_]:
        """The counting function (Proposition 4) on all subsets of samples; what floats cannot decide, exactly."""
        used = weights.used
        if (lattice := weights.lattice) is not None:
            whole, unit = lattice
            return _subset_sums(whole[used], np.zeros(1, np.int64)) >= self.needed(int(whole.sum()), unit)
        sums = _subset_sums(weights.floats[used], np.zeros(1))
        threshold = self.relative(weights)
        slack = 4 * UNIT * (used.size + 2) * (sums[-1] + abs(threshold))
        kappa = sums > threshold
        close = np.flatnonzero(np.abs(sums - threshold) <= slack)
        kappa[close] = self._met_by(weights, close)
        return kappa

    def _met_by(self, weights: Weights, subsets: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether these subsets meet it, in integers of any length."""
        exact = [weights.exact[i] for i in weights.used]
        common = lcm(*(weight.denominator for weight in exact))
        whole = [int(weight * common) for weight in exact]
        reached = np.zeros(subsets.size, object)
        for place, weight in enumerate(reversed(whole)):
            reached += (subsets >> place & 1).astype(object) * weight
        return np.asarray(reached >= self.needed(sum(whole), Fraction(1, common)), bool)


def _subset_sums(weights: NDArray[Number], sums: NDArray[Number]) -> NDArray[Number]:
    """The weight of every subset, the first sample being the highest bit of the index; ``sums`` holds that of none."""
    for weight in weights[::-1]:
        sums = np.concatenate([sums, sums + weight])
    return sums
