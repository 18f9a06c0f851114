"""
What a guarantee rests on, and what that costs
==============================================

The same history, the same week, three ways to come by dissimilarities. *Learned* ones are values that work; nothing
says that they are large enough. *Split* ones are learned from the older half of the days, and only the other half is
weighed. *Certified* ones are confidence limits, and the chance that a limit is wrong is part of the price. What is
certain costs more; without data it would be 100 percent.
"""

import pandas as pd
import plotly.graph_objects as go

import provend as pv

days = pv.datasets.load_restaurant()
X = pd.DataFrame({"date": days.dates, "weekday": days.weekdays})
y = days.demand["steak"]
week = X[700:707]

shares = {}
for how in ("auto", "split", "certified"):
    model = pv.ContextualNewsvendor(cu=9, co=1, support=(0, 100), dissimilarity=how).fit(X[:700], y[:700])
    shares[how] = model.guarantee(week).percent_of_no_data
    print(f"{how}: {shares[how].mean():.0f} % of the regret without data; {model.basis_.split(':')[0]}")

# %%
# On average over the week, certainty has a price; and even so data are worth far more than none.

learned, split, certified = (shares[how].mean() for how in ("auto", "split", "certified"))
assert max(learned, split) < certified < 50

# %%

fig = go.Figure()
for (how, values), colour in zip(shares.items(), pv.plots.COLOURS, strict=False):
    fig.add_bar(x=week["weekday"], y=values, name=how, marker_color=colour, text=[f"{v:.0f}" for v in values])
fig.update_layout(
    template="simple_white",
    barmode="group",
    yaxis_title="guarantee, percent of no data",
    legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
)
