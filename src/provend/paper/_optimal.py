"""Beyond the paper: the best policy there is, beside the best the paper has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from provend._display import at_most
from provend.designs import drift
from provend.newsvendor import Ratio
from provend.paper._draw import blank
from provend.paper._drift import DELTAS, N, best, tuned
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import number


@item("optimal", "The optimal policy against the best of the paper's families", "Beyond section 4.3")
def optimal(*, q: Ratio = 0.9, deltas: Sequence[float] = DELTAS, n: int = N, track: Track[float] = quietly) -> Result:
    """How much is left on the table by k-NN and exponential weights, and what the best weights look like."""
    rows: list[Row] = []
    figure = blank("age of the sample i", "weight in percent")
    colours = ("#0072B2", "#D55E00", "#007a5a", "#7B3294", "#111111")
    for delta, colour in zip(track(deltas), colours * len(deltas), strict=False):
        found, nearest = best(delta, n, q), tuned("knn", delta, n, q)
        exponential, name = tuned("exp", delta, n, q), f"drift {delta:g}"
        used = int(np.count_nonzero(found.weights))
        rows += [
            number(f"{name}: optimal policy", found.guarantee.upper, None),
            number(f"{name}: no policy is below", found.lower_bound, None),
            number(
                f"{name}: k-NN-ERM above the optimum, percent",
                _above(nearest.guarantee.upper, found.guarantee.upper),
                None,
            ),
            number(
                f"{name}: EWERM above the optimum, percent",
                _above(exponential.guarantee.upper, found.guarantee.upper),
                None,
            ),
            number(f"{name}: samples the optimal policy uses", used, None),
            number(f"{name}: dissimilarity from which samples are ignored", _cut_off(found.weights, delta, n), None),
        ]
        line = {"color": colour, "width": 2.4}
        figure.add_scatter(x=np.arange(1, n + 1), y=found.weights, name=name, mode="lines", line=line)
    gap = max(best(delta, n, q).gap for delta in deltas)
    furthest = max((trace.x[np.asarray(trace.y) > 0].max() for trace in figure.data), default=n)
    figure.update_xaxes(range=[0, min(n, 1.1 * furthest)])
    text = (
        "The weights fall almost linearly and end at a cut-off that the theory chooses: nearly a triangular kernel. "
        f"Guarantee and lower bound meet within {at_most(100 * gap)} %, so no policy of any kind can be better by more."
    )
    return Result(tuple(rows), figure, text)


def _above(regret: float, least: float) -> float:
    return 100 * (regret / least - 1)


def _cut_off(weights: ArrayLike, delta: float, n: int) -> float | None:
    unused = drift(delta, n)[np.asarray(weights) == 0]
    return float(unused.min()) if unused.size else None
