"""How fast past demand ages: the drift at which decisions would have cost least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from provend._kernels.arithmetic.sorting import median
from provend.dissimilarity._calibrate import cut_offs
from provend.levels import Power

Floats = NDArray[np.float64]

MULTIPLES = 0.25, 1.0, 2.0, 4.0  # of the drift that usually works
OTHERS = 0.25, 0.5, 0.75  # critical ratios at which a drift is judged besides the one asked for: one law drifts
LEAD = 14  # steps from the last demand used to the one ordered for: orders are placed ahead of time
FIRST = 1 / 3  # of the history, before which too little is known to replay a decision
MOST, FEWEST = 150, 30  # decisions replayed; with fewer, the choice would be due to chance
WEEK = 7  # steps after which days are alike
STRETCHES = 20  # of time, each of which is one piece of evidence
DOUBT = 0.75  # standard errors by which another drift must pay


class Ageing(NamedTuple):
    """A ``drift`` per step, and the age in steps at which past demand ceases to count: its ``reach``."""

    drift: float
    reach: float


def learned_drift(values: Floats, time: Floats, q: float, usual: float) -> Ageing:
    """The drift per step, a multiple of the ``usual`` one, at which decisions replayed from ``values`` cost least.

    Each decision is a quantile of the values seen some steps before, weighted as the optimal policy nearly does: by a
    triangle that ends where contexts cease to count. Values of one moment are met by one decision, whose costs are
    their mean. The usual drift stays unless another one clearly pays.
    """
    from provend._kernels.arithmetic.ageing import quantiles_before

    order = np.lexsort((values, time))  # whatever the order of the rows
    values, time = Power.fitting(values).of(values[order]), time[order]
    first = np.append(True, time[1:] > time[:-1])  # row of each moment
    moments, at = time[first], np.cumsum(first) - 1
    steps = (moments - moments[0]) / (median(np.diff(moments)) if moments.size > 1 else 1.0)
    later = np.flatnonzero(steps >= max(LEAD, FIRST * steps[-1]))
    if later.size < FEWEST:
        return Ageing(usual, np.inf)
    every, week = -(-later.size // MOST), round(WEEK * (moments.size - 1) / steps[-1])  # six if Sundays are closed
    replayed = later[:: every + (every % week == 0)]  # or all of them would be of one weekday
    decisions = np.full(moments.size, -1)
    decisions[replayed] = np.arange(replayed.size)
    rows = np.flatnonzero(decisions[at] >= 0)
    decision = decisions[at[rows]]
    by_size, ages = np.argsort(values, kind="stable"), (steps[-1] + LEAD - steps)[at[::-1]]
    seen, ratios = (values[by_size], steps[at[by_size]]), np.array(sorted({q, *OTHERS}))
    drifts = usual * np.array(MULTIPLES)
    reaches = cut_offs(drifts[:, None] * ages, q)[0] / drifts
    orders = np.array([quantiles_before(*seen, steps[replayed], LEAD, reach, ratios) for reach in reaches.tolist()])
    short = values[rows, None] - orders[:, decision]
    costs = np.maximum(ratios * short, (ratios - 1) * short).sum(axis=2)
    best = _clearly_cheapest(_means(costs, np.searchsorted(decision, np.arange(replayed.size))))
    return Ageing(float(drifts[best]), float(reaches[best]))


def _clearly_cheapest(costs: Floats) -> int:
    """Which row saves most compared with the usual one, beyond what may be chance; costs come in order of time."""
    saved = costs[MULTIPLES.index(1.0)] - costs
    stretches = _means(saved, np.arange(STRETCHES) * saved.shape[1] // STRETCHES)
    sure: Floats = stretches.mean(axis=1) - DOUBT * stretches.std(axis=1) / np.sqrt(STRETCHES)
    return int(sure.argmax()) if sure.max() > 0 else MULTIPLES.index(1.0)


def _means(table: Floats, first: NDArray[np.intp]) -> Floats:
    """The means of successive columns, which begin at ``first``."""
    means: Floats = np.add.reduceat(table, first, axis=1) / np.diff(first, append=table.shape[1])
    return means
