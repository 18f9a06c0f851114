"""The rows a forecast is learned from: their features, demands and times."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import in_lexical_order
from provend.levels._growth import Growth
from provend.levels._other_years import OtherYears
from provend.levels._power import Power
from provend.levels._quantiles import quantiles
from provend.levels._recent import Fading
from provend.levels._ridge import Directions
from provend.levels._runs import Moments, means_of
from provend.levels._step import Step, explained
from provend.tables import Contexts, Encoding

Floats = NDArray[np.float64]

QUARTILES = np.array([0.25, 0.75])
FENCES = 4.0  # while learning, demands are cut off this many interquartile ranges beyond the quartiles: spikes
BEYOND = 0.02  # standard deviations, per piece of evidence, that lines are continued beyond the features of the past


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows a forecast is learned from.

    ``times`` are the features that are times, ``told`` those that do not even follow from one; ``days`` is a time of
    dates, of which ``years`` may know more than these rows have.

    Trees leave out each of the ``runs`` as a whole, all else leaves out ``folds``, or single rows where there are none.
    """

    matrix: Floats
    timeless: Floats
    y: Floats
    time: Floats | None
    days: Floats | None
    moments: Moments | None
    runs: NDArray[np.intp]
    folds: NDArray[np.intp] | None
    times: list[int]
    told: list[int]
    years: OtherYears | None
    _inside: dict[tuple[Power, Step | None], Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls, encoding: Encoding, matrix: Floats, contexts: Contexts, y: Floats, years: OtherYears | None = None
    ) -> tuple[Rows, NDArray[np.intp]]:
        """The rows in a canonical order, so that the given one does not matter, and the new place of each given row."""
        order = in_lexical_order(np.column_stack([matrix, y]))
        matrix, time = matrix[order], None if contexts.time is None else contexts.time.values[order]
        timeless, times = encoding.without_time(matrix, contexts), encoding.times(contexts)
        days = time if contexts.time is not None and contexts.time.calendar else None
        moments = None if time is None else Moments.of(time)
        runs, folds = (np.arange(y.size), None) if moments is None else (moments.runs, moments.folds)
        told, back = encoding.told(contexts), np.argsort(order)
        return cls(matrix, timeless, y[order], time, days, moments, runs, folds, times, told, years), back

    @cached_property
    def directions(self) -> Directions:
        """What all regressions on the timeless features share."""
        return Directions.of(self.timeless, self.folds)

    @cached_property
    def evidence(self) -> int:
        """How many pieces of it there are: rows that share a moment are hardly more than one."""
        return self.y.size if self.folds is None or self.moments is None else self.moments.times.size

    @cached_property
    def ends(self) -> Floats:
        """The features of the past from end to end, and as far beyond as there is evidence."""
        reach = BEYOND * self.evidence
        return np.array([self.timeless.min(axis=0) - reach, self.timeless.max(axis=0) + reach])

    @cached_property
    def fading(self) -> Fading:
        """How the moments of the rows, which must have a time, fade."""
        assert self.moments is not None
        return Fading.of(self.moments)

    def explain(self, step: Step) -> bool:
        """Whether other years have it, too, or a column may be the reason for it."""
        assert self.moments is not None
        if self.years is not None and self.years.know(step.start):
            return True
        columns = [means_of(self.matrix[:, at], self.moments.at) for at in self.told]
        return explained(columns, int(np.searchsorted(self.moments.times, step.start)))

    def inside(self, power: Power, step: Step | None = None) -> Floats:
        """Demands on a scale, less a step, with spikes cut off."""
        if (power, step) not in self._inside:
            self._inside[power, step] = inside_fences(power.of(self.y) - self.stepped(step))
        return self._inside[power, step]

    def of_the_others(self, z: Floats) -> Floats:
        """For each row, the mean of all the others."""
        if self.folds is None:
            return z.copy() if z.size == 1 else (z.sum() - z) / (z.size - 1)
        total, many = np.bincount(self.folds, z), np.bincount(self.folds)
        others: Floats = ((total.sum() - total) / (many.sum() - many))[self.folds]
        return others

    def grown(self, growth: Growth | None) -> Floats | float:
        """What growth adds to each row."""
        return 0.0 if growth is None or self.time is None else growth.at(self.time)

    def stepped(self, step: Step | None) -> Floats | float:
        """What a step adds to each row."""
        return 0.0 if step is None or self.time is None else step.at(self.time)


def inside_fences(z: Floats) -> Floats:
    """Demands with spikes cut off; if most demands are the same, there are no fences."""
    low, high = quantiles(z, QUARTILES)
    reach = FENCES * (high - low)
    return z if reach == 0 else np.clip(z, low - reach, high + reach)
