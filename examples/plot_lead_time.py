"""
Two days of lead time, orders every five
========================================

An order placed today has to last for seven days. Seventy-eight windows of seven days lie in twelve weeks of history,
but neighbours share six of their days: they are not seventy-eight observations. Grouped by the weekday on which they
start no two of a group share a day. Each group gives an order-up-to level with a guarantee; the average of the levels
has the average of the guarantees, and uses every day.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

period = pv.ProtectionPeriod(lead_time=2, review=5)
steaks = pv.datasets.load_restaurant().demand["steak"][-84:]
windows = period.windows(steaks)
problem = pv.Newsvendor(cu=4, co=1, support=(0, 350))
d = 0.004 * np.arange(windows.size, 0, -1) / 7

found = period.order_up_to(steaks, d, policy=pv.ERM(), q=problem)
print(
    f"order up to {found.level:.0f}; {found.quantity(on_hand=60, on_order=45):.0f} today, with 60 there and 45 coming"
)
print(f"at most {found.guarantee.upper:.0f} beyond the best level, {problem.no_data_regret:.0f} without data")

# %%
# Counting windows that overlap as independent would promise much more, and wrongly so.

naive = pv.worst_case_regret(pv.ERM(), d, q=problem)
print(f"as if {windows.size} windows were independent: {naive.upper:.0f}, which does not hold")
assert naive.upper < found.guarantee.lower

# %%

fig = go.Figure()
fig.add_scatter(y=windows, mode="lines+markers", name="demand of seven days", line_color="#1f5f8b", marker_size=5)
fig.add_hline(
    y=found.level,
    line={"color": "#c8553d", "width": 2.5},
    opacity=1,
    annotation={"text": f"order up to {found.level:.0f}", "x": 0.26, "xanchor": "left", "yanchor": "bottom"},
)
fig.update_layout(
    template="simple_white",
    xaxis_title="window starts on day",
    yaxis={"title": "units", "rangemode": "tozero"},
    showlegend=False,
)
