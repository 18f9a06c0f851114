"""
One purse for three products
============================

Bread, milk and cake share a budget. A price on each unit of budget lets every item decide on its own: the higher the
price, the lower its critical ratio and its order. What is promised is the sum of the guarantees at that price, plus the
price of what is left unused. Fixed too low, orders are cut; too high, budget lies idle. Either way it is said in money.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

rng = np.random.default_rng(4)
d = pv.drift(0.005, n=40)
items = {
    name: pv.BudgetItem(pv.Newsvendor(cu, co, support=(0, top)), pv.KNN(20), rng.poisson(mean, 40), d, use=use)
    for name, cu, co, top, mean, use in (
        ("bread", 3, 1, 60, 25, 2),
        ("milk", 2, 1, 80, 35, 1),
        ("cake", 9, 4, 30, 12, 6),
    )
}
prices = ["0", "0.2", "0.4", "0.6", "0.8", "1"]
plans = {price: pv.budgeted_orders(items, budget=170, multiplier=price) for price in prices}
for price, plan in plans.items():
    print(f"price {price}: {dict(zip(plan.items, plan.orders.tolist(), strict=True))}, {plan.used:.0f} of 170 used")

# %%
# Orders always fit into the purse, and what they take never rises with the price once nothing has to be cut.

assert all(plan.used <= 170 for plan in plans.values())
used = [plan.used for plan in plans.values() if plan.cut == 0]
assert used == sorted(used, reverse=True)

# %%

fig = go.Figure()
for i, (name, colour) in enumerate(zip(items, pv.plots.COLOURS, strict=False)):
    taken = [items[name].use * plan.orders[i] for plan in plans.values()]
    fig.add_bar(x=prices, y=taken, name=name, marker_color=colour)
fig.add_hline(y=170, line_dash="dot", annotation_text="the budget", annotation_position="top right")
fig.update_layout(
    template="simple_white",
    barmode="stack",
    xaxis={"title": "price of a unit of budget", "type": "category"},
    yaxis={"title": "budget taken", "range": [0, 190]},
)
