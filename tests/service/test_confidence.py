"""Service with a confidence near 0 or 1, against tails in fractions at both ends of the bracket."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv


def tail(d: list[float], w: list[int], needed: int, t: Fraction) -> Fraction:
    """P(sum w_i B(min(1, t + d_i)) >= needed)."""
    law = [Fraction(1)] + [Fraction(0)] * sum(w)
    for each, weight in zip(d, w, strict=True):
        p = min(t + Fraction(each), Fraction(1))
        law = [(1 - p) * law[s] + (p * law[s - weight] if s >= weight else 0) for s in range(len(law))]
    return sum(law[max(needed, 0) :], Fraction(0))


@pytest.mark.parametrize("confidence", ["1e-15", "1e-9", "0.4", "0.95", "0.999999", "0.999999999999", "1-1e-18"])
@pytest.mark.parametrize("seed", range(6))
def test_no_confidence_makes_the_bracket_wide(seed: int, confidence: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    d = [0.05] * n if seed % 3 == 0 else rng.uniform(0, 0.1, n).tolist()
    w = [1] * n if seed % 2 == 0 else rng.integers(1, 6, n).tolist()
    needed = int(rng.integers(1, sum(w) + 1))
    certain = 1 - Fraction(1, 10**18) if confidence == "1-1e-18" else Fraction(confidence)
    found = pv.service_level(pv.WeightedQuantile(w, needed), d, confidence=certain)
    for bracket in (found.worst, found.best):
        assert bracket.upper - bracket.lower < 1e-11
        assert 0 <= bracket.lower <= bracket.upper <= 1
    low, high = Fraction(found.worst.lower), Fraction(found.worst.upper)
    assert low == 0 or tail(d, w, needed, low) <= 1 - certain
    assert high == 1 or tail(d, w, needed, high) >= 1 - certain
    low, high = 1 - Fraction(found.best.upper), 1 - Fraction(found.best.lower)
    assert low == 0 or tail(d, w, sum(w) - needed + 1, low) <= certain
    assert high == 1 or tail(d, w, sum(w) - needed + 1, high) >= certain


def test_mixtures_are_still_bracketed() -> None:
    """Two members drawn: no single count, and no contrary to look at."""
    drawn = pv.Mixture([pv.OrderStatistic(3), pv.OrderStatistic(5)], ["1/2", "1/2"])
    found = pv.service_level(drawn, [0.0] * 5, confidence=0.9)
    for s, bound in ((found.worst.lower, np.less_equal), (found.worst.upper, np.greater_equal)):
        mixed = sum(tail([0.0] * 5, [1] * 5, rank, Fraction(s)) for rank in (3, 5)) / 2
        assert bound(float(mixed), 0.1 * (1 + 1e-9 * (1 if bound is np.less_equal else -1)))
