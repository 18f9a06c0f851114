"""Quantiles of what had been seen before: machine code beside fractions."""

from fractions import Fraction

import numpy as np
import pytest

from provend._kernels.arithmetic.ageing import quantiles_before


def by_fractions(values, times, now, lead, reach, ratio):
    """The smallest value at which the weights (reach - age)+ of what was seen early enough reach a share of all."""
    ages = [Fraction(now) - Fraction(t) for t in times]
    weights = [max(Fraction(reach) - age, 0) if age >= lead else Fraction(0) for age in ages]
    if not any(weights):
        weights = [Fraction(age >= lead) for age in ages]
    for value in sorted(values):
        if sum(w for v, w in zip(values, weights, strict=True) if v <= value) >= Fraction(ratio) * sum(weights):
            return value
    raise AssertionError("no value is reached")


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_fractions(seed):
    rng = np.random.default_rng(seed)
    size, lead = int(rng.integers(5, 40)), int(rng.integers(1, 5))
    values = rng.integers(0, 9, size).astype(float)  # ties
    times = rng.integers(0, 30, size).astype(float)
    now = rng.integers(int(times.min()) + lead, 45, 6).astype(float)
    reach, ratios = float(rng.choice([1, 6, 15.5, 200])), np.array([0.25, 0.5, 0.75, 0.875])
    order = np.argsort(values)
    found = quantiles_before(values[order], times[order], now, lead, reach, ratios)
    expected = [[by_fractions(values, times, t, lead, reach, ratio) for ratio in ratios] for t in now]
    assert found.tolist() == expected


def test_what_comes_later_is_not_seen():
    """Values seen after the lead began change nothing."""
    values, times = np.arange(10.0), np.arange(10.0)
    seen = quantiles_before(values[:6], times[:6], np.array([8.0]), 3, 100.0, np.array([0.5]))
    assert quantiles_before(values, times, np.array([8.0]), 3, 100.0, np.array([0.5])) == seen
