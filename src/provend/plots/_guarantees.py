"""Pictures of guarantees: curves, worst cases, tuning."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from provend._figures import blank
from provend._validation import as_critical_ratio
from provend.concentration import concentration_bound
from provend.curves import LearningCurve
from provend.curves import learning_curve as provend_learning_curve
from provend.newsvendor import Ratio
from provend.plots._style import COLOURS, FAINT, named
from provend.policies import ERM, Policy
from provend.regret import regret_profile, worst_case_regret
from provend.tuning import Sensitivity, Tuned

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def learning_curve(
    curves: LearningCurve | Mapping[str, LearningCurve],
    /,
    *,
    lower_bound: float | None = None,
    logarithmic: bool = False,
) -> Figure:
    """How does the guarantee change with the number of contexts? Best n marked, the bound for any policy dashed.

    Parameters
    ----------
    curves : learning curve, or mapping of names to learning curves
        What to show or compare; a bound such as :func:`provend.concentration_bound` can be drawn as a curve of its own.
    lower_bound : float, optional
        A regret that no policy can undercut.
    logarithmic : bool
        Draw the guarantee on a logarithmic axis.
    """
    figure = blank("number of past contexts n", "certified worst-case regret")
    several = named(curves, "guarantee")
    for (name, curve), colour in zip(several.items(), cycle(COLOURS), strict=False):
        best = curve.best
        line = {"color": colour, "width": 2.5, "simplify": False}
        figure.add_scatter(x=curve.n, y=curve.upper, name=f"{name}: best at n = {best}", mode="lines", line=line)
        figure.add_scatter(x=[best], y=[curve.upper[best - 1]], mode="markers", marker={"color": colour, "size": 10})
        figure.data[-1].showlegend = False
    least = min(float(curve.upper.min()) for curve in several.values())
    if lower_bound is not None:
        figure.add_hline(y=lower_bound, line={**FAINT, "dash": "dash"}, opacity=1)
        figure.add_annotation(
            text="no policy can be below",
            x=1,
            xref="paper",
            xanchor="right",
            y=lower_bound,
            yanchor="top",
            showarrow=False,
        )
        least = min(least, lower_bound)
    if logarithmic:
        figure.update_yaxes(type="log")
    else:
        most = max(float(curve.upper.max()) for curve in several.values())
        figure.update_yaxes(range=[0, min(1.05 * most, 4 * max(least, 1e-12))])
    return figure


def concentration(d: ArrayLike, /, *, q: Ratio) -> Figure:
    """How far off are general-purpose bounds? The exact curve of ERM beside both forms of the concentration bound.

    Parameters
    ----------
    d : array
        Dissimilarities; the curves are drawn for the first 1, 2, ... of them.
    q : number or Newsvendor
        Critical ratio.
    """
    exact = provend_learning_curve(ERM(), d, q=q)
    values = np.asarray(d, dtype=np.float64)
    figure = blank("number of past contexts n", "worst-case regret of ERM, logarithmic")
    forms: tuple[Literal["corrected", "printed"], ...] = ("corrected", "printed")
    lines = {"exact": exact.upper} | {
        f"concentration bound, {form}": [concentration_bound(values[:n], q=q, form=form) for n in exact.n]
        for form in forms
    }
    for (name, y), colour in zip(lines.items(), COLOURS, strict=False):
        figure.add_scatter(x=exact.n, y=y, name=name, mode="lines", line={"color": colour, "width": 2.5})
    return figure.update_yaxes(type="log")


def tuning(tuned: Tuned | Mapping[str, Tuned], /) -> Figure:
    """Which parameter is best? Certified brackets where there are any, estimates elsewhere; the choice is marked.

    Parameters
    ----------
    tuned : result of tune, or mapping of names to such results
        What to show or compare; families to compare should have parameters on the same scale.
    """
    figure, several, highest = blank("parameter", "worst-case regret"), named(tuned, ""), 0.0
    for (name, one), colour in zip(several.items(), cycle(COLOURS), strict=False):
        values = [tried.upper if one.certified and tried.upper is not None else tried.estimate for tried in one.table]
        kind = f"{name} {'certified' if one.certified else 'estimated'}".strip()
        figure.add_scatter(
            x=[tried.parameter for tried in one.table],
            y=values,
            mode="lines+markers",
            name=kind,
            line={"color": colour},
            marker={"size": 5},
        )
        figure.add_scatter(
            x=[one.parameter],
            y=[one.guarantee.upper],
            mode="markers",
            name=f"{one.policy}: at most {one.guarantee.upper:.5g}, certified",
            marker={"color": colour, "size": 11},
        )
        highest = max(highest, min(1.05 * max(values), 4 * one.guarantee.upper))
    return figure.update_yaxes(range=[0, highest])


def sensitivity(table: Sensitivity, /) -> Figure:
    """What if the dissimilarities are larger or smaller than assumed? Guarantee of each choice under each scale."""
    import plotly.graph_objects as go

    figure = blank("policy", "scale of the dissimilarities")
    figure.add_trace(
        go.Heatmap(
            z=table.upper,
            x=list(table.policies),
            y=[f"{scale:g}" for scale in table.scales],
            text=[[f"{value:.4g}" for value in row] for row in table.upper],
            texttemplate="%{text}",
            colorscale="YlOrRd",
            colorbar={"title": "regret"},
        )
    )
    for row, best in enumerate(table.best):
        figure.add_annotation(text="★", x=best, y=row, yshift=18, showarrow=False, font={"size": 16})
    figure.update_yaxes(type="category")
    return figure


def worst_case(policies: Policy | Mapping[str, Policy], d: ArrayLike, /, *, q: Ratio, points: int = 401) -> Figure:
    """Where is each policy at its worst? Expected regret against Nature's choice, peaks marked.

    Parameters
    ----------
    policies : policy, or mapping of names to policies
        What to show or compare.
    d : array
        Dissimilarities of the past contexts.
    q : number or Newsvendor
        Critical ratio; with a newsvendor the axis is in money.
    points : int
        How finely the curves are drawn; the marked peaks are certified and do not depend on it.
    """
    ratio = float(as_critical_ratio(q))
    money = " (money)" if hasattr(q, "unit") else ""
    axis = "probability that demand is at the top of the support (dotted: where the best order switches)"
    figure = blank(axis, "expected regret" + money)
    several = named(policies, repr(policies))
    peaks = {name: worst_case_regret(policy, d, q=q) for name, policy in several.items()}
    furthest = max(abs(peak.worst_case.mean - (1 - ratio)) for peak in peaks.values())
    low, high = max(0.0, 1 - ratio - 2 * furthest), min(1.0, 1 - ratio + 2 * furthest)
    means = np.unique(np.append(np.linspace(low, high, points), 1 - ratio))
    for (name, policy), colour in zip(several.items(), cycle(COLOURS), strict=False):
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
    figure.add_vline(x=1 - ratio, line=FAINT, opacity=1)
    figure.update_yaxes(range=[0, 1.08 * max(peak.upper for peak in peaks.values())])
    return figure
