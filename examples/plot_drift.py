"""
Demand that drifts: how far back should one look?
=================================================

Demand moves a little every week, so older weeks are less like the one to come. The trend is estimated from the
demands of successive weeks, with an upper limit, and the drift assumed to be steady and to go on as before. The optimal
weights then fall with age and reach zero at a cut-off that the theory chooses; the best number of recent days for a
plain quantile has a guarantee that is nearly as good, using all of them one that is much worse.
"""

import numpy as np
from scipy.stats import norm

import provend as pv

rng = np.random.default_rng(2)
weeks, days = 40, 7
recent_first = [np.clip(rng.normal(60 - 0.5 * age, 15, days), 0, 120) for age in range(weeks)]

# %%
# The trend per week, and a limit of it at 95 % confidence. It is a limit of the *trend*, the least-squares slope of the
# shares of demand up to a level, where that is steepest. A drift that comes in jumps, or at changing levels, can put
# two weeks further apart than that slope says; no limit of the kind is claimed for it.

drift = pv.estimate_drift(recent_first, confidence=0.95)
print(f"drift per week {drift.drift:.4f}, trend at most {drift.upper:.4f} (slope of the paper: {drift.slope:.4f})")

# %%
# Assumed from here on: every day of the i-th last week is at dissimilarity i times that limit at most. The guarantees
# are about worlds in which that is so. Here it is, as the simulated demand moves by the same half unit every week.

d = np.repeat(np.arange(1, weeks + 1) * drift.upper, days)
problem = pv.Newsvendor(cu=9, co=1, support=(0, 120))
best = pv.minimax(d, q=problem)
nearest = pv.tune(pv.KNN, d, q=problem)
everything = pv.worst_case_regret(pv.ERM(), d, q=problem)
print(f"optimal {best.guarantee.upper:.1f}, {nearest.policy} {nearest.guarantee.upper:.1f}, all {everything.upper:.1f}")
print(f"days that count: {d.size - best.unused} of {d.size}")
print(f"order {best.policy.order(np.concatenate(recent_first), d, q=problem):.0f}")
steps = [2 * norm.cdf(0.5 * i / 15 / 2) - 1 for i in range(1, weeks + 1)]  # true distances: normal, moved by i / 2
assert all(step <= i * drift.upper for i, step in enumerate(steps, 1))
assert best.guarantee.upper < nearest.guarantee.upper < everything.upper

# %%

fig = pv.plots.optimal({"this drift": d}, q=problem)
