"""The bound of a prior where rounding decides: exact Bayes risks, and log-odds as wrong as is conceded."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from peaks import F, two_floats
from priors import smaller_masses
from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.game import prior
from provend._kernels.game.candidate import Candidate, logit
from provend._kernels.game.prior import certified_prior
from provend.regret import lengths
from samplers import a_design, a_ratio


def bayes_risk(found: prior.Prior, c: Fraction) -> Fraction:
    low, high = (found.low, found.low_history), (found.high, found.high_history)
    return smaller_masses(found.probability, low, high, c)


def weight(d: float, a: float, b: float, c: float) -> float:
    low, high = c - a + d, c + b - d
    return float(logit(np.array([high]))[0] - logit(np.array([low]))[0])


def test_a_count_that_is_only_nearly_sufficient() -> None:
    """Two light samples weigh a trifle more than a heavy one: less than the lattice resolves, more than roundings."""
    a = b = 0.2
    c, target = 0.5, weight(0.0, 0.2, 0.2, 0.5) / 2 * (1 + 0.9e-9)
    near, far = 0.0, a
    for _ in range(100):
        middle = (near + far) / 2
        near, far = (middle, far) if weight(middle, a, b, c) > target else (near, middle)
    found = certified_prior(np.array([0.0, near, near]), two_floats(F(1, 2)), Candidate(a, b, 0.0), 2)
    exact = bayes_risk(found, F(1, 2))
    assert found.bound <= exact
    assert found.bound >= exact * (1 - F(1, 10**6))


def test_log_odds_are_off_by_no_more_than_is_conceded() -> None:
    rng = np.random.default_rng(6)
    for _ in range(40):
        n = int(rng.integers(2, 12))
        mu, nu = sorted(rng.random(2))
        low = np.sort(rng.uniform(mu, nu, n))
        high = np.minimum(low + rng.random(n) * (nu - low), nu)
        used = high > low
        low, high = low[used], high[used]
        k, step = prior._lattice(low, high, int(rng.integers(1, 30)))
        p, r, e = prior._concede(low, high, (mu, nu), np.asarray(k * step, np.float64))
        with mpmath.workdps(50):

            def logit(x: float) -> mpmath.mpf:
                return mpmath.log(mpmath.mpf(x) / (1 - mpmath.mpf(x)))

            off = sum(
                abs(logit(high) - logit(low) - int(cells) * mpmath.mpf(step))
                for low, high, cells in zip(p.tolist(), r.tolist(), k, strict=True)
            )
            assert off <= e <= 100 * n * UNIT * 40 + 1e-8 * step * n


@pytest.mark.parametrize("n", [200, 300, 400, 700])
def test_laws_that_do_not_overlap(n: int) -> None:
    """Data so many that both hypotheses are told apart for sure: the bound is zero, or as good as."""
    for d in (np.zeros(n), np.linspace(0, 0.01, n)):
        found = certified_prior(d, two_floats(F(1, 2)), Candidate(0.25, 0.25, 0.0), 20)
        assert 0 <= found.bound < 1e-14


@pytest.mark.parametrize("seed", range(6))
def test_histories_stay_within_d(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(30):
        n = int(rng.integers(1, 9))
        d, q = np.sort(np.minimum(a_design(rng, n), 1)), a_ratio(rng, n)
        c = lengths(q)[1]
        one = Candidate(c.value * float(rng.random()), (1 - c.value) * float(rng.random()), 0.0)
        found = certified_prior(d, c, one, 12)
        for mean, history in ((found.low, found.low_history), (found.high, found.high_history)):
            assert all(abs(F(float(p)) - F(mean)) <= F(float(x)) for p, x in zip(history, d, strict=True))
