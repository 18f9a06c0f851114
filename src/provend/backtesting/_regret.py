"""Realised regret: what orders cost beyond the best fixed order in hindsight."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from provend.backtesting._baselines import empirical_quantile

Floats = NDArray[np.float64]

LEAST_GROUP = 5
BLOCK = 7
RESAMPLES = 1000
COVERAGE = (2.5, 97.5)


def best_fixed_orders(y: Floats, groups: NDArray[np.int64], q: Fraction, *, least: int = 1) -> Floats:
    """For each row, the one order that would have cost its group the least; nan in groups of under ``least`` rows."""
    best = np.full(y.size, np.nan)
    if y.size == 0:
        return best
    by_group = np.argsort(groups, kind="stable")
    for rows in np.split(by_group, np.flatnonzero(np.diff(groups[by_group])) + 1):
        if rows.size >= least:
            best[rows] = empirical_quantile(y[rows], q)
    return best


def static_orders(demands: list[Floats], tested: NDArray[np.int64], q: Fraction) -> Floats:
    """For each test row, the empirical quantile of its item's ``demands`` before the test part."""
    known = {int(item): empirical_quantile(demands[int(item)], q) for item in np.unique(tested)}
    return np.array([known[int(item)] for item in tested], dtype=np.float64)


def date_blocks(when: Floats) -> NDArray[np.int64]:
    """Seven consecutive dates at a time, so that resampling keeps neighbouring days and all items of a day together."""
    _, rank = np.unique(when, return_inverse=True)
    return rank // BLOCK


def bootstrap_interval(excess: Floats, blocks: NDArray[np.int64], seed: int) -> Floats:
    """95% interval for the mean of each column of ``excess``, by resampling blocks of dates; nan cells do not count.

    The benchmark stays the one found on the whole test period. Shape (2, columns).
    """
    interval = np.full((2, excess.shape[1]), np.nan)
    counted = np.isfinite(excess)
    names, blocks = np.unique(blocks, return_inverse=True)
    sums, days = np.zeros((2, names.size, excess.shape[1]))
    np.add.at(sums, blocks, np.where(counted, excess, 0.0))
    np.add.at(days, blocks, counted)
    usable = (days > 0).sum(axis=0) > 1
    if not usable.any():
        return interval
    draws = np.random.default_rng(seed).multinomial(names.size, np.full(names.size, 1 / names.size), RESAMPLES)
    for column in np.flatnonzero(usable):
        drawn = draws @ days[:, column]
        means = (draws @ sums[:, column])[drawn > 0] / drawn[drawn > 0]
        interval[:, column] = np.percentile(means, COVERAGE)
    return interval
