"""The drift at which decisions would have cost least."""

import numpy as np
import pandas as pd
import pytest

from provend import ContextualNewsvendor
from provend._kernels.arithmetic import ageing
from provend._kernels.arithmetic.ageing import quantiles_before
from provend.dissimilarity import learned_drift, parts
from provend.dissimilarity._ageing import FEWEST, LEAD, MULTIPLES

USUAL = 1.5e-4 * 0.175


def noise(seed, size=400):
    return np.random.default_rng(seed).normal(size=size)


def wandering(seed, size=400, per_step=0.15):
    """Noise around a level that takes a small random step each time."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=size) + np.cumsum(rng.normal(0, per_step, size))


def multiple(values, q=0.9):
    return learned_drift(values, np.arange(values.size, dtype=float), q, USUAL).drift / USUAL


@pytest.mark.parametrize("q", [0.5, 0.9, 0.98])
def test_what_wanders_ages_fast_and_noise_does_not(q):
    assert np.mean([multiple(wandering(seed), q) > 1 for seed in range(40)]) > 0.7
    assert np.mean([multiple(noise(seed), q) > 1 for seed in range(40)]) < 0.2


def test_a_level_that_has_changed_once_ages_fast():
    changed = noise(3) + np.where(np.arange(400) < 250, 0.0, 4.0)
    assert multiple(changed) == max(MULTIPLES)


@pytest.mark.parametrize(("rows", "open_days"), [(1560, 7), (1200, 6), (1300, 6), (1050, 5), (1000, 5)])
def test_decisions_of_every_weekday_are_replayed(monkeypatch, rows, open_days):
    """Of 1,000 to 1,050 that could be, every seventh would be of one weekday; with closed Sundays every sixth."""
    seen = set()

    def asked(values, steps, replayed, *others):
        seen.update((replayed % 7).tolist())
        return quantiles_before(values, steps, replayed, *others)

    monkeypatch.setattr(ageing, "quantiles_before", asked)
    week = np.arange(rows)
    learned_drift(noise(0, rows), 7.0 * (week // open_days) + week % open_days, 0.9, USUAL)
    assert seen == set(range(open_days))


def test_the_usual_drift_stays_where_rows_are_few():
    """Decisions are replayed from the first third on, and at least a lead after the first row."""
    assert multiple(wandering(0, LEAD + FEWEST - 1, 2.0)) == 1
    assert {multiple(wandering(seed, LEAD + 2 * FEWEST, 2.0)) for seed in range(5)} != {1.0}


def test_order_of_rows_and_units_do_not_matter():
    values, time = wandering(1), np.arange(400.0)
    mixed = np.random.default_rng(0).permutation(400)
    found = learned_drift(values, time, 0.9, USUAL)
    assert found.drift > USUAL
    assert learned_drift(values[mixed], time[mixed], 0.9, USUAL) == found
    assert learned_drift(8 * values + 64, 7 * time + 19, 0.9, USUAL) == found


def test_gaps_and_shared_moments():
    """Ages are counted in typical steps; rows may share a moment, and there may be only one."""
    values = wandering(2)
    time = np.repeat(np.arange(200.0), 2)
    assert learned_drift(values, time, 0.9, USUAL).drift / USUAL in MULTIPLES
    time[200:] += 1000  # a gap that nothing reaches across
    assert learned_drift(values, time, 0.9, USUAL).drift / USUAL in MULTIPLES
    assert learned_drift(values, np.zeros(400), 0.9, USUAL).drift == USUAL


def test_order_of_rows_within_a_moment_does_not_matter():
    """All demands of a moment count, not the one that happens to be given first."""
    time = np.repeat(np.arange(100.0), 8)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=800) + np.repeat(np.cumsum(rng.normal(0, 0.1, 100)), 8)
        mixed = rng.permutation(800)
        assert learned_drift(values[mixed], time[mixed], 0.9, USUAL) == learned_drift(values, time, 0.9, USUAL)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1020])
def test_no_unit_is_too_large_or_too_small(unit):
    """Squares of savings would not be numbers any more."""
    for seed in range(10):
        assert multiple(wandering(seed) * unit) == multiple(wandering(seed))


@pytest.mark.parametrize("level", ["auto", None])
def test_orders_years_ahead_still_rest_on_past_demand(level):
    """A fast drift without end leaves nothing to count: half of the support, here 2,500, would be ordered."""
    changed = 1000 + 30 * noise(0) + np.where(np.arange(400) < 250, 0.0, 120.0)
    days = pd.DataFrame({"date": pd.date_range("2020-01-01", periods=1200)})
    model = ContextualNewsvendor(1, 1, level=level, support=(0, 5000)).fit(days[:400], changed)
    drift = parts(model.dissimilarity_)[-1]
    assert drift.rate > drift.then > 0
    orders = model.predict(days[400:])
    assert orders.min() > 950
    assert orders.max() < 1160
