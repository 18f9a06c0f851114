"""Tails of counts with real weights, between tails on one lattice, at many points.

Rounded to the lattice, weights w_i = c_i + e_i, the sum moves by E = sum e_i Y_i. Where E exceeds x with a probability
of at most delta, P(sum w_i Y_i >= level) <= P(sum c_i Y_i >= level - x) + delta, and likewise from below. Any delta
gives a bound, so the best of some is taken, point by point, with Chernoff's bound for x.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from provend._kernels.arithmetic.points import Floats, Integers
from provend._kernels.arithmetic.rounding import UNLIKELY, weight_slack
from provend._kernels.integrals.spans import Values
from provend._kernels.maximise.side import RoundedTerm

CONCEDED = np.array([1.0, 0.02])  # probabilities delta tried, in units of one cell's share, besides UNLIKELY
LIGHT = 0.001  # cells: samples that weigh no more than this together are left out
TILTS = np.geomspace(3.0, 18.0, 6)  # tried in Chernoff's bound, over the standard deviation of E if all p_i are 1/2


def without_lightest(term: RoundedTerm) -> RoundedTerm:
    """Without samples that hardly weigh anything together, as every sample has its kink."""
    lightest_first = np.argsort(term.w, kind="stable")
    light = int(np.searchsorted(np.cumsum(term.w[lightest_first]), LIGHT))
    kept = np.sort(lightest_first[light:])
    return replace(term, d=term.d[kept], w=term.w[kept], more=term.more + (LIGHT if light else 0.0))


def rounded_values(term: RoundedTerm) -> Values:
    """F from below and from above."""
    from provend._kernels.tails.weighted_many import weighted_tails

    cells = np.rint(term.w).astype(np.int64)
    used, total, shares = cells > 0, int(cells.sum()), np.array(term.probabilities)
    moved = _Moved(term, cells)

    def tails(nodes: Floats) -> tuple[Floats, Floats]:
        reached, conceded = moved.at(nodes)
        rows = _thresholds(np.array(term.levels), reached, total)
        ascending = np.argsort(rows, axis=1, kind="stable")
        found, at = np.empty(rows.shape), np.take_along_axis(rows, ascending, axis=1)
        np.put_along_axis(found, ascending, weighted_tails(term.d[used], cells[used], at, nodes), axis=1)
        below, above = found.reshape(nodes.size, 2, shares.size, -1).transpose(1, 0, 2, 3)
        low, high = (below - conceded[:, :1]).max(axis=2), (above + conceded[:, 1:]).min(axis=2)
        return np.maximum(low, 0.0) @ shares, high @ shares

    return tails


def _thresholds(levels: Floats, reached: Floats, total: int) -> Integers:
    """A row for every node: for every level those from below, then for every level those from above."""
    down, up = reached[:, None].transpose(2, 0, 1, 3)
    needed = np.stack([levels[:, None] + down, levels[:, None] - up], axis=1)
    rows: Integers = np.clip(np.ceil(needed), 0, total + 1).astype(np.int64).reshape(len(reached), -1)
    return rows


class _Moved:
    """How far E reaches, down and up."""

    def __init__(self, term: RoundedTerm, cells: Integers) -> None:
        from provend._kernels.tails.chernoff import GENTLE

        e, total = term.w - cells, float(term.w.sum())
        self.d, self.e = term.d, e
        self.slack = weight_slack(e.size, total) + np.array([[0.0], [term.more]])
        self.possible = np.array([[-e[e < 0].sum()], [e[e > 0].sum()]])
        self.conceded = np.append(CONCEDED / max(total, 1.0), UNLIKELY)
        deviation, largest = float(np.sqrt(e @ e)) / 2, float(np.abs(e).max())
        self.tilts = np.minimum(TILTS / deviation, GENTLE / largest) if deviation > 0 else np.ones(1)

    def at(self, nodes: Floats) -> tuple[Floats, Floats]:
        """By node, direction and probability conceded; nothing is conceded where all is within reach."""
        from provend._kernels.tails.chernoff import log_means

        tilted = self.e[:, None] * self.tilts
        means = log_means(self.d, np.hstack([-tilted, tilted]), nodes).reshape(nodes.size, 2, -1, 1)
        reached = ((means - np.log(self.conceded)) / self.tilts[:, None]).min(axis=2)
        conceded = np.where(reached < self.possible, self.conceded, 0.0)
        return np.minimum(reached, self.possible) + self.slack, conceded
