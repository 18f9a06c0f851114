"""The best mixture of threshold rules on given weights: a linear program, by exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.game.candidate import Candidate
from provend._kernels.programs.exchange import Atom, Rows, exchange, tips
from provend._kernels.programs.program import ORDINARY, MixtureProgram
from provend.minimax._candidates import evenly
from provend.minimax._efforts import EFFORTS
from provend.minimax._weights import Family, levels


class Case(NamedTuple):
    """A mean with its worst history: t is mu on side 0, the low one, and 1 - mu on side 1."""

    side: int
    t: float


class Rule(NamedTuple):
    """Order the top iff sum k_i y_i > level, with some probability."""

    k: Integers
    level: int
    probability: float


class Rules(NamedTuple):
    """A mixture of threshold rules, its cost as far as seen, and the multipliers: where it is at its worst."""

    rules: tuple[Rule, ...]
    value: float
    worst: tuple[Atom, ...]


class _Column(NamedTuple):
    """Weights, and the levels tried on them: each level is a column of the program."""

    k: Integers
    levels: Integers


@dataclass
class _Side:
    """What each rule costs on one side, at a growing set of t."""

    side: int
    c: float
    d: Floats
    columns: list[_Column]
    begin: Floats
    t: Floats
    costs: Floats

    def first(self) -> Rows:
        return self._new_rows(self.begin)

    def missed(self, w: Floats, z: float) -> Rows:
        """Tips of the parabolas through local maxima and their neighbours that may exceed z."""
        v, t = self.costs @ w, self.t
        i = np.arange(1, t.size - 1)
        i = i[(v[i] >= v[i - 1]) & (v[i] > v[i + 1]) & (v[i] > EFFORTS.hump * z)]
        tip = tips(t, v, i)
        good = (tip.bend > 0) & (v[i] + tip.rise > z * (1 + EFFORTS.resolved)) & (tip.rise > EFFORTS.resolved * z)
        wide = good & (tip.width > EFFORTS.wide * self.c)
        halves = ((t[i] + t[i - 1]) / 2)[wide], ((t[i] + t[i + 1]) / 2)[wide]
        return self._new_rows(np.concatenate([tip.t[good], *halves]))

    def _new_rows(self, t: Floats) -> Rows:
        new = np.setdiff1d(np.clip(t, 0.0, self.c), self.t)
        costs = np.hstack([self._costs(new, *column) for column in self.columns])
        order = np.argsort(np.concatenate([self.t, new]))
        self.t, self.costs = np.concatenate([self.t, new])[order], np.vstack([self.costs, costs])[order]
        return Rows(new, costs)

    def _costs(self, t: Floats, k: Integers, level: Integers) -> Floats:
        """(c - t) P(error): on the low side the ones exceed the level, on the high side the zeros are all the rest."""
        from provend._kernels.game.lattice_game import rule_costs

        used = k > 0
        needed = level + 1 if self.side == 0 else int(k.sum()) - level
        return np.asarray(rule_costs(t, self.c, self.d[used], k[used], needed))


def near_values(c: float, prior: Candidate) -> tuple[Floats, Floats]:
    """Values of t on each side around the means of a prior, where the worst cases of a good reply to it are."""
    around = EFFORTS.near * evenly(-1, EFFORTS.first_near)
    return c - prior.a + prior.a * around, 1 - c - prior.b + prior.b * around


def first_values(c: float, prior: Candidate) -> tuple[Floats, Floats]:
    """Values of t on each side: evenly spaced, and more of them around the means of a prior."""
    low, high = near_values(c, prior)
    even = evenly(0, EFFORTS.first_t)
    return np.concatenate([c * even, low]), np.concatenate([(1 - c) * even, high])


def best_rules(d: Floats, c: float, families: Sequence[Family], known: Sequence[Case]) -> Rules:
    """The mixture of thresholds on these weights that costs least at its worst, ``known`` worst cases included."""
    columns = [_Column(one.k, levels(d, c, one)) for one in families]
    width = sum(column.levels.size for column in columns)
    sides = []
    for side, (length, first) in enumerate(zip((c, 1 - c), first_values(c, families[0].suggested_by), strict=True)):
        missed = [case.t for case in known if case.side == side]
        begin = np.concatenate([first, missed])
        sides.append(_Side(side, length, d, columns, begin, np.zeros(0), np.zeros((0, width))))
    *_, last = exchange(MixtureProgram(width, c * (1 - c)), sides, EFFORTS.rounds)
    least = EFFORTS.negligible * min(c * (1 - c) / ORDINARY, 1.0)
    tried = [(k, level) for k, many in columns for level in many.tolist()]
    rules = tuple(Rule(*rule, p) for rule, p in zip(tried, last.w.tolist(), strict=True) if p > least)
    value = max(float((side.costs @ last.w).max()) for side in sides)
    return Rules(rules, value, tuple(last.prior(EFFORTS.negligible)))
