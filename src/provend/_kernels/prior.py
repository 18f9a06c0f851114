"""The game against a prior on two means: a bound below every policy, and thresholds that nearly meet it.

Nature draws mu- = c - a or mu+ = c + b, c = 1 - q, and picks the most misleading histories, p_i- = mu- + d_i and
p_i+ = mu+ - d_i. Where these would change places she makes the context useless: the same mean under both. The best
reply is a threshold on sum w_i y_i, w_i = logit p_i+ - logit p_i-, and its cost is the sum over outcomes of
min(pi a P-, (1 - pi) b P+).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np

from provend._kernels.lp import Atom
from provend._kernels.points import Floats, Integers, TwoFloats
from provend._kernels.program import ORDINARY, RankProgram
from provend._kernels.rounding import HISTORY, LOG_ODDS, LONG_SUM, PRIOR, TINY, USELESS, recurrence_error

DECISIVE = 6.0  # a log-odds ratio this large does not set the width of the cells
LEAST_MEAN = 1e-7  # of a hypothesis, relative to its range: keeps log-odds finite
STEPS = 3e6  # operations of one law of the lower bound, at first
POLISHING = 1e7  # operations of one law while the certified bound itself is climbed
ALL_LEVELS = 250  # sums up to which every threshold is tried: equal weights may need many
FINEST = 4000  # cells of the heaviest weight of a policy
ATTEMPTS, FEW_ATTEMPTS = 5, 3  # of looking for better priors and weights; for many contexts with few different d
MANY = 300  # different d inside the cut-off from which on only the lattice is refined: the rest is smooth, and slow
CROWD, CROWDED = 1200, 120_000  # contexts, many of them equal, that are searched; times cells of the policy, then
ROUNDS, NEGLIGIBLE = 8, 1e-9  # of the exchange; probabilities that are dropped


class Prior(NamedTuple):
    """Two hypotheses and what they prove; histories are aligned with the ascending dissimilarities.

    No policy has a worst-case regret below ``bound``, rounding errors included.
    """

    low: float
    high: float
    probability: float  # of the low mean
    low_history: Floats
    high_history: Floats
    bound: float


class Candidate(NamedTuple):
    """Distances a and b of the two means from 1 - q, and the estimated cost they force."""

    a: float
    b: float
    value: float

    @property
    def cut_off(self) -> float:
        """Contexts at least this dissimilar are useless."""
        return (self.a + self.b) / 2


def cells_for(d: Floats, cut_off: float, steps: float) -> int:
    """A number of cells for the heaviest weight such that one law takes about ``steps`` operations."""
    near = d[d < cut_off]
    spread = float(np.sqrt(np.sum((1 - near / cut_off) ** 2))) if near.size else 1.0
    return int(min(max(steps / (max(near.size, 1) * (12 * spread + 1)), 16), 20_000))


def certified_prior(d: Floats, c: TwoFloats, one: Candidate, cells: int) -> Prior:
    """The bound of a prior, proved: Nature concedes a little so that an integer count says nearly all there is.

    Log-odds ratios are raised to the next multiple of a step by moving p- down and, at mu-, p+ up. What is left, e in
    all, is of the size of rounding errors; inside a group of outcomes with the same count likelihood ratios differ by
    at most the factor exp(2 e), so the sum of minima over groups, divided by it, is a bound.
    """
    from provend._kernels.lattice_game import lattice_law, level

    mu = max(c.high - one.a, LEAST_MEAN * c.high)
    nu = min(c.high + one.b, 1 - LEAST_MEAN * (1 - c.high))
    a, b = (c.high - mu) + c.low, (nu - c.high) - c.low
    low = np.clip((mu + d) * (1 - HISTORY), mu, nu)  # never beyond what d allows, rounding included
    high = np.clip((nu - d) * (1 + HISTORY), mu, nu)
    used = high > low
    low, high = np.where(used, low, high), high  # any mean between them is feasible under both
    if not used.any():
        pi = b / (a + b)
        return Prior(mu, nu, pi, low, high, min(pi * a, (1 - pi) * b) * (1 - USELESS))
    k, step = _lattice(low[used], high[used], cells)
    low[used], high[used], e = _concede(low[used], high[used], (mu, nu), np.asarray(k * step, np.float64))
    light_first = np.argsort(k, kind="stable")
    P, at = lattice_law(low[used][light_first], k[light_first])
    R, from_ = lattice_law(high[used][light_first], k[light_first])
    _, _, _, m, M = level(a, b, P, at, R, from_)
    pi = b * M / (a * m + b * M) if a * m + b * M > 0 else 0.5
    begin = max(at, from_)
    end = max(begin, min(at + P.size, from_ + R.size))  # none, where the laws do not overlap
    minima = np.minimum(pi * a * P[begin - at : end - at], (1 - pi) * b * R[begin - from_ : end - from_])
    error = recurrence_error(k.size, int(k.sum())) + PRIOR
    return Prior(mu, nu, pi, low, high, max(float(minima.sum()) * exp(-2 * e) * (1 - error) - TINY, 0.0))


def _lattice(low: Floats, high: Floats, cells: int) -> tuple[Integers, float]:
    """Integers k with k * step at least the log-odds ratios; of several steps the one that adds least."""
    w = logit(high) - logit(low)
    values, counts = np.unique(w, return_counts=True)
    most = values[-1]
    if values.size == 1:
        return np.ones(w.size, np.int64), float(most)
    cells = int(cells * max(most / DECISIVE, 1.0))
    tries = np.unique(np.linspace(cells, 1.25 * cells, 24).astype(int))
    added = [float((np.ceil(values * n / most - 1e-9) * most / n - values) @ counts) for n in tries]
    step = most / float(tries[int(np.argmin(added))])
    return np.maximum(np.ceil(w / step - 1e-9), 1).astype(np.int64), float(step)


def _concede(low: Floats, high: Floats, ends: tuple[float, float], ratios: Floats) -> tuple[Floats, Floats, float]:
    """Histories whose log-odds differ by ``ratios``, and a bound on the sum of what they are off by."""
    mu, nu = ends
    low = np.clip(_expit(logit(high) - ratios), mu, low)
    high = np.where(low > mu, high, np.clip(_expit(logit(np.full(low.size, mu)) + ratios), high, nu))
    first, second = logit(low), logit(high)
    off = np.abs(second - first - ratios) + LOG_ODDS * (2 + np.abs(first) + np.abs(second))
    return low, high, float(off.sum()) * (1 + LONG_SUM)


def logit(p: Floats) -> Floats:
    return np.asarray(np.log(p / (1 - p)))


def _expit(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


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
        from provend._kernels.lattice_game import rule_costs

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
    from provend._kernels.lattice_game import lattice_law, level

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
        from provend._kernels.lattice_game import around, improve, pairs, search

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
        from provend._kernels.lattice_game import integer_weights, policy_cells

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
