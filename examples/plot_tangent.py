r"""
One tangent proves the maximum
==============================

The worst case is the largest value of :math:`(c - t) F(t)`, where F is the probability that the policy errs. A grid
shows values of it and proves nothing about what lies between. But for order statistics :math:`F^{1/r}` is concave, so
its tangent at one point lies above it everywhere, and :math:`(c - t)` times the r-th power of that tangent bounds the
whole curve. At the top of the curve both touch: the bound is the maximum itself.
"""

import numpy as np
import plotly.graph_objects as go
from scipy.stats import binom

import provend as pv

n, q, zeta = 16, 0.9, 0.1
guarantee = pv.worst_case_regret(pv.ERM(), pv.constant(zeta, n), q=q)
r, c = 15, q  # side "high": the bottom is ordered if 15 of 16 are zeros
t = np.sort([*np.linspace(0, c, 901), 1 - guarantee.worst_case.mean])


def error(t: np.ndarray) -> np.ndarray:
    """The probability that at least r of n samples err."""
    return binom.sf(r - 1, n, np.minimum(1, t + zeta))


# %%
# The tangent of the r-th root at the top, raised to the r-th power again, is nowhere below the curve.

top = 1 - guarantee.worst_case.mean
root, step = error(top) ** (1 / r), 1e-6
slope = (error(top + step) ** (1 / r) - error(top - step) ** (1 / r)) / (2 * step)
curve = (c - t) * error(t)
bound = (c - t) * np.maximum(root + slope * (t - top), 0) ** r
print(f"top of the curve {curve.max():.8f}, top of the bound {bound.max():.8f}, certified {guarantee.upper:.8f}")
assert (bound >= curve - 1e-12).all()
assert abs(bound.max() - guarantee.upper) < 1e-9

# %%

fig = go.Figure()
fig.add_scatter(x=t, y=bound, mode="lines", name="bound from one tangent", line={"color": "#c8553d", "dash": "dash"})
fig.add_scatter(x=t, y=curve, mode="lines", name="(c - t) F(t)", line={"color": "#1f5f8b", "width": 3})
fig.add_scatter(x=[top], y=[guarantee.upper], mode="markers", marker={"size": 11, "color": "#c8553d"}, showlegend=False)
fig.update_layout(
    template="simple_white",
    xaxis={"title": "t", "range": [0.5, 0.9]},
    yaxis={"title": "expected regret", "rangemode": "tozero"},
    legend={"x": 0.02, "y": 0.98},
)
