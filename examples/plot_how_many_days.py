"""
How many of the past days should a restaurant use?
==================================================

A restaurant decides how many steaks to prepare. A steak short costs 9, one left over 1. Demand on another weekday is
assumed to differ by 0.2 at most, and by 0.0001 more per day of age. With few days the quantile is noisy, with many it
is that of other weekdays; in between lies the number whose worst case is least. Every point of the curve is certified.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

days = pv.datasets.load_restaurant()
age = (days.dates[-1] - days.dates[:-1]).astype(int)
d = 0.0001 * age + 0.2 * (days.weekdays[:-1] != days.weekdays[-1])
problem = pv.Newsvendor(cu=9, co=1, support=(0, 100))
k = np.arange(1, 301)
upper = np.array([pv.worst_case_regret(pv.KNN(int(each)), d, q=problem).upper for each in k])
best = int(upper.argmin())
print(f"{k[best]} days: at most {upper[best]:.2f} above the best order on average")

# %%
# Twice as many days, or three hundred, can only promise less; the optimal weights promise more.

optimal = pv.minimax(d, q=problem)
print(f"optimal weights: {optimal.guarantee.upper:.2f}; no policy can promise less than {optimal.lower_bound:.2f}")
assert upper[best] < min(upper[2 * best + 1], upper[-1])
assert optimal.guarantee.upper < upper[best]

# %%

fig = go.Figure(go.Scatter(x=k, y=upper, mode="lines", line={"color": "#1f5f8b", "width": 2.5}))
fig.add_scatter(
    x=[k[best]],
    y=[upper[best]],
    mode="markers+text",
    text=[f"{k[best]} days: at most {upper[best]:.2f}"],
    textposition="bottom right",
    marker={"size": 10, "color": "#c8553d"},
)
faint = {"color": "#777777", "width": 1.5}
fig.add_hline(
    y=problem.no_data_regret,
    line={"dash": "dash", **faint},
    opacity=1,
    annotation_text="knowing nothing but the support",
    annotation_position="top left",
    annotation_xshift=22,
)
fig.add_vline(
    x=int((d < 0.2).sum()),
    line={"dash": "dot", **faint},
    opacity=1,
    annotation_text="from here on other weekdays",
    annotation_position="top right",
)
fig.update_layout(
    template="simple_white",
    font={"family": "Helvetica, Arial, sans-serif", "size": 15},
    xaxis_title="number of most similar past days used",
    yaxis={"title": "certified worst-case regret (money)", "range": [0, 125]},
    showlegend=False,
)
