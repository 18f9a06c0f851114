"""Certificates where rounding decides: exact rationals beside the bounds, and inputs that are as wrong as they may be.

Each test dies of a bound that forgets one of its roundings. A kernel's stated error is an input here: numbers are
perturbed by as much as it allows, and the bound has to hold all the same.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

import oracle
import provend as pv
from provend import regret
from provend._kernels.arithmetic.points import (
    Maximum,
    PeakProblem,
    Point,
    Slope,
    TwoFloats,
    check_brackets,
    count_problem,
)
from provend._kernels.arithmetic.rounding import TINY, UNIT
from provend._kernels.game import prior
from provend._kernels.game.candidate import Candidate, logit
from provend._kernels.game.prior import certified_prior
from provend._kernels.maximise import branch, count_curve, side, tangent
from provend._kernels.maximise.side import BlackBoxTerm, RoundedTerm, maximise_side
from provend._kernels.maximise.successes import maximise_successes
from provend._kernels.programs import adjacent_side
from provend._kernels.programs.adjacent import AdjacentProblem
from provend._kernels.programs.adjacent_counts import Slopes, UnequalCounts
from provend._kernels.programs.adjacent_side import AdjacentSide
from provend._kernels.tails import binomial
from provend._kernels.tails.counts import slope_of
from provend.minimax import minimax
from provend.mixtures import best_mixture
from provend.regret import lengths
from samplers import a_design, a_ratio

F = Fraction
Floats = NDArray[np.float64]
SIGNS = (-1.0, 1.0)


def two_floats(c: Fraction) -> TwoFloats:
    return TwoFloats(float(c), float(c - F(float(c))))


def a_length(rng: np.random.Generator) -> Fraction:
    """A number in (0, 1) that is no float."""
    return F(int(rng.integers(1, 996)), 997)


def problem_for(c: Fraction, *, error: float = 0.0, slope_error: float = 0.0, shift: float = 0.0) -> PeakProblem:
    return PeakProblem(two_floats(c), 0.0, np.empty(0), error, slope_error, shift)


def peak(c: Fraction, r: int) -> Fraction:
    """The maximum of (c - x) x^r: the tangent of x^r's r-th root is that root, so nothing is lost at any x."""
    top = c * r / (r + 1)
    return (c - top) * top**r


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


# --- the tangent bound -----------------------------------------------------------------------------------------------


class Power:
    """f(x) = x^r, with f and f' off by given relative errors."""

    def __init__(self, r: int, f_off: float = 0.0, slope_off: float = 0.0) -> None:
        self.r, self.f_off, self.slope_off = r, f_off, slope_off

    def slope(self, x: float) -> Slope:
        slope = self.r * x ** (self.r - 1) * (1 + self.slope_off)
        return Slope(x**self.r * (1 + self.f_off), slope, slope)


@pytest.mark.parametrize("r", [1, 2, 7, 40])
def test_tangent_with_the_errors_it_allows(r: int) -> None:
    rng = np.random.default_rng(r)
    for e, slope_e in ((1e-3, 0.0), (0.0, 1e-3), (1e-4, 1e-2)):
        for signs in product(SIGNS, repeat=2):
            c = a_length(rng)
            problem = problem_for(c, error=e, slope_error=slope_e)
            count = Power(r, signs[0] * e * 0.999, signs[1] * slope_e * 0.999)
            for x in rng.uniform(0.05, 0.999, 12) * float(c):
                assert tangent.tangent_bound(problem, x, count.slope(x), r) >= peak(c, r), (c, x, signs)
            found = tangent.maximise_from(problem, count, tangent.Guess(float(c) / 2, -inf), 1e-9, 0.0)
            assert found.lower <= peak(c, r) <= found.upper


def late_kinks(n: int) -> tuple[Floats, float]:
    """Samples that count as reaching probability 1 at t, although they reached it up to four roundings before."""
    d, t = np.full(n, 0.75 + 4 * UNIT), 0.25
    d[0] = 0.75 + 2 * UNIT
    assert slope_of(d, n, t) == (1.0, 0.0, n)
    return d, t


def test_tangent_at_a_kink_that_came_earlier() -> None:
    """All of n samples are needed, and have been there for two roundings: C - t is too small by that much."""
    n = 1000
    d, t = late_kinks(n)
    C = F(t) + F(11, 10 * n)
    exact = C - (F(t) - 2 * F(UNIT))  # f is 1 from there on
    problem = count_problem(d, two_floats(C), 0.0)
    assert tangent.tangent_bound(problem, t, slope_of(d, n, t), n) >= exact


