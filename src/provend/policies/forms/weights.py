"""Non-negative weights as exact numbers, with floats beside them for speed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._errors import InputError
from provend._validation import as_entries, as_exact

COMMON_DENOMINATOR = 2**4096  # beyond it no small unit is to be expected, and the search for one would take long


class Weights:
    """Exact non-negative weights, aligned with the dissimilarities.

    ``floats`` times ``scale`` is within half a unit in the last place of the exact values; the largest weight
    is a float of ordinary size, however large or small it is itself.
    """

    def __init__(
        self,
        floats: NDArray[np.float64],
        scale: Fraction = Fraction(1),
        exact: tuple[Fraction, ...] | None = None,
        integers: NDArray[np.int64] | None = None,
    ) -> None:
        self.floats, self.scale = floats, scale
        self._exact, self._integers = exact, integers

    @classmethod
    def read(cls, values: ArrayLike | Iterable[object], name: str) -> Weights:
        """Weights given by the user, each entry read exactly, like the critical ratio."""
        if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "i":
            least, most = int(values.min(initial=0)), int(values.max(initial=0))
            if least >= 0 and 0 < most < 2**53:  # exact as floats as well
                return cls(values / most, Fraction(most), integers=values.astype(np.int64))
        entries = as_entries(values, name)
        exact = tuple(as_exact(entry, f"{name}[{i}]") for i, entry in enumerate(entries))
        for i, weight in enumerate(exact):
            if weight < 0:
                raise InputError(f"{name}[{i}] = {entries[i]!r} is negative; weights are at least 0")
        if not any(exact):
            raise InputError(f"{name} are all zero; at least one past context must count, or use NoData()")
        scale = max(exact)
        return cls(np.array([float(weight / scale) for weight in exact]), scale, exact)

    @classmethod
    def stored(cls, floats: NDArray[np.float64]) -> Weights:
        """Weights computed by a formula: exactly the numbers that the floats store."""
        return cls(floats)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return False
        if self._integers is not None and other._integers is not None:
            return np.array_equal(self._integers, other._integers)
        return self.exact == other.exact

    def __hash__(self) -> int:
        return hash((self.size, self.used.tobytes()))

    @property
    def size(self) -> int:
        """How many samples they are for."""
        return self.floats.size

    @cached_property
    def exact(self) -> tuple[Fraction, ...]:
        """The weights as fractions."""
        if self._exact is not None:
            return self._exact
        return tuple(map(Fraction, (self.floats if self._integers is None else self._integers).tolist()))

    @cached_property
    def used(self) -> NDArray[np.intp]:
        """Positions of the weights that are not zero."""
        return np.flatnonzero(self.floats if self._exact is None else [weight > 0 for weight in self._exact])

    @cached_property
    def total(self) -> Fraction:
        """Their exact sum."""
        return sum(self.exact, Fraction(0))

    @cached_property
    def lattice(self) -> tuple[NDArray[np.int64], Fraction] | None:
        """Integers and the unit they count, or None where the common unit is too fine to be useful."""
        if self._integers is not None:
            unit = int(np.gcd.reduce(self._integers))
            total = sum(self._integers.tolist()) // unit
            return (self._integers // unit, Fraction(unit)) if total < 2**62 else None
        used = self.floats[self.used]
        if self._exact is None and used[0] == used.min() == used.max():
            return (self.floats > 0).astype(np.int64), Fraction(float(used[0]))
        common = 1
        for weight in self.exact:
            common = lcm(common, weight.denominator)
            if common > COMMON_DENOMINATOR:
                return None
        whole = np.array([weight.numerator * (common // weight.denominator) for weight in self.exact], object)
        divisor = int(np.gcd.reduce(whole))
        if int(whole.sum()) // divisor >= 2**62:
            return None
        return (whole // divisor).astype(np.int64), Fraction(divisor, common)
