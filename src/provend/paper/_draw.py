"""How the figures of the reproduction look: one style, so that curves of different figures can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from provend import _figures

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Okabe-Ito, told apart by most eyes and in grey; each also has its own dash.
ERM_LINE = {"color": "#0072B2", "width": 2.2, "simplify": False}
MIX_LINE = {"color": "#D55E00", "width": 2.4, "simplify": False}
EARLIER_LINE = {"color": "#6b6b6b", "width": 2.2, "dash": "dot"}
PRINTED_LINE = {"color": "#6b6b6b", "width": 1.6, "dash": "dash"}
OPTIMAL_LINE = {"color": "#007a5a", "width": 2.6, "dash": "longdash"}
BOUND_LINE = {"color": "#111111", "width": 1.8, "dash": "dash"}


def blank(x: str, y: str) -> Figure:
    """Axes with their names, nothing drawn yet."""
    return _figures.blank(x, y).update_layout(
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        xaxis={"showgrid": True, "gridcolor": "#eeeeee", "automargin": True},
        yaxis={"showgrid": True, "gridcolor": "#eeeeee", "automargin": True, "rangemode": "tozero"},
        legend={"entrywidthmode": "pixels"},
        margin={"l": 60, "r": 15, "t": 20, "b": 55},
        height=430,
        hovermode="x unified",
    )


def line(figure: Figure, x: Iterable[object], y: Iterable[float], name: str, style: Mapping[str, object]) -> None:
    """One curve."""
    figure.add_scatter(x=list(x), y=[float(v) for v in y], name=name, mode="lines", line=style)


def mark(figure: Figure, x: float, y: float, text: str, colour: str) -> None:
    """One point, marked and named."""
    figure.add_scatter(
        x=[x],
        y=[y],
        name=text,
        mode="markers",
        marker={"color": colour, "size": 10, "line": {"color": "white", "width": 1.5}},
        hovertemplate=f"{text}<extra></extra>",
        showlegend=False,
    )
