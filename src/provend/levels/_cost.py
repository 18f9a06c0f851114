"""What orders based on a level would have cost, by which forecasts and scales are judged."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from provend.levels._power import MOST_ROOTS, Power

Floats = NDArray[np.float64]

# Critical ratios at which a level is judged besides the one asked for, so that less is left to chance.
OTHERS = 0.25, 0.5, 0.75


def costs_of(power: Power, levels: Floats, y: Floats, q: float, widths: Floats | float = 1.0) -> Floats:
    """Costs of ordering, for each row, its level plus a quantile of the other rows' errors; added up over ratios.

    They are in units of cu + co and of the scale, so that no demand is too large or too small for their mean. Several
    rows of ``levels``, each a forecast of all demands, have as many rows of costs.
    """
    from provend._kernels.arithmetic.shortfalls import costs

    some, width, (ratios, ranks) = levels.reshape(-1, y.size), np.full(y.shape, widths), _ranks(q, y.size - 1)
    errors = (power.of(y) - some) / width
    order = np.argsort(errors)  # however ties are sorted: the error of a rank is the same
    found: Floats = costs(power.without_roots(y), some, width, errors, order, power.roots, ratios, ranks)
    return found.reshape(levels.shape)


@lru_cache
def _ranks(q: float, last: int) -> tuple[Floats, NDArray[np.intp]]:
    """The ratios at which a level is judged, and the ranks of their quantiles among so many other rows."""
    ratios = (q, *OTHERS)
    return np.array(ratios), np.array([min(max(ceil(ratio * last), 1), last) for ratio in ratios], dtype=np.intp)


def scales(y: Floats) -> list[Power]:
    """The scales to try: roots need demands that are not negative."""
    return [Power.fitting(y, roots) for roots in range(1 + MOST_ROOTS if y.min() >= 0 else 1)]


def spread_of(z: Floats, levels: Floats) -> float:
    """The standard deviation of demand around its level, kept positive."""
    return max(_deviation(z - levels), 1e-9 * _deviation(z)) or 1.0


def _deviation(values: Floats) -> float:
    """What ``values.std()`` says, to the last bit, in half the time."""
    apart = values - values.sum() / values.size
    return sqrt(float((apart * apart).sum()) / values.size)


def best_power(forecasts: Floats, y: Floats, q: float) -> tuple[Power, float]:
    """The scale on which orders from given forecasts would have cost least, and the spread on that scale."""
    both = np.concatenate([y, np.maximum(forecasts, 0.0) if y.min() >= 0 else forecasts])
    tried = [Power(power.roots, Power.fitting(both).exponent) for power in scales(y)]
    if y.size > 1:
        tried.sort(key=lambda one: float(costs_of(one, one.of(forecasts), y, q).mean()))
    return tried[0], spread_of(tried[0].of(y), tried[0].of(forecasts))