class Flat:
    """f(x) = value: the maximum is C times it, and every rounding shows."""

    def __init__(self, value: float) -> None:
        self.r, self.value = 1, value

    def slope(self, x: float) -> Slope:
        return Slope(self.value, 0.0, 0.0)


def test_rounding_of_a_value() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        c, value = a_length(rng), float(rng.random())
        found = tangent.maximise_from(problem_for(c), Flat(value), tangent.Guess(0.0, -1.0), 1e-9, 0.0)
        assert found.lower <= c * F(value) <= found.upper


def test_phi_is_rounded_up() -> None:
    """The tangent of x^r is exact at every x, so that only the rounding of phi itself is left."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        r, steepness = int(rng.integers(1, 60)), float(rng.uniform(0.01, 30))
        with mpmath.workdps(60):
            z = mpmath.mpf(steepness) / r
            exact = (1 + z) ** (r + 1) * (mpmath.mpf(r) / (r + 1)) ** r / ((r + 1) * z)
            assert tangent.excess(steepness, r) >= exact
            batch = adjacent_side._excess(np.array([steepness]), np.array([r]))
            assert float(batch[0]) >= exact


def test_phi_beyond_the_largest_float() -> None:
    assert tangent.excess(1e-310, 1) == inf
    assert adjacent_side._excess(np.array([1e-310]), np.array([1]))[0] == inf


def test_underflow_certifies_nothing_from_below() -> None:
    """Tails below TINY may have lost all their digits: no lower end, and an upper one that covers them."""
    found = tangent.maximise_from(problem_for(F(1, 3)), Flat(1e-300), tangent.Guess(0.1, -1.0), 1e-9, 0.0)
    assert found.lower == 0
    assert found.upper >= F(TINY) / 3
    branched = branch.branch_and_bound(problem_for(F(1, 3)), steady(1e-300), rtol=1e-9, floor=0.0, budget=50)
    assert branched.lower == 0


# --- branch and bound ------------------------------------------------------------------------------------------------


def steady(value: float) -> branch.PointFunction:
    return lambda t: Point(t, value, value, 0.0, 0.0, 0.0, 0.0)


def test_rounding_of_an_interval() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        c, value = a_length(rng), float(rng.random())
        found = branch.branch_and_bound(problem_for(c), steady(value), rtol=1e-9, floor=0.0, budget=20)
        assert found.lower <= c * F(value) <= found.upper


@pytest.mark.parametrize("signs", list(product(SIGNS, repeat=3)))
def test_interval_with_the_errors_it_allows(signs: tuple[float, float, float]) -> None:
    """F = 1 - (1 - t)^2 has A = 2 and B = 2t; F = t^2 has A = 2t and B = 0; F = t is taken as A - B = 1.5 - 0.5.

    F, A and B are off by as much as allowed.
    """
    rng, e = np.random.default_rng(3), 1e-3
    off_F, off_A, off_B = (1 + 0.999 * e * sign for sign in signs)

    def concave(t: float) -> Point:
        f, a, b = t * (2 - t) * off_F, 2 * off_A, 2 * t * off_B
        return Point(t, f, f, a, b, a, b)

    def convex(t: float) -> Point:
        return Point(t, t * t * off_F, t * t * off_F, 2 * t * off_A, 0.0, 2 * t * off_A, 0.0)

    def straight(t: float) -> Point:  # nothing to lose but the errors
        a, b = 1.5 * off_A, 0.5 * off_B
        return Point(t, t * off_F, t * off_F, a, b, a, b)

    for _ in range(20):
        c = a_length(rng)
        problem = problem_for(c, error=e)
        functions = ((concave, lambda t: t * (2 - t)), (convex, lambda t: t * t), (straight, lambda t: t))
        for point, exact in functions:
            a, b = sorted(float(x) for x in rng.random(2) * float(c))
            bound = F(-branch._bounded(problem, point(a), point(b)).minus_bound)
            grid = [F(a) + (F(b) - F(a)) * k / 64 for k in range(65)]
            assert max((c - t) * exact(t) for t in grid) <= bound
            found = branch.branch_and_bound(problem, point, rtol=1e-9, floor=0.0, budget=200)
            most = max((c - t) * exact(t) for t in (c * k / 512 for k in range(513)))
            assert most <= found.upper
            assert found.lower <= most * (1 + F(1, 10**4))


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


# --- two neighbouring ranks ------------------------------------------------------------------------------------------


class Powers:
    """A batch of Power: tails x^r that are off by given relative errors, with a shift."""

    n, start = np.array([5]), 0.0

    def __init__(self, error: float, slope_error: float, shift: float, signs: tuple[float, float]) -> None:
        self.error, self.slope_error, self.shift, self._signs = error, slope_error, shift, signs

    def kinks(self, c: float) -> Floats:
        return np.empty(0)

    def tail(self, x: Floats, r: NDArray[np.int64]) -> Slopes:
        slope = r * x ** (r - 1) * (1 + 0.999 * self._signs[1] * self.slope_error)
        return Slopes(self.probability(x, r), slope, slope)

    def probability(self, x: Floats, r: NDArray[np.int64]) -> Floats:
        return np.asarray(x**r * (1 + 0.999 * self._signs[0] * self.error))


@pytest.mark.parametrize(("e", "slope_e", "shift"), [(1e-3, 0, 0), (0, 1e-2, 0), (0, 0, 1e-3), (0, 0, 0)])
def test_neighbours_with_the_errors_they_allow(e: float, slope_e: float, shift: float) -> None:
    rng = np.random.default_rng(4)
    none, r = np.zeros(1), np.array([3])
    for signs in product(SIGNS, repeat=2):
        for _ in range(40):
            c = a_length(rng)
            one_side = AdjacentSide(Powers(e, slope_e, shift, signs), two_floats(c))
            x = rng.uniform(0.05, 0.999, 1) * float(c)
            lower, upper = (float(end[0]) for end in one_side.bracket(x, r, none))
            assert lower <= (c - F(float(x[0]))) * F(float(x[0])) ** 3 * (1 + F(UNIT) * (4 if e == 0 else 0))
            assert upper >= peak(c + F(shift), 3) * (1 - F(8 * UNIT))  # x ** 3 is itself rounded


def test_rounding_of_a_mixture_of_two() -> None:
    """A tail of 1 at every x: (C - x) is all there is."""

    class Certain(Powers):
        def probability(self, x: Floats, r: NDArray[np.int64]) -> Floats:
            return np.ones(1)

    rng = np.random.default_rng(5)
    for _ in range(300):
        c, share = a_length(rng), rng.random(1)
        x = rng.uniform(0, 1, 1) * float(c)
        one_side = AdjacentSide(Certain(0.0, 0.0, 0.0, (0.0, 0.0)), two_floats(c))
        assert float(one_side.bracket(x, np.array([2]), share)[0][0]) <= c - F(float(x[0]))


def test_neighbours_at_a_kink_that_came_earlier() -> None:
    """As for the tangent of a single count: the shift is that of real, unequal samples."""
    n = 1000
    d, t = late_kinks(n)
    C = F(t) + F(11, 10 * n)
    counts = UnequalCounts(d)
    counts.error = counts.slope_error = 0.0
    one_side = AdjacentSide(counts, two_floats(C))
    _, upper = one_side.bracket(np.array([t]), np.array([n]), np.zeros(1))
    assert float(upper[0]) >= C - (F(t) - 2 * F(UNIT))


def test_both_sides_speak_of_the_same_mixture() -> None:
    high, low = lengths(F(1, 2))
    problem = AdjacentProblem(UnequalCounts(np.array([0.0, 0.1, 0.2])), low, high)
    for share in (0.6 * UNIT, 0.3, 1e-9, 1 / 3, 1.0, 0.0):
        lam = problem.package(np.array([1]), np.array([share]), np.array([0.2]), np.array([0.2])).lam
        assert F(1) - F(float(lam[0])) == F(1 - float(lam[0]))


# --- the bound of a prior --------------------------------------------------------------------------------------------


def bayes_risk(found: prior.Prior, c: Fraction) -> Fraction:
    """Sum over all outcomes of the smaller mass, exactly."""
    pi, total = F(found.probability), F(0)
    for y in product((0, 1), repeat=found.low_history.size):
        low, high = pi * (c - F(found.low)), (1 - pi) * (F(found.high) - c)
        for p, r, one in zip(found.low_history.tolist(), found.high_history.tolist(), y, strict=True):
            low, high = low * (F(p) if one else 1 - F(p)), high * (F(r) if one else 1 - F(r))
        total += min(low, high)
    return total


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
