"""What orders based on a level would have cost, by which forecasts and scales are judged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from provend.levels._power import MOST_ROOTS, Power

Floats = NDArray[np.float64]

# Critical ratios at which a level is judged besides the one asked for, so that less is left to chance.
OTHERS = 0.25, 0.5, 0.75


def costs_of(power: Power, levels: Floats, y: Floats, q: float, widths: Floats | float = 1.0) -> Floats:
    """Costs of ordering, for each row, its level plus a quantile of the other rows' errors; added up over ratios.

    They are in units of cu + co and of the scale, so that no demand is too large or too small for their mean. ``levels``
    may have several rows, each a forecast of all demands: so do the costs then.
    """
    unit, rooted = Power(exponent=power.exponent), Power(power.roots)
    demand, errors = unit.of(y), (power.of(y) - levels) / widths
    place = np.argsort(np.argsort(errors, kind="stable"), kind="stable")
    ascending, ratio = np.sort(errors), np.array([q, *OTHERS])
    rank = np.minimum(np.maximum(np.ceil(ratio * (y.size - 1)), 1), y.size - 1).astype(np.intp)
    next_up, itself = ascending[..., rank, None], ascending[..., rank - 1, None]  # a row for each ratio
    others = np.where(place[..., None, :] < rank[:, None], next_up, itself)
    short = demand - rooted.back(levels[..., None, :] + widths * others)
    total: Floats = np.maximum(ratio[:, None] * short, (ratio - 1)[:, None] * short).sum(axis=-2)
    return total


def scales(y: Floats) -> list[Power]:
    """The scales to try: roots need demands that are not negative."""
    return [Power.fitting(y, roots) for roots in range(1 + MOST_ROOTS if y.min() >= 0 else 1)]


def spread_of(z: Floats, levels: Floats) -> float:
    """The standard deviation of demand around its level, kept positive."""
    return max(float((z - levels).std()), 1e-9 * float(z.std())) or 1.0


def best_power(forecasts: Floats, y: Floats, q: float) -> tuple[Power, float]:
    """The scale on which orders from given forecasts would have cost least, and the spread on that scale."""
    both = np.concatenate([y, np.maximum(forecasts, 0.0) if y.min() >= 0 else forecasts])
    tried = [Power(power.roots, Power.fitting(both).exponent) for power in scales(y)]
    if y.size > 1:
        tried.sort(key=lambda one: float(costs_of(one, one.of(forecasts), y, q).mean()))
    return tried[0], spread_of(tried[0].of(y), tried[0].of(forecasts))
