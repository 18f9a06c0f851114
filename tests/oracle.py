"""Slow, independent answers: sums over all outcomes in exact arithmetic, nothing shared with src but policy objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import lcm

import mpmath
import numpy as np

import provend as pv

Bits = tuple[int, ...]
Kappa = Callable[[Bits], Fraction]  # probability of ordering at most a, b_i = 1{y_i <= a}


# --- the policies, by hand -------------------------------------------------------------------------------------------


def decimal(x: object) -> Fraction:
    """What a user means by a number with few digits: 0.37 is 37/100."""
    return Fraction(str(x))


def weights_of(policy: pv.Policy, d: Sequence[float]) -> list[Fraction]:
    """Weights of the formula-driven policies, as the machine stores them."""
    d = np.minimum(np.asarray(d, float), 1)
    if isinstance(policy, pv.Exponential):
        order = sorted(range(len(d)), key=lambda i: (d[i], i))
        powers = float(policy.gamma) ** np.arange(1, len(d) + 1)
        weights = [0.0] * len(d)
        for place, i in enumerate(order):
            weights[i] = powers[place]
    else:
        u = d / float(policy.bandwidth)
        weights = {
            "uniform": lambda: d <= float(policy.bandwidth),
            "triangular": lambda: np.where(u < 1, 1 - u, 0),
            "epanechnikov": lambda: np.where(u < 1, 1 - u * u, 0),
            "gaussian": lambda: np.exp(-u * u / 2),
            "exponential": lambda: np.exp(-u),
        }[policy.shape]()
    return [Fraction(float(w)) for w in weights]


def kappa_of(policy: pv.Policy, d: Sequence[float], q: Fraction) -> Kappa:
    """The policy's counting function, written down from its definition in the paper."""
    n = len(d)
    nearest = sorted(range(n), key=lambda i: (min(d[i], 1), i))
    match policy:
        case pv.ERM():
            return lambda b: Fraction(sum(b) >= q * n)
        case pv.KNN(k=k):
            return lambda b: Fraction(sum(b[i] for i in nearest[:k]) >= q * k)
        case pv.OrderStatistic(rank=rank):
            chosen = list(range(n)) if policy.subset is None else list(policy.subset)
            chosen = nearest[: policy.k] if policy.k is not None else chosen
            return lambda b: Fraction(sum(b[i] for i in chosen) >= rank)
        case pv.WeightedERM():
            w, share = [decimal(x) for x in policy.weights], decimal(policy.tie_break)
            level = q * sum(w)
            return lambda b: above(dot(w, b), level, share)
        case pv.WeightedQuantile():
            w, level = [decimal(x) for x in policy.weights], decimal(policy.threshold)
            return lambda b: Fraction(dot(w, b) >= level)
        case pv.Exponential() | pv.Kernel():
            w = weights_of(policy, d)
            if not any(w):
                return lambda b: 1 - q
            return lambda b: Fraction(dot(w, b) >= q * sum(w))
        case pv.NoData():
            return lambda b: 1 - q
        case pv.Counting():
            return lambda b: Fraction(policy.kappa(b))
        case pv.Mixture():
            parts = [kappa_of(member, d, q) for member in policy.policies]
            shares = [Fraction(p) for p in policy.probabilities]
            return lambda b: sum((p * part(b) for p, part in zip(shares, parts, strict=True)), Fraction(0))
    raise TypeError(policy)


def dot(w: Sequence[Fraction], b: Sequence[int]) -> Fraction:
    return sum((x for x, one in zip(w, b, strict=True) if one), Fraction(0))


def above(reached: Fraction, level: Fraction, tie: Fraction) -> Fraction:
    """1 above the level, 0 below it, and ``tie`` where they are equal."""
    return tie if reached == level else Fraction(reached > level)


# --- expected regret at one mean, by enumeration ---------------------------------------------------------------------


def expectation(kappa: Kappa, zeros: Sequence[Fraction]) -> Fraction:
    """E[kappa(B)], B_i ~ Bernoulli(zeros_i), over all 2^n outcomes."""
    total = Fraction(0)
    for b in product((0, 1), repeat=len(zeros)):
        chance = Fraction(1)
        for p, one in zip(zeros, b, strict=True):
            chance *= p if one else 1 - p
        if chance:
            total += chance * kappa(b)
    return total


def regret_at(kappa: Kappa, history: Sequence[Fraction], mean: Fraction, q: Fraction) -> Fraction:
    """Expected regret on Bernoulli demands with the given means."""
    at_bottom = expectation(kappa, [1 - Fraction(p) for p in history])
    return (1 - q - mean) * (1 - at_bottom) if mean <= 1 - q else (mean - (1 - q)) * at_bottom


# --- the worst case for few samples: exact polynomials between the kinks ---------------------------------------------


