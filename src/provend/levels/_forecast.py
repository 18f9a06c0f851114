"""A forecast on a scale on which errors are alike, made of pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan

import numpy as np
from numpy.typing import NDArray

from provend.levels._brought import Level
from provend.levels._growth import Growth
from provend.levels._power import Power
from provend.levels._recent import Recent
from provend.levels._recurring import Recurring
from provend.levels._ridge import Ridge
from provend.levels._step import Step
from provend.levels._trees import Trees
from provend.levels._widths import Widths
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Forecast(Level):
    """The typical demand in each context.

    Attributes
    ----------
    power : Power
        The scale of everything below.
    past : array
        The level of each past row, forecast without that row itself.
    ends : array
        The least and the largest value at which each feature counts in a regression.
    spread : float
        Standard deviation of past demands around their level; positive, and known once the pieces are chosen.
    """

    encoding: Encoding
    power: Power
    past: Floats
    centre: float
    ends: Floats
    spread: float = nan
    ridge: Ridge | None = None
    trees: Trees | None = None
    shares: Floats = field(default_factory=lambda: np.zeros(1))
    step: Step | None = None
    growth: Growth | None = None
    recurring: tuple[Recurring, ...] = ()
    recent: Recent | None = None
    width: Widths | None = None

    @property
    def learned(self) -> bool:
        """Whether the forecast tells contexts apart."""
        return self.ridge is not None or self.recent is not None or self.step is not None

    def at(self, contexts: Contexts) -> Floats:
        """The level in each context, never more than one spread beyond the levels of the past."""
        level = np.full(contexts.size, self.centre)
        if self.ridge is not None:
            matrix = self.encoding.matrix(contexts)
            regression = self.ridge.predict(self._timeless(matrix, contexts))
            level += self.shares[0] * (regression - self.centre)
            shares = self.shares[1:]
            if self.trees is not None and shares.any():
                level += ((self.trees.predict(matrix, regression, shares.tolist()) - self.centre) * shares).sum(axis=1)
        level += self.dated(contexts) + self.stepped(contexts)
        if contexts.time is not None and self.recent is not None:
            level += self.recent.at(contexts.time.values)
        return self.within(level)

    def within(self, level: Floats) -> Floats:
        """No more than one spread beyond the levels of the past."""
        inside: Floats = np.clip(level, self.past.min() - self.spread, self.past.max() + self.spread)
        return inside

    def dated(self, contexts: Contexts) -> Floats:
        """What growth and days that recur add in each context."""
        added = np.zeros(contexts.size)
        if contexts.time is not None and self.growth is not None:
            added += self.growth.at(contexts.time.values)
        if contexts.time is not None:
            for one in self.recurring:
                added += one.at(contexts.time.values)
        return added

    def stepped(self, contexts: Contexts) -> Floats:
        """What a step adds in each context."""
        if contexts.time is None or self.step is None:
            return np.zeros(contexts.size)
        return self.step.at(contexts.time.values)

    def widths(self, contexts: Contexts) -> Floats:
        """The width of errors in each context, relative to that in other contexts."""
        if self.width is None:
            return np.ones(contexts.size)
        return self.width.at(self._timeless(self.encoding.matrix(contexts), contexts))

    def _timeless(self, matrix: Floats, contexts: Contexts) -> Floats:
        """The features of regressions, held near those of the past: what lines say of rain is a guess in a downpour."""
        return np.clip(self.encoding.without_time(matrix, contexts), *self.ends)

    @property
    def pieces(self) -> str:
        """What the level is made of, in words."""
        step = "" if self.step is None else "a change of level that has lasted, "
        growth = "" if self.growth is None else "growth, "
        trees = " and trees" if self.shares[1:].any() else ""
        recurring = ", days that recur every year" if self.recurring else ""
        recent = "" if self.recent is None else ", and the level of the recent past"
        return f"{step}{'one level' if self.ridge is None else f'{growth}a regression{trees}'}{recurring}{recent}"

    @property
    def described(self) -> str:
        """What the forecast is made of, with the width of its errors, in words."""
        return self.pieces if self.width is None else f"{self.pieces}, and the width of its errors"

    @property
    def past_widths(self) -> Floats | float:
        """The widths of the errors of the past rows."""
        return 1.0 if self.width is None else self.width.past
