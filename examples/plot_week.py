"""
A week of orders, from a table of sales
=======================================

A table of past demand goes in, one row per dish and day; one row per dish and day to come goes out, with the order,
what ordering in this way can cost at worst, and the reason in words. The bars are the orders. The percentages say what
they can cost at worst beyond the best orders, relative to deciding without data: small where the past says much.
"""

import plotly.graph_objects as go
import pyarrow as pa

import provend as pv

days = pv.datasets.load_restaurant()
dishes = ("fish", "shrimp", "steak")
history = pa.concat_tables(
    pa.table({"unique_id": [dish] * 364, "ds": days.dates[-364:], "y": days.demand[dish][-364:]}) for dish in dishes
)
week = pv.plan(history, cu=9, co=1, horizon=7, support=(0, 120)).to_pylist()
print(f"{week[0]['unique_id']}, {week[0]['ds']:%A}: {week[0]['reason']}")

# %%
# Every row is decided, and each promises less than a fifth of what would be lost without data.

assert len(week) == 7 * len(dishes)
assert all(row["status"] == "ok" and row["percent_of_no_data"] < 20 for row in week)

# %%

fig = go.Figure()
for dish, colour in zip(dishes, pv.plots.COLOURS, strict=False):
    rows = [row for row in week if row["unique_id"] == dish]
    fig.add_bar(
        x=[f"{row['ds']:%a}" for row in rows],
        y=[row["order"] for row in rows],
        name=dish,
        marker_color=colour,
        text=[f"{row['percent_of_no_data']:.0f} %" for row in rows],
        textposition="outside",
    )
fig.update_layout(
    template="simple_white",
    barmode="group",
    yaxis_title="order, guarantee in percent of no data",
    legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
)
