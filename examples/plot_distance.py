"""
How far apart are two kinds of days?
====================================

A dissimilarity is a Kolmogorov distance: the largest gap between two distribution functions. It can be estimated where
both kinds of days have been seen often enough. Here lamb on Fridays and Saturdays is compared with lamb from Monday to
Thursday. What is observed is too large by chance, so there are a value without that bias and limits on either side.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

days = pv.datasets.load_restaurant()
lamb = days.demand["lamb"]
late = lamb[np.isin(days.weekdays, ["FRI", "SAT"])]
early = lamb[np.isin(days.weekdays, ["MON", "TUE", "WED", "THU"])]
found = pv.estimate_dissimilarity(late, early, confidence=0.95)
print(f"observed {found.distance:.2f}, without bias {found.corrected:.2f}; limits {found.lower:.2f}, {found.upper:.2f}")

# %%
# The observed distance lies between the limits, and is the largest gap between the two curves.

levels = np.arange(0, 90)
shares = {
    name: np.searchsorted(np.sort(y), levels, side="right") / y.size
    for name, y in {"Monday to Thursday": early, "Friday and Saturday": late}.items()
}
gap = np.abs(np.subtract(*shares.values()))
assert abs(gap.max() - found.distance) < 1e-9
assert found.lower < found.distance < found.upper

# %%

fig = go.Figure()
for (name, share), colour in zip(shares.items(), pv.plots.COLOURS, strict=False):
    fig.add_scatter(x=levels, y=share, mode="lines", line={"shape": "hv", "color": colour, "width": 2.5}, name=name)
widest = int(gap.argmax())
ends = [share[widest] for share in shares.values()]
fig.add_scatter(x=[widest, widest], y=ends, mode="lines", line={"color": "#444444", "width": 2}, name="largest gap")
fig.add_annotation(x=widest, y=sum(ends) / 2, text=f"{gap.max():.2f}", xshift=24, showarrow=False)
fig.update_layout(
    template="simple_white",
    xaxis_title="portions of lamb",
    yaxis_title="share of days with at most so many",
    legend={"x": 0.55, "y": 0.25},
)
