"""The best mixture of all ranks: a semi-infinite linear program, by exchange.

    minimise z  subject to  (c_s - t) sum_r w_r f_{s,r}(t) <= z  for both sides s, all t in [0, c_s],  w in the simplex,

where f_{high,r} = P(S >= r), f_{low,r} = P(S >= n - r + 1) and S counts successes with probability min(1, t + d_i).
Each round solves the program for some t and adds all local maxima of both sides that exceed its z. The multipliers of
the rows are a prior over (side, t), from which a lower bound is computed afresh: nothing rests on the solver's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats
from provend._kernels.arithmetic.rounding import TINY, UNIT, recurrence_error
from provend._kernels.programs.program import ORDINARY, RankProgram

MOST_ROUNDS = 80
FIRST = 8  # points a side starts with: more rows make the first programs slower and the exchange no shorter
SETTLED = 2e-9  # relative excess of the largest local maximum over z at which the exchange stops
NEARLY, COARSE = 0.05, 1e-3  # how much higher a maximum may be than the grid shows, and than a parabola says
SPREAD, NOISE = 240, 20  # ranks out of very many among which a mixture is sought, and how far beyond those of few

Positions = NDArray[np.intp]


class Atom(NamedTuple):
    """One point of Nature's prior: side 0 is low, 1 is high."""

    side: int
    t: float
    probability: float


class Optimum(NamedTuple):
    """Weights of the ranks, and the prior that shows how good they are."""

    weights: Floats
    prior: list[Atom]


def count_masses(d: Floats, t: Floats) -> Floats:
    """P(S = j), j = 0..n, a row for each t, by an all-positive recurrence."""
    p = np.minimum(t[None, :] + d[:, None], 1.0)
    Q = np.zeros((d.size + 1, t.size))
    Q[0] = 1.0
    for i, x in enumerate(p):
        up = Q[: i + 1] * x
        Q[: i + 1] *= 1 - x
        Q[1 : i + 2] += up
    return Q.T


def _masses(d: Floats, t: Floats) -> Floats:
    """The same to about 1e-12, faster where the count is binomial: good enough to search with."""
    if d[0] != d[-1]:
        return count_masses(d, t)
    n, x = d.size, np.minimum(t + d[0], 1.0)[:, None]
    j = np.arange(n + 1)
    return np.asarray(np.exp(_log_choose(n) + special.xlogy(j, x) + special.xlog1py(n - j, -x)))


@lru_cache(maxsize=16)
def _log_choose(n: int) -> Floats:
    j = np.arange(n + 1)
    return np.asarray(special.gammaln(n + 1) - special.gammaln(j + 1) - special.gammaln(n - j + 1))


def _tails(masses: Floats) -> Floats:
    """P(S >= r), r = 0..n+1."""
    tails = np.zeros((masses.shape[0], masses.shape[1] + 1))
    tails[:, :-1] = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]
    return tails


