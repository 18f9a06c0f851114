"""A picture of an order from sales that stock has cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from provend._figures import blank
from provend.plots._style import COLOURS, FAINT
from provend.stockouts import OrderWithStockouts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def stockouts(found: OrderWithStockouts, /) -> Figure:
    """Where does the guarantee come from? One bar per segment of demand, whose area is its part of the guarantee.

    The part of a segment that is ordered is dark, the rest pale; the number above it says on how many days there was
    enough stock to see it.

    Parameters
    ----------
    found : OrderWithStockouts
        What to show.
    """
    figure = blank("demand", "guarantee per unit of demand")
    rows = found.segments
    heights = [one.part / (one.top - one.bottom) for one in rows]
    ends = {
        "ordered": ([one.bottom for one in rows], [one.bottom + one.order for one in rows], 0.9),
        "left out": ([one.bottom + one.order for one in rows], [one.top for one in rows], 0.25),
    }
    for name, (begin, end, opacity) in ends.items():
        widths = [high - low for low, high in zip(begin, end, strict=True)]
        bars = {"x": begin, "width": widths, "offset": 0, "y": heights, "name": name, "opacity": opacity}
        figure.add_bar(marker={"color": COLOURS[0], "line": {"width": 0}}, **bars)
    middles = [(one.bottom + one.top) / 2 for one in rows]
    texts = {"text": [f"{one.rows} days" for one in rows], "textposition": "top center", "mode": "text"}
    figure.add_scatter(x=middles, y=heights, showlegend=False, hoverinfo="skip", **texts)
    figure.add_vline(x=found.order, line=FAINT, opacity=1)
    return figure.update_layout(barmode="overlay").update_yaxes(rangemode="tozero")
