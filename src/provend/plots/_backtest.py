"""Pictures of a backtest."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from provend._errors import InputError
from provend._figures import blank
from provend.backtesting import Backtest
from provend.plots._style import COLOURS, FAINT
from provend.tables import Table

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def backtest_costs(result: Backtest, /) -> Figure:
    """Which policy was cheapest? Relative to the reference: all items as a bar, each as a dot, their mean a diamond."""
    total, items = _columns(result.summary), _columns(result.by_item)
    figure = blank(f"cost relative to {result.reference}", "")
    names = total["policy"].tolist()
    figure.add_bar(
        x=total["relative_cost"],
        y=names,
        orientation="h",
        name="all items",
        marker={"color": "#b9cfdf"},
        text=[f"{value:.3f}" for value in total["relative_cost"]],
        textposition="inside",
        insidetextanchor="start",
    )
    figure.add_scatter(
        x=items["relative_cost"],
        y=items["policy"],
        mode="markers",
        name="one item",
        text=[str(name) for name in items["unique_id"]],
        hovertemplate="%{text}: %{x:.3f}<extra>%{y}</extra>",
        marker={"color": COLOURS[1], "size": 7},
    )
    figure.add_scatter(
        x=[np.nanmean(items["relative_cost"][items["policy"] == name]) for name in names],
        y=names,
        mode="markers",
        name="mean of the items, each alike",
        marker={"color": COLOURS[0], "size": 12, "symbol": "diamond"},
    )
    figure.add_vline(x=1, line=FAINT, opacity=1)
    return figure.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=names)


def backtest_regret(result: Backtest, /) -> Figure:
    """Was the guarantee kept? Realised mean regret within equal contexts, its interval, and the stated guarantee.

    A guarantee that was surely exceeded has the regret that is sure beside it, as a cross.
    """
    total = _columns(result.summary)
    figure = blank("", "regret per item and day, in money")
    regret = total["regret_context"]
    figure.add_scatter(
        x=total["policy"],
        y=regret,
        mode="markers",
        name="realised, 95% interval (the benchmark has hindsight)",
        marker={"color": COLOURS[0], "size": 11},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": total["regret_context_high"] - regret,
            "arrayminus": regret - total["regret_context_low"],
        },
    )
    stated = np.isfinite(total["guarantee"])
    if stated.any():
        figure.add_scatter(
            x=total["policy"][stated],
            y=total["guarantee"][stated],
            mode="markers",
            name="guarantee, mean over days",
            marker={"color": COLOURS[1], "size": 22, "symbol": "line-ew-open", "line": {"width": 3}},
        )
    exceeded = total["exceeded"].astype(bool)
    if exceeded.any():
        figure.add_scatter(
            x=total["policy"][exceeded],
            y=total["regret_at_least"][exceeded],
            mode="markers",
            name="guarantee exceeded: expected regret at least (95%)",
            marker={"color": COLOURS[3], "size": 13, "symbol": "x"},
        )
    return figure.update_yaxes(rangemode="tozero")


def backtest_orders(result: Backtest, item: object, /) -> Figure:
    """What would have been ordered? The demand of one item and the orders of each policy, day by day."""
    orders = _columns(nw.from_native(result.orders, eager_only=True).filter(nw.col("unique_id") == item).to_native())
    if orders["y"].size == 0:
        known = sorted({str(name) for name in _columns(result.orders)["unique_id"]})
        raise InputError(f"item = {item!r} has no orders; choose among {known[:5]} and others, {len(known)} in all")
    figure = blank("", "units")
    names = list(dict.fromkeys(orders["policy"].tolist()))
    first = orders["policy"] == names[0]
    grey = {"color": "#777777", "size": 5}
    figure.add_scatter(x=orders["ds"][first], y=orders["y"][first], mode="markers", name="demand", marker=grey)
    for name, colour in zip(names, cycle(COLOURS), strict=False):
        mine = orders["policy"] == name
        line = {"color": colour, "width": 1.5, "shape": "hv"}
        figure.add_scatter(x=orders["ds"][mine], y=orders["order"][mine], mode="lines", name=name, line=line)
    return figure


def _columns(table: Table) -> dict[str, Any]:
    frame = nw.from_native(table, eager_only=True)
    return {
        name: frame[name].cast(nw.Float64).to_numpy()
        if frame[name].dtype.is_float()
        else np.array(frame[name].to_list())
        for name in frame.columns
    }
