"""Scales chosen by what they would have cost: a rolling backtest on the history itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from provend._validation import as_critical_ratio
from provend.dissimilarity._blocks import row_blocks
from provend.dissimilarity._models import Dissimilarity, Sum, parts
from provend.newsvendor import Ratio
from provend.tables import Contexts, Table, read_contexts

Floats = NDArray[np.float64]

CUT_OFFS = 0.5 * 1.3 ** -np.arange(18.0)[::-1]  # beyond 1/2, a context never matters
MULTIPLIERS = (0.25, 0.5, 1.0, 2.0, 4.0)
TARGETS = 120  # decisions to replay, at most
FEWEST = 30  # with fewer decisions, the choice would be due to chance
PASSES = 2
ERRORS = 1.0  # standard errors by which other scales must be cheaper than the given ones


@dataclass(frozen=True, eq=False)
class Calibration:
    """Scales chosen by what they would have cost.

    Attributes
    ----------
    model : Dissimilarity
        The model with the chosen scales.
    multipliers : tuple of float
        What each of its parts was multiplied by; all 1 if nothing was clearly cheaper than the given scales, or if
        there are fewer than 30 decisions.
    cost, given_cost : float
        Mean cost per decision in the backtest, in units of cu + co, with the chosen scales and with the given ones.
    decisions : int
        How many past decisions were replayed.
    """

    model: Dissimilarity
    multipliers: tuple[float, ...]
    cost: float
    given_cost: float
    decisions: int

    @property
    def attempted(self) -> bool:
        """Whether there were enough decisions to choose scales by."""
        return self.decisions >= FEWEST


def calibrate_dissimilarity(model: Dissimilarity, X: Table, y: ArrayLike, /, *, q: Ratio) -> Calibration:
    """Choose the scales that would have cost least when recent decisions are replayed from the demands before them.

    Every part of a sum has its own multiplier. For speed, decisions in this backtest follow a triangular kernel rather
    than the minimax policy itself, whose weights come close to it. Calibrated values are those that worked, *not*
    bounds on Kolmogorov distances: a guarantee computed from them holds if they happen to be such bounds.

    Parameters
    ----------
    model : Dissimilarity
        A model, or a sum of them, with scales to start from.
    X, y : table and array
        Past contexts and their demands. If the contexts have no time, every decision uses all other demands.
    q : number or Newsvendor
        Critical ratio.
    """
    ratio = float(as_critical_ratio(q))
    past = X if isinstance(X, Contexts) else read_contexts(X)
    demand = np.asarray(y, dtype=np.float64)
    by_demand = np.argsort(demand, kind="stable")
    targets, usable = _replayed(past, by_demand)
    terms = np.empty((len(parts(model)), targets.size, past.size))
    for term, part in zip(terms, parts(model), strict=True):
        np.take(part.among(past, targets), by_demand, axis=1, out=term)

    def costs(multipliers: Floats) -> Floats:
        orders = np.empty(targets.size)
        for rows in row_blocks(targets.size, past.size):
            d = np.einsum("k,kij->ij", multipliers, terms[:, rows])
            orders[rows] = triangular_orders(np.where(usable[rows], d, np.inf), demand[by_demand], ratio)
        short = demand[targets] - orders
        return np.maximum(ratio * short, (ratio - 1) * short)

    if targets.size == 0:
        return Calibration(model, (1.0,) * len(terms), 0.0, 0.0, 0)
    given = costs(np.ones(len(terms)))
    if targets.size < FEWEST:
        return Calibration(model, (1.0,) * len(terms), float(given.mean()), float(given.mean()), targets.size)
    best, cheapest = _descend(costs, given, len(terms))
    chosen = Sum(tuple(part.scaled(float(m)) for part, m in zip(parts(model), best, strict=True)))
    return Calibration(chosen, tuple(best.tolist()), cheapest, float(given.mean()), targets.size)


def _descend(costs: Callable[[Floats], Floats], given: Floats, count: int) -> tuple[Floats, float]:
    """Coordinate descent over the multipliers; a change must pay more than chance would explain."""
    best, cost = np.ones(count), given
    for _ in range(PASSES if count > 1 else 1):
        for j in range(count):
            tried = np.tile(best, (len(MULTIPLIERS), 1))
            tried[:, j] = MULTIPLIERS
            found = np.array([costs(multipliers) for multipliers in tried])
            saved = cost - found
            sure = saved.mean(axis=1) - ERRORS * saved.std(axis=1) / np.sqrt(cost.size)
            if sure.max() > 0:
                best, cost = tried[sure.argmax()], found[sure.argmax()]
    return best, float(cost.mean())


def _replayed(past: Contexts, columns: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Which decisions to replay, and which past rows each of them may use."""
    time = past.time
    if time is None:
        targets = np.unique(np.linspace(0, past.size - 1, min(TARGETS, past.size)).astype(np.intp))
        return targets, targets[:, None] != columns[None, :]
    recent = np.argsort(time.values, kind="stable")[past.size // 2 :]
    targets = recent[np.unique(np.linspace(0, recent.size - 1, min(TARGETS, recent.size)).astype(np.intp))]
    targets = targets[time.values[targets] > time.values.min()]
    return targets, time.values[targets][:, None] > time.values[columns][None, :]


def cut_offs(d: Floats, q: float) -> tuple[Floats, Floats]:
    r"""For each row of d, the cut-off beyond which observations do not count, and roughly what can be guaranteed.

    Two worlds that differ by x on either side of 1 - q are told apart by :math:`\sum_i (x - d_i)_+^2 / (q (1 - q))`,
    in units of variance: Nature picks the x that maximises x times the chance of an error.
    """
    from provend._kernels.game.smooth_game import told_apart

    regret = CUT_OFFS * ndtr(-np.sqrt(told_apart(d, CUT_OFFS) / (q * (1 - q))))
    return CUT_OFFS[regret.argmax(axis=1)], regret.max(axis=1)


def triangular_orders(d: Floats, ascending: Floats, q: float) -> Floats:
    """The q-quantile with weights (x - d)+ at the cut-off x, for ascending demands; unweighted if all weights are zero.

    What is infinitely far away, such as the future, has no weight in either case.
    """
    weights = np.maximum(cut_offs(d, q)[0][:, None] - d, 0.0)
    weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, np.isfinite(d))
    reached = np.cumsum(weights, axis=1)
    found = (reached >= q * reached[:, -1:] * (1 - 1e-12)).argmax(axis=1)
    orders: Floats = ascending[found]
    return orders
