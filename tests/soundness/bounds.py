"""Lower bounds for every policy against policies of every kind, invented ones included."""

from __future__ import annotations

from typing import Any

import numpy as np

import provend as pv
from samplers import a_design, a_ratio
from soundness.draw import a_policy
from soundness.judge import ROUNDING, Finding, Verdict

POLICIES = 12


def judge_bounds(seed: Any) -> Verdict:
    """What no policy can promise less than, and what policies promise."""
    rng, verdict = np.random.default_rng(seed), Verdict()
    n = int(rng.integers(1, 11))
    d, q = a_design(rng, n), a_ratio(rng, n)
    best = pv.minimax(d, q=q)
    least = max(best.lower_bound, pv.lower_bound(d, q=q))
    promised = {"minimax's own": best.guarantee.upper}
    codes = [a_policy(rng, n, counting=n <= 8).code for _ in range(POLICIES)]
    codes.append("pv.best_mixture(d, q=q).policy")
    for code in codes:
        policy = eval(code, {"pv": pv, "d": d, "q": q})
        promised[code] = pv.worst_case_regret(policy, d, q=q).upper
    verdict.bounds = len(promised)
    for code, upper in promised.items():
        if upper < least - ROUNDING * least:
            setting = f"d, q = {d.tolist()}, {q!r}"
            verdict.finding = Finding("lower bound", f"{setting}: {code} promises {upper}, below the bound {least}")
    return verdict
