"""Weighted ERM: minimisers of a weighted empirical cost, which are weighted quantiles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._rational import Number
from provend._validation import as_count, as_dissimilarities, as_exact, as_float, as_share
from provend.policies._base import RANKS, DecidingPolicy
from provend.policies.forms import Form, Level, Thresholds, Top, Weights

Floats = NDArray[np.float64]

SHAPES: dict[str, Callable[[Floats, float], Floats]] = {
    "uniform": lambda d, h: np.where(d <= h, 1.0, 0.0),
    "triangular": lambda d, h: np.maximum(1 - d / h, 0.0),
    "epanechnikov": lambda d, h: np.maximum(1 - (d / h) ** 2, 0.0),
    "gaussian": lambda d, h: np.exp(-((d / h) ** 2) / 2),
    "exponential": lambda d, h: np.exp(-d / h),
}


@dataclass(frozen=True)
class WeightedERM(DecidingPolicy):
    r"""A minimiser of :math:`\sum_i w_i \ell(a, y_i)` (the paper's Definition 2).

    Parameters
    ----------
    weights : array
        Non-negative, aligned with ``d`` as given, read exactly like the critical ratio.
    tie_break : number in [0, 1]
        The paper's lambda (Theorem D-1): orders lambda a_min + (1 - lambda) a_max; 1 is the smallest minimiser.
    """

    weights: ArrayLike | Iterable[object] = field(compare=False)
    tie_break: Number = 1.0
    _read: Weights = field(init=False, repr=False)

    def __post_init__(self) -> None:
        as_share(self.tie_break, "tie_break")
        object.__setattr__(self, "_read", Weights.read(self.weights, "weights"))

    def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
        """a_min: weight at least q of the total. a_max: more than q of it."""
        _check_aligned(self._read, d)
        smallest = as_share(self.tie_break, "tie_break")
        levels = {Level(share=q): smallest, Level(share=q, strict=True): 1 - smallest}
        used = {level: p for level, p in levels.items() if p > 0}
        return (Thresholds(self._read, tuple(used), tuple(used.values())),)

    def on_first(self, n: int) -> WeightedERM:
        """The first n weights."""
        return WeightedERM(self._read.exact[:n], self.tie_break)


@dataclass(frozen=True)
class WeightedQuantile(DecidingPolicy):
    """The smallest a with ``sum_i w_i 1{y_i <= a} >= threshold``.

    A threshold of at most 0 is the bottom of the support, one above the total weight its top.
    """

    weights: ArrayLike | Iterable[object] = field(compare=False)
    threshold: Number
    _read: Weights = field(init=False, repr=False)

    def __post_init__(self) -> None:
        as_exact(self.threshold, "threshold")
        object.__setattr__(self, "_read", Weights.read(self.weights, "weights"))

    def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
        """One level, whatever the critical ratio."""
        _check_aligned(self._read, d)
        return (Thresholds(self._read, (Level(level=as_exact(self.threshold, "threshold")),)),)

    def on_first(self, n: int) -> WeightedQuantile:
        """The first n weights; the threshold stays."""
        return WeightedQuantile(self._read.exact[:n], self.threshold)


class ComputedWeights(DecidingPolicy):
    """Weighted ERM whose weights follow from the dissimilarities by a formula.

    The weights are the numbers that floating point computes. They are real rather than integer, so beyond twenty
    samples the guarantee is a bracket of some width; :meth:`rounded` gives a nearby policy whose guarantee is exact.
    """

    @abstractmethod
    def weights(self, d: Floats) -> Floats:
        """The weight of each past context."""

    def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
        """One level, at q of the total weight; the no-data policy where no context has any weight."""
        weights = self.weights(d)
        if not weights.any():
            return (Top(q),)
        return (Thresholds(Weights.stored(weights), (Level(share=q),)),)

    def rounded(self, d: ArrayLike, /, *, cells: int = 1000) -> WeightedERM:
        """The policy with its weights rounded to integers of at most ``cells``, which is evaluated exactly."""
        weights = self.weights(as_dissimilarities(d))
        if not weights.any():
            raise InputError(f"{self!r} gives no past context any weight; choose a wider kernel or use NoData()")
        return WeightedERM(np.rint(weights * (as_count(cells, "cells") / weights.max())).astype(np.int64))


@dataclass(frozen=True)
class Exponential(ComputedWeights):
    """Weighted ERM with weight gamma^i on the i-th nearest context, 0 < gamma <= 1."""

    gamma: float

    sees = RANKS

    def __post_init__(self) -> None:
        if not 0 < as_exact(self.gamma, "gamma") <= 1:
            raise InputError(f"gamma = {self.gamma!r} must lie in (0, 1]; 1 is ERM")

    def weights(self, d: Floats) -> Floats:
        """Powers of gamma; those that underflow to 0 do not count."""
        weights = np.empty(d.size)
        weights[np.argsort(d, kind="stable")] = float(as_exact(self.gamma, "gamma")) ** np.arange(1, d.size + 1)
        return weights


@dataclass(frozen=True)
class Kernel(ComputedWeights):
    """Weighted ERM with weight K(d / bandwidth).

    Parameters
    ----------
    shape : str
        With u = d / bandwidth: uniform 1{u <= 1}, triangular (1 - u)+, epanechnikov (1 - u^2)+,
        gaussian exp(-u^2 / 2), exponential exp(-u).
    bandwidth : float
        Positive. With no context in reach the policy decides as :class:`NoData`.
    """

    shape: str
    bandwidth: float

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            raise InputError(f"shape = {self.shape!r} is not a kernel; choose one of {', '.join(SHAPES)}")
        if not as_float(self.bandwidth, "bandwidth") > 0:
            raise InputError(f"bandwidth = {self.bandwidth!r} must be positive, and not so small that a float is 0")

    def weights(self, d: Floats) -> Floats:
        """The kernel at d / bandwidth."""
        with np.errstate(over="ignore", under="ignore"):
            return SHAPES[self.shape](d, as_float(self.bandwidth, "bandwidth"))


def _check_aligned(weights: Weights, d: Floats) -> None:
    if weights.size != d.size:
        raise InputError(
            f"weights has {weights.size} entries but d has {d.size}; give one weight per past context, in its order"
        )