@dataclass
class _SideTable:
    """One side on a grid that refines itself around its local maxima. Side 0 reads the ranks from the top."""

    side: int
    c: TwoFloats
    d: Floats
    t: Floats
    masses: Floats
    step: float

    @classmethod
    def on_grid(cls, side: int, c: TwoFloats, d: Floats, **more: Integers) -> Self:
        """Fine against the width of a tail, about n^(-1/2) / 2; with all kinks, where maxima may sit."""
        points = 64 + int(12 * min(np.sqrt(d.size), 100.0))
        kinks = 1 - (d if d[0] < d[-1] else d[:1])
        t = np.unique(np.concatenate([np.linspace(0, c.high, points), kinks, _hiding(d, c)]))
        t = t[(t >= 0) & (t <= c.high)]
        table = cls(side, c, d, t, np.zeros((0, 0)), c.high / (points - 1), **more)
        table.masses = table.laws(t)
        return table

    def laws(self, t: Floats) -> Floats:
        """What the table holds for each t: the masses of the count."""
        return _masses(self.d, t)

    def gap(self, t: Floats) -> Floats:
        return np.maximum((self.c.high - t) + self.c.low, 0.0)

    def rows(self, index: Positions) -> Floats:
        """The coefficients of the ranks at some of the points."""
        tails = self.gap(self.t[index])[:, None] * _tails(self.masses[index])
        return tails[:, ::-1] if self.side == 0 else tails

    def values(self, w: Floats) -> Floats:
        """(c - t) F(t) at all points."""
        wrong = np.cumsum(w[::-1] if self.side == 0 else w)[:-1]  # by the number of successes
        return self.gap(self.t) * (self.masses @ wrong)

    def refine(self, w: Floats, level: float) -> bool:
        """Add the tips of the parabolas through local maxima and their neighbours, where they may exceed ``level``.

        On the coarse grid such a tip is a poor guess: it gets two close neighbours for the next parabola. Returns
        whether any point was new.
        """
        v, t = self.values(w), self.t
        i = np.clip(self._peaks(v, level * (1 - NEARLY)), 1, t.size - 2)
        left, right = t[i] - t[i - 1], t[i + 1] - t[i]
        down, up = (v[i] - v[i - 1]) / left, (v[i + 1] - v[i]) / right
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = (down - up) / (left + right)  # minus half the second derivative
            slope = (down * right + up * left) / (left + right)
            tip, rise = np.clip(t[i] + slope / (2 * bend), t[i - 1], t[i + 1]), slope**2 / (4 * bend)
        coarse = (left + right > self.step / 8) & (v[i] + rise > level * (1 - COARSE))
        worth = (bend > 0) & (coarse | ((v[i] + rise > level) & (rise > SETTLED * level / 8)))
        close = (left + right)[worth & coarse] / 64
        near = tip[worth & coarse]
        new = np.setdiff1d(np.concatenate([tip[worth], near - close, near + close]), t)
        new = new[(new > 0) & (new < self.c.high)]
        if new.size:
            place = np.searchsorted(t, new)
            self.t, self.masses = np.insert(t, place, new), np.insert(self.masses, place, self.laws(new), axis=0)
        return bool(new.size)

    def violated(self, w: Floats, z: float) -> Positions:
        """Positions of the local maxima above z."""
        return self._peaks(self.values(w), z)

    @staticmethod
    def _peaks(v: Floats, z: float) -> Positions:
        padded = np.concatenate([[-np.inf], v, [-np.inf]])
        return np.flatnonzero((v > z) & (v >= padded[:-2]) & (v > padded[2:]))


@dataclass
class _SomeRanks(_SideTable):
    """The same for some of the ranks of very many equally dissimilar samples: their tails instead of masses."""

    ranks: Integers

    def laws(self, t: Floats) -> Floats:
        """P(S >= r), on the low side P(S >= n - r + 1)."""
        n, x = self.d.size, np.minimum(t + self.d[0], 1.0)[:, None]
        needed = n - self.ranks + 1 if self.side == 0 else self.ranks
        inside = np.clip(needed, 1, n)
        tails = special.betainc(inside, n - inside + 1, x)
        return np.asarray(np.where(needed < 1, 1.0, np.where(needed > n, 0.0, tails)))

    def rows(self, index: Positions) -> Floats:
        """The coefficients of the ranks at some of the points."""
        return self.gap(self.t[index])[:, None] * self.masses[index]

    def values(self, w: Floats) -> Floats:
        """(c - t) F(t) at all points."""
        return self.gap(self.t) * (self.masses @ w)


