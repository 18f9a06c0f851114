"""Appendix D: ties among minimisers, broken one way or another."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend._validation import as_critical_ratio
from provend.newsvendor import Ratio
from provend.paper._containments import Table, outcomes
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import claim, number
from provend.policies import WeightedERM
from provend.regret import worst_case_regret

TEXT = (
    "With four equal weights and q = 1/2, two demands on either side leave an interval of minimisers. The share is the "
    "paper's lambda: that much of the least minimiser, the rest of the largest."
)


@item("claim_tie_breaking", "The theorem holds however ties are broken", "Theorem D-1 and its example, Appendix D")
def claim_tie_breaking(
    *, q: Ratio = 0.5, shares: Sequence[float] = (0.0, 0.25, 1.0), designs: int = 4, track: Track[float] = quietly
) -> Result:
    """The example with two minimisers; the exact worst case against brute force on Bernoulli demands."""
    ratio, generator = as_critical_ratio(q), np.random.default_rng(5)
    d, y = np.zeros(2), [0.0, 1.0]
    low, high = (WeightedERM((1, 1), tie_break=share).order(y, d, q=Fraction(1, 2)) for share in (1, 0))
    rows: list[Row] = [
        number("two demands, 0 and 1, equal weights and costs: least minimiser", low, "0"),
        number("two demands, 0 and 1, equal weights and costs: largest minimiser", high, "1"),
    ]
    for share in track(shares):
        equal, first = [], 0.0
        for _ in range(designs):
            d = generator.integers(0, 6, 4) / 20
            exact = worst_case_regret(WeightedERM((1, 1, 1, 1), tie_break=share), d, q=ratio)
            first = first or exact.upper
            equal.append(exact.lower - 2e-6 <= _brute_force(d, ratio, share) <= exact.upper)
        rows.append(number(f"share {share:g} of the least minimiser: worst case, first design", first, None))
        rows.append(claim(f"share {share:g} of the least minimiser: theorem equals brute force", all(equal)))
    return Result(
        tuple(rows),
        text=TEXT,
    )


def _brute_force(d: NDArray[np.float64], q: Fraction, share: float) -> float:
    """Largest expected regret on a grid of means, histories at both ends of what d allows."""
    n, means = d.size, np.linspace(0, 1, 4001)
    table: list[float] = []
    for b in outcomes(n):
        at_bottom = share * (sum(b) >= q * n) + (1 - share) * (sum(b) > q * n)
        table.append(1 - at_bottom)
    values = [_regret(table, np.clip(means + sign * d[:, None], 0, 1), means, q) for sign in (-1, 1)]
    return float(np.max(values))


def _regret(
    top: Sequence[float] | Table, past: NDArray[np.float64], mean: NDArray[np.float64], q: Fraction
) -> NDArray[np.float64]:
    """(1 - q - mu) E[top] or (mu - 1 + q)(1 - E[top]), past demands Bernoulli with the given means."""
    expected = np.zeros_like(mean)
    for value, b in zip(top, outcomes(past.shape[0]), strict=True):
        expected += value * np.where(np.array(b, bool)[:, None], 1 - past, past).prod(axis=0)
    gap = float(1 - q) - mean
    return np.where(gap >= 0, gap * expected, -gap * (1 - expected))
