"""Growth: found where it lasts, not where it breaks or where there is none, and never continued for ever."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from provend import ContextualNewsvendor
from provend.levels._growth import AHEAD, CUTS, FEWEST, RECENT, SHORTEST, Growth, _ahead, _line
from provend.levels._runs import Moments

Floats = NDArray[np.float64]
DAYS = 900
WEEK = (np.arange(DAYS)[:, None] % 7 == np.arange(7)) * 2.0 - 2 / 7


def found(z: Floats, time: Floats | None = None) -> Growth | None:
    days = np.arange(float(z.size)) if time is None else time
    return Growth.of(WEEK[: z.size], z, days, Moments.of(days).runs)


def noise(seed: int, n: int = DAYS) -> Floats:
    return np.random.default_rng(seed).normal(size=n)


@pytest.mark.parametrize("seed", range(4))
def test_steady_growth_is_found(seed: int) -> None:
    growth = found(0.004 * np.arange(DAYS) + WEEK[:, 0] + noise(seed))
    assert growth is not None
    assert growth.slope == pytest.approx(0.004, rel=0.15)
    assert growth.share > 0.7


def test_there_is_none_in_noise_or_where_it_has_broken() -> None:
    days = np.arange(DAYS)
    assert sum(found(noise(seed)) is not None for seed in range(20)) <= 2
    broken = 0.01 * np.minimum(days, 360)
    assert all(found(broken + noise(seed)) is None for seed in range(5))


def test_hardly_any_in_random_walks() -> None:
    """Lines through them look convincing, and do not go on."""
    walks = [found(np.cumsum(noise(seed)) * 0.3 + noise(100 + seed)) for seed in range(20)]
    assert sum(walk is not None for walk in walks) <= 6


def test_few_moments_and_short_times_show_none() -> None:
    few, many = np.arange(FEWEST - 1.0), np.arange(FEWEST + 1.0)
    assert found(few, 10 * few) is None
    assert found(many, 10 * many) is not None
    for days, there in ((SHORTEST, False), (SHORTEST + 1, True)):
        assert (found(np.arange(days)) is not None) == there


def test_a_long_gap_right_before_a_cut() -> None:
    days = np.arange(float(DAYS))
    after_gap = np.where(days < CUTS[0] * DAYS, days, days + 1000)
    assert found(0.004 * after_gap + noise(0), after_gap) is not None


def test_it_is_damped_and_ends() -> None:
    growth = Growth(slope=2.0, share=0.5, last=100.0, most=30.0)
    assert growth.at(np.array([90.0, 100.0, 110.0, 130.0, 1e6])).tolist() == [-20.0, 0.0, 10.0, 30.0, 30.0]


def test_what_is_ahead_of_a_cut_uses_nothing_after_it() -> None:
    """Row by row from a fit of the rows before."""
    rng = np.random.default_rng(5)
    time, z = rng.permutation(np.arange(200.0)), rng.normal(size=200)
    timeless = rng.normal(size=(200, 2))
    cut = CUTS[0] * 200
    missed, grown, after = _ahead(timeless, z, time, cut)
    past = time < cut
    slope, others = _line(timeless[past], z[past], time[past])
    near = past & (time >= cut - 1 - RECENT * 199)
    assert sorted(time[after].tolist()) == [t for t in range(200) if cut <= t <= cut + AHEAD * 199]
    for m, g, i in zip(missed, grown, after, strict=True):
        assert m == pytest.approx(z[i] - timeless[i] @ others - np.mean(z[near] - timeless[near] @ others))
        assert g == pytest.approx(slope * (time[i] - time[near].mean()))
    elsewhere = z + 5.0 * (time > cut + AHEAD * 199)
    assert np.array_equal(_ahead(timeless, elsewhere, time, cut)[0], missed)


def test_the_line_is_that_of_least_squares_with_rows_that_pull() -> None:
    rng = np.random.default_rng(6)
    time, timeless = np.arange(50.0) * 3, rng.normal(size=(50, 2))
    z = 0.2 * time + timeless @ [1.0, -1.0] + rng.normal(size=50)
    features = np.column_stack([timeless, (time - time.mean()) / time.std()])
    features -= features.mean(axis=0)
    rows = np.vstack([features, np.eye(3)])
    expected = np.linalg.lstsq(rows, np.append(z - z.mean(), np.zeros(3)), rcond=None)[0]
    slope, others = _line(timeless, z, time)
    assert others == pytest.approx(expected[:2])
    assert slope == pytest.approx(expected[2] / time.std())


def test_orders_follow_demand_that_grows() -> None:
    """A year ahead, where a quantile of the past is far too low and the recent past a little."""
    days = pd.DataFrame({"date": pd.date_range("2020-01-01", periods=1400)})
    mean = 50 * 1.15 ** (np.arange(1400) / 365)
    y = np.random.default_rng(0).poisson(mean).astype(float)
    model = ContextualNewsvendor(1, 1, support=(0, 300)).fit(days[:1050], y[:1050])
    assert "growth" in model.basis_
    orders = model.predict(days[1050:])
    assert abs(orders - mean[1050:]).mean() < 0.65 * abs(mean[1000:1050].mean() - mean[1050:]).mean()
