"""A world: what happened where, what a user asks for, and the script with which they ask.

A world is plain data from which code follows: :meth:`World.script` is what the judge executes, and what is printed when
the judge finds something. The dissimilarities are worked out here once more, from their definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Columns = dict[str, tuple[Any, ...]]

IMPORTS = """from fractions import Fraction
from itertools import product
import numpy as np, pandas as pd
import provend as pv
from provend.dissimilarity import Constant, Distance, Drift, Mismatch
"""
REGRESSOR = """from sklearn.base import BaseEstimator
class Shifted(BaseEstimator):
    def fit(self, X, y):
        assert (X['when'] == 0).all()
        self.shift_ = float(np.mean(y - X['level']))
        return self
    def predict(self, X): return X['level'].to_numpy() + self.shift_
"""  # learns from older rows alone by how much the forecasts are off
ANCHOR = "anchor"  # rows known to be at one end of the support, as different from the targets as can be
CAUTIOUS = "cautious"  # the name of a model with which orders stay within the demands seen
CERTIFIED = "certified"  # the name of a model that learns limits from half of the rows
LEARNED = "learned"  # a model by name, which states its own conditions


@dataclass(frozen=True)
class Recipe:
    """A policy as the user writes it, with its members or its weights, so that it can be taken apart."""

    form: str
    members: tuple[Recipe, ...] = ()
    weights: tuple[float, ...] = ()
    plainer: tuple[Recipe, ...] = ()

    @property
    def code(self) -> str:
        """As the user writes it."""
        members = ", ".join(member.code for member in self.members)
        return self.form.replace("MEMBERS", f"[{members}]").replace("WEIGHTS", repr(list(self.weights)))

    def on(self, rows: list[int], n: int) -> Recipe:
        """On some of n rows; weights go with their rows."""
        members = tuple(member.on(rows, n) for member in self.members)
        weights = tuple(self.weights[i] for i in rows) if len(self.weights) == n else self.weights
        return replace(self, members=members, weights=weights)


@dataclass(frozen=True)
class Term:
    """One model of dissimilarity: as the user writes it, and what it means."""

    kind: str
    scale: float = 0.0
    column: str = ""
    table: tuple[tuple[float, ...], ...] = ()
    name: str = ""

    @property
    def code(self) -> str:
        """As the user writes it."""
        match self.kind:
            case "number":
                return repr(self.scale)
            case "Constant":
                return f"Constant({self.scale})"
            case "Mismatch":
                return f"Mismatch({self.column!r}, {self.scale})"
            case "Drift":
                return f"Drift({self.scale}, {self.column!r})"
            case "Distance":
                return f"Distance({self.scale}, ({self.column!r},))"
            case "function":
                rows = "targets['id'], past['id']"
                return f"lambda past, targets: np.array({[list(row) for row in self.table]})[np.ix_({rows})]"
        return repr(self.name)

    def between(self, past: Columns, targets: Columns) -> Floats:
        """What it means, one row per target."""
        anyone = dict.fromkeys(("number", "Constant", LEARNED), next(iter(past)))
        name = {"function": "id", **anyone}.get(self.kind, self.column)
        ours, theirs = np.array(targets[name]), np.array(past[name])
        apart: Floats
        if self.kind in anyone:  # what is learned from few rows of one kind: that they are alike
            apart = np.full((ours.size, theirs.size), self.scale)
        elif self.kind == "function":
            apart = np.array(self.table)[np.ix_(ours, theirs)]
        elif self.kind == "Mismatch":
            apart = self.scale * (ours[:, None] != theirs)
        else:
            spread = 1.0 if self.kind == "Drift" else float(np.std(theirs))
            apart = self.scale * np.abs(ours[:, None] - theirs) / (spread if spread > 1e-12 else np.inf)
        return apart


@dataclass(frozen=True)
class World:
    """Past contexts, targets, what is known about their dissimilarity, and what the user asks for.

    ``atoms`` are the demands that can occur, ``support`` what is said to be possible (``told``: said by the user; else
    read off the history, in which anchor rows sit at both ends). ``library`` worlds call ``policy.order`` themselves.
    Where there is a ``level`` ("column" or "regressor"), demand is the forecast in the column "level" plus an atom, and
    dissimilarities are about the atoms: orders are told less their forecast. With ``packs``, a size and a minimum,
    orders are drawn, anew for every history, and come on top of a ``stock``.
    """

    past: Columns
    targets: Columns
    terms: tuple[Term, ...]
    policy: Recipe
    costs: tuple[str, str]
    support: tuple[float, float]
    atoms: tuple[float, ...]
    told: bool = True
    integer: bool = False
    sample_weight: tuple[float, ...] | None = None
    library: bool = False
    level: str = ""
    packs: tuple[int, int] | None = None
    stock: float = 0.0

    @property
    def possible(self) -> Floats:
        """What can be ordered, to the first order that meets every demand."""
        size, least = self.packs or (1, 0)
        multiples = size * np.arange(1, 10_000)
        multiples = multiples[multiples >= least]
        return np.append(0.0, multiples[: int(np.searchsorted(multiples, self.support[1] - self.stock)) + 1])

    @property
    def aims(self) -> Floats:
        """What the forecast of each target is, if there is any."""
        return np.array(self.targets["level"], float) if self.level else np.zeros(self.size[1])

    @property
    def size(self) -> tuple[int, int]:
        """Past rows and targets."""
        return len(next(iter(self.past.values()))), len(next(iter(self.targets.values())))

    @property
    def learned(self) -> bool:
        """Whether the dissimilarity is learned from the demands."""
        return self.terms[0].kind == LEARNED

    @property
    def cautious(self) -> bool:
        """Whether orders have to stay within the demands seen."""
        return self.terms[0].name == CAUTIOUS

    @property
    def certified(self) -> bool:
        """Whether limits are learned from some of the rows, and others are weighed."""
        return self.terms[0].name == CERTIFIED

    @property
    def halved(self) -> bool:
        """Whether rows that are learned from do not count."""
        return self.certified or self.policy.code in ("'tree'", "'forest'")

    @property
    def alike(self) -> bool:
        """Whether all that is to be learned is that rows of one kind are alike."""
        return self.learned and all(len(set(column)) == 1 for column in self.past.values())

    @property
    def grown(self) -> bool:
        """Whether a guarantee may differ from history to history."""
        return self.halved or (self.learned and not self.alike)

    @property
    def cu_co(self) -> tuple[float, float]:
        """The costs as numbers; a decimal means what it says."""
        cu, co = (Fraction(cost.strip("'")) for cost in self.costs)
        return float(cu), float(co)

    @property
    def q(self) -> float:
        """The critical ratio."""
        cu, co = self.cu_co
        return cu / (cu + co)

    @property
    def unit(self) -> float:
        """Money per unit of regret."""
        return sum(self.cu_co) * (self.support[1] - self.support[0])

    @cached_property
    def d(self) -> Floats:
        """Dissimilarities, one row per target."""
        parts = [term.between(self.past, self.targets) for term in self.terms]
        return np.asarray(np.minimum(np.sum(parts, axis=0), 1.0))

    @property
    def anchors(self) -> dict[int, int]:
        """Rows whose demand is certain, and which atom it is."""
        ends = {"low": 0, "high": len(self.atoms) - 1}
        return {i: ends[end] for i, end in enumerate(self.past.get(ANCHOR, ())) if end in ends}

    @property
    def valid(self) -> bool:
        """Whether it keeps its own rules."""
        both = set(self.anchors.values()) == {0, len(self.atoms) - 1}
        some = self.sample_weight is None or any(self.sample_weight)
        named = self.policy.code.startswith("'")
        return min(self.size) > 0 and (self.told or both) and some and not (self.library and named)

    @property
    def script(self) -> str:
        """Code that defines ``fit(y)`` and, of what it returns, ``orders``, ``uppers`` and ``weights``."""
        if self.level == "regressor":
            return IMPORTS + REGRESSOR + self._by_regressor()
        return IMPORTS + (self._by_library() if self.library else self._by_estimator())

    @property
    def _options(self) -> str:
        model = " + ".join(term.code for term in self.terms)
        options = [*self.costs, f"policy={self.policy.code}", f"dissimilarity={model}"]
        options += [f"support={self.support}"] if self.told else []
        options += ["integer=True"] if self.integer else []
        options += [f"orders=pv.Orders{self.packs}", "random_state=next(chances)"] if self.packs else []
        return ", ".join(options)

    def _by_estimator(self) -> str:
        level, less, plus = (", level='level'", " - T['level'].to_numpy()", " + X['level']") if self.level else [""] * 3
        weights = "" if self.sample_weight is None else f", sample_weight={list(self.sample_weight)}"
        there = f", stock={self.stock}" if self.packs else ""
        return (
            f"X, T, chances = {frame(self.past)}, {frame(self.targets)}, iter(range(10**9))\n"
            f"def fit(y):\n"
            f"    model = pv.ContextualNewsvendor({self._options}{level})\n"
            f"    return model.fit(X, y{plus}{weights})\n"
            f"def orders(model): return model.predict(T{there}){less}\n"
            f"def uppers(model): return model.guarantee(T{there}).upper\n"
            "def weights(model): return model.get_weights(T)\n"
        )

    def _by_regressor(self) -> str:
        """As many older rows, whose demands are what they are, teach the regressor; one is negative: no roots."""
        n = self.size[0]
        old = [self.support[0], *((self.support[0] + self.support[1]) / 2 for _ in range(n - 1))]
        return (
            f"X, T = {frame(self.past)}.assign(when=1), {frame(self.targets)}.assign(when=2)\n"
            f"both, old = pd.concat([X.assign(when=0), X]), {old}\n"
            f"def fit(y):\n"
            f"    model = pv.ContextualNewsvendor({self._options}, level=Shifted(), columns={{'when': 'time'}})\n"
            f"    return model.fit(both, np.append(old, y + X['level']))\n"
            "def orders(model): return model.predict(T) - T['level'].to_numpy()\n"
            "def uppers(model): return model.guarantee(T).upper\n"
            f"def weights(model): return model.get_weights(T)[:, {n}:]\n"
        )

    def _by_library(self) -> str:
        return (
            f"d, policy = np.array({self.d.tolist()}), {self.policy.code}\n"
            f"problem = pv.Newsvendor({', '.join(self.costs)}, {self.support})\n"
            "def fit(y): return y\n"
            "def orders(y): return np.array([policy.order(y, row, q=problem) for row in d])\n"
            "def uppers(y): return np.array([pv.worst_case_regret(policy, row, q=problem).upper for row in d])\n"
            "def weights(y): return np.zeros(d.shape)\n"
        )

    def simpler(self) -> Iterator[World]:
        """Worlds that differ by one thing less, the boldest first."""
        n, m = self.size
        for count, keep in ((m, self.keep_targets), (n, self.keep_rows)):
            for some in _subsets(count):
                yield keep(some)
        for policy in (*self.policy.members, *self.policy.plainer):
            yield replace(self, policy=policy)
        if not self.told:
            yield replace(self, told=True)
        yield from (replace(self, **{key: value}) for key, value in PLAIN.items() if getattr(self, key) != value)
        if len(self.terms) > 1:
            yield from (replace(self, terms=tuple(t for t in self.terms if t is not term)) for term in self.terms)
        if self.terms[0].kind == "function" and len((small := self._compact()).script) < len(self.script):
            yield small
        if len(self.atoms) > 2:
            yield replace(self, atoms=(self.atoms[0], self.atoms[-1]))

    def keep_targets(self, rows: list[int]) -> World:
        return replace(self, targets={name: tuple(column[i] for i in rows) for name, column in self.targets.items()})

    def keep_rows(self, rows: list[int]) -> World:
        past = {name: tuple(column[i] for i in rows) for name, column in self.past.items()}
        weights = None if self.sample_weight is None else tuple(self.sample_weight[i] for i in rows)
        return replace(self, past=past, sample_weight=weights, policy=self.policy.on(rows, self.size[0]))

    def _compact(self) -> World:
        """A table of dissimilarities without the entries nobody uses."""
        past, targets = self.past["id"], self.targets["id"]
        columns = sorted(set(past))
        rows = columns + sorted(set(targets) - set(columns))
        table = tuple(tuple(self.terms[0].table[i][j] for j in columns) for i in rows)
        ids = [{"id": tuple(rows.index(i) for i in some)} for some in (past, targets)]
        return replace(self, past=ids[0], targets=ids[1], terms=(replace(self.terms[0], table=table),))


PLAIN: dict[str, Any] = {"sample_weight": None, "integer": False, "stock": 0.0}


def _subsets(count: int) -> Iterator[list[int]]:
    """Halves and quarters of many, then all but one of few."""
    rows = list(range(count))
    for part in (count // 2, count // 4):
        if part >= 1:
            yield from (rows[start : start + part] for start in range(0, count - part + 1, part))
    if count <= 40:
        yield from (rows[:i] + rows[i + 1 :] for i in rows)


def frame(columns: Columns) -> str:
    """The table as code; dates are days since 1970."""
    entries = (
        f"{name!r}: " + (f"pd.to_datetime({list(values)}, unit='D')" if name == "date" else repr(list(values)))
        for name, values in columns.items()
    )
    return "pd.DataFrame({" + ", ".join(entries) + "})"
