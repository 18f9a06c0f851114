"""
Trays of twelve: a draw costs nothing, rounding does
====================================================

A baker may only order trays of twelve. Rounding the order to the nearest tray can cost up to an allowance that grows
with the tray. Rounding each past demand at random to a neighbouring number of trays, so that it stays what it is on
average, costs nothing at all: the guarantee is that of a baker without trays, against the best number of *trays*.
"""

from itertools import pairwise

import plotly.graph_objects as go

import provend as pv

problem = pv.Newsvendor(cu=3, co=1, support=(0, 120))
d = pv.drift(0.002, n=40)
best = pv.minimax(d, q=problem)
packs = [1, 2, 4, 6, 12, 24]
rounded = [best.guarantee.upper + pv.Orders(pack).allowance(q=problem) for pack in packs]
print(f"drawn: {best.guarantee.upper:.1f} whatever the tray; rounded to trays of 12: {rounded[4]:.1f}")

# %%
# What is drawn can be repeated: the same seed gives the same order, and each is a number of trays.

demand = [61, 54, 70, 66, 49, 73, 58, 62, 65, 57] * 4
drawn = [best.policy.order(demand, d, q=problem, orders=pv.Orders(12), random_state=seed) for seed in (7, 7, 8, 9)]
print("orders", drawn)
assert drawn[0] == drawn[1]
assert all(order % 12 == 0 for order in drawn)
assert all(a <= b for a, b in pairwise(rounded))

# %%

fig = go.Figure()
names = [str(pack) for pack in packs]
fig.add_bar(x=names, y=[best.guarantee.upper] * len(packs), name="guarantee, drawn", marker_color="#1f5f8b")
extra = [value - best.guarantee.upper for value in rounded]
fig.add_bar(x=names, y=extra, name="added by rounding", marker_color="#c8553d")
fig.update_layout(
    template="simple_white",
    barmode="stack",
    xaxis={"title": "units in a tray", "type": "category"},
    yaxis_title="guarantee in money",
    legend={"x": 0.02, "y": 0.98},
)
