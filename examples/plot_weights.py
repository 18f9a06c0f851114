r"""
Integer weights are evaluated exactly, real ones between two lattices
=====================================================================

A weighted count with integer weights lives on a lattice, and its worst-case regret is certified to the tolerance asked
for. Real weights, such as :math:`0.95^i`, are exact up to 20 samples, where all subsets can be tabulated; beyond, they
are rounded to a lattice, and the guarantee is a bracket whose width is a property of that lattice.

The remedy is to *decide* with integer weights, here :math:`1000 \cdot 0.95^i` rounded. That is a slightly different
policy, but it is the one carried out, and its guarantee is exact.
"""

import numpy as np
import plotly.graph_objects as go

import provend as pv

q, sizes = 0.9, [8, 14, 20, 30, 40, 50]
real, integer = [], []
for n in sizes:
    d = pv.drift(0.002, n)
    weights = np.rint(1000 * 0.95 ** np.arange(1, n + 1)).astype(int)
    real.append(pv.worst_case_regret(pv.Exponential(0.95), d, q=q))
    integer.append(pv.worst_case_regret(pv.WeightedERM(weights), d, q=q))

# %%
# Every integer policy meets the default tolerance of 1e-9; the real one cannot beyond 20 samples, and says why.

assert max(g.gap for g in integer) <= 1e-9
assert all(g.gap > 1e-6 if n > 20 else g.gap <= 1e-9 for n, g in zip(sizes, real, strict=True))
print(f"real weights, n = {n}: [{real[-1].lower:.7f}, {real[-1].upper:.7f}], {real[-1].note}")
print(f"integer weights, n = {n}: [{integer[-1].lower:.7f}, {integer[-1].upper:.7f}]")

# %%

fig = go.Figure()
fig.add_scatter(x=sizes, y=[g.gap for g in real], mode="lines+markers", name="real weights 0.95^i")
fig.add_scatter(x=sizes, y=[g.gap for g in integer], mode="lines+markers", name="integer weights")
fig.update_layout(
    template="plotly_white",
    xaxis_title="number of past demands n",
    yaxis={"title": "relative width of the bracket", "type": "log", "exponentformat": "power", "dtick": 1},
    legend={"x": 0.02, "y": 0.98},
)
