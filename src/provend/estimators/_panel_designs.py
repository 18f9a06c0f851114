"""The designs of many items, each solved once: how far rows are from a target, the rule for that, and its guarantee."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.stats import norm

from provend.certificate import Guarantee
from provend.estimators._lenders import OLDEST
from provend.estimators._library import MOST_RULES, PRECISION, optimal_rule
from provend.estimators._rules import Rule
from provend.regret import worst_case_regret

DRIFT = 5e-4  # per row of age, to be multiplied by the density at the order
DEAREST = 1.6  # times the optimal guarantee: what it may cost never to order beyond past demands


@lru_cache(MOST_RULES)
def drift_at(q: Fraction) -> float:
    """How much the distribution of demand drifts from row to row, near the order."""
    return DRIFT * float(norm.pdf(norm.ppf(float(q))))


@lru_cache(MOST_RULES)
def design_of(own: int, borrowed: int, distance: float, q: Fraction) -> tuple[float, ...]:
    """The dissimilarities of so many own rows and of those of others, which are taken to be as old as they can be."""
    step = drift_at(q)
    every = np.concatenate([step * np.arange(1, own + 1), np.full(borrowed, distance + step * OLDEST)])
    above = (np.floor(every * 1e9) + 1) / 1e9  # nine digits, never below what is stated
    return tuple(np.minimum(above, 1.0).tolist())


@lru_cache(MOST_RULES)
def rule_at(design: tuple[float, ...], q: Fraction) -> Rule:
    """The optimal rule for a design whose dissimilarities may be in any order, kept within the demands it looks at.

    With few rows the optimum orders an end of the support every now and then, against worlds that hardly ever are: on
    real demand that costs much. It does so only where staying within past demands would raise the guarantee too much.
    """
    order = np.argsort(design, kind="stable")
    best = optimal_rule(tuple(np.array(design)[order].tolist()), q).placed(order, len(design))
    if best.is_supported:
        return best
    within = best.supported(len(design))
    most = min(DEAREST * _regret(best, design, q).upper, float(q * (1 - q)))  # never more than without data
    return within if _regret(within, design, q).upper <= most else best


@lru_cache(MOST_RULES)
def bracket_at(design: tuple[float, ...], q: Fraction) -> tuple[float, float]:
    """The worst-case regret of exactly that rule."""
    found = _regret(rule_at(design, q), design, q)
    return found.lower, found.upper


def _regret(rule: Rule, design: tuple[float, ...], q: Fraction) -> Guarantee:
    return worst_case_regret(rule.policy, np.array(design), q=q, rtol=PRECISION)
