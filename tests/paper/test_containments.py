"""Figure 2: which class of policies contains which, counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from paper_rows import computed, verdicts
from provend import paper
from provend.paper import _containments as containments
from provend.paper._classes import classes


@pytest.mark.parametrize(("n", "dedekind"), [(0, 2), (1, 3), (2, 6), (3, 20), (4, 168)])
def test_monotone_functions_are_counted_by_dedekind(n: int, dedekind: int) -> None:
    tables = containments.monotone_tables(n)
    assert len(tables) == len(set(tables)) == dedekind
    by_hand = {
        table
        for table in product((0, 1), repeat=2**n)
        if n < 4
        and all(
            table[i] <= table[j] for i, b in enumerate(containments.outcomes(n)) for j in (i | 1 << k for k in range(n))
        )
    }
    assert n == 4 or set(tables) == by_hand


@pytest.mark.parametrize(("n", "q", "most"), [(3, Fraction(1, 2), 5), (4, Fraction(1, 2), 4), (3, Fraction(9, 10), 10)])
def test_weighted_erm_functions_are_those_of_small_integer_weights(n: int, q: Fraction, most: int) -> None:
    by_weights = {
        containments.weighted_erm_table(weights, q) for weights in product(range(most + 1), repeat=n) if any(weights)
    }
    by_program = {table for table in containments.monotone_tables(n) if containments.is_weighted_erm(table, n, q)}
    assert by_program == by_weights


def test_q_moves_the_class_of_weighted_erm() -> None:
    half, high = (classes(3, Fraction(q)) for q in ("1/2", "9/10"))
    every_sample_below = tuple(int(all(b)) for b in containments.outcomes(3))
    assert half.erm != high.erm == every_sample_below
    assert every_sample_below in high.weighted - half.weighted


def test_order_statistics_by_sorting() -> None:
    for subset, rank in ((range(3), 2), ((0, 2), 1), ((1,), 2)):
        table = tuple(int(sum(b[i] for i in subset) >= rank) for b in containments.outcomes(3))
        assert table in containments.order_statistic_tables(3)
        for y in product((0.2, 0.5, 0.5, 0.9), repeat=3):
            ranked = sorted(y[i] for i in subset)
            assert containments.decide(table, y) == (ranked[rank - 1] if rank <= len(ranked) else 1.0)


def test_probability_is_that_of_the_order() -> None:
    table, values, chances = (
        containments.weighted_erm_table((2, 1, 1), Fraction(1, 2)),
        (0.2, 0.6, 0.9),
        (0.5, 0.3, 0.2),
    )
    for a in (0.1, 0.2, 0.7, 0.9):
        total = sum(
            np.prod([chances[i] for i in chosen]) * (containments.decide(table, [values[i] for i in chosen]) <= a)
            for chosen in product(range(3), repeat=3)
        )
        below = sum(p for value, p in zip(values, chances, strict=True) if value <= a)
        assert containments.probability(table, [below] * 3) == pytest.approx(total)


def test_figure2_confirms_every_containment() -> None:
    result = paper.run("figure2", n=3)
    assert verdicts(result, "differs") == set()
    assert computed(result)["n = 3: counting policies"] == 20
    assert result.figure is not None
    assert len(result.figure.layout.shapes) == 4
