"""Corollary 1: constraints between all pairs of contexts change nothing under the triangle inequality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from provend._validation import as_critical_ratio
from provend.newsvendor import Ratio
from provend.paper._containments import Table, outcomes, weighted_erm_table
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import claim, number
from provend.policies import WeightedERM
from provend.regret import worst_case_regret

Floats = NDArray[np.float64]
CELL = 0.05  # dissimilarities are multiples of it, and so are the shifts that Nature tries
MEANS = 2001  # out-of-sample means tried; the maximum is missed by about (1 / MEANS)^2
TOLERANCE = 2e-6


@dataclass(frozen=True)
class Design:
    """Dissimilarities between all contexts, the target first, and the weights of a policy."""

    pairs: Floats
    weights: tuple[int, ...]

    @property
    def to_target(self) -> Floats:
        """What the theorem looks at."""
        return np.asarray(self.pairs[0, 1:])


def metric_design(n: int, generator: np.random.Generator) -> Design:
    """Contexts in the plane on a lattice, one of them repeated, at distances |x - x'| + |y - y'|."""
    places = generator.integers(-3, 4, size=(n + 1, 2))
    places[-1] = places[-2]
    pairs = CELL * np.abs(places[:, None] - places[None]).sum(axis=2)
    return Design(np.minimum(pairs, 1.0), tuple(int(w) for w in generator.integers(1, 4, n)))


def brute_force(design: Design, q: Fraction, *, all_pairs: bool) -> float:
    """The largest expected regret over Bernoulli means mu_i = mu_0 + s_i, shifts s on the lattice.

    Shifts between past contexts obey |s_i - s_j| <= d_ij if ``all_pairs``. The theorem is not used: the expectation
    is a sum over all outcomes, and the policy is its definition in exact arithmetic.
    """
    mean = np.unique(np.append(np.linspace(0, 1, MEANS), float(1 - q)))
    orders_top = _orders_top(design.weights, q)
    best = 0.0
    for shift in _shifts(design, all_pairs):
        past = np.clip(mean + shift[:, None], 0, 1)
        top = np.zeros_like(mean)
        for outcome in orders_top:
            top += np.where(outcome[:, None], past, 1 - past).prod(axis=0)
        regret = np.where(mean <= float(1 - q), (float(1 - q) - mean) * top, (mean - float(1 - q)) * (1 - top))
        best = max(best, float(regret.max()))
    return best


def _orders_top(weights: tuple[int, ...], q: Fraction) -> list[NDArray[np.bool_]]:
    """Outcomes on which Weighted ERM orders the top: the weight of zeros is below q times the total."""
    outcomes = product((0, 1), repeat=len(weights))
    below = [y for y in outcomes if sum(w for w, one in zip(weights, y, strict=True) if not one) < q * sum(weights)]
    return [np.array(y, bool) for y in below]


def _shifts(design: Design, all_pairs: bool) -> Iterator[Floats]:
    steps = np.rint(design.pairs / CELL).astype(int)
    for shift in product(*(range(-reach, reach + 1) for reach in steps[0, 1:])):
        apart = np.abs(np.subtract.outer(shift, shift))
        if not all_pairs or (apart <= steps[1:, 1:]).all():
            yield CELL * np.array(shift)


@item("theorem2", "No distribution does worse than the theorem says", "Theorems 1 and 2, section 3")
def theorem2(
    *, q: Ratio = 0.9, n: int = 3, designs: int = 4, instances: int = 2000, seed: int = 2, track: Track[int] = quietly
) -> Result:
    """The theorem's value against its own worst case, summed by hand, and against random distributions."""
    ratio, generator = as_critical_ratio(q), np.random.default_rng(seed)
    rows: list[Row] = []
    for number_of in track(range(1, designs + 1)):
        d, weights = generator.integers(1, 8, n) / 20, tuple(int(w) for w in generator.integers(1, 4, n))
        exact = worst_case_regret(WeightedERM(weights), d, q=ratio)
        table, worst = weighted_erm_table(weights, ratio), exact.worst_case
        # Bernoulli demands: on [0, 1) every cdf is the probability of the bottom of the support.
        attained = _integrand(table, np.array([1 - worst.mean]), 1 - worst.history[:, None], float(ratio))[0]
        share = max(_random_regret(table, d, float(ratio), generator) for _ in range(instances)) / exact.upper
        name = f"design {number_of} (d = {', '.join(f'{x:g}' for x in d)}; weights {', '.join(map(str, weights))})"
        rows.append(claim(f"{name}: attained by Bernoulli demands", abs(attained - exact.upper) <= 1e-8))
        rows.append(claim(f"{name}: {instances} random instances are below it", share <= 1))
        rows.append(number(f"{name}: the worst of them, as a share of it", float(share), None))
    text = (
        "Random instances are step functions for the distribution to come, moved by up to the dissimilarity at each "
        "step for those of the past; their expected regret is Lemma 2's integral, a finite sum here."
    )
    return Result(tuple(rows), text=text)


