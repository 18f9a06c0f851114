"""Known values with their sources. q = 0.9 unless said otherwise; each value is correct to all digits shown."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import provend as pv

NOTE = "computed independently of this code"


@dataclass(frozen=True)
class Case:
    name: str
    policy: pv.Policy
    d: np.ndarray
    value: Fraction
    digits: int | None  # decimals the source gives; None: exact
    source: str
    q: Fraction = Fraction(9, 10)


CASES = [
    Case("erm-15", pv.ERM(), pv.constant(0.1, 15), Fraction("0.054918"), 6, NOTE),
    Case("erm-16", pv.ERM(), pv.constant(0.1, 16), Fraction("0.051545"), 6, f"{NOTE}: the minimum of the curve"),
    Case("knn-27", pv.KNN(27), pv.drift(0.001, 100), Fraction("0.013520"), 6, f"{NOTE}, section 9"),
    Case("knn-37", pv.KNN(37), pv.drift(0.001, 100), Fraction("0.013417"), 6, f"{NOTE}, section 9"),
    Case("knn-17", pv.KNN(17), pv.drift(0.001, 100), Fraction("0.0151"), 4, f"{NOTE}, section 9 (paper: 0.016)"),
    Case("erm-drift", pv.ERM(), pv.drift(0.001, 100), Fraction("0.0295845"), 7, NOTE),
    Case("kink", pv.ERM(), pv.constant(0.22, 9), Fraction(12, 100), None, "by hand: the maximum sits on a kink"),
    Case("no-data", pv.NoData(), pv.constant(0.1, 3), Fraction(9, 100), None, "paper: q (1 - q)"),
    Case("no-data-low-q", pv.NoData(), pv.constant(0, 1), Fraction(3, 16), None, "paper: q (1 - q)", Fraction(1, 4)),
    # Rank 0 always orders nothing: (1 - (1 - q)) at mu = 1. Rank n + 1 always orders the top: 1 - q at mu = 0.
    Case("bottom", pv.OrderStatistic(0), pv.constant(0.1, 3), Fraction(9, 10), None, "by hand"),
    Case("top", pv.OrderStatistic(4), pv.constant(0.1, 3), Fraction(1, 10), None, "by hand"),
    # One sample at d = 0: max of (0.1 - mu) mu and (mu - 0.1) (1 - mu), at mu = 0.55.
    Case("one-sample", pv.ERM(), pv.constant(0, 1), Fraction(81, 400), None, "by hand: (0.9 / 2)^2"),
    # No relation at all: Nature chooses the history. High: mu = 1 with zeros, q. Low: 1 - q.
    Case("unrelated", pv.ERM(), pv.constant(1, 7), Fraction(9, 10), None, "by hand"),
    Case("unrelated-low-q", pv.ERM(), pv.constant(3, 7), Fraction(9, 10), None, "by hand", Fraction(1, 10)),
]

# ERM's limit as n grows, equal dissimilarity zeta: min(zeta, max(q, 1 - q)).
LIMITS = [(0.05, "0.9"), (0.1, "0.9"), (0.3, "0.9"), (0.2, "1/4"), (0.95, "0.9")]

# Table 1's neighbour: floats compute 0.07 * 100, 0.29 * 100 and 0.55 * 100 above the integer they are.
TIES = [("0.07", 100), ("0.29", 100), ("0.55", 100), ("0.14", 50), ("0.57", 100), ("0.58", 50), ("0.28", 25)]
