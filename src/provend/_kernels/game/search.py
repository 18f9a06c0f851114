"""The game against a prior, searched: thresholds that nearly meet the bound of ``prior``, and better priors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers, TwoFloats
from provend._kernels.game.prior import Candidate, Prior, cells_for, certified_prior
from provend._kernels.programs.lp import Atom
from provend._kernels.programs.program import ORDINARY, RankProgram

STEPS = 3e6  # operations of one law of the lower bound, at first
POLISHING = 1e7  # operations of one law while the certified bound itself is climbed
ALL_LEVELS = 250  # sums up to which every threshold is tried: equal weights may need many
FINEST = 4000  # cells of the heaviest weight of a policy
ATTEMPTS, FEW_ATTEMPTS = 5, 3  # of looking for better priors and weights; for many contexts with few different d
MANY = 300  # different d inside the cut-off from which on only the lattice is refined: the rest is smooth, and slow
CROWD, CROWDED = 1200, 120_000  # contexts, many of them equal, that are searched; times cells of the policy, then
ROUNDS, NEGLIGIBLE = 8, 1e-9  # of the exchange; probabilities that are dropped


class Rule(NamedTuple):
    """Order the top iff sum k_i y_i > level, with some probability."""

    k: Integers
    level: int
    probability: float


class Rules(NamedTuple):
    """A mixture of threshold rules, its cost as far as seen, and the multipliers: where it is at its worst."""

    rules: list[Rule]
    value: float
    atoms: list[Atom]


@dataclass
class _Side:
    """What each rule costs on one side (0 low, 1 high), at a growing set of t: mu on the low side, 1 - mu else."""

    side: int
    c: float
    d: Floats
    families: list[tuple[Integers, Integers]]  # weights, and the levels tried on them
    t: Floats
    rows: Floats

    def feed(self, program: RankProgram, atoms: list[tuple[int, float]], t: Floats) -> None:
        """New rows at these t."""
        new = np.setdiff1d(np.clip(t, 0.0, self.c), self.t)
        if new.size:
            rows = np.hstack([self._costs(new, *family) for family in self.families])
            order = np.argsort(np.concatenate([self.t, new]))
            self.t, self.rows = np.concatenate([self.t, new])[order], np.vstack([self.rows, rows])[order]
            program.add(rows)
            atoms.extend((self.side, x) for x in new.tolist())

    def _costs(self, t: Floats, k: Integers, levels: Integers) -> Floats:
        """(c - t) P(error): more than the level of ones on the low side, on the high side zeros for all the rest."""
        from provend._kernels.game.lattice_game import rule_costs

        used = k > 0
        needed = levels + 1 if self.side == 0 else int(k.sum()) - levels
        return np.asarray(rule_costs(t, self.c, self.d[used], k[used], needed))

    def tips(self, w: Floats, z: float) -> Floats:
        """Tips of the parabolas through local maxima and their neighbours that may exceed z."""
        v, t = self.rows @ w, self.t
        i = np.arange(1, t.size - 1)
        i = i[(v[i] >= v[i - 1]) & (v[i] > v[i + 1]) & (v[i] > 0.97 * z)]
        left, right = t[i] - t[i - 1], t[i + 1] - t[i]
        down, up = (v[i] - v[i - 1]) / left, (v[i + 1] - v[i]) / right
        bend, slope = (down - up) / (left + right), (down * right + up * left) / (left + right)
        with np.errstate(divide="ignore", invalid="ignore"):
            tip, rise = np.clip(t[i] + slope / (2 * bend), t[i - 1], t[i + 1]), slope**2 / (4 * bend)
        good = (bend > 0) & (v[i] + rise > z * (1 + 1e-6)) & (rise > 1e-6 * z)
        wide = good & (left + right > 0.05 * self.c)
        return np.concatenate([tip[good], ((t[i] + t[i - 1]) / 2)[wide], ((t[i] + t[i + 1]) / 2)[wide]])


def best_rules(
    d: Floats, c: float, families: list[tuple[Candidate, Integers]], extra: list[tuple[int, float]]
) -> Rules:
    """The best mixture of thresholds on several weights: a linear program, by exchange, with some ``extra`` t."""
    tried = [(k, _levels(d, k, c, one)) for one, k in families]
    atoms, program = list[tuple[int, float]](), RankProgram(sum(levels.size for _, levels in tried), c * (1 - c))
    sides = [_Side(side, length, d, tried, np.zeros(0), np.zeros((0, 0))) for side, length in ((0, c), (1, 1 - c))]
    for table in sides:
        table.rows = np.zeros((0, sum(levels.size for _, levels in tried)))
        gap = (families[0][0].a, families[0][0].b)[table.side]
        near = table.c - gap + 0.4 * gap * np.linspace(-1, 1, 7)
        given = [t for side, t in extra if side == table.side]
        table.feed(program, atoms, np.concatenate([np.linspace(0, table.c, 17), near, given]))
    best, prior = np.zeros(0), list[Atom]()
    for _ in range(ROUNDS):
        if (solved := program.solve()) is None:
            break
        best, z, multipliers = solved
        prior = [Atom(*atom, p) for atom, p in zip(atoms, multipliers.tolist(), strict=True) if p > 1e-9]
        tips = [table.tips(best, z) for table in sides]
        if not any(tip.size for tip in tips):
            break
        for table, tip in zip(sides, tips, strict=True):
            table.feed(program, atoms, tip)
    if not best.size:
        raise RuntimeError("HiGHS solved none of the linear programs; please report the dissimilarities")
    columns = [(k, level) for k, levels in tried for level in levels.tolist()]
    least = NEGLIGIBLE * min(c * (1 - c) / ORDINARY, 1.0)
    rules = [Rule(k, level, p) for (k, level), p in zip(columns, best.tolist(), strict=True) if p > least]
    return Rules(rules, max(float((table.rows @ best).max()) for table in sides), prior)


def _levels(d: Floats, k: Integers, c: float, one: Candidate) -> Integers:
    """Sums to compare with: all, or those next to the one that levels both hypotheses, and some further out."""
    from provend._kernels.game.lattice_game import lattice_law, level

    used, total = k > 0, int(k.sum())
    if total <= ALL_LEVELS:
        return np.arange(-1, total + 1)
    P, at = lattice_law(np.minimum(c - one.a + d[used], 1.0), k[used])
    R, from_ = lattice_law(np.maximum(c + one.b - d[used], 0.0), k[used])
    s = level(one.a, one.b, P, at, R, from_)[0]
    both = np.zeros(total + 1)
    both[at : at + P.size] += P
    both[from_ : from_ + R.size] += R
    attained = np.flatnonzero(both > 1e-13)
    middle = int(np.searchsorted(attained, s))
    share = np.cumsum(both[attained]) / both[attained].sum()
    spread = attained[np.minimum(np.searchsorted(share, np.linspace(0.02, 0.98, 13)), attained.size - 1)]
    return np.unique(np.concatenate([[-1, total], attained[max(middle - 5, 0) : middle + 5], spread])).astype(np.int64)


class Search:
    """Priors and rules for ascending dissimilarities, improved until their values are close."""

    def __init__(self, d: Floats, c: TwoFloats, rtol: float) -> None:
        self.all, self.d, self.c, self.rtol = d, d[d < 0.5], c, rtol
        self.prior: Prior | None = None
        self.rules: Rules | None = None
        self._steps, self._finer = STEPS, 1
        self._best = Candidate(0.0, 0.0, 0.0)
        self._tried: set[tuple[Candidate, int]] = set()
        self._worst: list[tuple[int, float]] = []
        self._families: list[tuple[Candidate, Integers]] = []

    @property
    def _gap(self) -> float:
        assert self.prior is not None
        assert self.rules is not None
        return 1 - self.prior.bound / self.rules.value

    def run(self) -> None:
        """The best prior of a global search; while a gap is left, what the program's multipliers suggest."""
        from provend._kernels.game.lattice_game import around, improve, pairs, search

        self._try_priors(search(self.d, self.c))
        self._try_rules([self._best])
        for attempt in range(ATTEMPTS):
            if self._gap > self.rtol / 2:
                self._steps = min(self._steps * 8, 2e9)
                self._try_priors([self._best])
            if self._gap <= self.rtol / 2 or self.rules is None:
                break
            if self._smooth(attempt):
                continue
            self._finer *= 4  # weights that differ by little may have been rounded to the same integer
            suggested = pairs(self.rules.atoms, self.c)
            self._try_priors(improve(self.d, self.c, suggested))
            self._polish()
            self._try_rules([self._best, *around(self._best, self.c.high), *suggested[:2]])

    def _try_priors(self, candidates: list[Candidate]) -> None:
        for one in candidates:
            cells = cells_for(self.d, one.cut_off, self._steps)
            if (one, cells) in self._tried:
                continue
            self._tried.add((one, cells))
            prior = certified_prior(self.all, self.c, one, cells)
            if self.prior is None or prior.bound > self.prior.bound:
                self.prior, self._best = prior, one

    def _polish(self) -> None:
        """Pattern search on the certified bound itself: estimates mislead where a single weight is decisive."""
        step, steps = 0.04, self._steps
        self._steps = min(steps, POLISHING)
        while step > 0.001:
            (a, b, _), c, before = self._best, self.c.high, self.prior
            moves = [(i * step, j * step) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
            self._try_priors([Candidate(min(a * (1 + i), c), min(b * (1 + j), 1 - c), 0.0) for i, j in moves])
            step = step / 2 if self.prior is before else step
        self._steps = steps

    def _try_rules(self, candidates: list[Candidate]) -> None:
        from provend._kernels.game.lattice_game import integer_weights, policy_cells

        cells = [min(self._finer * policy_cells(self.d, one.cut_off), self._finest(one)) for one in candidates]
        weights = [integer_weights(self.d, self.c.high, one, n) for one, n in zip(candidates, cells, strict=True)]
        families = [(one, k) for one, k in zip(candidates, weights, strict=True) if k.any()]
        families = families or [(self._best, np.ones(self.d.size, np.int64))]
        rules = best_rules(self.d, self.c.high, families, self._worst)
        if self.rules is None or rules.value < self.rules.value:
            self.rules, self._families = rules, families

    def _smooth(self, attempt: int) -> bool:
        """Whether so many contexts count that only the lattice is worth refining; equal ones, some, may be."""
        near = self._near(self._best)
        if near.size <= 2 * MANY and np.searchsorted(near, self._best.cut_off) <= MANY:
            return False
        return attempt >= FEW_ATTEMPTS or near.size > CROWD or np.unique(near).size > MANY

    def _finest(self, one: Candidate) -> int:
        """Fewer for many contexts: the time of a law grows with the square of their number."""
        near = self._near(one).size
        return FINEST if near <= 2 * MANY else CROWDED // near

    def _near(self, one: Candidate) -> Floats:
        """The contexts that count, or would if the prior were a little different."""
        return self.d[: np.searchsorted(self.d, 1.1 * one.cut_off)]

    def again(self, side: int, t: float) -> None:
        """The rules once more, with a worst case the program had missed."""
        self._worst.append((side, t))
        self.rules = best_rules(self.d, self.c.high, self._families, self._worst)
