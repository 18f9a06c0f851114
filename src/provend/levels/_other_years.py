"""What demand has done on the same days of other years: what comes every year will go as it did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import median
from provend.levels._runs import Moments, means_of
from provend.levels._step import BESIDE, SHORTEST
from provend.tables import Column

Floats = NDArray[np.float64]

YEAR = 365.25
ABOUT = 28  # days that what comes every year may be earlier or later
AS_MUCH = 1 / 2  # of what is unusual now, in another year, says that it comes every year: some are larger than others


@dataclass(frozen=True, eq=False)
class OtherYears:
    """All demands there are, with their days, of which a forecast may be learned from the latest alone."""

    days: Floats
    demand: Floats

    @classmethod
    def of(cls, time: Column | None, demand: Floats) -> OtherYears | None:
        """None where no days are known."""
        return None if time is None or not time.calendar else cls(time.values, demand)

    @cached_property
    def _means(self) -> tuple[Floats, Floats]:
        """The distinct days, ascending, and the mean demand of each."""
        moments = Moments.of(self.days)
        return moments.times, means_of(self.demand, moments.at)

    def know(self, start: float) -> bool:
        """Whether about the same days of another year were different from usual, by half as much as those since.

        They must have become so then, and must be so seen from now: neither the end of what comes every year is a
        reason for less, nor a change that has stayed.
        """
        days, demand = self._means
        at = int(np.searchsorted(days, start))
        since, places = days.size - at, np.arange(SHORTEST, at)
        years = (start - days[places]) / YEAR
        near = (years > 1 / 2) & (np.abs(years - np.round(years)) <= ABOUT / YEAR)
        places = np.append(places[near & (places + since <= at)], at)
        usual = median(demand[int(np.searchsorted(days, start - YEAR)) : at])
        levels, changes = _levels(demand, places, since)
        again = [each[:-1] * np.sign(each[-1]) > AS_MUCH * abs(each[-1]) for each in (levels - usual, changes)]
        return bool((again[0] & again[1]).any())


def _levels(demand: Floats, places: NDArray[np.intp], size: int) -> tuple[Floats, Floats]:
    """The mean of so many moments from each place on, and by how much it differs from those before, BESIDE at least."""
    total, first = np.append(0.0, np.cumsum(demand)), np.maximum(places - max(size, BESIDE), 0)
    levels = (total[places + size] - total[places]) / size
    changes: Floats = levels - (total[places] - total[first]) / (places - first)
    return levels, changes
