"""The probability that a policy orders at most y, given the past cdfs at y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from provend._kernels.maximise.side import LatticeTerm, RoundedTerm, TableTerm, mixture_point
from provend.policies import Form, Ranks, Thresholds
from provend.policies._forms import Table, Top

Floats = NDArray[np.float64]
Chance = Callable[[Floats], float]  # from the past cdfs at y to the probability of ordering at most y

NEAR = 3.0  # cells within which the lattice does not tell sums of real weights from their threshold


def chance(form: Form, cells: int, ties: bool) -> Chance:
    """The probability of ordering at most y: the theorem's high side at t = 0 with the past cdfs for d.

    Real weights go on a lattice of ``cells``; with ``ties``, what it cannot resolve at the threshold is added.
    """
    if isinstance(form, Top):
        return lambda h: 0.0  # a fixed order: entered where y reaches it
    if isinstance(form, Table):
        return _expectation(float(form.probability) * form.kappa)
    if isinstance(form, Thresholds) and not form.unweighted:
        used = form.weights.used
        (term,) = form.errs(np.zeros(form.weights.size))[1]
        if isinstance(term, TableTerm):
            fold = _expectation(term.table)
            return lambda h: fold(h[used])
        if isinstance(term, RoundedTerm):
            (lattice,) = form.between_lattices(np.zeros(form.weights.size), cells)[1]
            assert isinstance(lattice, RoundedTerm)
            term = _with_ties(lattice) if ties else lattice
            return lambda h: replace(term, d=h[used]).estimate(0.0)
        assert isinstance(term, LatticeTerm)
        return lambda h: replace(term, d=h[used]).point()(0.0).f
    if isinstance(form, Ranks):
        return lambda h: sum(
            float(p) * _at_least(h, form.index, r) for p, r in zip(form.probabilities, form.ranks, strict=True)
        )
    return lambda h: mixture_point(form.errs(h)[1])(0.0).f


def _with_ties(term: RoundedTerm) -> RoundedTerm:
    """P plus the mass at the threshold: within a few cells of it, beyond the share of a ten times wider surrounding."""
    offsets = {0.0: 1.0, -NEAR: 1.0, NEAR: -1.0, -10 * NEAR: -0.1, 10 * NEAR: 0.1}
    levels = [level + offset for level in term.levels for offset in offsets]
    return replace(
        term, levels=levels, probabilities=[p * sign for p in term.probabilities for sign in offsets.values()]
    )


def _at_least(h: Floats, index: NDArray[np.intp] | None, rank: int) -> float:
    """The probability that at least ``rank`` of the chosen demands are at most y."""
    chosen = h if index is None else h[index]
    if not 1 <= rank <= chosen.size:
        return float(rank == 0)
    if chosen.min() == chosen.max():
        return float(special.betainc(rank, chosen.size - rank + 1, chosen[0]))
    from provend._kernels.tails.counts import count_tail

    return float(count_tail(chosen, rank)[0])


def _expectation(table: NDArray[Any]) -> Chance:
    """E[table(B)], B_i ~ Bernoulli(h_i), the first sample being the highest bit of the index."""

    def fold(h: Floats) -> float:
        F = table
        for x in h:
            F = F[: F.size // 2] * (1 - x) + F[F.size // 2 :] * x
        return float(F[0])

    return fold
