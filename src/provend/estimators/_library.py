"""A few designs for many targets: representatives that are solved once and shared by rank."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from provend.certificate import Guarantee
from provend.dissimilarity import cut_offs
from provend.estimators._rules import Rule
from provend.minimax import nearly_optimal
from provend.regret import regret_in, worst_case_regret

Floats = NDArray[np.float64]

RATIO = 1.2  # designs whose estimated regrets are within this ratio share a rule
NEXT = 1  # bins of that ratio to a representative whose rule still serves
LEAST = 1e-30  # regret that is told apart: with a ratio next to 0 or 1 the estimate may be 0
BEYOND = 0.75  # of a target's estimated regret, by which weighed contexts may be further away than a rule was made for
PARTS = 8  # of a cut-off, to which distances are rounded where a target has a rule of its own
OWN = -(2**20)  # keys below it are those of single designs
STEPS = np.geomspace(1e-4, 1.0, 60)  # by which a representative is moved
SHARED = 1.03  # within this ratio they also share a bracket, if there are many
MANY, CELLS = 150, 24  # beyond MANY rows, weights of CELLS units do: finer ones, which break ties, only take time
LIBRARY = 100  # designs that represent future targets; those unlike all of them are served by ones that are moved
ENOUGH = 64  # designs of one group whose median represents it
MARGIN = 1.7  # the optimiser sees contexts up to this times the estimated cut-off, whose grid has ratio 1.3
EXACT = 4096  # distinct designs times rows up to which each design gets its own bracket
GAP = 1e-2  # relative to a representative's optimum: sharing it loses more than that anyway
PRECISION = 1e-3  # relative precision of the brackets
DIGITS = 5  # of a representative design: rounding is safe, as its rule is certified elsewhere
DEAREST = 1.6  # times the optimal guarantee: what it may cost never to order beyond past demands
MOST_WITHIN = RATIO ** -(NEXT + 1), 0.9  # of the regret without data, for that: targets may be so much further away
MOST_RULES = 2048  # rules that are kept: items of one kind have designs in common
MOST_KNOWN = 100_000  # brackets that are kept


@dataclass(frozen=True, eq=False)
class Library:
    """Representative designs, by the approximate regret they guarantee, and the optimal rule of each, found on demand.

    A target uses, by rank, the rule of the representative nearest in that regret; where none is near, that of the
    nearest one moved away, or closer, until it guarantees about as much; and where that would weigh contexts that are
    further away than it was made for, that of its own design. So its order does not depend on the other targets in the
    same call. Rules stay within the demands they look at where that costs at most ``dearest`` times the optimal
    guarantee.
    """

    q: Fraction
    designs: dict[int, Floats]
    dearest: float = 1.0
    rules: dict[int, Rule] = field(default_factory=dict)
    others: dict[int, Floats] = field(default_factory=dict)  # designs of targets unlike all representatives

    @classmethod
    def of(cls, d: Floats, q: Fraction, *, dearest: float = 1.0) -> Library:
        """Group ascending designs, one per row, and represent each group by its median, rank by rank."""
        keys = bins(d, q, RATIO)
        known = {key: _medians(d[keys == key]) for key in sorted(set(keys.tolist()))}
        known.setdefault(_unlike(q), np.ones(d.shape[1]))  # a target may resemble nothing seen before
        return cls(q, known, dearest)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the rules: a copy solves its representatives again when it needs them."""
        return {"q": self.q, "designs": self.designs, "dearest": self.dearest, "rules": {}, "others": {}}

    def keys(self, d: Floats) -> NDArray[np.int64]:
        """The representative of each ascending design: a bin of its own where no known one is next to it."""
        known, own = np.array(sorted(self.designs)), bins(d, self.q, RATIO)
        nearest = known[np.abs(known[None, :] - own[:, None]).argmin(axis=1)]
        found: NDArray[np.int64] = np.where(np.abs(nearest - own) <= NEXT, nearest, own)
        for row in np.flatnonzero(self._beyond(d, found) > BEYOND * RATIO ** own.astype(np.float64)):
            found[row] = self._own(d[row])
        return found

    def _beyond(self, d: Floats, keys: NDArray[np.int64]) -> Floats:
        """By how much contexts that rules weigh are further away than they were made for, more than all of them are."""
        found = np.empty(len(d))
        for key in np.unique(keys):
            rows, rule = keys == key, self.rule(int(key))
            shares, design = rule.shares(rule.reach), self.design(int(key))[: rule.reach]
            further = np.maximum(d[rows, : rule.reach] - design, 0.0)
            further -= further.min(axis=1, keepdims=True)
            found[rows] = (further * shares).sum(axis=1)  # by row: how a matrix product rounds depends on its shape
        return found

    def _own(self, d: Floats) -> int:
        """The key of a design's own rule, which those alike share: distances are rounded to parts of its cut-off."""
        cut = float(cut_offs(d[None], float(self.q))[0][0])
        part = RATIO ** float(np.floor(np.log(cut) / np.log(RATIO))) / PARTS
        design = np.where(d > MARGIN * cut, 1.0, np.minimum(np.rint(d / part) * part, 1.0))
        key = OWN - int.from_bytes(blake2b(design.tobytes(), digest_size=7).digest(), "big")
        self.others.setdefault(key, design)
        return key

    def design(self, key: int) -> Floats:
        """The design that a key stands for."""
        if key in self.designs:
            return self.designs[key]
        if key not in self.others:
            self.others[key] = self._moved(key)
        return self.others[key]

    def rule(self, key: int) -> Rule:
        """The optimal rule of a representative."""
        if key not in self.rules:
            design = self.design(key)
            reach = max(1, int(np.searchsorted(design, MARGIN * cut_offs(design[None], float(self.q))[0][0])))
            best = optimal_rule(tuple(np.round(design[:reach], DIGITS).tolist()), self.q)
            self.rules[key] = within_demands(best, design, self.dearest, MOST_WITHIN[key < OWN])
        return self.rules[key]

    def _moved(self, key: int) -> Floats:
        """The nearest representative that resembles anything, as far away from the target as a bin says.

        Time takes contexts away by the same distance each; closer they come in proportion.
        """
        alike = [known for known in self.designs if known != _unlike(self.q)]
        nearest = min(alike, key=lambda known: abs(known - key), default=_unlike(self.q))
        design = self.designs[nearest]
        moved = np.minimum(design + STEPS[:, None], 1.0) if key > nearest else design * STEPS[:, None]
        found: Floats = moved[min(int(np.searchsorted(bins(moved, self.q, RATIO), key)), STEPS.size - 1)]
        return found


