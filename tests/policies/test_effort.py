"""The method is chosen by what the whole bracket would cost: nobody waits for digits nobody asked for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import provend as pv
from provend.policies import PATIENT, QUICK, Effort, Form, Thresholds, with_effort

RNG = np.random.default_rng(0)
MANY = RNG.random(50)


def forms(weights: object, n: int, effort: Effort, q: Fraction = Fraction(7, 10)) -> tuple[Form, ...]:
    return with_effort(pv.WeightedERM(weights).form(np.full(n, 0.1), q), effort)


@pytest.mark.parametrize("digits", [6, 7, 9])
def test_many_digits_of_many_weights_are_bracketed(digits: int) -> None:
    (form,) = forms(np.round(MANY, digits), 50, QUICK)
    assert isinstance(form, Thresholds)
    assert "two lattices" in form.note
    assert form.steps <= QUICK.rounded


def test_patience_buys_the_digits() -> None:
    weights = np.round(MANY, 6)
    ((quick,), (patient,)) = (forms(weights, 50, effort) for effort in (QUICK, PATIENT))
    assert "rtol below 1e-9" in quick.note
    assert patient.note == ""
    assert patient.steps <= PATIENT.exact
    (real,) = forms(np.round(MANY, 12), 50, PATIENT)
    assert real.note.startswith("real weights")


def test_a_smaller_rtol_asks_for_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("provend.regret.with_effort", lambda forms, effort: asked.append(effort) or forms)
    for rtol in (1e-3, 1e-9, 1e-10):
        pv.worst_case_regret(pv.ERM(), [0.1], q=0.5, rtol=rtol)
    assert asked == [QUICK, QUICK, PATIENT]


def test_few_digits_stay_exact() -> None:
    for digits in (2, 3, 4, 5):
        (form,) = forms(np.round(MANY, digits), 50, QUICK)
        assert form.note == ""


def test_members_of_a_mixture_share() -> None:
    policy = pv.Mixture([pv.Kernel("gaussian", 0.01 * k) for k in range(1, 9)], [Fraction(1, 8)] * 8)
    d = RNG.uniform(0, 0.2, 300)
    together = with_effort(policy.form(d, Fraction(1, 2)), QUICK)
    assert sum(form.steps for form in together if isinstance(form, Thresholds)) <= QUICK.rounded


@pytest.mark.parametrize(
    ("weights", "threshold"),
    [([10**9, 1, 1], 1), ([10**9, 1, 1], 10**9), ([10**15 + 1, 10**15, 10**15 - 1, 3], 10**15 + 1), ([2**61, 1], 2)],
)
def test_huge_weights_of_few_samples(weights: list[int], threshold: int) -> None:
    """No lattice could hold them; the table of all outcomes is small."""
    d, q = np.array([0.1, 0.2, 0.05, 0.3])[: len(weights)], Fraction(2, 5)
    g = pv.worst_case_regret(pv.WeightedQuantile(weights, threshold), d, q=q)
    met = pv.Counting(lambda b: int(sum(w for w, one in zip(weights, b, strict=True) if one) >= threshold))
    truth = pv.worst_case_regret(met, d, q=q)
    assert (g.lower, g.upper) == (truth.lower, truth.upper)
    assert g.note == ""


@pytest.mark.parametrize("unit", [1, Fraction(1, 10**40 + 7)], ids=["integers", "long fractions"])
def test_near_ties_of_few_samples_are_decided_exactly(unit: Fraction) -> None:
    """Half of all subsets tie in floats; 10^20 times as much does, too, for weights that no lattice holds."""
    weights = [(10**20 + (i % 3)) * unit for i in range(9)]
    d, q = np.linspace(0, 0.2, 9), Fraction(4, 9)
    g = pv.worst_case_regret(pv.WeightedERM(weights), d, q=q)
    met = pv.Counting(lambda b: int(sum(w for w, one in zip(weights, b, strict=True) if one) >= q * sum(weights)))
    truth = pv.worst_case_regret(met, d, q=q)
    assert (g.lower, g.upper) == (truth.lower, truth.upper)


def test_a_curve_shares_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("provend.curves.CURVE_STEPS", 2**22)
    d = np.sort(RNG.uniform(0, 0.2, 30))
    curve = pv.learning_curve(pv.Exponential(0.95), d, q=0.7)
    alone = pv.worst_case_regret(pv.Exponential(0.95), d, q=0.7)
    assert curve.lower[-1] <= alone.lower <= alone.upper <= curve.upper[-1]
    assert curve.upper[-1] - curve.lower[-1] > alone.upper - alone.lower
    assert "rtol below 1e-9" in curve.note
    assert np.all((curve.upper - curve.lower)[:20] <= 1e-9 * curve.upper[:20])  # tables are exact
    exact = pv.learning_curve(pv.WeightedERM(RNG.integers(1, 30, 30)), d, q=0.7)
    assert exact.note == ""
    assert np.all(exact.upper - exact.lower <= 1e-9 * exact.upper)