def worst_case(kappa: Kappa, d: Sequence[float], q: Fraction) -> Fraction:
    """max over both sides of (c - t) F(t), attained at a rational t whose distance to the maximiser is below 2^-90."""
    exact = [min(Fraction(float(x)), Fraction(1)) for x in d]
    outcomes = list(product((0, 1), repeat=len(exact)))
    zeros = [kappa(b) for b in outcomes]
    ones = [1 - value for value in reversed(zeros)]
    return max(side_maximum(zeros, exact, q), side_maximum(ones, exact, 1 - q))


def side_maximum(table: Sequence[Fraction], d: Sequence[Fraction], c: Fraction) -> Fraction:
    """max over [0, c] of (c - t) E[table(Y)], Y_i ~ Bernoulli(min(1, t + d_i)), piece by piece."""
    ends = sorted({Fraction(0), c, *(1 - x for x in d if 0 < 1 - x < c)})
    best = Fraction(0)
    for a, b in pairwise(ends):
        pieces = [(x, Fraction(1)) if x + a < 1 else (Fraction(1), Fraction(0)) for x in d]
        F, scale = polynomial(table, pieces, [*ends, c])
        best = max(best, piece_maximum(F, scale, a, b, c))
    return best


def polynomial(table: Sequence[Fraction], p: Sequence[tuple[Fraction, Fraction]], numbers: Sequence[Fraction]):
    """Integer coefficients of F times ``value_scale`` in the variable s = t * unit; everything is a whole number."""
    unit = lcm(*(x.denominator for pair in p for x in pair), *(x.denominator for x in numbers))
    common = lcm(*(x.denominator for x in table))
    rows = [[x.numerator * (common // x.denominator)] for x in table]
    for constant, slope in p:
        one0, one1 = int(constant * unit), int(slope)
        zero0, zero1 = unit - one0, -one1
        half = len(rows) // 2
        folded = []
        for low, high in zip(rows[:half], rows[half:], strict=True):
            out = [0] * (len(low) + 1)
            for k, (x, y) in enumerate(zip(low, high, strict=True)):
                out[k] += x * zero0 + y * one0
                out[k + 1] += x * zero1 + y * one1
            folded.append(out)
        rows = folded
    return rows[0], (unit, common * unit ** len(p))


def piece_maximum(F: list[int], scale: tuple[int, int], a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    unit, value_scale = scale
    A, B, C = (int(x * unit) for x in (a, b, c))  # whole, as all numbers are in this unit
    G = [C * x for x in F] + [0]
    for k, x in enumerate(F):
        G[k + 1] -= x
    slope = [k * x for k, x in enumerate(G)][1:]
    grid = [(((48 - k) * A + k * B) << 100) // 48 for k in range(49)]
    signs = [horner(slope, s) > 0 for s in grid]
    candidates = [grid[0], grid[-1]]
    for k in range(48):
        if signs[k] and not signs[k + 1]:
            low, high = grid[k], grid[k + 1]
            while high - low > unit * 2**8:
                middle = (low + high) // 2
                low, high = (middle, high) if horner(slope, middle) > 0 else (low, middle)
            candidates.append(low)
    most = max(horner(G, s) for s in candidates)
    return Fraction(most, 2 ** (100 * (len(G) - 1)) * value_scale * unit)


def horner(coefficients: list[int], s: int) -> int:
    """2^(100 degree) times the polynomial at s / 2^100."""
    total, power = coefficients[-1], 1
    for x in reversed(coefficients[:-1]):
        power <<= 100
        total = total * s + x * power
    return total


# --- many samples: unweighted counts in mpmath -----------------------------------------------------------------------

BITS = 400  # of the fixed-point numbers below: absolute errors far below 1e-100
ONE = 1 << BITS


def count_tail(p: Sequence[Fraction], r: int) -> mpmath.mpf:
    """P(at least r successes), Poisson-binomial, in fixed point with 400 binary digits."""
    return fixed_count_tail([int(Fraction(x) * ONE) for x in p], r)


def fixed_count_tail(p: Sequence[int], r: int) -> mpmath.mpf:
    """The same of probabilities in fixed point."""
    state = np.array([ONE] + [0] * r, dtype=object)  # state[r] absorbs
    for success in p:
        up = (state[:-1] * success) >> BITS
        state[:-1] -= up
        state[1:] += up
    return mpmath.mpf(int(state[r])) / ONE


def exact_count_tail(p: Sequence[Fraction], r: int) -> Fraction:
    """The same in exact integers, for tails of any size."""
    unit = lcm(*(Fraction(x).denominator for x in p)) if len(p) else 1
    state = np.array([1] + [0] * max(r, 0), dtype=object)
    for x in p:
        success = int(Fraction(x) * unit)
        before = state.copy()
        state = before * (unit - success)
        state[-1] = before[-1] * unit
        state[1:] += before[:-1] * success
    return Fraction(int(state[-1]), unit ** len(p)) if r > 0 else Fraction(1)


def binomial_tail(n: int, r: int, x: Fraction) -> mpmath.mpf:
    """P(Binomial(n, x) >= r) by summing the shorter way, at the current precision."""
    x = mpmath.mpf(x.numerator) / x.denominator
    if r > n * x:
        return _sum_from(n, r, x)
    return 1 - _sum_from(n, n - r + 1, 1 - x)


def _sum_from(n: int, r: int, x: mpmath.mpf) -> mpmath.mpf:
    log_first = mpmath.loggamma(n + 1) - mpmath.loggamma(r + 1) - mpmath.loggamma(n - r + 1)
    first = mpmath.exp(log_first + r * mpmath.log(x) + (n - r) * mpmath.log1p(-x))
    bits = mpmath.mp.prec + 64  # terms fall from the first on: in units of it, in fixed point
    total, term, odds, k = 0, 1 << bits, int(x / (1 - x) * 2**bits), r
    while term and k <= n:
        total += term
        term = ((term * odds >> bits) * (n - k)) // (k + 1)
        k += 1
    return first * total / 2**bits


def count_worst_case(d: Sequence[float], rank: int, q: Fraction) -> mpmath.mpf:
    """Worst case of the rank-th smallest of all samples: golden section on a log-concave objective, both sides."""
    exact = [min(Fraction(float(x)), Fraction(1)) for x in d]
    with mpmath.workprec(BITS):
        return max(_golden(exact, rank, q), _golden(exact, len(exact) - rank + 1, 1 - q))


def _golden(d: list[Fraction], r: int, c: Fraction) -> mpmath.mpf:
    fixed = 1 << 120
    ends, whole = [0, int(c * fixed)], [int(x * ONE) for x in d]

    def G(t: int) -> mpmath.mpf:
        gap, moved = c - Fraction(t, fixed), t * (ONE // fixed)
        tail = fixed_count_tail([min(x + moved, ONE) for x in whole], r)
        return tail * gap.numerator / gap.denominator

    # Halve the bracket by comparing two neighbours: the sign of the slope, exact enough at 400 bits.
    a, b = ends
    while b - a > fixed >> 60:
        middle = (a + b) // 2
        a, b = (middle, b) if G(middle + 1) > G(middle) else (a, middle)
    return max(G(a), G(b))


# --- real demands and arbitrary distributions ------------------------------------------------------------------------


def quantile(
    y: Sequence[float], w: Sequence[Fraction], level: Fraction, support: tuple[float, float], *, strict: bool = False
) -> float:
    """The smallest a with sum w_i 1{y_i <= a} >= level (or > level): try the bottom, every demand, then the top."""
    if level < 0 or (level == 0 and not strict):
        return float(support[0])
    for a in sorted(set(y)):
        reached = sum((x for x, value in zip(w, y, strict=True) if value <= a), Fraction(0))
        if reached > level or (reached == level and not strict):
            return float(a)
    return float(support[1])


def expected_regret(kappa: Kappa, past: np.ndarray, future: np.ndarray, q: Fraction) -> float:
    """Integral over y of P(F_1..F_n) (q - F_0) + (F_0 - q)+ for step cdfs: columns are equal cells of [0, 1]."""
    n, cells = past.shape
    P = np.zeros(cells)
    for b in product((0, 1), repeat=n):
        chance = np.prod(np.where(np.array(b)[:, None] == 1, past, 1 - past), axis=0)
        P += chance * float(kappa(b))
    return float(np.mean(P * (float(q) - future) + np.maximum(future - float(q), 0)))


# --- service levels --------------------------------------------------------------------------------------------------


def expected_service(kappa: Kappa, d: Sequence[float]) -> tuple[Fraction, Fraction]:
    """The least and the largest expected service, integrating polynomials between the kinks term by term."""
    exact = [min(Fraction(float(x)), Fraction(1)) for x in d]
    zeros = [kappa(b) for b in product((0, 1), repeat=len(exact))]
    ones = [1 - value for value in reversed(zeros)]
    return 1 - integral(zeros, exact), integral(ones, exact)


def integral(table: Sequence[Fraction], d: Sequence[Fraction]) -> Fraction:
    """Over [0, 1], of E[table(Y)], Y_i ~ Bernoulli(min(1, t + d_i))."""
    ends = sorted({Fraction(0), Fraction(1), *(1 - x for x in d)})
    total = Fraction(0)
    for a, b in pairwise(ends):
        moving = [(x, Fraction(1)) if x + a < 1 else (Fraction(1), Fraction(0)) for x in d]
        F, (unit, value_scale) = polynomial(table, moving, ends)
        powers = ((b ** (k + 1) - a ** (k + 1)) * unit**k * x / (k + 1) for k, x in enumerate(F))
        total += sum(powers, Fraction(0)) / value_scale
    return total
