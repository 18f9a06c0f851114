"""Certificates where rounding decides: exact rationals beside the bounds, and inputs that are as wrong as they may be.

Each test dies of a bound that forgets one of its roundings. A kernel's stated error is an input here: numbers are
perturbed by as much as it allows, and the bound has to hold all the same.
"""

from __future__ import annotations

from itertools import product
from math import inf

import mpmath
import numpy as np
import pytest

import oracle
import provend as pv
from peaks import F, Floats, two_floats
from provend import regret
from provend._kernels.arithmetic.points import (
    Maximum,
    check_brackets,
)
from provend._kernels.arithmetic.rounding import UNIT
from provend._kernels.maximise import count_curve, side
from provend._kernels.maximise.side import BlackBoxTerm, RoundedTerm, maximise_side
from provend._kernels.maximise.successes import maximise_successes
from provend._kernels.programs.adjacent_side import AdjacentSide
from provend._kernels.tails import binomial
from provend.minimax import minimax
from provend.mixtures import best_mixture
from provend.regret import lengths

# --- both sides, and what is certain ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, -1])
def test_upper_end_of_both_sides(order: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The side with the higher lower end need not be the one with the higher upper end, and both count."""
    found = iter([Maximum(0.10, 0.11, 0.2, 1), Maximum(0.09, 0.50, 0.3, 1)][::order])
    monkeypatch.setattr(regret, "maximise_side", lambda *_, **__: next(found))
    g = pv.worst_case_regret(pv.ERM(), [0.1, 0.2], q=0.5)
    assert (g.lower, g.upper) == (0.10, 0.50)
    assert g.worst_case.side == ("high" if order == 1 else "low")


def test_a_policy_that_ignores_the_data() -> None:
    for k in range(1, 97):
        q = F(k, 97)
        g = pv.worst_case_regret(pv.NoData(), [0.1], q=q)
        assert g.lower <= q * (1 - q) <= g.upper
        assert g.gap < 1e-14


def test_samples_that_say_nothing() -> None:
    """All at distance 1: the error is certain, and its price is q or 1 - q, which are no floats."""
    for k in range(1, 97):
        q = F(k, 97)
        curve = pv.learning_curve(pv.ERM(), [1.0, 1.0, 0.5], q=q)
        for lower, upper in zip(curve.lower[:2].tolist(), curve.upper[:2].tolist(), strict=True):
            assert lower <= max(q, 1 - q) <= upper


def test_a_side_that_cannot_exceed_the_other() -> None:
    """Only just: one sample a rounding away from certain, and a floor a rounding below what it attains."""
    d = np.array([1 - UNIT])
    for k in range(1, 97):
        C = two_floats(F(k, 97))
        most = F(k, 97) * F(1 - UNIT)
        for steps in range(-4, 3):
            floor = C.value * (1 + steps * UNIT)
            assert maximise_successes(d, 1, C, 1e-9, floor).upper >= min(most, F(floor) + F(1, 10**30))


# --- real weights ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_real_weights_at_ties(seed: int) -> None:
    """Levels that some sums meet exactly, or miss by a rounding."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        n = int(rng.integers(2, 8))
        w, d = rng.integers(1, 30, n) / 10 * float(rng.choice([1.0, 3.3])), rng.integers(0, 33, n) / 64
        level = float(np.sum(rng.permutation(w)[: int(rng.integers(1, n + 1))]))
        point = RoundedTerm(d, w, [level], [1.0]).point()(0.25)
        weights = [F(float(x)) for x in w]
        exact = oracle.expectation(
            lambda b, weights=weights, level=level: F(oracle.dot(weights, b) >= F(level)),
            [F(float(x)) + F(1, 4) for x in d],
        )
        assert point.low <= exact <= point.f


@pytest.mark.parametrize("heavy", [True, False])
def test_what_hoeffding_gives_away(heavy: bool) -> None:
    """At t = 0 half of the samples are fair coins and the others certain zeros: a binomial tail of 12 deviations.

    Rounded to whole cells the coins lose (or gain) 0.49 each, more in such a tail than is likely at all.
    """
    n, s = 500, 380
    w = np.repeat([1.49, 0.51] if heavy else [0.51, 1.49], n)
    d = np.repeat([0.5, 0.0], n)
    level = float(w[0]) * (s - 0.5)
    with mpmath.workdps(40):
        exact = oracle.binomial_tail(n, s, F(1, 2))
        point = RoundedTerm(d, w, [level], [1.0]).point()(0.0)
        assert point.low <= exact <= point.f


# --- money -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [[0.6, 0.7], [0.1, 0.1], [0.05, 0.2]])
def test_a_lower_bound_in_money_is_rounded_down(d: list[float]) -> None:
    plain = F(minimax(d, q=F(1, 3)).lower_bound)
    for width in (F(1, 3), F(7, 10), F(11), F(13, 9), F(1001, 7), F(3, 7)):
        shop = pv.Newsvendor(cu=F(1, 7), co=F(2, 7), support=(0, float(width)))
        money = minimax(d, q=shop).lower_bound
        assert money <= plain * F(3, 7) * F(float(width))
        assert money >= plain * F(3, 7) * F(float(width)) * (1 - F(1, 10**14))


# --- no bracket with a nan -------------------------------------------------------------------------------------------


def test_no_parameter_of_a_beta_function_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Older scipy answers nan to betainc(1, 0, x), even where a zero weight is to meet it."""
    inner = binomial.special.betainc

    def guarded(a: Floats, b: Floats, x: Floats) -> Floats:
        assert np.min(a) > 0
        assert np.min(b) > 0
        return np.asarray(inner(a, b, x))

    monkeypatch.setattr(binomial.special, "betainc", guarded)
    g = pv.worst_case_regret(pv.WeightedERM([1], tie_break="1/3"), [0], q="29/100")
    assert g.lower <= F(71, 200) ** 2 <= g.upper
    for n in (1, 2, 3):
        for ranks in product(range(1, n + 1), repeat=2):
            binomial.binomial_point(n, list(ranks), [0.5, 0.5])(0.3)


def test_a_nan_is_an_error_and_no_bracket() -> None:
    high, _ = lengths(F(9, 10))
    for f in (lambda t: np.nan, lambda t: np.nan if t > 0.5 else 0.1):
        with pytest.raises(
            ArithmeticError, match=r"came out as nan; if the policy holds a function of yours, .* please report"
        ):
            maximise_side([BlackBoxTerm(f, 1.0)], high, rtol=1e-9, floor=0.0)
    for lower, upper in ((np.nan, 1.0), (0.0, np.nan), (2.0, 1.0), (np.array([0.0, 2.0]), np.array([1.0, 1.0]))):
        with pytest.raises(ArithmeticError, match=r"a bracket came out as \[.*please report"):
            check_brackets(lower, upper)
    check_brackets(0.0, inf)


@pytest.mark.parametrize("broken", [(np.nan, np.nan), (0.2, 0.1)])
def test_no_such_bracket_leaves(broken: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the maximisers come up with: one side, a curve, two neighbouring ranks."""
    monkeypatch.setattr(side, "maximise_count", lambda *_: Maximum(*broken, 0.1, 1))
    with pytest.raises(ArithmeticError, match="please report"):
        pv.worst_case_regret(pv.ERM(), pv.constant(0.1, 5), q=0.9)

    def fill(*arguments: object) -> None:
        np.asarray(arguments[-1])[:, :2] = broken

    monkeypatch.setattr(count_curve, "_advance_curve", fill)
    with pytest.raises(ArithmeticError, match="please report"):
        pv.learning_curve(pv.ERM(), pv.drift(0.1, 5), q=0.9)
    ends = tuple(np.array([end]) for end in broken)
    monkeypatch.setattr(AdjacentSide, "bracket", lambda *_: ends)
    with pytest.raises(ArithmeticError, match="please report"):
        best_mixture(pv.drift(0.1, 5), q=0.9, ranks="adjacent")
