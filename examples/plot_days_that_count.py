"""
Which past days count for a Saturday?
=====================================

A restaurant decides how much lamb to prepare for a Saturday. Two assumptions are stated and nothing is learned: demand
on another weekday may differ by 0.2 at most, and every week of age adds 0.002. The optimal policy turns them into
weights. Recent Saturdays count most and old ones less; other weekdays are too different to count at all, however
recent they are.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

days = pv.datasets.load_restaurant()
target = np.flatnonzero(days.weekdays == "SAT")[-1]
past = slice(target - 250, target)
weeks = (days.dates[target] - days.dates[past]).astype(int) / 7
saturday = days.weekdays[past] == "SAT"
d = 0.002 * weeks + 0.2 * ~saturday

problem = pv.Newsvendor(cu=3, co=1, support=(0, 120))
best = pv.minimax(d, q=problem)
order = best.policy.order(days.demand["lamb"][past], d, q=problem)
print(f"order {order:.0f}, at most {best.guarantee.upper:.1f} above the best order on average")
print(f"{d.size - best.unused} of {d.size} days count")

# %%
# The claim: no other weekday has any weight, and no Saturday weighs more than a later one.

assert best.weights[~saturday].max() == 0
assert (np.diff(best.weights[saturday]) >= 0).all()

# %%

fig = go.Figure()
for name, which, colour in (("Saturdays", saturday, "#1f5f8b"), ("other weekdays", ~saturday, "#c8553d")):
    fig.add_scatter(
        x=days.dates[past][which], y=best.weights[which], name=name, mode="markers", marker={"color": colour, "size": 6}
    )
fig.update_layout(
    template="simple_white",
    xaxis_title="past day",
    yaxis_title="weight in percent",
    legend={"x": 0.02, "y": 0.98},
)
