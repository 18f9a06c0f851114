"""Non-negative weights as exact numbers, with floats beside them for speed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._validation import as_exact

COMMON_DENOMINATOR = 2**40  # beyond it weights count as real numbers


class Weights:
    """Exact non-negative weights, aligned with the dissimilarities.

    ``floats`` are within half a unit in the last place of the exact values.
    """

    def __init__(self, floats: NDArray[np.float64], exact: tuple[Fraction, ...] | None = None) -> None:
        self.floats = floats
        self._exact = exact

    @classmethod
    def read(cls, values: ArrayLike | Iterable[object], name: str) -> Weights:
        """From the user: each entry read exactly, as the critical ratio is."""
        entries = list(np.asarray(values)) if hasattr(values, "__array__") else list(values)  # type: ignore[arg-type]
        exact = tuple(as_exact(entry, f"{name}[{i}]") for i, entry in enumerate(entries))
        for i, weight in enumerate(exact):
            if weight < 0:
                raise ValueError(f"{name}[{i}] = {entries[i]!r} is negative; weights are at least 0")
        if not any(exact):
            raise ValueError(f"{name} are all zero; at least one past context must count, or use NoData()")
        return cls(np.array([float(weight) for weight in exact]), exact)

    @classmethod
    def stored(cls, floats: NDArray[np.float64]) -> Weights:
        """Computed by a formula: the numbers the floats store."""
        return cls(floats)

    @property
    def size(self) -> int:
        """How many samples they are for."""
        return self.floats.size

    @property
    def exact(self) -> tuple[Fraction, ...]:
        """The weights as fractions."""
        return tuple(map(Fraction, self.floats.tolist())) if self._exact is None else self._exact

    @cached_property
    def lattice(self) -> tuple[NDArray[np.int64], Fraction] | None:
        """Integers and the unit they count, or None where the common unit is too fine to be useful."""
        if self._exact is None and not np.any(self.floats % 1) and self.floats.sum() < 2**53:
            integers = self.floats.astype(np.int64)
            divisor = int(np.gcd.reduce(integers))
            return integers // divisor, Fraction(divisor)
        common = 1
        for weight in self.exact:
            common = lcm(common, weight.denominator)
            if common > COMMON_DENOMINATOR:
                return None
        whole = [int(weight * common) for weight in self.exact]
        if sum(whole) >= 2**62:
            return None
        integers = np.array(whole, np.int64)
        divisor = int(np.gcd.reduce(integers))
        return integers // divisor, Fraction(divisor, common)
