"""Pictures of what can be promised at all, and of what more data would be worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from provend._figures import blank
from provend.curves import learning_curve
from provend.minimax import minimax
from provend.newsvendor import Ratio
from provend.plots._style import COLOURS, ROUND_NUMBERS, named
from provend.policies import ERM

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]

VISIBLE = 1e-3  # relative; the gap that the optimum itself may have


def optimal(designs: ArrayLike | Mapping[str, ArrayLike], /, *, q: Ratio, points: int = 24) -> Figure:
    """What can be promised at all? The optimal guarantee against the number of samples, the paper's policies beside it.

    Parameters
    ----------
    designs : dissimilarities, or mapping of names to dissimilarities
        Each is read as its first 1, 2, ... entries, so put the nearest first.
    q : number or Newsvendor
        Critical ratio; with a newsvendor the axis is in money.
    points : int
        For how many numbers of samples, spread evenly on a logarithmic axis, the optimum is computed; more where the
        line between two of them would pass above a policy that cannot be better.
    """
    figure = blank("number of past contexts n", "certified worst-case regret")
    for (name, d), colour in zip(named(designs, "design").items(), cycle(COLOURS), strict=False):
        values = np.asarray(d, dtype=np.float64)
        erm = learning_curve(ERM(), values, q=q)
        best = _optimum(values, q, points, np.minimum.accumulate(erm.upper))
        group = {"legendgroup": name, "mode": "lines"}
        line = {"color": colour, "width": 3}
        figure.add_scatter(x=list(best), y=list(best.values()), name=f"{name}: optimal", line=line, **group)
        nearest = np.minimum.accumulate(erm.upper) if np.all(np.diff(values) >= 0) else None
        if nearest is not None:
            line = {"color": colour, "width": 1.5, "dash": "dash"}
            figure.add_scatter(x=erm.n, y=nearest, name="ERM on the best k nearest", line=line, **group)
        line = {"color": colour, "width": 1.5, "dash": "dot"}
        figure.add_scatter(x=erm.n, y=erm.upper, name="ERM on all", line=line, **group)
    for update in (figure.update_xaxes, figure.update_yaxes):
        update(type="log", tickvals=ROUND_NUMBERS, ticktext=[f"{value:g}" for value in ROUND_NUMBERS])
    return figure


def _optimum(d: Floats, q: Ratio, points: int, attainable: Floats) -> dict[int, float]:
    """The optimal guarantee by number of samples, at enough of them that its line does not pass above a policy's.

    The line is straight between two points on logarithmic axes; ``attainable`` is what a policy promises on 1, 2, ...
    """
    every = np.arange(1, d.size + 1)
    wanted, found = set(np.geomspace(1, d.size, points).round().astype(int).tolist()), dict[int, float]()
    while wanted:
        found |= {n: minimax(d[:n], q=q).guarantee.upper for n in wanted}
        n = np.array(sorted(found))
        drawn = np.exp(np.interp(np.log(every), np.log(n), np.log([found[one] for one in n.tolist()])))
        above = drawn / attainable - 1
        above[n - 1] = 0.0
        worst = [gap[np.argmax(above[gap - 1])] for gap in np.split(every, n) if gap.size]
        wanted = {int(one) for one in worst if above[one - 1] > VISIBLE}
    return dict(sorted(found.items()))


def value_of_data(d: ArrayLike, /, *, q: Ratio, at: float | Sequence[float], most: int = 30) -> Figure:
    """Is it worth collecting more, or closer, data? The optimal guarantee with up to ``most`` new observations.

    Parameters
    ----------
    d : array
        Dissimilarities of the present observations.
    q : number or Newsvendor
        Critical ratio; with a newsvendor the axis is in money.
    at : float or sequence of floats
        Dissimilarity or dissimilarities at which new observations could be made; each gets a line.
    most : int
        How many could be made.
    """
    have = np.asarray(d, dtype=np.float64)
    figure = blank("number of new observations", "guarantee of the optimal policy")
    n = np.unique(np.linspace(0, most, min(most, 20) + 1).round().astype(int))
    for zeta, colour in zip(np.atleast_1d(at).tolist(), cycle(COLOURS), strict=False):
        y = [minimax(np.append(have, np.full(k, zeta)), q=q).guarantee.upper for k in n]
        line = {"color": colour, "width": 2.5}
        figure.add_scatter(x=n, y=y, name=f"at dissimilarity {zeta:.3g}", mode="lines", line=line)
    return figure.update_yaxes(rangemode="tozero")
