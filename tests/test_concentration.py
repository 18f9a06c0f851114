"""The concentration bound: each of its three terms by an independent route, and that it is one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

import provend as pv
from provend.concentration import concentration_bound
from samplers import a_design, a_ratio


def cost(a: Fraction, y: Fraction, q: Fraction) -> Fraction:
    return q * max(y - a, Fraction(0)) + (1 - q) * max(a - y, Fraction(0))


def complexity(y: list[Fraction], q: Fraction) -> Fraction:
    """E_sigma sup_a sum sigma_i l(a, y_i) / n from the definition: piecewise linear in a, so try every kink."""
    actions = {Fraction(0), Fraction(1), *y}
    table = [[cost(a, each, q) for each in y] for a in actions]
    total = Fraction(0)
    for sigma in product((-1, 1), repeat=len(y)):
        total += max(sum(s * c for s, c in zip(sigma, row, strict=True)) for row in table)
    return total / 2 ** len(y) / len(y)


def walk(n: int) -> mpmath.mpf:
    """E|S_n| as a sum over the binomial distribution, term by term."""
    with mpmath.workdps(40):
        half = mpmath.fsum((n - 2 * k) * mpmath.binomial(n, k) for k in range(n // 2 + 1))
        return 2 * half / mpmath.mpf(2) ** n


def bound(d: np.ndarray, q: Fraction, form: str) -> mpmath.mpf:
    """The formula of Appendix E, its integral by quadrature; ``printed``: its last line to the letter."""
    n, m = len(d), mpmath.mpf(max(q, 1 - q).numerator) / max(q, 1 - q).denominator
    with mpmath.workdps(30):
        shift = 2 * m * mpmath.fsum(min(float(x), 1.0) for x in d) / n
        if form == "printed":
            zero = mpmath.mpf((1 - q).numerator) / (1 - q).denominator * walk(n) / 2
            third = 4 * m * mpmath.sqrt(2 * mpmath.pi / n) * (mpmath.ncdf(2 * m / mpmath.sqrt(n)) - mpmath.mpf(1) / 2)
            return 4 * zero + shift + third
        ends = [0, *(x for x in (2 / mpmath.sqrt(n), 8 / mpmath.sqrt(n)) if x < 1), 1]
        third = 2 * mpmath.quad(lambda x: mpmath.exp(-n * x * x / (8 * m * m)), ends)
        return 4 * m * walk(n) / (2 * n) + shift + third


@pytest.mark.parametrize("form", ["corrected", "printed"])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 127, 128, 129, 130, 1000, 2001])
def test_against_quadrature_and_binomial_sums(n: int, form: str) -> None:
    rng = np.random.default_rng(n)
    for q in (Fraction(9, 10), Fraction(1, 2), Fraction(1, 7)):
        d = a_design(rng, n)
        exact = bound(d, q, form)
        assert 0 <= concentration_bound(d, q=q, form=form) / exact - 1 < 3e-14


def test_hundred_thousand_samples() -> None:
    n = 100_000
    with mpmath.workdps(40):
        walk_ = n * mpmath.binomial(n, n // 2) / mpmath.mpf(2) ** n
        m = mpmath.mpf(9) / 10
        gauss = 2 * mpmath.sqrt(2 * mpmath.pi) * m / mpmath.sqrt(n)  # Phi is 1 here
        exact = 2 * m * walk_ / n + 2 * m * mpmath.mpf(0.1) + gauss
    assert 0 <= concentration_bound(pv.constant(0.1, n), q=0.9) / exact - 1 < 3e-14


def test_the_integral_is_not_what_was_printed() -> None:
    """n = 100, q = 0.9: Phi(sqrt(n) / (2m)) and Phi(2m / sqrt(n)) are far apart, and only the first is the integral."""
    m, n = mpmath.mpf("0.9"), 100
    integral = 2 * mpmath.quad(lambda x: mpmath.exp(-n * x * x / (8 * m * m)), [0, 1])
    scale = 4 * m * mpmath.sqrt(2 * mpmath.pi / n)
    assert abs(scale * (mpmath.ncdf(mpmath.sqrt(n) / (2 * m)) - 0.5) - integral) < 1e-12
    assert scale * (mpmath.ncdf(2 * m / mpmath.sqrt(n)) - 0.5) < integral / 6


@pytest.mark.parametrize("n", range(1, 8))
def test_no_demands_are_more_complex(n: int) -> None:
    """C_n is attained by demands at one end, and no other demands, Bernoulli or not, exceed it."""
    rng = np.random.default_rng(n)
    for q in (Fraction(9, 10), Fraction(1, 2), Fraction(1, 3)):
        largest = max(q, 1 - q) * Fraction(str(walk(n))) / (2 * n)
        corrected = Fraction(concentration_bound(np.zeros(n), q=q))
        third = Fraction(str(bound(np.zeros(n), q, "corrected"))) - 4 * largest
        assert abs((corrected - third) / 4 - largest) < Fraction(1, 10**12)
        end = [Fraction(int(q >= Fraction(1, 2)))] * n
        assert abs(complexity(end, q) - largest) < Fraction(1, 10**12)
        for ones in range(n + 1):
            assert complexity([Fraction(int(i < ones)) for i in range(n)], q) <= largest + Fraction(1, 10**12)
        for _ in range(6):
            y = [Fraction(int(x), 12) for x in rng.integers(0, 13, n)]
            assert complexity(y, q) <= largest + Fraction(1, 10**12)


def test_it_is_a_bound() -> None:
    """Also without its last term, which an expectation does not need."""
    rng = np.random.default_rng(5)
    closest = np.inf
    for _ in range(400):
        n = int(rng.choice([1, 2, 3, 5, 8, 13, 40, 100]))
        d, q = a_design(rng, n), a_ratio(rng, n)
        exact = pv.worst_case_regret(pv.ERM(), d, q=q).upper
        m = float(max(q, 1 - q))
        two_terms = float(2 * m * walk(n) / n) + 2 * m * float(np.minimum(d, 1).mean())
        assert concentration_bound(d, q=q) > two_terms >= exact
        closest = min(closest, two_terms / exact)
    assert closest < 3  # the bound is loose, but this test would notice a factor


def test_it_falls_with_data_and_printed_rises() -> None:
    n = [10, 100, 1000, 10_000]
    corrected = [concentration_bound(pv.constant(0.0, k), q=0.9) for k in n]
    printed = [concentration_bound(pv.constant(0.0, k), q=0.9, form="printed") for k in n]
    assert corrected == sorted(corrected, reverse=True)
    assert printed[1:] == sorted(printed[1:])
    assert printed[-1] > 10


def test_order_size_and_units() -> None:
    d = [0.3, 0.1, 2.0, 0.0]
    assert concentration_bound(d, q="9/10") == concentration_bound([0.0, 1.0, 0.1, 0.3], q=0.9)
    problem = pv.Newsvendor(cu=9, co=1, support=(0, 120))
    assert concentration_bound(d, q=problem) == pytest.approx(1200 * concentration_bound(d, q=0.9), rel=1e-15)
    assert isinstance(concentration_bound(d, q=0.9), float)


@pytest.mark.parametrize(
    ("d", "options", "message"),
    [
        ([0.1], {"q": 0.9, "form": "exact"}, r"form = 'exact' is not known; choose 'corrected' or 'printed'"),
        ([0.1], {"q": 1.5}, r"q = 1.5 must lie strictly between 0 and 1"),
        ([], {"q": 0.9}, r"d is empty"),
        ([0.1, -0.2], {"q": 0.9}, r"d\[1\] = -0.2"),
    ],
)
def test_bad_input(d: list[float], options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        concentration_bound(d, **options)
