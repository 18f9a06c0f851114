"""How all pictures look before anything is drawn. Plotly is imported only when something is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def blank(x: str, y: str) -> Figure:
    """An empty figure with these axes."""
    import plotly.graph_objects as go

    return go.Figure().update_layout(
        template="simple_white",
        font={"family": "Helvetica, Arial, sans-serif", "size": 14},
        xaxis_title=x,
        yaxis_title=y,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 70, "r": 20, "t": 50, "b": 60},
    )
