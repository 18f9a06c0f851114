"""Figure 2 as computation: which counting functions belong to which class of policies.

A policy of n samples is determined by its kappa on {0,1}^n (a tuple of 2^n values, outcomes in binary order, entry 0
the outcome with no sample at or below a). All of this is enumeration; none of the package's policies is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog

Table = tuple[int, ...]


def outcomes(n: int) -> list[tuple[int, ...]]:
    """{0,1}^n in binary order."""
    return list(product((0, 1), repeat=n))


def monotone_tables(n: int) -> list[Table]:
    """Every non-decreasing kappa: all counting policies, by Proposition B-3. Their number is Dedekind's."""
    if n == 0:
        return [(0,), (1,)]
    smaller = monotone_tables(n - 1)
    pairs = product(smaller, smaller)  # first sample above a, and at or below a
    return [low + high for low, high in pairs if all(x <= y for x, y in zip(low, high, strict=True))]


def order_statistic_tables(n: int) -> set[Table]:
    """kappa of every rank of every subset of the samples; rank 0 is the bottom of the support, |S| + 1 its top."""
    found = set()
    for size in range(n + 1):
        for subset in combinations(range(n), size):
            for rank in range(size + 2):
                found.add(tuple(int(sum(b[i] for i in subset) >= rank) for b in outcomes(n)))
    return found


def weighted_erm_table(weights: Sequence[Fraction | int], q: Fraction) -> Table:
    """kappa(b) = 1 iff sum w_i b_i >= q sum w_i (Proposition 4)."""
    level = q * sum(weights)
    return tuple(
        int(sum((w for w, one in zip(weights, b, strict=True) if one), Fraction(0)) >= level)
        for b in outcomes(len(weights))
    )


def is_weighted_erm(table: Table, n: int, q: Fraction) -> bool:
    """Whether some weights w >= 0 of sum 1 give this kappa: a linear program with a margin t > 0 below the level.

    Weights that satisfy it with t > 0 are rounded to rationals and checked exactly; a level met with equality, which
    rounding would miss, is met by the program's vertices, whose coordinates are simple fractions.
    """
    rows = np.array(outcomes(n), float)
    ones, zeros = np.array(table) == 1, np.array(table) == 0
    above = np.column_stack([-rows[ones], np.zeros(ones.sum())])
    below = np.column_stack([rows[zeros], np.ones(zeros.sum())])
    limits = np.concatenate([np.full(ones.sum(), -float(q)), np.full(zeros.sum(), float(q))])
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.vstack([above, below]),
        b_ub=limits,
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, 1.0)],
    )
    if not found.success or found.x[-1] <= 1e-9:
        return False
    weights = [Fraction(w).limit_denominator(1000) for w in found.x[:n]]
    return weighted_erm_table(weights, q) == table


def decide(table: Table, y: Sequence[float]) -> float:
    """The order of a counting policy with demands ``y``: the smallest a with kappa(1{y_i <= a}) = 1, in [0, 1]."""
    for a in (0.0, *sorted(y)):
        if table[_index([int(value <= a) for value in y])]:
            return a
    return 1.0


def probability(table: Table, h: Sequence[float]) -> float:
    """P(h_1, ..., h_n) = sum over outcomes of kappa(b) prod h_i^b_i (1 - h_i)^(1 - b_i) (Proposition 3)."""
    n = len(h)
    terms = (
        value * np.prod([h[i] if one else 1 - h[i] for i, one in enumerate(b)])
        for value, b in zip(table, outcomes(n), strict=True)
    )
    return float(sum(terms))


def _index(bits: Sequence[int]) -> int:
    return sum(bit << (len(bits) - 1 - i) for i, bit in enumerate(bits))
