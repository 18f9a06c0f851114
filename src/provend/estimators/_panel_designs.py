"""The designs of many items, each solved once: how far rows are from a target, the rule for that, and its guarantee."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.stats import norm

from provend.estimators._lenders import OLDEST
from provend.estimators._library import MOST_RULES, optimal_rule, regret_of, within_demands
from provend.estimators._panel_targets import Case
from provend.estimators._rules import Rule

DRIFT = 5e-4  # per row of age, to be multiplied by the density at the order


@lru_cache(MOST_RULES)
def drift_at(q: Fraction) -> float:
    """How much the distribution of demand drifts from row to row, near the order."""
    return DRIFT * float(norm.pdf(norm.ppf(float(q))))


@lru_cache(MOST_RULES)
def design_of(case: Case, distance: float, q: Fraction) -> tuple[float, ...]:
    """The dissimilarities of own rows by age, latest first, and of those of others, taken to be as old as can be."""
    step = drift_at(q)
    own = step * (case.ahead + np.arange(1, case.own + 1))
    every = np.concatenate([own, np.full(case.borrowed, distance + step * (case.lent_ahead + OLDEST))])
    above = (np.floor(every * 1e9) + 1) / 1e9  # nine digits, never below what is stated
    return tuple(np.minimum(above, 1.0).tolist())


@lru_cache(MOST_RULES)
def rule_at(design: tuple[float, ...], q: Fraction) -> Rule:
    """The optimal rule for a design whose dissimilarities may be in any order, kept within the demands it looks at."""
    order = np.argsort(design, kind="stable")
    best = optimal_rule(tuple(np.array(design)[order].tolist()), q).placed(order, len(design))
    return within_demands(best, np.array(design))


@lru_cache(MOST_RULES)
def bracket_at(design: tuple[float, ...], q: Fraction) -> tuple[float, float]:
    """The worst-case regret of exactly that rule."""
    found = regret_of(rule_at(design, q), np.array(design))
    return found.lower, found.upper
