"""Section 4.2: the shape of ERM's learning curve, and how close to the bound one can get."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from provend._display import at_most
from provend._kernels.programs.adjacent import AdjacentProblem
from provend._kernels.programs.adjacent_counts import EqualCounts
from provend._validation import as_critical_ratio
from provend.bounds import limiting_lower_bound
from provend.concentration import concentration_bound
from provend.curves import LearningCurve, learning_curve
from provend.designs import constant
from provend.minimax import minimax
from provend.mixtures import best_mixture
from provend.newsvendor import Ratio
from provend.paper._draw import (
    BOUND_LINE,
    EARLIER_LINE,
    ERM_LINE,
    MIX_LINE,
    OPTIMAL_LINE,
    PRINTED_LINE,
    blank,
    line,
    mark,
)
from provend.paper._item import Result, Track, item, quietly
from provend.paper._printed import claim, curve, few, is_paper, number
from provend.policies import ERM
from provend.regret import lengths

Floats = NDArray[np.float64]
MIX = "k*-ERM†"


@lru_cache(maxsize=32)
def _erm(zeta: float, n: int, q: Fraction) -> LearningCurve:
    return learning_curve(ERM(), constant(zeta, n), q=q)


def erm(zeta: float, n: int, q: Ratio) -> LearningCurve:
    """ERM's exact curve for equal dissimilarities."""
    return _erm(zeta, n, as_critical_ratio(q))


@lru_cache(maxsize=32)
def _adjacent(zeta: float, n: int, q: Fraction) -> Floats:
    c = lengths(q)
    return AdjacentProblem(EqualCounts(np.arange(1, n + 1), zeta), c.low, c.high).solve().upper


def adjacent(zeta: float, n: int, q: Ratio) -> Floats:
    """ERM†, the best mixture of two neighbouring ranks of all k samples, k = 1..n: certified from above."""
    return _adjacent(zeta, n, as_critical_ratio(q))


def effective(zeta: float, n: int, q: Ratio) -> Floats:
    """k*-ERM†: ERM† on the best number of samples up to n."""
    return np.minimum.accumulate(adjacent(zeta, n, q))


@item("figure1", "Summary of the main insights", "Figure 1, section 1.1")
def figure1(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 200) -> Result:
    """The exact curve of ERM and of k*-ERM† beside the shape that earlier bounds suggest."""
    paper, exact, best = is_paper(q, zeta == 0.1), erm(zeta, n, q), effective(zeta, n, q)
    figure = blank("number of samples n", "worst-case regret")
    shape = 1.7 / exact.n + 0.08  # drawn by hand in the paper, so not computed
    line(figure, exact.n, shape, "shape of previous bounds (drawn by hand)", EARLIER_LINE)
    line(figure, exact.n, exact.upper, "ERM", ERM_LINE)
    line(figure, exact.n, best, MIX, MIX_LINE)
    figure.update_yaxes(range=[0, 0.14 if paper else 1.6 * float(exact.upper[-1])])
    at = few(n, (exact.best,))
    rows = curve("ERM", at, exact.upper[np.array(at) - 1], pictured=paper)
    rows += curve(MIX, at, best[np.array(at) - 1], pictured=paper)
    return Result(tuple(rows), figure, "The grey curve only shows a shape: 1.7/n + 0.08, as in the paper's source.")


@item("figure3a", "Learning curve of ERM", "Figure 3 (a), section 4.2")
def figure3a(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 200) -> Result:
    """The exact curve beside the bound from concentration, in both forms."""
    paper, exact = is_paper(q, zeta == 0.1), erm(zeta, n, q)
    corrected = [concentration_bound(constant(zeta, k), q=q) for k in exact.n]
    printed = [concentration_bound(constant(zeta, k), q=q, form="printed") for k in exact.n]
    figure = blank("number of samples n", "worst-case regret of ERM")
    line(figure, exact.n, corrected, "general-purpose bound, corrected", EARLIER_LINE)
    line(figure, exact.n, printed, "the same, formula as printed", PRINTED_LINE)
    line(figure, exact.n, exact.upper, "exact", ERM_LINE)
    figure.update_yaxes(range=[0, 1.5] if paper else None)
    at = few(n)
    rows = curve("exact", at, exact.upper[np.array(at) - 1], pictured=paper)
    rows += curve("general-purpose, corrected", at, [corrected[k - 1] for k in at], pictured=paper)
    rows += curve("general-purpose, as printed", at, [printed[k - 1] for k in at], pictured=False)
    text = (
        "The bound falls, the exact regret does not: it has its minimum at a finite n and rises again. The formula as "
        "printed grows with n, so it cannot be the falling curve of the paper's figure."
    )
    return Result(tuple(rows), figure, text)


