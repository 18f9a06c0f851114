"""The regression for sales that were cut off, by the likelihood it is to maximise; normal tails by mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from provend.levels._normal import mean_beyond, quantile_beyond, variance_beyond
from provend.levels._tobit import PENALTY, Tobit

POINTS = [-40.0, -8.0, -1.0, 0.0, 0.5, 3.0, 12.0, 60.0, 900.0]


def beyond(u: float, moment: Any) -> Any:
    """The mean of ``moment`` of a standard normal variable beyond u, by quadrature."""
    stops = [u, *(u + step for step in (1 / (1 + abs(u)), 5 / (1 + abs(u)), 1, 10, 50, 100)), mpmath.inf]

    def total(f: Any) -> Any:
        return mpmath.quad(lambda x: f(x) * mpmath.exp((u - x) * (u + x) / 2), stops)

    return total(moment) / total(lambda _: 1)


@pytest.mark.parametrize("u", POINTS)
def test_mean_and_variance_beyond_a_point(u: float) -> None:
    with mpmath.workdps(40):
        mean = beyond(u, lambda x: x)
        variance = beyond(u, lambda x: (x - mean) ** 2)
    assert float(mean_beyond(np.array(u))) == pytest.approx(float(mean), rel=1e-13, abs=1e-15)
    assert float(variance_beyond(np.array(u))) == pytest.approx(float(variance), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("u", POINTS[:-1])
@pytest.mark.parametrize("share", [0.001, 0.5, 0.99])
def test_quantiles_beyond_a_point(u: float, share: float) -> None:
    """The tail beyond the quantile is the rest of that beyond the point."""
    found = float(quantile_beyond(np.array(u), np.array(share)))
    with mpmath.workdps(40):
        tails = [mpmath.erfc(mpmath.mpf(x) / mpmath.sqrt(2)) for x in (found, u)]
        left = tails[0] / tails[1]
        slope = abs(u) + 1  # of the logarithm of the tail, roughly: what an error in the last place can do
    assert float(left) == pytest.approx(1 - share, rel=1e-13 * slope**2 + 1e-12)


def likelihood(level: Any, spread: float, z: Any, cut_off: Any) -> float:
    return float(np.where(cut_off, norm.logsf(z, level, spread), norm.logpdf(z, level, spread)).sum())


@pytest.mark.parametrize("seed", range(5))
def test_no_other_level_and_spread_make_sales_likelier(seed: int) -> None:
    """The slopes of the likelihood are those of the penalty, by differences; scipy knows the likelihood."""
    rng, size = np.random.default_rng(seed), 120
    matrix = rng.normal(size=(size, 3))
    y = 5 + matrix @ [1.0, -0.5, 0.0] + rng.normal(0, 0.7, size)
    stock = rng.choice([4.0, 6.0, 9.0], size)
    z, out = np.minimum(y, stock), y >= stock
    assert 0.2 < out.mean() < 0.6
    found, centred, step = Tobit.of(matrix, z, out), matrix - matrix.mean(axis=0), 1e-5

    def slope(level: Any, spread: float) -> float:
        """In the direction given, over both sides."""
        ends = [likelihood(found.level + s * step * level, found.spread + s * step * spread, z, out) for s in (1, -1)]
        return (ends[0] - ends[1]) / (2 * step)

    coefficients = np.linalg.lstsq(centred, found.level - found.level.mean(), rcond=None)[0]
    assert slope(np.ones(size), 0.0) == pytest.approx(0, abs=1e-3)
    assert slope(np.zeros(size), 1.0) == pytest.approx(0, abs=1e-3)
    for column, value in zip(centred.T, coefficients, strict=True):
        assert slope(column, 0.0) == pytest.approx(PENALTY * value / found.spread**2, abs=1e-3)


def test_without_anything_cut_off_it_is_a_regression() -> None:
    rng = np.random.default_rng(0)
    matrix, z = rng.normal(size=(50, 2)), rng.normal(size=50)
    found = Tobit.of(matrix, z, np.zeros(50, bool))
    centred = np.vstack([matrix - matrix.mean(axis=0), np.sqrt(PENALTY) * np.eye(2)])
    fitted = np.linalg.lstsq(centred, np.append(z - z.mean(), [0, 0]), rcond=None)[0]
    assert found.level == pytest.approx(z.mean() + centred[:50] @ fitted)
    assert found.spread == pytest.approx(np.sqrt(np.square(z - found.level).mean()))
    for row in range(50):  # likely demand at its forecast by the others is a row that changes nothing
        target = z.copy()
        target[row] = found.past[row]
        assert Tobit.of(matrix, target, np.zeros(50, bool)).level[row] == pytest.approx(found.past[row])