def _integrand(table: Table, future: Floats, past: Floats, q: float) -> Floats:
    """Lemma 2 at each step: P(F_1, ..., F_n) (q - F_0) + max(F_0 - q, 0)."""
    chance = np.zeros_like(future)
    for kappa, b in zip(table, outcomes(past.shape[0]), strict=True):
        if kappa:
            chance += np.where(np.array(b, bool)[:, None], past, 1 - past).prod(axis=0)
    return chance * (q - future) + np.maximum(future - q, 0)


def _random_regret(table: Table, d: Floats, q: float, generator: np.random.Generator, steps: int = 4) -> float:
    """Expected regret on a random instance: cdfs constant on ``steps`` pieces of the support."""
    lengths = generator.dirichlet(np.full(steps, 0.4))
    heights = np.array([0.0, 1.0, q, generator.random(), generator.random()])
    future: Floats = np.sort(generator.choice(heights, steps))
    move = d[:, None] * np.sign(generator.normal(size=(d.size, 1))) * generator.choice([1.0, generator.random()])
    past = np.clip(future + move, 0, 1)  # moved by a constant and clipped: still non-decreasing, within d
    return float(np.dot(lengths, _integrand(table, future, past, q)))


@item("corollary1", "Constraints between all pairs change nothing", "Corollary 1, section 3.2")
def corollary1(*, q: Ratio = 0.9, n: int = 3, designs: int = 6, seed: int = 1, track: Track[int] = quietly) -> Result:
    """The theorem's value against brute force with all-pairs constraints, on random designs of contexts."""
    ratio, generator = as_critical_ratio(q), np.random.default_rng(seed)
    rows: list[Row] = []
    for number_of in track(range(1, designs + 1)):
        design = metric_design(n, generator)
        exact = worst_case_regret(WeightedERM(design.weights), design.to_target, q=ratio)
        found = brute_force(design, ratio, all_pairs=True)
        d = ", ".join(f"{x:g}" for x in design.to_target)
        name = f"design {number_of} (d = {d}; weights {', '.join(map(str, design.weights))})"
        rows.append(number(f"{name}: theorem", exact.upper, None))
        rows.append(number(f"{name}: brute force, all pairs", found, None))
        rows.append(claim(f"{name}: equal", exact.lower - TOLERANCE <= found <= exact.upper))
    rows += _without_triangle(ratio)
    text = (
        "Contexts lie in the plane, so the triangle inequality holds, and two of them coincide, so those two samples "
        "must have the same distribution. Nature's means are searched by brute force. The last rows drop the triangle "
        "inequality: then the constraints between past contexts do bind, and the theorem is only an upper bound."
    )
    return Result(tuple(rows), text=text)


def _without_triangle(q: Fraction) -> list[Row]:
    """Two contexts at distance 0 from one another, yet at 0.1 and 0.4 from the target."""
    pairs = np.array([[0, 0.1, 0.4], [0.1, 0, 0], [0.4, 0, 0]])
    design = Design(pairs, (1, 1))
    loose, tight = (brute_force(design, q, all_pairs=every) for every in (False, True))
    return [
        number("no triangle inequality: target pairs only", loose, None),
        number("no triangle inequality: all pairs", tight, None),
        claim("no triangle inequality: the two part", tight < loose - TOLERANCE, claimed=False),
    ]
