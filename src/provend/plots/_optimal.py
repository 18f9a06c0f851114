"""Pictures of what can be promised at all, and of what more data would be worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from provend.curves import learning_curve
from provend.minimax import minimax
from provend.plots._style import COLOURS, ROUND_NUMBERS, blank
from provend.policies import ERM

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def optimal(designs: Mapping[str, ArrayLike], /, *, q: Any, points: int = 24) -> Figure:
    """What can be promised at all? The optimal guarantee against the number of samples, the paper's policies beside it.

    Parameters
    ----------
    designs : mapping of names to dissimilarities
        Each is read as its first 1, 2, ... entries, so put the nearest first.
    q : number or Newsvendor
        Critical ratio; with a newsvendor the axis is in money.
    points : int
        For how many numbers of samples, spread evenly on a logarithmic axis, the optimum is computed.
    """
    figure = blank("number of past contexts n", "certified worst-case regret")
    for (name, d), colour in zip(designs.items(), cycle(COLOURS), strict=False):
        values = np.asarray(d, dtype=np.float64)
        erm = learning_curve(ERM(), values, q=q)
        n = np.unique(np.geomspace(1, values.size, points).round().astype(int))
        best = [minimax(values[:k], q=q).guarantee.upper for k in n]
        group = {"legendgroup": name, "mode": "lines"}
        figure.add_scatter(x=n, y=best, name=f"{name}: optimal", line={"color": colour, "width": 3}, **group)
        nearest = np.minimum.accumulate(erm.upper) if np.all(np.diff(values) >= 0) else None
        if nearest is not None:
            line = {"color": colour, "width": 1.5, "dash": "dash"}
            figure.add_scatter(x=erm.n, y=nearest, name="ERM on the best k nearest", line=line, **group)
        line = {"color": colour, "width": 1.5, "dash": "dot"}
        figure.add_scatter(x=erm.n, y=erm.upper, name="ERM on all", line=line, **group)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(type="log", tickvals=ROUND_NUMBERS, ticktext=[f"{value:g}" for value in ROUND_NUMBERS])
    return figure


def value_of_data(d: ArrayLike, /, *, q: Any, at: Sequence[float], most: int = 30) -> Figure:
    """Is it worth collecting more, or closer, data? The optimal guarantee with up to ``most`` new observations.

    Parameters
    ----------
    d : array
        Dissimilarities of the observations there are.
    q : number or Newsvendor
        Critical ratio; with a newsvendor the axis is in money.
    at : sequence of floats
        Dissimilarities at which new observations could be made, a line each.
    most : int
        How many could be made.
    """
    have = np.asarray(d, dtype=np.float64)
    figure = blank("number of new observations", "guarantee of the optimal policy")
    n = np.unique(np.linspace(0, most, min(most, 20) + 1).round().astype(int))
    for zeta, colour in zip(at, cycle(COLOURS), strict=False):
        y = [minimax(np.append(have, np.full(k, zeta)), q=q).guarantee.upper for k in n]
        line = {"color": colour, "width": 2.5}
        figure.add_scatter(x=n, y=y, name=f"at dissimilarity {zeta:.3g}", mode="lines", line=line)
    return figure.update_yaxes(rangemode="tozero")
