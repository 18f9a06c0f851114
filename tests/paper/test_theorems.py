"""Theorem 2 and Corollary 1, by enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import oracle
import provend as pv
from paper_rows import verdicts
from provend import paper
from provend.paper import _containments as containments
from provend.paper import _pairs as pairs


def test_lemma_2_integrand_by_simulation_free_enumeration() -> None:
    q, values = 2 / 3, (0.25, 0.75)  # demands on two points: cdfs step at both
    table = containments.weighted_erm_table((2, 1), Fraction(2, 3))
    past, future = np.array([[0.3, 1.0], [0.6, 1.0]]), np.array([0.5, 1.0])
    expected = 0.0
    for first, second in product((0, 1), repeat=2):
        chance = (past[0, 0], 1 - past[0, 0])[first] * (past[1, 0], 1 - past[1, 0])[second]
        order = containments.decide(table, (values[first], values[second]))
        cost = [q * max(y - order, 0) + (1 - q) * max(order - y, 0) for y in values]
        expected += chance * (0.5 * cost[0] + 0.5 * cost[1])
    best = min(0.5 * (q * max(0.25 - a, 0) + (1 - q) * max(a - 0.25, 0)) + 0.5 * (q * (0.75 - a)) for a in values)
    integral = (
        0.5 * pairs._integrand(table, future[:1], past[:, :1], q)[0]
    )  # the cdf is at its first step on [1/4, 3/4)
    assert expected - best == pytest.approx(integral)


def test_theorem2_is_attained_and_never_exceeded() -> None:
    result = paper.run("theorem2", designs=3, instances=200)
    assert verdicts(result, "differs") == set()
    shares = [one.computed for one in result.rows if "share" in one.what]
    assert all(0.5 < share < 1 for share in shares)  # type: ignore[operator]


def test_metric_designs_obey_the_triangle_inequality() -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        d = pairs.metric_design(4, generator).pairs
        assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-12).all()
        assert d[-1, -2] == 0


def test_brute_force_agrees_with_exact_polynomials_and_needs_the_triangle() -> None:
    q, design = Fraction(2, 3), pairs.Design(np.array([[0, 0.1, 0.3], [0.1, 0, 0.2], [0.3, 0.2, 0]]), (2, 1))
    kappa = oracle.kappa_of(pv.WeightedERM((2, 1)), design.to_target, q)
    exact = float(oracle.worst_case(kappa, design.to_target, q))
    assert pairs.brute_force(design, q, all_pairs=True) == pytest.approx(exact, abs=2e-6)
    assert pairs.brute_force(design, q, all_pairs=False) == pytest.approx(exact, abs=2e-6)
    broken = pairs.Design(np.array([[0, 0.1, 0.4], [0.1, 0, 0], [0.4, 0, 0]]), (1, 1))
    kappa = oracle.kappa_of(pv.ERM(), broken.to_target, q)
    exact = float(oracle.worst_case(kappa, broken.to_target, q))
    assert pairs.brute_force(broken, q, all_pairs=False) == pytest.approx(exact, abs=2e-6)
    assert pairs.brute_force(broken, q, all_pairs=True) < exact - 0.01


def test_corollary1_holds_on_every_design() -> None:
    result = paper.run("corollary1", designs=3, seed=7)
    assert verdicts(result, "differs") == set()
    assert len(verdicts(result, "same")) == 3
