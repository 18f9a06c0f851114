"""
Demand that drifts: how far back should one look?
=================================================

Demand moves a little every week, so older weeks are less like the one to come. The drift is estimated from the
demands of successive weeks, with an upper limit. The optimal weights then fall with age and reach zero at a cut-off
that the theory chooses; the best number of recent days for a plain quantile has a guarantee that is nearly as good,
using all of them one that is much worse.
"""

import numpy as np

import provend as pv

rng = np.random.default_rng(2)
weeks, days = 40, 7
recent_first = [np.clip(rng.normal(60 - 0.5 * age, 15, days), 0, 120) for age in range(weeks)]

# %%
# The drift per week, and a limit it stays below with 95 % confidence if it is steady.

drift = pv.estimate_drift(recent_first, confidence=0.95)
print(f"drift per week {drift.drift:.4f}, at most {drift.upper:.4f} (the slope of the paper: {drift.slope:.4f})")

# %%
# Every day of the i-th last week is at dissimilarity i times that limit.

d = np.repeat(np.arange(1, weeks + 1) * drift.upper, days)
problem = pv.Newsvendor(cu=9, co=1, support=(0, 120))
best = pv.minimax(d, q=problem)
nearest = pv.tune(pv.KNN, d, q=problem)
everything = pv.worst_case_regret(pv.ERM(), d, q=problem)
print(f"optimal {best.guarantee.upper:.1f}, {nearest.policy} {nearest.guarantee.upper:.1f}, all {everything.upper:.1f}")
print(f"days that count: {d.size - best.unused} of {d.size}")
print(f"order {best.policy.order(np.concatenate(recent_first), d, q=problem):.0f}")
assert best.guarantee.upper < nearest.guarantee.upper < everything.upper

# %%

fig = pv.plots.optimal({"this drift": d}, q=problem)
