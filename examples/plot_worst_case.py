r"""
Where the worst case sits
=========================

Nature chooses the probability :math:`\mu` that demand is at the top of its support, and shifts every past mean by
its dissimilarity towards the wrong decision. The curves show the expected regret against each such choice, for a
demand that drifts by 0.001 per period over 100 periods and :math:`q = 0.9`; the worst-case regret is the height of the
higher peak.

Using all 100 observations makes both peaks higher, although the curve is narrower: old data mislead more than they
inform. With the 27 nearest the worst-case regret is less than half.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

q, d = 0.9, pv.drift(0.001, n=100)
means = np.linspace(0, 1, 2001)
policies = {"27 nearest": pv.KNN(27), "all 100 (ERM)": pv.ERM()}
guarantees = {name: pv.worst_case_regret(policy, d, q=q) for name, policy in policies.items()}

# %%
# The profile is plain floating point on a grid; the certified maximum is never below it.

for name, policy in policies.items():
    profile, guarantee = pv.regret_profile(policy, d, means, q=q), guarantees[name]
    assert guarantee.upper * (1 - 1e-4) < profile.max() <= guarantee.upper
assert guarantees["27 nearest"].upper < guarantees["all 100 (ERM)"].lower / 2

# %%

fig = go.Figure()
for name, colour in zip(policies, ("#1f77b4", "#d62728"), strict=True):
    guarantee = guarantees[name]
    profile = pv.regret_profile(policies[name], d, means, q=q)
    fig.add_scatter(x=means, y=profile, mode="lines", line_color=colour, name=name)
    fig.add_scatter(
        x=[guarantee.worst_case.mean],
        y=[guarantee.upper],
        mode="markers+text",
        text=f"{guarantee.upper:.4f}",
        textposition="top center",
        marker={"size": 10, "color": colour},
        name=f"worst case, {name}",
    )
fig.add_vline(x=0.1, line_dash="dot", annotation={"text": "1 - q", "yanchor": "top"}, annotation_position="top left")
fig.update_layout(
    template="plotly_white",
    xaxis={"title": "Nature's mean", "range": [0, 0.45]},
    yaxis={"title": "expected regret", "range": [0, 0.033]},
    legend={"x": 0.62, "y": 0.98},
)
