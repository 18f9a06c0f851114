"""The items of the last appendix: what is exact against simulation from the definitions, and honest verdicts."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from provend.dissimilarity._kolmogorov import kolmogorov_distances
from provend.paper import _estimation as appendix
from provend.paper._item import Result

TRUNCATED_NORMAL = stats.truncnorm((0 - 0.6) / 0.3, (1 - 0.6) / 0.3, loc=0.6, scale=0.3)
TRUNCATED_EXPONENTIAL = stats.truncexpon(b=3, scale=1 / 3)


def value(result: Result, what: str) -> float:
    found = [row.computed for row in result.rows if row.what == what]
    assert len(found) == 1, what
    return float(found[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("distribution", [TRUNCATED_NORMAL, TRUNCATED_EXPONENTIAL])
def test_the_distribution_does_not_matter(distribution: stats.rv_continuous) -> None:
    """Drawn by inversion from min(F + zeta, 1), from the same uniform numbers: the same distances."""
    random = np.random.default_rng(0)
    u, v = random.random((20, 60)), random.random((20, 60))
    white = distribution.ppf(u)
    black = distribution.ppf(np.maximum(v - 0.1, 0))  # smallest y with min(F(y) + 0.1, 1) >= v
    assert black.min() == 0.0
    same = kolmogorov_distances(u, np.maximum(v - 0.1, 0))
    assert kolmogorov_distances(white, black) == pytest.approx(same, abs=1e-12)


def test_figure8_is_the_simulated_experiment() -> None:
    result = appendix.figure8(sizes=(60,), zetas=(0.1,), repetitions=50)
    random, repetitions = np.random.default_rng(1), 20000
    white = random.random((repetitions, 60))
    black = np.maximum(random.random((repetitions, 60)) - 0.1, 0)
    distances = kolmogorov_distances(white, black)
    mean = value(result, "zeta = 0.1, m = 60: mean")
    assert mean == pytest.approx(distances.mean(), abs=5 * distances.std() / sqrt(repetitions))
    for level in (2.5, 97.5):
        percentile = value(result, f"zeta = 0.1, m = 60: {level:g}th percentile")
        assert percentile == pytest.approx(np.percentile(distances, level), abs=1.01 / 60)
        # a percentile from its definition: no more than the level below, no less up to it, give or take the simulation
        slack = 5 * sqrt(0.025 * 0.975 / repetitions)
        assert (distances < percentile - 1e-9).mean() <= level / 100 + slack
        assert (distances <= percentile + 1e-9).mean() >= level / 100 - slack
    assert {row.verdict for row in result.rows} == {"picture"}
    assert {row.verdict for row in appendix.figure8(sizes=(60,), zetas=(0.2,), repetitions=50).rows} == {"beyond"}


def test_figure8_draws_every_curve_and_its_truth() -> None:
    figure = appendix.figure8(sizes=(50, 100), repetitions=20).figure
    assert figure is not None
    names = [trace.name for trace in figure.data if trace.name]
    assert sum("mean and 95% region" in name for name in names) == 2
    assert sum("simulated" in name for name in names) == 2


def test_shares_within_a_factor() -> None:
    result = appendix.claim_factor(m=80)
    random, repetitions = np.random.default_rng(2), 8000
    white = random.random((repetitions, 80))
    for zeta, factor in ((0.1, 2), (0.05, 3)):
        distances = kolmogorov_distances(white, np.maximum(random.random((repetitions, 80)) - zeta, 0))
        count = int(((distances >= zeta / factor - 1e-9) & (distances <= zeta * factor + 1e-9)).sum())
        share = value(result, f"zeta = {zeta:g}, m = 80: share of instances within a factor of {factor}")
        assert stats.binomtest(count, repetitions, share).pvalue > 1e-6
    assert {row.published for row in result.rows} == {None}


def test_the_papers_words_on_400_samples() -> None:
    rows = [row for row in appendix.claim_factor().rows if row.published]
    assert [row.verdict for row in rows] == ["same", "same"]
    assert all(float(row.computed) > 0.98 for row in rows)  # type: ignore[arg-type]


def test_a_plugged_in_estimate_is_no_upper_bound() -> None:
    result = appendix.claim_conservative(m=50)
    biased, bounded = ([row for row in result.rows if words in row.what] for words in ("positively", "upper bound"))
    assert [row.verdict for row in biased] == ["same", "same"]
    assert [row.verdict for row in bounded] == ["differs", "differs"]
    random, repetitions = np.random.default_rng(3), 20000
    low, high = random.binomial(50, 0.45, repetitions), random.binomial(50, 0.55, repetitions)
    what = "Bernoulli demands, 0.45 and 0.55, m = 50: share of estimates below the truth"
    below = int((np.abs(high - low) < 5).sum())
    assert stats.binomtest(below, repetitions, value(result, what)).pvalue > 1e-6


def test_table6_means_are_those_of_the_experiment() -> None:
    """The paper's own words, one repetition at a time, with its regression by numpy."""
    random, m, drift, repetitions = np.random.default_rng(4), 20, 0.1, 1500
    found = []
    for _ in range(repetitions):
        samples = [TRUNCATED_EXPONENTIAL.ppf(np.maximum(random.random(m) - i * drift, 0)) for i in range(4)]
        pool = np.sort(np.concatenate(samples))
        shares = [np.searchsorted(np.sort(sample), pool, side="right") / m for sample in samples]
        distances = [np.abs(shares[0] - share).max() for share in shares[1:]]
        found.append(np.polyfit([1, 2, 3], distances, 1)[0])
    result = appendix.table6(sizes=(m,), drifts=(drift,), repetitions=2000)
    mean = value(result, f"m = {m}, drift = {drift:g}: mean")
    assert mean == pytest.approx(np.mean(found), abs=5 * np.std(found) / sqrt(repetitions))
    for level in (2.5, 97.5):
        percentile = value(result, f"m = {m}, drift = {drift:g}: {level:g}th percentile")
        assert percentile == pytest.approx(
            np.percentile(found, level), abs=0.0251
        )  # neighbours among multiples of 1/40
    assert {row.published for row in result.rows} == {None}  # other repetitions: not the paper's experiment


