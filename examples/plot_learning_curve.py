r"""
More data can hurt
==================

Empirical risk minimisation orders the :math:`\lceil q n \rceil`-th smallest past demand. When every past context is
at the same dissimilarity :math:`\zeta = 0.1` from the target, its worst-case regret does not fall for ever: at
:math:`q = 0.9` it is least at :math:`n = 16`, and every larger sample has a worse guarantee.

The dips come from the rounding in :math:`\lceil q n \rceil`; the rise is real. With many samples the empirical quantile
settles on the quantile of a *wrong* distribution, and the limit of the worst case is :math:`\zeta` itself; with a few
it is still spread out, which hedges.
"""

import plotly.graph_objects as go

import provend as pv

sizes = range(1, 121)
guarantees = [pv.worst_case_regret(pv.ERM(), pv.constant(0.1, n), q=0.9) for n in sizes]

# %%
# The claim, on certified numbers: the upper end at 16 lies below the lower end everywhere else.

best = guarantees[15]
assert all(best.upper < other.lower for other in guarantees if other is not best)
print(f"n = 16: between {best.lower:.9f} and {best.upper:.9f}, {best.percent_of_no_data:.1f}% of the no-data regret")

# %%

fig = go.Figure()
fig.add_scatter(x=list(sizes), y=[g.upper for g in guarantees], mode="lines+markers", marker_size=4, name="ERM")
fig.add_scatter(x=[16], y=[best.upper], mode="markers", marker_size=11, name="best, n = 16")
fig.add_hline(y=0.1, line_dash="dot", annotation_text="limit for large n: 0.1")
fig.update_layout(
    template="plotly_white",
    xaxis_title="number of past demands n",
    yaxis_title="worst-case regret",
    yaxis_rangemode="tozero",
    legend={"x": 0.75, "y": 0.98},
)
