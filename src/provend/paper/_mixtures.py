"""Table 2 and Appendix C: mixtures of order statistics and the effective sample size."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, pi
from typing import Any

import numpy as np

from provend._validation import as_critical_ratio
from provend.bounds import limiting_lower_bound
from provend.designs import constant
from provend.minimax import minimax
from provend.mixtures import EffectiveSampleSize, best_mixture, effective_sample_size
from provend.newsvendor import Ratio
from provend.paper._curves import MIX, adjacent, effective, erm
from provend.paper._draw import ERM_LINE, MIX_LINE, OPTIMAL_LINE, blank, line, mark
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import claim, curve, few, is_paper, number

ZETAS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.1)
PRINTED = {0.01: "589", 0.02: "330", 0.03: "202", 0.04: "95", 0.05: "58", 0.1: "15"}
CLAIMED_PERCENT = 1.001


def rule_of_thumb(zeta: float, q: Ratio) -> float:
    """(pi / 2) q (1 - q) / zeta^2."""
    ratio = as_critical_ratio(q)
    return pi / 2 * float(ratio * (1 - ratio)) / zeta**2


def size(zeta: float, q: Ratio) -> EffectiveSampleSize:
    """The effective sample size, sought among three times as many samples as the rule of thumb gives."""
    return effective_sample_size(constant(zeta, max(ceil(3 * rule_of_thumb(zeta, q)), 20)), q=q)


def excess(regret: Any, zeta: float, q: Ratio) -> Any:
    """By how many percent a regret exceeds what no policy can beat with infinitely many samples."""
    return 100 * (regret / limiting_lower_bound(zeta, q=q) - 1)


@item("table2", "Effective sample sizes", "Table 2, section 4.2")
def table2(*, q: Ratio = 0.9, zetas: Sequence[float] = ZETAS, track: Track[float] = quietly) -> Result:
    """The k whose best mixture of two neighbouring ranks is best, decided on certified brackets."""
    rows: list[Row] = []
    for zeta in track(zetas):
        digits, found = PRINTED.get(zeta) if is_paper(q) else None, size(zeta, q)
        why = "" if digits is None else _flat(zeta, int(digits), found.k, q)
        rows.append(number(f"zeta = {zeta:g}: effective sample size", found.k, digits, why=why))
        rows.append(number(f"zeta = {zeta:g}: rule of thumb (pi/2) q(1-q)/zeta^2", found.rule_of_thumb, None))
    text = (
        "The curve is extremely flat around its minimum, so only certified values tell neighbours apart: each k here "
        "is the only one whose bracket reaches down to the best. The effective sample size follows a simple law, pi/2 "
        "times q(1 - q) over the square of the dissimilarity; the printed ones do not."
    )
    return Result(tuple(rows), text=text)


def _flat(zeta: float, printed: int, k: int, q: Ratio) -> str:
    there, here = (best_mixture(constant(zeta, n), q=q, ranks="adjacent").guarantee for n in (printed, k))
    return (
        "the printed k follows from no definition found; its regret exceeds zeta/2 by "
        f"{excess(there.lower, zeta, q):.2g} %, that of k = {k} by {excess(here.upper, zeta, q):.2g} %"
    )


@item("figure4", "ERM and the best mixture of order statistics", "Figure 4, Appendix C")
def figure4(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 200, track: Track[int] = quietly) -> Result:
    """ERM against ERM†, read as two neighbouring ranks (the paper's figure) and as all ranks (its definition)."""
    paper, exact, mixed = is_paper(q, zeta == 0.1), erm(zeta, n, q), adjacent(zeta, n, q)
    grid = [*range(1, min(n, 20) + 1), *range(25, n + 1, 25)]
    every = [best_mixture(constant(zeta, k), q=q).guarantee.upper for k in track(grid)]
    figure = blank("number of samples n", "worst-case regret")
    line(figure, exact.n, exact.upper, "ERM", ERM_LINE)
    line(figure, exact.n, mixed, "ERM†, two neighbouring ranks", MIX_LINE)
    line(figure, grid, every, "best mixture of all ranks", OPTIMAL_LINE)
    mark(figure, int(np.argmin(mixed)) + 1, float(mixed.min()), f"best at n = {np.argmin(mixed) + 1}", "#D55E00")
    figure.update_yaxes(range=[0, 0.15] if paper else None)
    at = few(n, (exact.best, int(np.argmin(mixed)) + 1))
    rows = curve("ERM", at, exact.upper[np.array(at) - 1], pictured=paper)
    rows += curve("ERM†, two neighbouring ranks", at, mixed[np.array(at) - 1], pictured=paper)
    rows += curve("best mixture of all ranks", grid[::3], every[::3], pictured=False)
    text = (
        "The curve in the paper is that of two neighbouring ranks, which rises again. The definition in the paper "
        "allows all ranks: that mixture reaches the bound and stays there, so nothing is gained by throwing data away."
    )
    return Result(tuple(rows), figure, text)


@item("claim_near_optimal", "Within 1.001 % of the bound at every effective sample size", "Text of section 4.2")
def claim_near_optimal(*, q: Ratio = 0.9, zetas: Sequence[float] = ZETAS, track: Track[float] = quietly) -> Result:
    """Excess of k*-ERM† over zeta/2, at the exact and at the printed effective sample sizes."""
    rows: list[Row] = []
    for zeta in track(zetas):
        found = size(zeta, q)
        percent = excess(found.guarantee.upper, zeta, q)
        rows.append(number(f"zeta = {zeta:g}, exact k = {found.k}: excess in percent", percent, None))
        if is_paper(q, zeta in PRINTED):
            rows += _at_printed(zeta, int(PRINTED[zeta]), q)
    if is_paper(q, 0.1 in zetas):
        near = excess(effective(0.1, 16, q), 0.1, q) <= CLAIMED_PERCENT
        rows.append(claim(f"zeta = 0.1, more than 15 samples: within {CLAIMED_PERCENT} %", bool(near[-1])))
        rows.append(number(f"zeta = 0.1: the first n within {CLAIMED_PERCENT} %", int(near.argmax()) + 1, None))
    rows.append(claim(f"all exact k: within {CLAIMED_PERCENT} %", all(_within(r) for r in rows), claimed=False))
    text = (
        f"At the exact effective sample sizes {MIX} is within a few millionths of the bound. At the printed ones the "
        "claim is checked too; where it fails, that many samples are too few for any policy whatsoever."
    )
    return Result(tuple(rows), text=text if is_paper(q) else "")


def _within(row: Row) -> bool:
    """Whether an excess at an exact k is within the claim; true for all other rows."""
    return "exact k" not in row.what or (isinstance(row.computed, float) and row.computed <= CLAIMED_PERCENT)


def _at_printed(zeta: float, k: int, q: Ratio) -> list[Row]:
    percent = excess(best_mixture(constant(zeta, k), q=q, ranks="adjacent").guarantee.lower, zeta, q)
    what = f"zeta = {zeta:g}, printed k = {k}"
    why = ""
    if percent > CLAIMED_PERCENT:
        anyone = excess(minimax(constant(zeta, k), q=q).lower_bound, zeta, q)
        why = f"with {k} samples every policy exceeds zeta/2 by at least {anyone:.2f} %"
    return [
        number(f"{what}: excess in percent", percent, None),
        claim(f"{what}: within {CLAIMED_PERCENT} %", percent <= CLAIMED_PERCENT, why=why),
    ]


@item("effective_sample_sizes", "The law of effective sample sizes", "Beyond section 4.2")
def effective_sample_sizes(
    *,
    q: Ratio = 0.9,
    zetas: Sequence[float] = (0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1),
    track: Track[float] = quietly,
) -> Result:
    """Exact k* against zeta, beside (pi/2) q (1 - q) / zeta^2."""
    found = {zeta: size(zeta, q) for zeta in track(zetas)}
    figure = blank("dissimilarity zeta", "effective sample size k*")
    grid = np.geomspace(min(zetas), max(zetas), 60)
    line(figure, grid, [rule_of_thumb(z, q) for z in grid], "(π/2) q(1 − q) / ζ²", MIX_LINE)
    exact = {"color": "#0072B2", "size": 10}
    figure.add_scatter(x=list(found), y=[f.k for f in found.values()], mode="markers", marker=exact, name="exact k*")
    if is_paper(q):
        shown = {z: int(k) for z, k in PRINTED.items() if z in found}
        open_mark = {"color": "#111111", "size": 10, "symbol": "x-thin-open", "line": {"width": 2}}
        figure.add_scatter(x=list(shown), y=list(shown.values()), mode="markers", marker=open_mark, name="printed")
    ticks = [step * 10.0**power for power in range(-4, 5) for step in (1, 2, 5)]
    figure.update_xaxes(type="log", tickvals=ticks).update_yaxes(type="log", rangemode="normal", tickvals=ticks)
    rows = [number(f"zeta = {z:g}: k*", f.k, None) for z, f in found.items()]
    rows += [
        number(f"zeta = {z:g}: k* over the rule of thumb", f.k / rule_of_thumb(z, q), None) for z, f in found.items()
    ]
    text = (
        "Matching the slope of a normal distribution function at the two means that Nature plays gives k* close to "
        "(pi/2) q(1 - q) / zeta^2: halve the dissimilarity, and four times as many samples are worth having."
    )
    return Result(tuple(rows), figure, text)
