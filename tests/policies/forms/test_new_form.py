"""A form is one file: the one below is unknown to the package, and everything that takes a policy takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import provend as pv
from provend._kernels.maximise.side import BlackBoxTerm
from provend.policies import DecidingPolicy, Form

Floats = NDArray[np.float64]
Q = Fraction(7, 10)
D = np.array([0.0, 0.02, 0.05, 0.05, 0.1, 0.2])


@dataclass(frozen=True)
class LargerOf(Form):
    """The larger of the lowest demand among the first ``cut`` contexts and the lowest among the others."""

    cut: int
    probability: Fraction = Fraction(1)

    @property
    def probabilities(self) -> tuple[Fraction]:
        return (self.probability,)

    def times(self, share: Fraction) -> LargerOf:
        return replace(self, probability=share * self.probability)

    def errs(self, d: Floats) -> tuple[list[BlackBoxTerm], list[BlackBoxTerm]]:
        """High: a zero among the first and one among the others. Low: only ones among the first, or the others."""
        p = float(self.probability)
        return [BlackBoxTerm(lambda t: self._only_ones(t + d), p)], [BlackBoxTerm(lambda t: self._zeros(t + d), p)]

    def orders(self, y: Floats, support: tuple[float, float]) -> Floats:
        lowest = [part.min(axis=1) if part.size else np.full(len(y), support[1]) for part in self._halves(y)]
        return np.maximum(*lowest)[:, None]

    def _zeros(self, p: Floats) -> float:
        first, others = (1 - np.prod(1 - np.minimum(part, 1)) for part in self._halves(p))
        return float(first * others)

    def _only_ones(self, p: Floats) -> float:
        first, others = (np.prod(np.minimum(part, 1)) for part in self._halves(p))
        return float(1 - (1 - first) * (1 - others))

    def _halves(self, values: Floats) -> tuple[Floats, Floats]:
        return values[..., : self.cut], values[..., self.cut :]


@dataclass(frozen=True)
class Cautious(DecidingPolicy):
    """The policy of that form."""

    cut: int = 3

    def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
        return (LargerOf(self.cut),)


def same(cut: int) -> pv.Counting:
    """The same policy as a table the package knows: at most a iff each half has a demand of at most a."""
    return pv.Counting(lambda b: int(any(b[:cut]) and any(b[cut:])))


def test_worst_case_regret() -> None:
    found, truth = pv.worst_case_regret(Cautious(), D, q=Q), pv.worst_case_regret(same(3), D, q=Q)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert found.upper - found.lower < 1e-2 * found.upper  # a black box has bounds of first order


def test_order() -> None:
    for seed in range(20):
        y = np.random.default_rng(seed).integers(0, 5, 6) / 4
        assert Cautious().order(y, D, q=Q) == same(3).order(y, D, q=Q)


@pytest.mark.parametrize("share", [Fraction(1), Fraction(1, 3)])
def test_mixed_with_others(share: Fraction) -> None:
    mixed = [pv.Mixture([one, pv.ERM(), pv.NoData()], [share, 0, 1 - share]) for one in (Cautious(), same(3))]
    found, truth = (pv.worst_case_regret(policy, D, q=Q) for policy in mixed)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    y = np.linspace(0.1, 0.9, 6)
    assert mixed[0].order(y, D, q=Q) == mixed[1].order(y, D, q=Q)


def test_learning_curve() -> None:
    curve, truth = (pv.learning_curve(policy, D, q=Q) for policy in (Cautious(), same(3)))
    assert np.all(curve.lower <= truth.upper)
    assert np.all(truth.lower <= curve.upper)


def test_expected_and_simulated_regret() -> None:
    past, future = [stats.beta(2, 2 + i) for i in range(6)], stats.beta(2, 2)
    found, truth = (pv.expected_regret(policy, past, future, q=Q, d=D) for policy in (Cautious(), same(3)))
    assert found.value == pytest.approx(truth.value, rel=1e-12)
    drawn = pv.instances.simulated_regret(Cautious(), past, future, q=Q, d=D, random_state=0)
    low, high = drawn.interval
    assert low <= truth.value <= high


def test_wasserstein_says_what_it_is_for() -> None:
    with pytest.raises(TypeError, match="for one count of the samples"):
        pv.wasserstein_bound(Cautious(), D, q=Q)


def test_a_form_without_orders_says_so() -> None:
    class Silent(LargerOf):
        orders = Form.orders

    class Undecided(Cautious):
        def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
            return (Silent(self.cut),)

    with pytest.raises(TypeError, match="Silent does not say how to decide"):
        Undecided().order(np.zeros(6), D, q=Q)


def test_a_form_that_is_a_count_needs_to_say_no_more() -> None:
    """Then the Wasserstein bound, and the rules of the estimator, take it as well."""
    from provend.policies import WholeCount

    class Median(LargerOf):
        def count(self, n: int) -> WholeCount:
            return WholeCount.of(np.ones(n, np.int64), [(n + 1) // 2], self.probabilities)

    class ByCount(Cautious):
        def form(self, d: Floats, q: Fraction) -> tuple[Form, ...]:
            return (Median(self.cut),)

    known = pv.wasserstein_bound(pv.OrderStatistic(3), D, q=Q)
    assert pv.wasserstein_bound(ByCount(), D, q=Q).upper == known.upper
