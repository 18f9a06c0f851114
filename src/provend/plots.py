"""Pictures, one function per question, each returning a plotly figure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from provend._validation import as_critical_ratio
from provend.policies import Policy
from provend.regret import regret_profile, worst_case_regret

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COLOURS = ("#1f5f8b", "#c8553d", "#588157", "#8d6a9f", "#b08900")


def worst_case(policies: Mapping[str, Policy], d: ArrayLike, /, *, q: Any, points: int = 401) -> Figure:
    """Where is each policy at its worst? Expected regret against Nature's choice, peaks marked.

    Parameters
    ----------
    policies : mapping of names to policies
        What to compare.
    d : array
        Dissimilarities of the past contexts.
    q : number or Newsvendor
        Critical ratio; with a newsvendor the axis is in money.
    points : int
        How finely the curves are drawn; the marked peaks are certified and do not depend on it.
    """
    import plotly.graph_objects as go

    ratio = float(as_critical_ratio(q))
    figure = go.Figure()
    peaks = {name: worst_case_regret(policy, d, q=q) for name, policy in policies.items()}
    furthest = max(abs(peak.worst_case.mean - (1 - ratio)) for peak in peaks.values())
    low, high = max(0.0, 1 - ratio - 2 * furthest), min(1.0, 1 - ratio + 2 * furthest)
    means = np.unique(np.append(np.linspace(low, high, points), 1 - ratio))
    for (name, policy), colour in zip(policies.items(), cycle(COLOURS), strict=False):
        peak = peaks[name]
        figure.add_scatter(
            x=means,
            y=regret_profile(policy, d, means, q=q),
            name=f"{name}: at most {peak.upper:.4g}",
            mode="lines",
            line={"color": colour, "width": 2.5, "simplify": False},
        )
        figure.add_scatter(
            x=[peak.worst_case.mean],
            y=[peak.upper],
            mode="markers",
            marker={"color": colour, "size": 10},
            showlegend=False,
            hovertemplate=f"{name}: worst case {peak.upper:.6g}<extra></extra>",
        )
    figure.add_vline(x=1 - ratio, line={"color": "#777777", "dash": "dot", "width": 1.5}, opacity=1)
    figure.update_layout(
        template="simple_white",
        font={"family": "Helvetica, Arial, sans-serif", "size": 14},
        xaxis_title="probability that demand is at the top of the support (dotted: where the best order switches)",
        yaxis_title="expected regret" + (" (money)" if hasattr(q, "unit") else ""),
        yaxis={"range": [0, 1.08 * max(peak.upper for peak in peaks.values())]},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 70, "r": 20, "t": 50, "b": 60},
    )
    return figure
