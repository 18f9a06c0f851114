"""The level of the recent past against a double loop."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import lfilter

from provend.levels._recent import HALF_LIFE, LEADS, PRIOR, REACH, Fading, Recent
from provend.levels._runs import Moments

Floats = NDArray[np.float64]
LEAD = LEADS[0]


def slowly(errors: Floats, time: Floats, lead: int) -> tuple[Floats, float, float]:
    """Moment by moment: means of what lies ``lead`` moments back or more, by age, with zeros added; a share."""
    moments = sorted(set(time.tolist()))
    mean = {t: float(np.mean(errors[time == t])) for t in moments}

    def before(place: int) -> float:
        """Of the moments up to that place, the last of age 0."""
        weights = [0.5 ** ((place - k) / HALF_LIFE) for k in range(place + 1)]
        return sum(w * mean[moments[k]] for k, w in enumerate(weights)) / (sum(weights) + PRIOR) if weights else 0.0

    seen = np.array([before(moments.index(t) - lead) if moments.index(t) >= lead else 0.0 for t in time.tolist()])
    share = min(max(float(seen @ errors) / float(seen @ seen), 0.0), 1.0) if seen.any() else 0.0
    return seen, before(len(moments) - 1), share


@pytest.mark.parametrize("seed", range(6))
def test_against_a_double_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 190))
    time = rng.integers(0, int(rng.integers(10, 180)), n).astype(float)  # moments repeat, some are missing
    errors = rng.normal(size=n) + 0.1 * time * rng.choice([-1, 0, 1])
    found = Recent.of(errors, Fading.of(Moments.of(time)))
    seen, latest, share = slowly(errors, time, LEAD)
    assert found.past == pytest.approx(share * seen, rel=1e-9, abs=1e-12)
    shares = np.minimum.accumulate([slowly(errors, time, lead)[2] for lead in LEADS])
    for past, lead, kept in zip(found.pasts, LEADS, shares, strict=True):
        assert past == pytest.approx(kept * slowly(errors, time, lead)[0], rel=1e-9, abs=1e-12)
    assert found.ahead == pytest.approx(shares * latest, rel=1e-9, abs=1e-12)


def test_the_further_ahead_the_less_is_taken() -> None:
    """One share for each reach, counted in moments of the history."""
    rng = np.random.default_rng(1)
    errors = lfilter([1.0], [1.0, -0.97], rng.normal(size=600))  # forgotten in a hundred moments
    found = Recent.of(errors, Fading.of(Moments.of(np.arange(0.0, 4200.0, 7.0))))  # every seventh day
    ahead = 4193.0 + 7.0 * np.array([1, REACH[0], REACH[0] + 1, REACH[1], REACH[1] + 1, 10_000])
    assert found.at(ahead).tolist() == np.repeat(found.ahead, 2).tolist()
    assert abs(found.ahead[0]) > abs(found.ahead[2])


def test_no_row_sees_its_own_moment_or_later_ones() -> None:
    """Up to a common share, a change of one error shows only ``LEAD`` moments later."""
    time = np.repeat(np.arange(60.0), 2)
    errors = np.linspace(1, 2, 120)
    changed = errors.copy()
    changed[60] += 5.0  # moment 30
    before, after = Recent.of(errors, Fading.of(Moments.of(time))), Recent.of(changed, Fading.of(Moments.of(time)))
    early = (time >= LEAD) & (time < 30 + LEAD)
    ratios = after.past[early] / before.past[early]
    assert ratios == pytest.approx(ratios[0])
    assert after.past[time == 30 + LEAD][0] / before.past[time == 30 + LEAD][0] > 1.1 * ratios[0]


def test_rows_of_one_time_are_one_moment() -> None:
    """Twice the rows of a moment are no more evidence: the same rows repeated say the same."""
    rng = np.random.default_rng(0)
    errors = rng.normal(size=80) + np.linspace(-2, 2, 80)
    once, twice = (
        Recent.of(errors, Fading.of(Moments.of(np.arange(80.0)))),
        Recent.of(np.repeat(errors, 2), Fading.of(Moments.of(np.repeat(np.arange(80.0), 2)))),
    )
    assert twice.past[::2] == pytest.approx(once.past)
    assert twice.ahead == pytest.approx(once.ahead)


@pytest.mark.parametrize("moments", [1, LEAD, LEAD + 1])
def test_short_histories(moments: int) -> None:
    """With nothing to judge a share by, none is taken."""
    found = Recent.of(np.ones(moments), Fading.of(Moments.of(np.arange(float(moments)))))
    assert (found.past == 0).all() == (moments <= LEAD)
    assert (found.at(np.array([float(moments)])) == 0).all() == (moments <= LEAD)