def test_table6_agrees_with_the_paper_and_the_trend_is_better() -> None:
    result = appendix.table6(sizes=(20,))
    printed = [row for row in result.rows if row.published]
    assert len(printed) == 9
    assert {row.verdict for row in printed} == {"same"}
    for drift in appendix.DRIFTS:
        slope, trend = (
            value(result, f"m = 20, drift = {drift:g}: root mean square error of the {name}")
            for name in ("slope", "trend")
        )
        assert trend < 0.7 * slope


@pytest.mark.parametrize(
    ("value", "band", "printed", "verdict", "explained"),
    [
        (0.0321, (0.030, 0.034), "0.03", "same", False),
        (0.0047, (0.0039, 0.0054), "0.01", "same", True),
        (0.0047, (0.0043, 0.0049), "0.01", "differs", True),
        (-0.075, (-0.075, -0.075), "-0.08", "same", True),
        (0.2, (0.19, 0.21), "0.25", "differs", True),
    ],
)
def test_verdicts_allow_for_the_simulation_and_no_more(
    value: float, band: tuple[float, float], printed: str, verdict: str, explained: bool
) -> None:
    row = appendix._simulated("x", value, band, printed)
    assert row.verdict == verdict
    assert bool(row.why) == explained


def test_precision_counts_what_it_says() -> None:
    result = appendix.claim_drift_precision(sizes=(20, 50), drifts=(0.01, 0.1), repetitions=400, random_state=5)
    random = np.random.default_rng(5)
    appendix.simulate(20, 0.01, 400, random)
    slope, trend = appendix.simulate(20, 0.1, 400, random)
    assert value(result, "m = 20, drift = 0.1: slope within 50%") == np.mean((slope >= 0.05) & (slope <= 0.15))
    assert value(result, "m = 20, drift = 0.1: trend within 50%") == np.mean((trend >= 0.05) & (trend <= 0.15))
    assert [row.verdict for row in result.rows if row.published] == ["same", "same"]
