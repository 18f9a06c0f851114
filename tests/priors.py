"""What a prior on two means proves, summed over all outcomes in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from provend.minimax import Minimax


def smaller_masses(pi: float, low: tuple[float, np.ndarray], high: tuple[float, np.ndarray], c: Fraction) -> Fraction:
    """Sum over all outcomes of the smaller of two masses; ``low`` and ``high`` are a mean and its history."""
    total = Fraction(0)
    weights = Fraction(pi) * (c - Fraction(low[0])), (1 - Fraction(pi)) * (Fraction(high[0]) - c)
    for y in product((0, 1), repeat=low[1].size):
        masses = []
        for mass, (_, history) in zip(weights, (low, high), strict=True):
            for p, one in zip(history.tolist(), y, strict=True):
                mass *= Fraction(p) if one else 1 - Fraction(p)
            masses.append(mass)
        total += min(masses)
    return total


def bayes_risk(found: Minimax, q: Fraction) -> Fraction:
    """What the prior truly costs whoever faces it."""
    low, high = found.prior
    return smaller_masses(low.probability, (low.mean, low.history), (high.mean, high.history), 1 - q)


def is_feasible(found: Minimax, d: np.ndarray) -> bool:
    """Whether each history is as close to its mean as d says, in exact arithmetic."""
    return all(
        abs(Fraction(p) - Fraction(point.mean)) <= min(Fraction(x), 1) and 0 <= p <= 1
        for point in found.prior
        for p, x in zip(point.history.tolist(), d.tolist(), strict=True)
    )
