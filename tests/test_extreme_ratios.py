"""Critical ratios next to 0 and 1: every one that is accepted works."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv
from priors import bayes_risk, is_feasible

TINY = [Fraction(2, 10**12), Fraction(1, 10**10), Fraction(3, 10**9), Fraction(1, 10**7)]
DESIGNS = {
    "equal": [0.1] * 5,
    "exact": [0.0] * 3,
    "one": [0.0],
    "mixed": [0.0, 0.4, 0.45],
    "near": [1e-9, 2e-9, 1e-3],
    "drift": pv.drift(0.01, 12).tolist(),
}


@pytest.mark.parametrize("tiny", TINY, ids=lambda q: f"{float(q):g}")
@pytest.mark.parametrize("name", DESIGNS)
def test_both_ends_are_mirror_images(tiny: Fraction, name: str) -> None:
    """With top and bottom exchanged, q becomes 1 - q: all brackets have to contain the same numbers."""
    d = DESIGNS[name]
    for function in (pv.minimax, pv.best_mixture):
        here, there = function(d, q=tiny), function(d, q=1 - tiny)
        for one, other in ((here, there), (there, here)):
            assert 0 < one.lower_bound <= other.guarantee.upper
            assert one.gap <= 1e-3
            assert one.guarantee.upper <= float(tiny * (1 - tiny)) * (1 + 1e-3)
    any_rank, any_policy = pv.best_mixture(d, q=tiny), pv.minimax(d, q=tiny)
    assert any_policy.lower_bound <= any_rank.guarantee.upper
    assert pv.lower_bound(d, q=tiny) == any_policy.lower_bound


@pytest.mark.slow
@pytest.mark.parametrize("tiny", TINY, ids=lambda q: f"{float(q):g}")
@pytest.mark.parametrize("name", ["mixed", "near"])
def test_the_bound_is_what_its_prior_proves(tiny: Fraction, name: str) -> None:
    """In exact arithmetic, at the end where means next to 0 are floats."""
    d = np.array(DESIGNS[name])
    found = pv.minimax(d, q=1 - tiny)
    assert is_feasible(found, d)
    assert found.lower_bound <= bayes_risk(found, 1 - tiny)


@pytest.mark.parametrize("tiny", TINY, ids=lambda q: f"{float(q):g}")
def test_two_point_prior_in_closed_form(tiny: Fraction) -> None:
    """Demand always at the top, or with probability 1 - q - 1/n: n exact samples, all of them ones."""
    n = 50
    a, b = Fraction(1, n), tiny
    ones = (1 - tiny - a) ** n
    assert float(a * ones * b / (a * ones + b)) <= pv.minimax([0.0] * n, q=tiny).guarantee.upper


def test_flipped_policies_and_priors_are_told_as_they_are() -> None:
    tiny, d = Fraction(1, 10**8), [0.02, 0.0, 0.3]
    here, there = pv.minimax(d, q=tiny), pv.minimax(d, q=1 - tiny)
    assert here.lower_bound == there.lower_bound
    np.testing.assert_allclose(here.weights, there.weights)
    for point, mirrored in zip(here.prior, reversed(there.prior), strict=True):
        assert point.mean == 1 - mirrored.mean
        assert point.probability == mirrored.probability
        np.testing.assert_array_equal(point.history, 1 - mirrored.history)
    assert here.prior[0].mean < 1 - tiny < here.prior[1].mean + 1e-16
    y = [0.9, 0.4, 0.7]
    mirrored_order = 1 - there.policy.order([1 - x for x in y], d, q=1 - tiny)
    assert here.policy.order(y, d, q=tiny) == pytest.approx(mirrored_order, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("q", [Fraction(1e-6), Fraction(0.3), Fraction(2, 10**12), 1 - Fraction(2, 10**12)])
def test_ranks_of_any_fraction(q: Fraction) -> None:
    d = [0.1, 0.2, 0.3]
    curve = pv.learning_curve(pv.ERM(), d, q=q)
    alone = [pv.worst_case_regret(pv.ERM(), d[:n], q=q) for n in (1, 2, 3)]
    np.testing.assert_allclose(curve.upper, [g.upper for g in alone], rtol=1e-8)
