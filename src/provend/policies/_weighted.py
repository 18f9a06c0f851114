"""Weighted ERM: minimisers of a weighted empirical cost, which are weighted quantiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._validation import as_exact, as_share
from provend.policies._base import DecidingPolicy
from provend.policies._forms import Form, Level, Ranks, Thresholds, Top
from provend.policies._weights import Weights

SHAPES = ("uniform", "triangular", "epanechnikov", "gaussian", "exponential")


@dataclass(frozen=True)
class WeightedERM(DecidingPolicy):
    r"""A minimiser of :math:`\sum_i w_i \ell(a, y_i)` (Definition of Weighted ERM).

    Parameters
    ----------
    weights : array
        Non-negative, aligned with ``d`` as given, read exactly like the critical ratio.
    tie_break : number in [0, 1]
        The paper's lambda (Appendix D): orders lambda a_min + (1 - lambda) a_max; 1 is the smallest minimiser.
    """

    weights: ArrayLike | Iterable[object]
    tie_break: Any = 1.0
    _read: Weights = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        as_share(self.tie_break, "tie_break")
        object.__setattr__(self, "_read", Weights.read(self.weights, "weights"))

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """a_min: weight at least q of the total. a_max: more than q of it."""
        _check_aligned(self._read, d)
        smallest = as_share(self.tie_break, "tie_break")
        levels = {Level(share=q): smallest, Level(share=q, strict=True): 1 - smallest}
        used = {level: p for level, p in levels.items() if p > 0}
        return (Thresholds(self._read, tuple(used), tuple(used.values())),)


@dataclass(frozen=True)
class WeightedQuantile(DecidingPolicy):
    """The smallest a with ``sum_i w_i 1{y_i <= a} >= threshold``.

    A threshold of at most 0 is the bottom of the support, one above the total weight its top.
    """

    weights: ArrayLike | Iterable[object]
    threshold: Any
    _read: Weights = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        as_exact(self.threshold, "threshold")
        object.__setattr__(self, "_read", Weights.read(self.weights, "weights"))

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """One level, whatever the critical ratio."""
        _check_aligned(self._read, d)
        return (Thresholds(self._read, (Level(level=as_exact(self.threshold, "threshold")),)),)


@dataclass(frozen=True)
class Exponential(DecidingPolicy):
    """Weighted ERM with weight gamma^i on the i-th nearest context, 0 < gamma <= 1."""

    gamma: float

    def __post_init__(self) -> None:
        if not 0 < as_exact(self.gamma, "gamma") <= 1:
            raise ValueError(f"gamma = {self.gamma!r} must lie in (0, 1]")

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """Weights as floating point computes them; those that underflow to 0 do not count."""
        weights = np.empty(d.size)
        weights[np.argsort(d, kind="stable")] = float(self.gamma) ** np.arange(1, d.size + 1)
        return (Thresholds(Weights.stored(weights), (Level(share=q),)),)


@dataclass(frozen=True)
class Kernel(DecidingPolicy):
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
            raise ValueError(f"shape = {self.shape!r} is not a kernel; choose one of {', '.join(SHAPES)}")
        if not as_exact(self.bandwidth, "bandwidth") > 0:
            raise ValueError(f"bandwidth = {self.bandwidth!r} must be positive")

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """Weights as floating point computes them; none in reach: no data."""
        weights = self._weights(d)
        if not weights.any():
            return (Top(q),)
        if self.shape == "uniform":
            inside = np.flatnonzero(weights)
            return (Ranks(inside, (-(-q.numerator * inside.size // q.denominator),)),)
        return (Thresholds(Weights.stored(weights), (Level(share=q),)),)

    def _weights(self, d: NDArray[np.float64]) -> NDArray[np.float64]:
        bandwidth = float(self.bandwidth)
        if self.shape == "uniform":
            return (d <= bandwidth).astype(float)
        with np.errstate(over="ignore", under="ignore"):
            u = d / bandwidth
            match self.shape:
                case "triangular":
                    weights = np.maximum(1 - u, 0)
                case "epanechnikov":
                    weights = np.maximum(1 - u * u, 0)
                case "gaussian":
                    weights = np.exp(-u * u / 2)
                case _:
                    weights = np.exp(-u)
        return np.asarray(weights)


def _check_aligned(weights: Weights, d: NDArray[np.float64]) -> None:
    if weights.size != d.size:
        raise ValueError(
            f"weights has {weights.size} entries but d has {d.size}; give one weight per past context, in the order of d"
        )
