"""The result object."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

import provend as pv
from provend.certificate import Bracket
from provend.estimators import OrderGuarantees

NINE_TO_ONE = pv.Newsvendor(9, 1, support=(0, 120))


def a_guarantee(**changes: object) -> pv.Guarantee:
    worst = pv.WorstCase("low", 0.05, np.array([0.1, 0.2]))
    values = {
        "lower": 0.02,
        "upper": 0.025,
        "worst_case": worst,
        "evaluations": 7,
        "estimate": 0.022,
        "q": Fraction(9, 10),
    }
    return pv.Guarantee(**{**values, **changes})


def test_gap_and_percentage() -> None:
    g = a_guarantee()
    assert g.gap == pytest.approx(0.2)
    assert g.percent_of_no_data == pytest.approx(100 * 0.025 / 0.09)
    assert a_guarantee(lower=0.0, upper=0.0).gap == 0.0


def test_money_is_rounded_outwards() -> None:
    for factor in (3.0, 0.1, 1200.0, 7e-5):
        g = a_guarantee().scaled(factor, unit=factor)
        assert Fraction(g.lower) < Fraction(0.02) * Fraction(factor)
        assert Fraction(g.upper) > Fraction(0.025) * Fraction(factor)
        assert g.gap == pytest.approx(0.2)
        assert g.percent_of_no_data == pytest.approx(a_guarantee().percent_of_no_data)


def test_in_money() -> None:
    g = a_guarantee().in_money(NINE_TO_ONE)
    assert g.unit == 1200
    assert g.upper == pytest.approx(30)
    assert g.estimate == pytest.approx(26.4)
    again = g.in_money(NINE_TO_ONE)
    assert (again.lower, again.upper, again.unit) == (g.lower, g.upper, 1200)
    cheaper = g.in_money(pv.Newsvendor("0.9", "0.1"))  # from one currency into another
    assert cheaper.upper == pytest.approx(0.025)
    assert cheaper.unit == 1.0


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        a_guarantee().upper = 0.0


def test_worst_case_in_the_order_given() -> None:
    d = np.array([0.3, 0.0, 0.1])
    for q in ("0.9", "0.2"):
        world = pv.worst_case_regret(pv.ERM(), d, q=q).worst_case
        sign = 1 if world.side == "low" else -1
        np.testing.assert_allclose(world.history, np.clip(world.mean + sign * d, 0, 1), atol=1e-15)


def test_both_sides_occur() -> None:
    sides = {pv.worst_case_regret(pv.OrderStatistic(r), pv.constant(0.1, 9), q="0.5").worst_case.side for r in (1, 9)}
    assert sides == {"low", "high"}
    # Ordering the bottom too often hurts when demand is high, and the reverse.
    assert pv.worst_case_regret(pv.OrderStatistic(1), pv.constant(0.1, 9), q="0.5").worst_case.side == "high"


def test_arrays_of_results_are_read_only() -> None:
    d = np.array([0.01, 0.1, 0.2])
    best = pv.minimax(d, q=0.9)
    curve = pv.learning_curve(pv.ERM(), d, q=0.9)
    table = pv.sensitivity({"erm": pv.ERM()}, d, q=0.9, scales=(1,))
    arrays = [best.weights, best.guarantee.worst_case.history, best.prior[0].history, curve.n, curve.lower, curve.upper]
    for array in [*arrays, pv.wasserstein_bound(pv.ERM(), d, q=0.9).multipliers, table.lower, table.upper]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    mine = np.array([0.1, 0.2])
    pv.WorstCase("low", 0.05, mine)
    mine[0] = 0.3  # the caller's own array is left alone


def exact(value: float) -> Fraction:
    return Fraction(value)


def test_brackets_are_scaled_outwards_in_one_place() -> None:
    """Exact products beside the rounded ones, and factors as far from the truth as three roundings take them."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        truth, factor = float(rng.random()), Fraction(int(rng.integers(1, 10**9)), int(rng.integers(1, 10**9)))
        bracket = Bracket(truth, truth).scaled(float(factor) * (1 - 2**-53))
        assert exact(bracket.lower) <= exact(truth) * factor <= exact(bracket.upper)
        assert bracket.upper - bracket.lower <= 2**-48 * bracket.upper
    assert Bracket(0.1, 0.3).scaled(1.0).upper == 0.3  # what is not multiplied has no roundings


def test_widened_brackets_contain_what_moved() -> None:
    rng = np.random.default_rng(1)
    for truth, below, above in rng.random((2000, 3)).tolist():
        bracket = Bracket(truth, truth).widened(below=below, above=above)
        assert 0 <= exact(bracket.lower) <= max(exact(truth) - exact(below), 0)
        assert exact(bracket.upper) >= exact(truth) + exact(above)
    many = Bracket(np.array([0.1, 0.5]), np.array([0.2, 0.6])).widened(below=0.2)
    assert many.lower[0] == 0 < many.lower[1] < 0.3
    assert many.upper.tolist() == [0.2, 0.6]


def test_gap_and_share_mean_the_same_everywhere() -> None:
    d, problem = pv.drift(0.01, 12), pv.Newsvendor(cu=9, co=1, support=(0, 120))
    mixture, best = pv.best_mixture(d, q=problem), pv.minimax(d, q=problem)
    curve, distance = pv.learning_curve(pv.ERM(), d, q=problem), pv.wasserstein_bound(pv.ERM(), d, q=problem)
    for result in (mixture, best):
        upper = result.guarantee.upper
        assert result.gap == (upper - result.lower_bound) / upper
        assert result.percent_of_no_data == pytest.approx(100 * upper / problem.no_data_regret, rel=1e-14)
    for bounds in (pv.worst_case_regret(pv.ERM(), d, q=problem), curve, distance):
        np.testing.assert_array_equal(bounds.gap, (bounds.upper - bounds.lower) / bounds.upper)
        np.testing.assert_allclose(bounds.percent_of_no_data, 100 * bounds.upper / problem.no_data_regret, rtol=1e-14)
    several = OrderGuarantees(np.array([0.0, 1.0]), np.array([0.0, 2.0]), 5.0, "")
    assert several.gap.tolist() == [0.0, 0.5]
    assert several[0].gap == 0.0
