"""The drift per period from samples: both estimates from their definitions, and limits that hold."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import integrate, stats

from provend.dissimilarity._drift import (
    EXPECTED_NOISE,
    equivalent_size,
    estimate_drift,
    margins,
    slopes,
    trend_weights,
    trends,
)
from provend.dissimilarity._kolmogorov import kolmogorov_distances, shift_mean


def periods(random: np.random.Generator, drift: float, sizes: list[int], rows: int) -> list[np.ndarray]:
    return [np.maximum(random.random((rows, m)) - i * drift, 0) for i, m in enumerate(sizes)]


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("sizes", [[8, 8, 8, 8], [5, 12, 9], [3, 1, 4, 1, 5]])
def test_both_estimates_from_their_definitions(sizes: list[int], rounded: bool) -> None:
    samples = [sample[0] for sample in periods(np.random.default_rng(len(sizes)), 0.1, sizes, 1)]
    if rounded:
        samples = [np.round(4 * sample) for sample in samples]  # ties
    found = estimate_drift(samples)
    distances = [stats.ks_2samp(samples[0], sample, method="asymp").statistic for sample in samples[1:]]
    assert found.distances == pytest.approx(distances, abs=1e-12)
    line = stats.linregress(np.arange(1, len(sizes)), distances)
    assert (found.slope, found.intercept) == pytest.approx((line.slope, line.intercept), abs=1e-12)
    i = np.arange(len(sizes))
    steepest = max(  # weighted least squares at every level, by numpy
        abs(np.polyfit(i, [(sample <= y).mean() for sample in samples], 1, w=np.sqrt(sizes))[0])
        for y in np.concatenate(samples)
    )
    assert found.trend == pytest.approx(steepest, abs=1e-12)


def test_many_repetitions_at_once() -> None:
    samples = periods(np.random.default_rng(4), 0.05, [20] * 4, 30)
    single = [estimate_drift([sample[k] for sample in samples]) for k in range(3)]
    assert trends(samples)[:3] == pytest.approx([one.trend for one in single], abs=1e-14)
    distances = np.column_stack([kolmogorov_distances(samples[0], sample) for sample in samples[1:]])
    assert slopes(distances)[:3] == pytest.approx([one.slope for one in single], abs=1e-12)
    assert slopes(distances) == pytest.approx((distances[:, 2] - distances[:, 0]) / 2, abs=1e-14)


def test_order_matters_to_the_slope_and_not_to_the_trend() -> None:
    samples = [sample[0] for sample in periods(np.random.default_rng(5), 0.1, [15, 25, 20, 30], 1)]
    forward, backward = estimate_drift(samples), estimate_drift(samples[::-1])
    assert forward.trend == pytest.approx(backward.trend, abs=1e-14)
    assert forward.slope != pytest.approx(backward.slope, abs=1e-6)


def test_the_trend_never_exceeds_the_largest_step() -> None:
    """Its weights average the steps from period to period, so it says nothing that successive periods do not."""
    for sizes in ([4, 4, 4], [1, 50, 3, 7], list(range(1, 30))):
        steps = -np.cumsum(trend_weights(sizes))[:-1]  # sum c_i F_i = sum steps_i (F_{i+1} - F_i)
        assert steps.min() >= -1e-15
        assert steps.sum() == pytest.approx(1)


def test_correction_is_that_of_two_samples_as_noisy() -> None:
    sizes = [30, 50, 40, 60]
    samples = [sample[0] for sample in periods(np.random.default_rng(6), 0.1, sizes, 1)]
    found = estimate_drift(samples)
    size = equivalent_size(sizes)
    variance = sum(c**2 / m for c, m in zip(trend_weights(sizes), sizes, strict=True))
    assert size == round(2 / variance)
    assert 0 < found.drift < found.trend
    assert shift_mean(size, found.drift) == pytest.approx(found.trend, abs=1e-5)


def test_expected_noise() -> None:
    area, _ = integrate.quad(lambda t: min(1.0, 2 * np.exp(-2 * t * t)), 0, 8, points=[sqrt(np.log(2) / 2)])
    assert pytest.approx(area, abs=1e-9) == EXPECTED_NOISE


@pytest.mark.parametrize("drift", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("sizes", [[10] * 4, [40, 15, 25]])
def test_limits_hold_as_often_as_they_say(drift: float, sizes: list[int]) -> None:
    confidence, repetitions = 0.8, 2000
    samples = periods(np.random.default_rng(7), drift, sizes, repetitions)
    found, (below, above) = trends(samples), margins(sizes, confidence)
    most = stats.binom.ppf(1 - 1e-6, repetitions, 1 - confidence)
    assert int((found + above < drift).sum()) <= most
    assert int((found - below > drift).sum()) <= most
    one = estimate_drift([sample[0] for sample in samples], confidence=confidence)
    assert one.lower == pytest.approx(max(0.0, one.trend - below), abs=1e-9)
    assert one.upper == pytest.approx(min(1.0, one.trend + above), abs=1e-9)


def test_upper_limit_on_bernoulli_demands() -> None:
    """Where the bound is nearly attained: one level only, and shares near one half."""
    random, repetitions, m = np.random.default_rng(8), 3000, 12
    shares = [0.3, 0.5, 0.7]
    samples = [(random.random((repetitions, m)) > share).astype(float) for share in shares]
    variance = sum(c**2 / m for c in trend_weights([m] * 3))
    for confidence in (0.6, 0.9):
        upper = trends(samples) + sqrt(-np.log(1 - confidence) * variance / 2)
        failures = int((upper < 0.2).sum())
        assert failures <= stats.binom.ppf(1 - 1e-6, repetitions, 1 - confidence)
        one = estimate_drift([sample[0] for sample in samples], confidence=confidence)
        assert one.upper == pytest.approx(min(1.0, float(upper[0])), abs=1e-9)


@pytest.mark.parametrize(
    ("samples", "error", "message"),
    [
        ([[1.0], [2.0]], ValueError, "samples has 2 periods; a drift needs at least 3, for two use estimate_diss"),
        ([], ValueError, "samples has 0 periods"),
        ([[1.0], [], [2.0]], ValueError, r"samples\[1\] is empty; give at least one demand"),
        ([[1.0], [1.0, np.nan], [2.0]], ValueError, r"samples\[1\]\[1\] = nan"),
        ([1.0, 2.0, 3.0], ValueError, r"samples\[0\] has 0 dimensions"),
        (7, TypeError, "samples = 7 is not a sequence; give one array of demands per period"),
    ],
)
def test_bad_samples(samples: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        estimate_drift(samples)  # type: ignore[arg-type]


def test_bad_confidence() -> None:
    with pytest.raises(ValueError, match="confidence = 1 must lie strictly between 0 and 1"):
        estimate_drift([[1.0, 2.0]] * 3, confidence=1)
