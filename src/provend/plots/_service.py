"""Pictures of service levels."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

from provend._figures import blank
from provend.plots._style import COLOURS, FAINT, named
from provend.service import ServiceCurve

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def service(curves: ServiceCurve | Mapping[str, ServiceCurve], /, *, target: float | None = None) -> Figure:
    """How often is demand met? Service against the number of contexts: at worst, and shaded up to the best.

    Parameters
    ----------
    curves : service curve, or mapping of names to service curves
        What to show or compare.
    target : float, optional
        A service to reach, drawn dotted.
    """
    figure = blank("number of past contexts n", "probability that demand is met")
    for (name, curve), colour in zip(named(curves, "service").items(), cycle(COLOURS), strict=False):
        band = {"mode": "lines", "line": {"color": colour, "width": 0}, "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(x=curve.n, y=curve.best.upper, **band)
        figure.add_scatter(x=curve.n, y=curve.worst.lower, fill="tonexty", opacity=0.2, **band)
        line = {"color": colour, "width": 2.5, "simplify": False}
        figure.add_scatter(x=curve.n, y=curve.worst.lower, name=f"{name}: at worst", mode="lines", line=line)
    if target is not None:
        figure.add_hline(y=target, line=FAINT, opacity=1)
    return figure.update_yaxes(rangemode="tozero", tickformat=".0%")