def _hiding(d: Floats, c: TwoFloats) -> Floats:
    """Some t = c - d_i and their mean: there Nature can make the history look the same on both sides."""
    t = np.unique(c.high - np.append(d[:: max(1, d.size // 8)], d.mean()))
    return t[t >= 0]


def _tables(d: Floats, c_low: TwoFloats, c_high: TwoFloats, ranks: Integers | None) -> list[_SideTable]:
    sides = list(enumerate((c_low, c_high)))
    if ranks is None:
        return [_SideTable.on_grid(side, c, d) for side, c in sides]
    return [_SomeRanks.on_grid(side, c, d, ranks=ranks) for side, c in sides]


def spread_ranks(few: Sequence[int], k: int, n: int) -> Integers:
    """Some ranks of n samples: around the places that ``few`` ranks have among k of them, and both ends."""
    inside = [rank for rank in few if 0 < rank <= k] or [(k + 1) // 2]
    low, high = np.clip([min(inside) - NOISE, max(inside) + NOISE], 0, k + 1) * ((n + 1) / (k + 1))
    return np.unique(np.rint([0, *np.linspace(low, high, SPREAD), n + 1])).astype(np.int64)


def best_weights(d: Floats, c_low: TwoFloats, c_high: TwoFloats, ranks: Integers | None = None) -> Optimum:
    """Solve the semi-infinite program for samples at ascending d; for equal ones also with some ``ranks`` only."""
    tables = _tables(d, c_low, c_high, ranks)
    value = c_low.high * c_high.high
    program = RankProgram(d.size + 2 if ranks is None else ranks.size, value)
    atoms: list[tuple[int, float]] = []

    def add(table: _SideTable, index: Positions) -> None:
        index = np.array([i for i in index if (table.side, float(table.t[i])) not in atoms], np.intp)
        if index.size:
            program.add(table.rows(index))
            atoms.extend((table.side, float(t)) for t in table.t[index])

    for table in tables:
        spread = np.linspace(0, table.t.size - 2, FIRST).astype(int)
        add(table, np.union1d(spread, np.searchsorted(table.t, _hiding(d, table.c))))
    best, multipliers, least = np.zeros(0), np.zeros(0), np.inf
    for _ in range(MOST_ROUNDS):
        if (solved := program.solve()) is None:
            break
        w, z, multipliers = solved
        level = z * (1 + SETTLED)
        for table in tables:
            if table.refine(w, level):
                table.refine(w, level)
        worst = max(float(table.values(w).max()) for table in tables)
        if worst < least:
            best, least = w, worst
        before = len(atoms)
        for table in tables:
            add(table, table.violated(w, level))
        if len(atoms) == before:
            break  # nothing is violated, or nothing that the solver could resolve
    if not best.size:
        raise RuntimeError("HiGHS solved none of the linear programs; please report the dissimilarities")
    prior = [
        Atom(*atom, float(p))
        for atom, p in zip(atoms, multipliers, strict=False)
        if p > 1e-14 * min(value / ORDINARY, 1)
    ]
    return Optimum(best, prior)


class Bounds(NamedTuple):
    """Rigorous lower bounds from a prior: for every mixture of ranks, and for every policy (equal d only)."""

    mixtures: float
    policies: float | None


def prior_bounds(d: Floats, c_low: TwoFloats, c_high: TwoFloats, prior: list[Atom]) -> Bounds:
    """What the prior costs the best rank, and the best function of the count where that is sufficient."""
    mixtures, masses, total = np.zeros(d.size + 2), list[_Masses](), 0.0
    for side, c in enumerate((c_low, c_high)):
        atoms = [atom for atom in prior if atom.side == side]
        t, p = np.array([atom.t for atom in atoms]), np.array([atom.probability for atom in atoms])
        ranks = p * np.maximum((c.high - t) + c.low, 0.0) @ _tails(count_masses(d, t))
        mixtures += ranks[::-1] if side == 0 else ranks
        # For the law of the count let x = t + d be the floating-point number, and t what it then is exactly.
        x, C = t + d[0], c.plus(float(d[0]))
        gap = np.where(x <= 1, (C.high - x) + C.low, (c.high - t) + c.low)
        masses.append(_Masses(p * np.maximum(gap, 0.0), t, np.minimum(x, 1.0)))
        total += float(p.sum())
    error = recurrence_error(d.size) + (4 * d.size + 4 * len(prior) + 32) * UNIT

    def down(value: float) -> float:
        return max(0.0, value / total * (1 - error) - TINY)

    equal = bool(d[0] == d[-1])
    return Bounds(down(float(mixtures.min())), down(_sum_of_minima(d.size, *masses)) if equal else None)


class _Masses(NamedTuple):
    """Points of the prior on one side, with mass times regret, mean t and success probability at most x."""

    weight: Floats
    t: Floats
    x: Floats


def _sum_of_minima(n: int, low: _Masses, high: _Masses) -> float:
    """Sum over counts of the smaller of the two masses: what no policy undercuts, all d being equal.

    The most misleading history is x. But where those of the two sides would change places, Nature does better to
    stop where they meet; both are feasible, so the larger of the two sums counts. For unequal d the count is not
    sufficient, and grouping outcomes by it would give a number that is no bound.
    """
    if not (low.x.size and high.x.size):
        return 0.0
    meet = (float(low.x.mean()) + 1 - float(high.x.mean())) / 2
    histories = low.x, high.x, np.clip(meet, low.t, low.x), np.clip(1 - meet, high.t, high.x)
    masses = np.split(count_masses(np.zeros(n), np.concatenate(histories)), np.cumsum([x.size for x in histories[:-1]]))
    return max(
        float(np.minimum(low.weight @ ones, (high.weight @ zeros)[::-1]).sum())
        for ones, zeros in (masses[:2], masses[2:])
    )
