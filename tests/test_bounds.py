"""Lower bounds: no policy of the library is below them, and they meet the known limits."""

from __future__ import annotations

import numpy as np
import pytest

import provend as pv
from samplers import a_design, a_ratio


def test_known_values() -> None:
    assert pv.lower_bound([0.0], q=0.9) == pytest.approx(0.066942, abs=5e-7)  # computed independently
    assert pv.lower_bound(pv.constant(0.1, 5), q=0.9) == pytest.approx(0.053146, abs=5e-7)
    assert pv.lower_bound(pv.constant(0.1, 50), q=0.9) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("q", [0.9, 0.3, 0.5])
@pytest.mark.parametrize("zeta", [0.05, 0.2, 0.4, 0.5, 0.7])
def test_many_samples_reach_the_limit(q: float, zeta: float) -> None:
    # From finitely many samples the value can only be above the limit.
    limit, finite = pv.limiting_lower_bound(zeta, q=q), pv.lower_bound(pv.constant(zeta, 150), q=q)
    assert limit * (1 - 1e-7) <= finite <= limit * (1 + 1e-3)


def test_no_condition_no_remark() -> None:
    # The remark's zeta / 2 needs zeta <= min(q, 1 - q); beyond, that would be too much to claim.
    assert pv.limiting_lower_bound(0.2, q=0.9) == pytest.approx(0.075)
    assert pv.limiting_lower_bound(0.9, q=0.9) == pytest.approx(0.09)


@pytest.mark.parametrize("seed", range(8))
def test_no_policy_is_below(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(6):
        n = int(rng.integers(1, 9))
        d, q = a_design(rng, n), a_ratio(rng, n)
        bound = pv.lower_bound(d, q=q)
        policies = [pv.ERM(), pv.KNN(1), pv.NoData(), pv.Exponential(0.7), pv.Kernel("gaussian", 0.2)]
        policies += [pv.OrderStatistic(int(rank)) for rank in range(n + 2)]
        for policy in policies:
            assert bound <= pv.worst_case_regret(policy, d, q=q).upper


def test_money() -> None:
    problem = pv.Newsvendor(9, 1, support=(0, 50))
    assert pv.lower_bound([0.1, 0.1], q=problem) == pytest.approx(500 * pv.lower_bound([0.1, 0.1], q="9/10"))
    assert pv.limiting_lower_bound(0.1, q=problem) == pytest.approx(25)
