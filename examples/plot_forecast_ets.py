"""
Your forecast, our guarantee: exponential smoothing
===================================================

A restaurant forecasts its steaks with exponential smoothing (statsforecast), once a week for the seven days to come,
each time from the days before. Orders need more than a forecast. The usual addition is a quantile of the errors that
were made; it says nothing about how dear the orders can be.

With ``level="forecast"`` past demands are brought along the same forecasts to the day to order for, weighed there, and
the order has a guarantee: no more than so much above the best order, whatever the distribution of what is left, if days
differ by no more than ``basis_`` says.
"""

import numpy as np
import pandas as pd
from statsforecast.models import AutoETS

import provend as pv
from provend.datasets import load_restaurant

days = load_restaurant()
demand = np.asarray(days.demand["steak"], dtype=float)
begin, split = 84, 560  # twelve weeks to learn from before the first forecast; orders start at day 560
forecast = np.full(demand.size, np.nan)
for origin in range(begin, demand.size, 7):
    ahead = slice(origin, origin + 7)
    model = AutoETS(season_length=7, model="ANA").fit(demand[:origin])
    forecast[ahead] = model.predict(7)["mean"][: demand[ahead].size]

table = pd.DataFrame({"date": days.dates, "forecast": forecast})
past, ahead = slice(begin, split), slice(split, None)

# %%
# A steak short costs 9, one left over 1: both order for the 90 % quantile.

problem = pv.Newsvendor(cu=9, co=1, support=(0, 120))
usual = forecast[ahead] + np.quantile(demand[past] - forecast[past], 0.9, method="inverted_cdf")
certified = pv.ContextualNewsvendor(cu=9, co=1, level="forecast", support=(0, 120)).fit(table[past], demand[past])
orders, guarantee = certified.predict(table[ahead]), certified.guarantee(table[ahead])
for name, made in {"quantile of errors": usual, "certified": orders}.items():
    print(f"{name:20} cost {np.mean(problem.cost(made, demand[ahead])):5.2f} a day", end=", ")
    print(f"all served on {np.mean(made >= demand[ahead]):.0%} of the days")
print(f"guaranteed: at most {guarantee.upper.mean():.2f} a day above the best orders, on average")
print(f"without data nobody can promise less than {problem.no_data_regret:.0f}")

# %%
# What the first order rests on, for whoever has to believe it.

print(certified.evidence(table[ahead]).sentences[0])

# %%
# They cost the same, and one of them has a guarantee.

costs = [float(np.mean(problem.cost(made, demand[ahead]))) for made in (usual, orders)]
assert abs(costs[1] / costs[0] - 1) < 0.05
assert guarantee.percent_of_no_data.mean() < 10

# %%

import plotly.graph_objects as go

fig = go.Figure(layout={"template": "simple_white", "yaxis_title": "steaks", "legend": {"orientation": "h", "y": 1.1}})
shown, last = days.dates[ahead][:56], slice(split, split + 56)
fig.add_scatter(x=shown, y=demand[last], mode="markers", name="demand", marker={"color": "#777777"})
fig.add_scatter(x=shown, y=forecast[last], name="forecast", line={"color": "#b9cfdf"})
fig.add_scatter(x=shown, y=usual[:56], name="quantile of errors", line={"color": "#c8553d", "dash": "dot"})
fig.add_scatter(x=shown, y=orders[:56], name="certified", line={"color": "#1f5f8b"})
