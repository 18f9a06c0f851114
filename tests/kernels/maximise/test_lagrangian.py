"""The Wasserstein bound where rounding decides: exact rationals, and library functions at their worst."""

from __future__ import annotations

from fractions import Fraction
from math import comb, nextafter

import numpy as np
import pytest

from provend._kernels.arithmetic.rounding import BETAINC, DENSITY
from provend._kernels.maximise import lagrangian
from provend._kernels.maximise.lagrangian import Groups, Line, Peaks, PricedSide, attained, bounded, evaluate, peaks

F = Fraction


def tail(n: int, r: int, t: Fraction) -> Fraction:
    """P(Bin(n, t) >= r)."""
    return sum((comb(n, k) * t**k * (1 - t) ** (n - k) for k in range(max(r, 0), n + 1)), F(0))


def objective(side: PricedSide, prices: np.ndarray, j: int, t: Fraction) -> Fraction:
    f = F(side.constant) + sum(
        (F(p) * tail(side.n - j, r - j, t) for r, p in zip(side.ranks, side.probabilities, strict=True)), F(0)
    )
    return (F(side.c) - t) * f - (1 - t) * F(float(prices[j]))


@pytest.fixture(params=[(-1, -1), (1, -1), (-1, 1), (1, 1)])
def worst_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Incomplete beta functions and densities off by nearly as much as is stated."""
    of_tail, of_density = (0.999 * sign * e for sign, e in zip(request.param, (BETAINC, DENSITY), strict=True))
    betainc, betaln = lagrangian.special.betainc, lagrangian.special.betaln

    class Special:
        xlogy, xlog1py = lagrangian.special.xlogy, lagrangian.special.xlog1py

        @staticmethod
        def betainc(a: np.ndarray, b: float, x: np.ndarray) -> np.ndarray:
            return np.asarray(betainc(a, b, x) * (1 + of_tail))

        @staticmethod
        def betaln(a: np.ndarray, b: float) -> np.ndarray:
            return np.asarray(betaln(a, b) - np.log1p(of_density))

    monkeypatch.setattr(lagrangian, "special", Special)


def a_side(rng: np.random.Generator) -> tuple[PricedSide, np.ndarray]:
    n = int(rng.integers(1, 6))
    ranks = tuple(sorted(int(r) for r in rng.integers(1, n + 1, int(rng.integers(1, 3)))))
    shares = tuple(float(x) for x in rng.random(len(ranks)) / len(ranks))
    prices = np.concatenate([[0.0], np.cumsum(np.sort(rng.random(n) * 0.2))])
    return PricedSide(n, ranks, shares, float(rng.choice([0.0, 0.1])), float(rng.uniform(0.2, 0.9))), prices


@pytest.mark.usefixtures("worst_library")
def test_boxes_bound_what_they_hold() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        side, prices = a_side(rng)
        first, last = sorted(int(x) for x in rng.integers(0, side.last + 1, 2))
        a, b = sorted(float(x) for x in rng.random(2) * side.c)
        if rng.random() < 0.3:
            b = a
        box = bounded(side, prices, np.array([first]), np.array([last]), np.array([a]), np.array([b]))
        for t in (F(a) + (F(b) - F(a)) * k / 16 for k in range(17)):
            for j in range(first, last + 1):
                assert objective(side, prices, j, t) <= F(float(box.bound[0]))


@pytest.mark.usefixtures("worst_library")
def test_a_line_through_the_left_end_is_steep_enough() -> None:
    """One sample, f(t) = t: the maximum c^2 / 4 is met by the exact line, and by no flatter one."""
    side, free = PricedSide(1, (1,), (1.0,), 0.0, 0.8), np.zeros(2)
    zero, right = np.zeros(1), np.array([0.7])
    box = bounded(side, free, np.zeros(1, int), np.zeros(1, int), zero, right)
    assert F(float(box.bound[0])) >= F(side.c) ** 2 / 4


@pytest.mark.usefixtures("worst_library")
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_a_side_is_bounded_wherever_the_search_stops(share: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(12):
        side, prices = a_side(rng)
        found = peaks(side, prices, floor=0.0, atol=1e-6, share=share)
        most = max(objective(side, prices, j, F(side.c) * k / 64) for j in range(side.last + 1) for k in range(65))
        assert most <= F(found.upper)


def test_a_parabola_is_rounded_up() -> None:
    rng = np.random.default_rng(2)
    for _ in range(400):
        c, v, g, price = (float(x) for x in rng.random(4) * np.array([1, 1, float(rng.choice([0, 1e-3, 1, 30])), 1]))
        a, b = sorted(float(x) for x in rng.random(2) * c)
        x = float(rng.choice([a, b]))
        height, slope, at, paid, left, right = (np.array([number]) for number in (v, g, x, price, a, b))
        bound, _ = lagrangian._parabola(c, Line(height, slope, at), paid, left, right)
        inside = [(F(c) + F(x) - (F(v) - F(price)) / F(g)) / 2] if g else []
        tried = (F(a), F(b), *(t for t in inside if F(a) <= t <= F(b)))
        exact = max((F(c) - t) * (F(v) + F(g) * (t - F(x))) - (1 - t) * F(price) for t in tried)
        assert exact <= F(float(bound[0]))


def test_prices_are_rounded_down_and_their_total_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, seen = np.random.default_rng(3), list[np.ndarray]()

    def caught(_: PricedSide, prices: np.ndarray, **__: float) -> Peaks:
        seen.append(prices)
        return Peaks(0.0, np.zeros(0, int), np.zeros(0), np.zeros(0))

    monkeypatch.setattr(lagrangian, "peaks", caught)
    for _ in range(60):
        sizes = rng.integers(1, 9, int(rng.integers(1, 5)))
        price, distance = np.sort(rng.random(sizes.size)), rng.random(sizes.size)
        side = PricedSide(int(sizes.sum()), (1,), (1.0,), 0.0, 0.5)
        total, _ = evaluate([side], Groups(sizes, distance), price, floor=0.0, atol=0.0, share=1.0)
        assert F(total) >= sum(F(float(p)) * F(float(x)) for p, x in zip(price, distance, strict=True))
        exact = F(0)
        for computed, each in zip(seen.pop()[1:].tolist(), np.repeat(price, sizes).tolist(), strict=True):
            exact += F(each)
            assert F(computed) <= exact


@pytest.mark.usefixtures("worst_library")
def test_what_is_attained_is_rounded_down() -> None:
    """Against the same instances in exact arithmetic, with c itself where the side has it rounded up."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        n, c = int(rng.integers(1, 5)), F(int(rng.integers(1, 7)), 7)
        r, d = int(rng.integers(1, n + 1)), np.sort(rng.choice([0.05, 0.1, 0.3], n))
        side = PricedSide(n, (r,), (1.0,), 0.0, nextafter(float(c), 2.0))
        best = F(0)
        for t in (F(float(x)) for x in np.linspace(0, side.c, 129)[:-1]):
            shares = sorted((min(F(float(x)) / (1 - t), F(1)) for x in d), reverse=True)
            ends = [F(1), *shares, F(0)]
            mean = sum(((ends[j] - ends[j + 1]) * tail(n - j, r - j, t) for j in range(n + 1)), F(0))
            best = max(best, (c - t) * mean)
        found = F(attained([side], d))
        assert best * (1 - F(1, 10**9)) - F(1, 10**12) <= found <= best
