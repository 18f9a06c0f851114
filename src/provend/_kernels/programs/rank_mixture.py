"""The best mixture of all ranks, as a program by exchange.

Rank r costs (c_s - t) f_{s,r}(t), where f_{high,r} = P(S >= r), f_{low,r} = P(S >= n - r + 1) and S counts successes
with probability min(1, t + d_i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats
from provend._kernels.programs.count_laws import quick_masses, tails_of
from provend._kernels.programs.exchange import Atom, Rows, exchange, tips
from provend._kernels.programs.program import ORDINARY, MixtureProgram

MOST_ROUNDS = 80
FIRST = 8  # points a side starts with: more rows make the first programs slower and the exchange no shorter
HIDING = 8  # about this many more, where Nature can make the history look the same on both sides
LEAST_GRID, MOST_ROOT, PER_ROOT = 64, 100.0, 12  # sizes of a side's grid: the width of a tail is about n^(-1/2) / 2
SETTLED = 2e-9  # relative excess of the largest local maximum over z at which the exchange stops
NEARLY, COARSE = 0.05, 1e-3  # how far a maximum may exceed what the grid shows, and what a parabola says
NOTICED = SETTLED / 8  # relative rise above a point of the grid that is worth another point
WIDE, CLOSE = 1 / 8, 1 / 64  # of a step: wider parabolas are coarse; of a width: the next neighbours are this close
IMPOSSIBLE = 1e-14  # probability below which a point of the prior is solver noise
SPREAD, NOISE = 240, 20  # ranks, out of very many, that may be mixed; how far they extend beyond those for few

Positions = NDArray[np.intp]


class Optimum(NamedTuple):
    """Weights of the ranks, and the prior that shows how good they are."""

    weights: Floats
    prior: list[Atom]


@dataclass
class _SideTable:
    """One side on a grid that refines itself around its local maxima. Side 0 reads the ranks from the top."""

    side: int
    c: TwoFloats
    d: Floats
    t: Floats
    masses: Floats
    step: float
    given: set[float] = field(default_factory=set, init=False)  # t of the rows the program has

    @classmethod
    def on_grid(cls, side: int, c: TwoFloats, d: Floats, **more: Integers) -> Self:
        """A grid that is fine compared with the width of a tail and has all kinks, where maxima may sit."""
        points = LEAST_GRID + int(PER_ROOT * min(np.sqrt(d.size), MOST_ROOT))
        kinks = 1 - (d if d[0] < d[-1] else d[:1])
        t = np.unique(np.concatenate([np.linspace(0, c.value, points), kinks, _hiding(d, c)]))
        t = t[(t >= 0) & (t <= c.value)]
        table = cls(side, c, d, t, np.zeros((0, 0)), c.value / (points - 1), **more)
        table.masses = table.laws(t)
        return table

    def laws(self, t: Floats) -> Floats:
        """What the table holds for each t: the masses of the count."""
        return quick_masses(self.d, t)

    def gap(self, t: Floats) -> Floats:
        return np.maximum((self.c.value - t) + self.c.rest, 0.0)

    def costs(self, index: Positions) -> Floats:
        """The costs of the ranks at some of the points."""
        tails = self.gap(self.t[index])[:, None] * tails_of(self.masses[index])
        return tails[:, ::-1] if self.side == 0 else tails

    def values(self, w: Floats) -> Floats:
        """(c - t) F(t) at all points."""
        wrong = np.cumsum(w[::-1] if self.side == 0 else w)[:-1]  # by the number of successes
        return self.gap(self.t) * (self.masses @ wrong)

    def first(self) -> Rows:
        """Some points of the grid, and those where Nature hides."""
        spread = np.linspace(0, self.t.size - 2, FIRST).astype(int)
        return self._new_rows(np.union1d(spread, np.searchsorted(self.t, _hiding(self.d, self.c))))

    def missed(self, w: Floats, z: float) -> Rows:
        """The local maxima above z, on a grid refined around them."""
        level = z * (1 + SETTLED)
        if self._refine(w, level):
            self._refine(w, level)
        return self._new_rows(_peaks(self.values(w), level))

    def _new_rows(self, index: Positions) -> Rows:
        index = np.array([i for i in index if float(self.t[i]) not in self.given], np.intp)
        self.given.update(self.t[index].tolist())
        return Rows(self.t[index], self.costs(index))

    def _refine(self, w: Floats, level: float) -> bool:
        """Add the tips of the parabolas through local maxima and their neighbours, where they may exceed ``level``.

        On the coarse grid such a tip is a poor guess: it gets two close neighbours for the next parabola. Returns
        whether any point was new.
        """
        v, t = self.values(w), self.t
        i = np.clip(_peaks(v, level * (1 - NEARLY)), 1, t.size - 2)
        tip = tips(t, v, i)
        coarse = (tip.width > self.step * WIDE) & (v[i] + tip.rise > level * (1 - COARSE))
        worth = (tip.bend > 0) & (coarse | ((v[i] + tip.rise > level) & (tip.rise > NOTICED * level)))
        near, close = tip.t[worth & coarse], tip.width[worth & coarse] * CLOSE
        new = np.setdiff1d(np.concatenate([tip.t[worth], near - close, near + close]), t)
        new = new[(new > 0) & (new < self.c.value)]
        if new.size:
            place = np.searchsorted(t, new)
            self.t, self.masses = np.insert(t, place, new), np.insert(self.masses, place, self.laws(new), axis=0)
        return bool(new.size)


@dataclass
class _SomeRanks(_SideTable):
    """The same for some of the ranks of very many equally dissimilar samples: it holds tails instead of masses."""

    ranks: Integers

    def laws(self, t: Floats) -> Floats:
        """P(S >= r), on the low side P(S >= n - r + 1)."""
        n, x = self.d.size, np.minimum(t + self.d[0], 1.0)[:, None]
        needed = n - self.ranks + 1 if self.side == 0 else self.ranks
        inside = np.clip(needed, 1, n)
        tails = special.betainc(inside, n - inside + 1, x)
        return np.asarray(np.where(needed < 1, 1.0, np.where(needed > n, 0.0, tails)))

    def costs(self, index: Positions) -> Floats:
        """The costs of the ranks at some of the points."""
        return self.gap(self.t[index])[:, None] * self.masses[index]

    def values(self, w: Floats) -> Floats:
        """(c - t) F(t) at all points."""
        return self.gap(self.t) * (self.masses @ w)


def _peaks(v: Floats, z: float) -> Positions:
    """Positions of the local maxima above z."""
    padded = np.concatenate([[-np.inf], v, [-np.inf]])
    return np.flatnonzero((v > z) & (v >= padded[:-2]) & (v > padded[2:]))


def _hiding(d: Floats, c: TwoFloats) -> Floats:
    """Some t = c - d_i and their mean: there Nature can make the history look the same on both sides."""
    t = np.unique(c.value - np.append(d[:: max(1, d.size // HIDING)], d.mean()))
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
    """Solve the semi-infinite program for samples at ascending d; if all d are equal, ``ranks`` may restrict it."""
    tables = _tables(d, c_low, c_high, ranks)
    no_data = c_low.value * c_high.value
    program = MixtureProgram(d.size + 2 if ranks is None else ranks.size, no_data)
    rounds = [  # costs are measured on the grid of the time, and the cheapest round is not always the last
        (max(float(table.values(one.w).max()) for table in tables), one)
        for one in exchange(program, tables, MOST_ROUNDS)
    ]
    _, best = min(rounds, key=lambda seen: seen[0])
    _, last = rounds[-1]
    return Optimum(best.w, last.prior(IMPOSSIBLE * min(no_data / ORDINARY, 1)))
