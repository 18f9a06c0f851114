"""Laws of weighted counts in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def law_of(p: Sequence[Fraction], w: Sequence[int | Fraction]) -> dict[int | Fraction, Fraction]:
    """The probability of every sum of the w_i that succeed."""
    law: dict[int | Fraction, Fraction] = {0: Fraction(1)}
    for chance, weight in zip(p, w, strict=True):
        after: dict[int | Fraction, Fraction] = {}
        for total, mass in law.items():
            after[total] = after.get(total, Fraction(0)) + mass * (1 - chance)
            after[total + weight] = after.get(total + weight, Fraction(0)) + mass * chance
        law = after
    return law


def tail_of(p: Sequence[Fraction], w: Sequence[int | Fraction] | np.ndarray, threshold: float | Fraction) -> Fraction:
    """P(sum >= threshold)."""
    weights = w.tolist() if isinstance(w, np.ndarray) else w
    return sum((mass for total, mass in law_of(p, weights).items() if total >= threshold), Fraction(0))
