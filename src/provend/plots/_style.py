"""How all pictures look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COLOURS = ("#1f5f8b", "#c8553d", "#588157", "#8d6a9f", "#b08900")
ROUND_NUMBERS = [m * 10.0**e for e in range(-6, 10) for m in (1, 2, 5)]  # ticks of a logarithmic axis
FAINT = {"color": "#777777", "dash": "dot", "width": 1.5}


def named(one_or_several: T | Mapping[str, T], name: str) -> Mapping[str, T]:
    """What to compare, by name; one thing alone is called ``name``."""
    return one_or_several if isinstance(one_or_several, Mapping) else {name: one_or_several}


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
