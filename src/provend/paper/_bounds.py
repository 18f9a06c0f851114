"""Appendix G and the remark on the lower bound: what surrounds the exact worst case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from provend._validation import as_critical_ratio
from provend.bounds import limiting_lower_bound
from provend.concentration import concentration_bound
from provend.designs import constant
from provend.mixtures import best_mixture
from provend.newsvendor import Ratio
from provend.paper._curves import erm
from provend.paper._draw import EARLIER_LINE, ERM_LINE, MIX_LINE, OPTIMAL_LINE, blank, line
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import claim, curve, few, is_paper, number
from provend.policies import ERM, NoData
from provend.regret import worst_case_regret
from provend.wasserstein import wasserstein_bound


@item("figure7", "Bounds on ERM's worst case under the Wasserstein distance", "Figure 7, Appendix G")
def figure7(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 70, track: Track[int] = quietly) -> Result:
    """The Lagrangian bound, the Kolmogorov worst case below it, and the general-purpose bound above."""
    paper, exact = is_paper(q, zeta == 0.1), erm(zeta, n, q)
    grid = [*range(1, min(n, 30) + 1), *range(32, n + 1, 2)]
    found = [wasserstein_bound(ERM(), constant(zeta, k), q=q) for k in track(grid)]
    earlier = [concentration_bound(constant(zeta, k), q=q) for k in exact.n]
    figure = blank("number of samples n", "worst-case regret of ERM")
    line(figure, exact.n, earlier, "general-purpose bound, corrected", EARLIER_LINE)
    line(figure, grid, [bound.upper for bound in found], "upper bound (Lagrangian)", MIX_LINE)
    line(figure, grid, [bound.lower for bound in found], "attained under Wasserstein", OPTIMAL_LINE)
    line(figure, exact.n, exact.upper, "Kolmogorov worst case", ERM_LINE)
    figure.update_yaxes(range=[0, 1])
    at = few(n, (5, 10, 15, 30, 70))
    of = {k: bound for k, bound in zip(grid, found, strict=True) if k in at}
    rows = curve("upper bound (Lagrangian)", of, [bound.upper for bound in of.values()], pictured=paper)
    rows += curve("Kolmogorov worst case", at, exact.upper[np.array(at) - 1], pictured=paper)
    rows += curve("general-purpose, corrected", at, [earlier[k - 1] for k in at], pictured=paper)
    rows += curve("attained under Wasserstein", of, [bound.lower for bound in of.values()], pictured=False)
    tighter = all(bound.upper < earlier[k - 1] for k, bound in zip(grid, found, strict=True))
    rows.append(claim("the Lagrangian bound is below the general-purpose bound for every n", tighter, claimed=paper))
    text = (
        "The paper's lower bound is the Kolmogorov worst case. Demands that spend their whole Wasserstein distance on "
        "part of the support do worse: that attained value is drawn too, and narrows what is unknown."
    )
    return Result(tuple(rows), figure, text)


@item("claim_lower_bound", "No policy is below zeta/2", "Remark on the lower bound, section 4.2")
def claim_lower_bound(
    *, q: Ratio = 0.9, zetas: Sequence[float] = (0.02, 0.05, 0.1), n: int = 200, track: Track[float] = quietly
) -> Result:
    """The limit for infinitely many samples, its condition, and how soon the best policy comes near it."""
    ratio = as_critical_ratio(q)
    m = float(min(ratio, 1 - ratio))
    rows: list[Row] = []
    for zeta in track(zetas):
        best = best_mixture(constant(zeta, n), q=q)
        limit = limiting_lower_bound(zeta, q=q)
        if zeta <= m:
            rows.append(claim(f"zeta = {zeta:g}: the limit is zeta/2", limit == zeta / 2, claimed=is_paper(q)))
        above = (best.lower_bound_any_policy or 0.0) >= limit * (1 - 1e-9)
        rows.append(claim(f"zeta = {zeta:g}: nor is any with n = {n} below it", above, claimed=is_paper(q)))
        rows.append(number(f"zeta = {zeta:g}, n = {n}: best policy over the limit", best.guarantee.upper / limit, None))
    beyond = min(2 * m, 0.5)
    rows.append(
        number(f"zeta = {beyond:g}, beyond the remark's condition: the limit", limiting_lower_bound(beyond, q=q), None)
    )
    return Result(
        tuple(rows), text="The remark is stated for zeta up to min(q, 1 - q); beyond that, the limit is below zeta/2."
    )


@item("claim_no_data", "Without data the best regret is q(1 - q)", "Section 4.1, after Perakis and Roels")
def claim_no_data(*, q: Ratio = 0.9) -> Result:
    """The regret of ordering q times the width of the support."""
    ratio = as_critical_ratio(q)
    found = worst_case_regret(NoData(), constant(1.0, 1), q=q)
    digits = "0.09" if is_paper(q) else None
    rows = (number("no-data regret", found.upper, digits), number("q(1 - q)", float(ratio * (1 - ratio)), None))
    return Result(rows, text="All targets of Table 1 are percentages of this number.")


@item("claim_concentration", "The general-purpose bound, step by step", "Equation (8) and Appendix E")
def claim_concentration(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 100) -> Result:
    """The integral, the complexity and the shift of the bound, each against its definition."""
    from scipy import integrate, stats

    ratio = as_critical_ratio(q)
    m, paper = float(max(ratio, 1 - ratio)), is_paper(q)
    integral = 2 * integrate.quad(lambda eta: np.exp(-n * eta**2 / (8 * m**2)), 0, 1, epsabs=1e-13)[0]
    factor = 4 * m * np.sqrt(2 * np.pi / n)
    printed, inverted = (factor * (stats.norm.cdf(x) - 0.5) for x in (2 * m / np.sqrt(n), np.sqrt(n) / (2 * m)))
    # The complexity of demands at zero, over all signs: sup over a of (1 - q) a times the sum of the signs.
    few_n, many_n = (_complexity(k, float(1 - ratio)) for k in (n, 4 * n))
    as_printed, actions = concentration_bound(constant(zeta, n), q=q, form="printed"), np.linspace(0, 1, 101)
    shift = np.abs(zeta * (float(ratio) * (1 - actions) - float(1 - ratio) * actions)).max()
    rows = [
        number(f"n = {n}: the integral", float(integral), None),
        number(f"n = {n}: its closed form as printed", float(printed), None),
        claim(
            "the closed form equals the integral",
            bool(np.isclose(integral, printed)),
            claimed=paper,
            why="the argument of Phi is upside down: with sqrt(n) / (2 max(q, 1 - q)) it does",
        ),
        claim("with the argument turned over it does", bool(np.isclose(integral, inverted)), claimed=False),
        number(f"complexity as printed, n = {n}", few_n, None),
        number(f"complexity as printed, n = {4 * n}", many_n, None),
        claim(
            "the bound falls as n grows, by the formula as printed",
            concentration_bound(constant(zeta, 4 * n), q=q, form="printed") < as_printed,
            claimed=paper,
            why="the complexity, a sum over samples, doubles when n is four times as large: it lacks a factor 1/n",
        ),
        claim("the shift of costs is at most max(q, 1 - q) zeta", bool(np.isclose(shift, m * zeta)), claimed=paper),
    ]
    return Result(tuple(rows), text="Two slips, so the bound is given corrected and as printed wherever it appears.")


def _complexity(n: int, slope: float) -> float:
    """E sup over a in [0, 1] of slope a S_n, S_n a sum of n random signs: slope E max(S_n, 0)."""
    from scipy import stats

    heads = np.arange(n + 1)
    return float(slope * (stats.binom.pmf(heads, n, 0.5) * np.maximum(2 * heads - n, 0)).sum())
