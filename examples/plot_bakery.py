"""
A bakery: does it pay to look at the weekday?
=============================================

Twenty weeks of croissants in three shops, simulated. Saturdays are busier and a promotion helps. With so few days the
quantile of the same weekday rests on a dozen or two numbers, and the quantile of all days ignores what is known. The
estimator weighs past days by how far their contexts are from the day to come; how far is calibrated on the history.
"""

import numpy as np
import pandas as pd

import provend as pv

rng = np.random.default_rng(3)
days, rows = np.arange("2024-01-01", "2024-05-20", dtype="datetime64[D]"), []
weekday = np.arange(days.size) % 7  # from Monday, 0, on
for shop, level in {"station": 120, "market": 70, "school": 45}.items():
    promotion = rng.random(days.size) < 0.15
    mean = level * (1 + 0.35 * (weekday == 5) - 0.3 * (weekday == 6)) * (1 + 0.25 * promotion)
    contexts = {"weekday": weekday.astype(str), "promotion": np.where(promotion, "yes", "no")}
    demand = rng.poisson(rng.gamma(20, mean / 20))
    rows.append(pd.DataFrame({"unique_id": shop, "ds": days, "y": demand} | contexts))
history = pd.concat(rows)

# %%
# The last 40 % of the days are decided with what was known before; a croissant short costs 3, one left over 1.

result = pv.backtest(
    history, cu=3, co=1, policies=["static", "rolling", "same:weekday", "minimax"], test=0.4, refit_every=14
)
print(result.summary[["policy", "mean_cost", "relative_cost", "service_level"]].round(3).to_string(index=False))
relative = dict(zip(result.summary["policy"], result.summary["relative_cost"], strict=True))
assert relative["minimax"] < min(relative["static"], relative["rolling"])

# %%

fig = pv.plots.backtest_costs(result)
