"""Counting functions and separable policies: the widest classes Theorem 1 covers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._errors import InputError
from provend._kernels.tails.table import MOST_SAMPLES
from provend.policies._base import POSITIONS, DecidingPolicy, Policy
from provend.policies.forms import Distribution, Form, Table


@dataclass(frozen=True)
class Counting(DecidingPolicy):
    """A counting policy (Definition 4) by its function kappa: order at most a iff kappa(b) = 1, b_i = 1{y_i <= a}.

    Parameters
    ----------
    kappa : callable
        Takes a tuple of n zeros and ones and returns 0 or 1; it must not fall when an entry rises. Up to 20 samples.
    """

    kappa: Callable[[tuple[int, ...]], int]

    sees = POSITIONS

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """The whole table, checked to be monotone."""
        if d.size > MOST_SAMPLES:
            raise InputError(
                f"d has {d.size} entries; a Counting policy is tabulated for at most {MOST_SAMPLES} samples"
            )
        values = [self.kappa(_bits(index, d.size)) for index in range(2**d.size)]
        for index, value in enumerate(values):
            if value not in (0, 1):
                raise InputError(f"kappa{_bits(index, d.size)} = {value!r}; a counting function returns 0 or 1")
        table = np.array(values, bool)
        for sample in range(d.size):
            pairs = table.reshape(2**sample, 2, -1)
            if (falls := pairs[:, 0] & ~pairs[:, 1]).any():
                before, after = np.argwhere(falls)[0]
                index = int(before) * 2 ** (d.size - sample) + int(after)
                raise InputError(
                    f"kappa is not monotone: kappa{_bits(index, d.size)} = 1 but 0 when entry {sample} becomes 1; "
                    "a policy that orders at most a must still do so when more demands are at most a"
                )
        return (Table(table),)


def _bits(index: int, n: int) -> tuple[int, ...]:
    return tuple(index >> (n - 1 - i) & 1 for i in range(n))


@dataclass(frozen=True)
class Separable(Policy):
    """A non-decreasing separable policy (Definition 3) by its P, with P(order <= a) = P(F_1(a), ..., F_n(a)).

    It has no ``order``: P alone does not say how to decide. Its guarantee rests on P being non-decreasing in each
    argument, which is not checked, and its bracket is wider than that of other policies because P is a black box.

    Parameters
    ----------
    cdf : callable
        Takes an array of n numbers in [0, 1], the past cdfs at a, in the order of ``d``; returns P in [0, 1].
    """

    cdf: Callable[[NDArray[np.float64]], float]

    sees = POSITIONS

    def form(self, d: NDArray[np.float64], q: Fraction) -> tuple[Form, ...]:
        """P itself."""
        return (Distribution(self._checked),)

    def _checked(self, h: NDArray[np.float64]) -> float:
        value = float(self.cdf(h))
        if not 0 <= value <= 1:
            raise InputError(f"cdf returned {value!r} at {h.tolist()}; P is a probability in [0, 1]")
        return value
