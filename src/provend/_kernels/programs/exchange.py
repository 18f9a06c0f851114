"""Semi-infinite linear programs by exchange: the rows, one for each side and t, are found as they are needed.

    minimise z  subject to  row_{s,t} @ w <= z  for both sides s, all t in [0, c_s],  w in the simplex.

Each round solves the program for the rows known and asks both sides where the solution costs more than its z. The
multipliers of the rows are a prior over (side, t). Nothing rests on the solver's word: what its solution costs and
what the prior proves are computed afresh by the caller.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.programs.program import MixtureProgram


class Atom(NamedTuple):
    """One point of Nature's prior: side 0 is low, 1 is high."""

    side: int
    t: float
    probability: float


class Rows(NamedTuple):
    """What each column costs, a row for each t."""

    t: Floats
    costs: Floats


class Side(Protocol):
    """One side of the program; never gives the same row twice."""

    side: int

    def first(self) -> Rows:
        """The rows the program starts with."""

    def missed(self, w: Floats, z: float) -> Rows:
        """Rows at the local maxima of the cost of w that exceed z."""


class Round(NamedTuple):
    """The solution for the rows known so far, and Nature's reply."""

    w: Floats
    z: float
    atoms: tuple[Atom, ...]

    def prior(self, least: float) -> list[Atom]:
        """The atoms that are likelier than ``least``."""
        return [atom for atom in self.atoms if atom.probability > least]


def exchange(program: MixtureProgram, sides: Sequence[Side], rounds: int) -> Iterator[Round]:
    """Solve and add the rows that were missed until none is, or the solver gives up; at least one round, or an error.

    A round is yielded once both sides have looked at its solution, before their new rows are added.
    """
    known = list[tuple[int, float]]()

    def add(side: Side, rows: Rows) -> None:
        if rows.t.size:
            program.add(rows.costs)
            known.extend((side.side, t) for t in rows.t.tolist())

    for side in sides:
        add(side, side.first())
    for number in range(rounds):
        if (solved := program.solve()) is None:
            if number == 0:
                raise RuntimeError("HiGHS solved none of the linear programs; please report the dissimilarities")
            return
        w, z, multipliers = solved
        found = [side.missed(w, z) for side in sides]
        yield Round(w, z, tuple(Atom(*at, p) for at, p in zip(known, multipliers.tolist(), strict=True)))
        if not any(rows.t.size for rows in found):
            return  # nothing is violated, or nothing that the solver could resolve
        for side, rows in zip(sides, found, strict=True):
            add(side, rows)


class Tips(NamedTuple):
    """Parabolas through points of a curve and their two neighbours: the tip, its height above the point, the bend."""

    t: Floats
    rise: Floats
    bend: Floats  # minus half the second derivative: positive where there is a maximum at all
    width: Floats  # from neighbour to neighbour


def tips(t: Floats, v: Floats, at: Integers) -> Tips:
    """Where the curve v(t) may be highest near its points ``at``, none of them an end."""
    left, right = t[at] - t[at - 1], t[at + 1] - t[at]
    down, up = (v[at] - v[at - 1]) / left, (v[at + 1] - v[at]) / right
    bend, slope = (down - up) / (left + right), (down * right + up * left) / (left + right)
    with np.errstate(divide="ignore", invalid="ignore"):
        tip, rise = np.clip(t[at] + slope / (2 * bend), t[at - 1], t[at + 1]), slope**2 / (4 * bend)
    return Tips(tip, rise, bend, left + right)
