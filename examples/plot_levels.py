"""
Past demand, brought to next Saturday
=====================================

Steaks sell far better on Saturdays than on Mondays, so for a Saturday the Mondays of the past seem to be of no use. But
what a Monday differed from *its own* forecast by says something about Saturdays, too. Each past demand is moved by the
difference of the two forecasts before it is weighed: then all days of the year speak about next Saturday.
"""

import pandas as pd
import plotly.graph_objects as go

import provend as pv

days = pv.datasets.load_restaurant()
X = pd.DataFrame({"date": days.dates, "weekday": days.weekdays})
past, target = slice(300, 700), X[700:707].query("weekday == 'SAT'")
y = days.demand["steak"]

model = pv.ContextualNewsvendor(cu=9, co=1, support=(0, 100)).fit(X[past], y[past])
moved = model.brought(target)[0]
print(f"order {model.predict(target)[0]:.0f}, guarantee {model.guarantee(target).upper[0]:.1f} in money")

# %%
# Before, Mondays are far below Saturdays; once brought to the target, most of that difference is gone.

monday, saturday = (days.weekdays[past] == name for name in ("MON", "SAT"))
before = y[past][saturday].mean() - y[past][monday].mean()
after = moved[saturday].mean() - moved[monday].mean()
print(f"Saturdays above Mondays by {before:.0f} before, by {after:.1f} after")
assert abs(after) < before / 3

# %%

fig = go.Figure()
for name, values, colour in (("as sold", y[past], "#b9c3cc"), ("brought to the Saturday", moved, "#1f5f8b")):
    fig.add_box(x=days.weekdays[past], y=values, name=name, marker={"color": colour, "size": 3}, boxpoints=False)
fig.update_layout(
    template="simple_white",
    boxmode="group",
    xaxis={"categoryorder": "array", "categoryarray": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]},
    yaxis_title="steaks",
    legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
)