@lru_cache
def _unlike(q: Fraction) -> int:
    """The bin of a design that resembles nothing, however many contexts it has."""
    return int(bins(np.ones((1, 1)), q, RATIO)[0])


def _medians(rows: Floats) -> Floats:
    """The median of each column, of evenly spaced rows if there are many: those of one group are much alike.

    Sorting whole columns is faster than ``np.median`` along this axis.
    """
    some = rows[:: -(-len(rows) // ENOUGH)]
    ascending = np.sort(some, axis=0)
    medians: Floats = (ascending[(len(some) - 1) // 2] + ascending[len(some) // 2]) / 2
    return medians


@lru_cache(MOST_RULES)
def optimal_rule(near: tuple[float, ...], q: Fraction) -> Rule:
    """The rule for a design; it is certified where it is used, at the target's own dissimilarities."""
    rule = Rule.of(nearly_optimal(near, q=q, rtol=GAP), len(near), q)
    return rule.coarser(CELLS) if rule.reach > MANY else rule


def within_demands(best: Rule, design: Floats, dearest: float = DEAREST, most: float = 1.0) -> Rule:
    """The optimal rule for a design, kept within the demands it looks at where that does not cost too much.

    With few rows and a high ratio the optimum orders an end of the support every now and then, against worlds that
    hardly ever are: on real demand that costs much. It does so only where staying within past demands would raise the
    guarantee to more than ``dearest`` times the optimal one, or above the share ``most`` of that of no data.
    """
    if best.is_supported or dearest == 1:
        return best
    within = best.supported(design.size)
    if dearest == np.inf:
        return within
    limit = min(dearest * regret_of(best, design).upper, most * float(best.q * (1 - best.q)))
    return within if regret_of(within, design).upper <= limit else best


def regret_of(rule: Rule, design: Floats) -> Guarantee:
    """The worst-case regret of a rule at dissimilarities in its order, as far as it looks."""
    return worst_case_regret(rule.policy, design[: rule.reach], q=rule.q, rtol=PRECISION)


def bins(d: Floats, q: Fraction, ratio: float) -> NDArray[np.int64]:
    """The approximate regret that each design guarantees, on a geometric grid."""
    first = np.append(True, (d[1:] != d[:-1]).any(axis=1))  # designs that recur follow each other, and are rated once
    regret = cut_offs(d if first.all() else d[first], float(q))[1]
    found: NDArray[np.int64] = np.floor(np.log(np.maximum(regret, LEAST)) / np.log(ratio)).astype(np.int64)[
        np.cumsum(first) - 1
    ]
    return found


@dataclass(frozen=True, eq=False)
class Span:
    """Targets that share a bracket: the key of their rule, and the smallest and largest dissimilarity at each rank."""

    key: int
    least: Floats
    most: Floats
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, key: int, near: Floats, rows: NDArray[np.intp]) -> Span:
        """The span of ascending designs, one per row, as far as the rule looks."""
        return cls(key, near.min(axis=0), near.max(axis=0), rows)

    def joined(self, other: Span) -> Span:
        """The span with further targets added."""
        least, most = np.minimum(self.least, other.least), np.maximum(self.most, other.most)
        return Span(self.key, least, most, np.concatenate([self.rows, other.rows]))


@dataclass(frozen=True, eq=False)
class Brackets:
    """A cache of computed brackets: many targets have few distinct designs."""

    known: dict[bytes, tuple[float, float]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        """A copy starts afresh: the cache is not part of the model, and may grow while it is copied."""
        return {"known": {}}

    def of(self, rule: Rule, span: Span) -> tuple[float, float]:
        """The worst-case regret of one rule over several ascending designs, from the best of them to the worst.

        It never falls when a dissimilarity rises, so the largest at each rank bound it above, the smallest below.
        """
        ends = span.least, span.most
        name = blake2b(b"".join([str(span.key).encode(), *(end.tobytes() for end in ends)]), digest_size=16).digest()
        if (found := self.known.get(name)) is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            found = self.known[name] = _bracket(rule, *ends)
        return found


def _bracket(rule: Rule, least: Floats, most: Floats) -> tuple[float, float]:
    high = worst_case_regret(rule.policy, most, q=rule.q, rtol=PRECISION)
    same = np.array_equal(least, most)
    return high.lower if same else regret_in(high.worst_case, rule.policy, least, rule.q), high.upper


def together(d: Floats, keys: NDArray[np.int64], q: Fraction) -> Iterator[tuple[Hashable, int, NDArray[np.intp]]]:
    """Targets whose brackets are computed together: those of one design, or of one bin if there are many designs.

    Each group comes with a name, by which further targets of the same kind are recognised, and the key of its rule.
    """
    first = same = None
    if d.shape[1] < EXACT:
        first, same = np.unique(np.column_stack([keys, d]), axis=0, return_inverse=True)
    if first is None or same is None or first.size > EXACT:
        first, same = np.unique(np.column_stack([keys, bins(d, q, SHARED)]), axis=0, return_inverse=True)
    for group, name in enumerate(first):
        rows = np.flatnonzero(same.ravel() == group)
        yield name.tobytes(), int(keys[rows[0]]), rows
