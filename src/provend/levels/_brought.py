"""Past demand brought to the target's context before it is weighed.

T_x(y) = (z(y) - m(x)) / s(x), where z is the power scale, m the level and s the width of errors, is increasing in y. A
past demand is brought to the target as T_0^-1(T_i(y_i)), cut off at the ends of the support: the theorem holds for
demands moved in this way, with the distances between their laws, in the same money.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from provend.levels._power import Power
from provend.tables import Contexts

Floats = NDArray[np.float64]


class Demands(ABC):
    """Past demands as they count for a target."""

    @property
    @abstractmethod
    def by_size(self) -> NDArray[np.intp]:
        """The rows from the smallest demand to the largest; this order is the same for every target."""

    @abstractmethod
    def at(self, targets: Contexts, support: tuple[float, float]) -> Floats:
        """The demands as they count for each target: one row per target, one column per past row."""

    @abstractmethod
    def take(self, rows: NDArray[np.intp]) -> Demands:
        """The demands of some past rows."""


@dataclass(frozen=True, eq=False)
class AsTheyAre(Demands):
    """Demands that are not moved at all."""

    y: Floats

    @property
    def by_size(self) -> NDArray[np.intp]:
        """Rows sorted by demand; ties keep the order of the rows."""
        return np.argsort(self.y, kind="stable")

    def at(self, targets: Contexts, support: tuple[float, float]) -> Floats:
        """The same demands for all targets."""
        return np.broadcast_to(self.y, (targets.size, self.y.size))

    def take(self, rows: NDArray[np.intp]) -> AsTheyAre:
        """The demands of some past rows."""
        return AsTheyAre(self.y[rows])


class Level(ABC):
    """The typical demand in a context, on the scale ``power``, give or take ``spread``."""

    power: Power
    spread: float

    @abstractmethod
    def at(self, contexts: Contexts) -> Floats:
        """The level in each context."""

    def widths(self, contexts: Contexts) -> Floats:
        """The width of errors in each context, relative to that in other contexts."""
        return np.ones(contexts.size)


@dataclass(frozen=True, eq=False)
class Brought(Demands):
    """Demands brought from level to level; ``levels`` are those of the past rows, ``widths`` those of their errors."""

    y: Floats
    level: Level
    levels: Floats
    widths: Floats | float = 1.0

    @cached_property
    def errors(self) -> Floats:
        """What is left of past demands once their levels are taken away, relative to their widths."""
        left: Floats = (self.level.power.of(self.y) - self.levels) / self.widths
        return left

    @property
    def by_size(self) -> NDArray[np.intp]:
        """Rows sorted by what is left."""
        return np.argsort(self.errors, kind="stable")

    def at(self, targets: Contexts, support: tuple[float, float]) -> Floats:
        """The target's level plus what is left, scaled to its width, in units of demand."""
        left = self.level.widths(targets)[:, None] * self.errors
        moved = self.level.power.back(targets.once(self.level.at)[:, None] + left)
        return np.clip(moved, *support)

    def take(self, rows: NDArray[np.intp]) -> Brought:
        """The demands of some past rows, with their levels."""
        widths = self.widths if isinstance(self.widths, float) else self.widths[rows]
        return Brought(self.y[rows], self.level, self.levels[rows], widths)