@item("figure3b", "Improving ERM", "Figure 3 (b), section 4.2")
def figure3b(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 200, track: Track[int] = quietly) -> Result:
    """ERM, k*-ERM† and the limit for any policy; beyond the paper, the optimum for each n."""
    paper, exact, best = is_paper(q, zeta == 0.1), erm(zeta, n, q), effective(zeta, n, q)
    limit = limiting_lower_bound(zeta, q=q)
    grid = [*range(1, min(n, 30) + 1), *range(35, n + 1, 15)]
    optimal = [best_mixture(constant(zeta, k), q=q) for k in track(grid)]  # for equal d, of all policies
    figure = blank("number of samples n", "worst-case regret")
    line(figure, exact.n, exact.upper, "ERM", ERM_LINE)
    line(figure, exact.n, best, MIX, MIX_LINE)
    line(figure, grid, [found.guarantee.upper for found in optimal], "optimal policy for each n", OPTIMAL_LINE)
    line(figure, [1, n], [limit, limit], "no policy is below, for any n", BOUND_LINE)
    mark(figure, exact.best, float(exact.upper[exact.best - 1]), f"ERM is best at n = {exact.best}", "#0072B2")
    figure.update_yaxes(range=[0, 0.15] if paper else None)
    at = few(n, (exact.best,))
    rows = curve("ERM", at, exact.upper[np.array(at) - 1], pictured=paper)
    rows += curve(MIX, at, best[np.array(at) - 1], pictured=paper)
    shown = [(k, found) for k, found in zip(grid, optimal, strict=True) if k in at or k % 50 == 0]
    rows += curve("optimal policy", *zip(*((k, m.guarantee.upper) for k, m in shown), strict=True), pictured=False)
    rows += curve(
        "lower bound", *zip(*((k, m.lower_bound_any_policy or 0.0) for k, m in shown), strict=True), pictured=False
    )
    optimum = np.array([found.guarantee.upper for found in optimal])
    above = 100 * float((best[np.array(grid) - 1] / optimum - 1).max())
    rows.append(number(f"{MIX} above the optimum, largest over these n, percent", above, None))
    text = (
        f"The optimal policy is bracketed by its guarantee and by what no policy can beat. Here {MIX} is never more "
        f"than {at_most(above)} % above it: the samples it leaves out would hardly help."
    )
    return Result(tuple(rows), figure, text)


@item("claim_shape", "One minimum at a finite n, and a rise after it", "Text of section 4.2 and Appendix C")
def claim_shape(*, q: Ratio = 0.9, zeta: float = 0.1, n: int = 200) -> Result:
    """Where ERM is best, and whether mixing ranks repairs the global non-monotonicity."""
    paper, exact, mixed = is_paper(q, zeta == 0.1), erm(zeta, n, q), adjacent(zeta, n, q)
    few_samples, many = (minimax(constant(zeta, k), q=q) for k in (int(np.argmin(mixed)) + 1, n))
    ups = int(np.count_nonzero(np.diff(exact.upper) > 0))
    at_15 = f"; at n = 15 it is {exact.upper[14]:.5f}" if n >= 15 else ""
    why = (
        f"the exact minimum, {exact.upper.min():.5f}, is at n = {exact.best}{at_15}. "
        f"The mixture is best at n = {np.argmin(mixed) + 1}"
    )
    rows = [
        number("n at which ERM is best", exact.best, "15" if paper else None, why=why),
        number("n at which ERM† (two neighbouring ranks) is best", int(np.argmin(mixed)) + 1, "15" if paper else None),
        claim("ERM: adding one sample can hurt (local)", ups > 0, claimed=paper),
        claim(
            "ERM: all samples are worse than the best number (global)",
            exact.upper[-1] > exact.upper.min(),
            claimed=paper,
        ),
        claim("two neighbouring ranks: still worse with all samples", mixed[-1] > mixed.min(), claimed=paper),
        claim(
            "mixtures as defined (all ranks): still worse with all samples",
            many.lower_bound > few_samples.guarantee.upper,
            claimed=paper,
            why="true of two neighbouring ranks only. The best mixture over all ranks, which is what the definition "
            "asks for, never gets worse with more samples: it reaches the bound and stays there",
        ),
    ]
    return Result(tuple(rows), text="Local means that one more sample can hurt; global, that all of them do.")
