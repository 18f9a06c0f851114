"""Sections 4.3 and 4.4: dissimilarities that grow with age, known and misjudged."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from provend._validation import as_critical_ratio
from provend.certificate import Guarantee
from provend.designs import drift
from provend.minimax import Minimax, minimax
from provend.newsvendor import Ratio
from provend.paper._item import Result, Row, Track, item, quietly, rounds_to
from provend.paper._mixtures import size
from provend.paper._printed import claim, is_paper, number
from provend.policies import KNN, Exponential
from provend.regret import worst_case_regret
from provend.tuning import Tuned, tune

DELTAS, KS, N = (0.001, 0.0025, 0.005), (8, 17, 27), 100
PRINTED_BEST = {
    0.001: ("0.95", "0.016", "27", "0.014"),
    0.0025: ("0.91", "0.023", "17", "0.018"),
    0.005: ("0.88", "0.031", "8", "0.025"),
}
PRINTED_KNN = {
    (0.001, 8): "0.018",
    (0.001, 17): "0.016",
    (0.001, 27): "0.014",
    (0.0025, 8): "0.021",
    (0.0025, 17): "0.018",
    (0.0025, 27): "0.020",
    (0.005, 8): "0.025",
    (0.005, 17): "0.026",
    (0.005, 27): "0.036",
}


@lru_cache(maxsize=64)
def _tuned(family: str, delta: float, n: int, q: Fraction) -> Tuned:
    return tune(family, drift(delta, n), q=q, rtol=1e-9 if family == "knn" else 1e-4)


def tuned(family: str, delta: float, n: int, q: Ratio) -> Tuned:
    """Best k or gamma for a drift."""
    return _tuned(family, delta, n, as_critical_ratio(q))


@lru_cache(maxsize=64)
def _best(delta: float, n: int, q: Fraction) -> Minimax:
    return minimax(drift(delta, n), q=q)


def best(delta: float, n: int, q: Ratio) -> Minimax:
    """The best policy there is."""
    return _best(delta, n, as_critical_ratio(q))


def knn(k: int, delta: float, n: int, q: Ratio) -> Guarantee:
    """The exact worst case of the k most recent samples."""
    return worst_case_regret(KNN(k), drift(delta, n), q=q)


@item("table3", "Best parameters under drift", "Table 3, section 4.3")
def table3(*, q: Ratio = 0.9, deltas: Sequence[float] = DELTAS, n: int = N, track: Track[float] = quietly) -> Result:
    """gamma* and k* with their worst cases; beyond the paper, the optimal policy and what no policy can beat."""
    rows: list[Row] = []
    for delta in track(deltas):
        rows += _best_rows(delta, n, q)
    text = (
        "k is compared exhaustively by certified brackets. gamma is real: it is found by a search on sharp estimates, "
        "and the regret given is the certified upper end for the gamma found. The optimal policy weighs recent samples "
        "nearly linearly and ignores those too old; no policy whatsoever can beat the lower bound in the last row of "
        "each drift."
    )
    return Result(tuple(rows), text=text)


def _best_rows(delta: float, n: int, q: Ratio) -> list[Row]:
    printed = PRINTED_BEST.get(delta) if is_paper(q, n == N) else None
    gamma, regret_gamma, k, regret_k = printed or (None,) * 4
    exponential, nearest, optimal = (tuned("exp", delta, n, q), tuned("knn", delta, n, q), best(delta, n, q))
    name = f"drift {delta:g}"
    why_gamma = why_k = ""
    if gamma and regret_gamma and not rounds_to(exponential.guarantee.upper, regret_gamma):
        there = worst_case_regret(Exponential(float(gamma)), drift(delta, n), q=q)
        why_gamma = f"even the printed gamma = {gamma} gives {there.lower:.5f} to {there.upper:.5f}; no reason found"
    if k is not None:
        why_k = (
            f"k = {nearest.parameter:g} has {nearest.guarantee.upper:.6f}, less than the "
            f"{knn(int(k), delta, n, q).lower:.6f} of k = {k}: both are teeth of the saw, and the later one is lower"
        )
    return [
        number(f"{name}: best gamma (EWERM)", exponential.parameter, gamma),
        number(f"{name}: EWERM, worst-case regret", exponential.guarantee.upper, regret_gamma, why=why_gamma),
        number(f"{name}: best k (k-NN-ERM)", int(nearest.parameter), k, why=why_k),
        number(f"{name}: k-NN-ERM, worst-case regret", nearest.guarantee.upper, regret_k, why=why_k),
        number(f"{name}: optimal policy, worst-case regret", optimal.guarantee.upper, None),
        number(f"{name}: lower bound for any policy", optimal.lower_bound, None),
    ]


@item("table4", "k-NN-ERM when the drift is misjudged", "Table 4, section 4.4")
def table4(*, q: Ratio = 0.9, deltas: Sequence[float] = DELTAS, ks: Sequence[int] = KS, n: int = N) -> Result:
    """Worst-case regret of three choices of k under three drifts."""
    rows: list[Row] = []
    for delta in deltas:
        least = int(tuned("knn", delta, n, q).parameter)
        for k in ks:
            digits = PRINTED_KNN.get((delta, k)) if is_paper(q, n == N) else None
            guarantee = knn(k, delta, n, q)
            why = f"exact is {guarantee.upper:.6f}; the printed digit follows from no definition found"
            rows.append(number(f"drift {delta:g}, k = {k}: worst-case regret", guarantee.upper, digits, why=why))
        if is_paper(q, n == N, delta in DELTAS):
            bold = PRINTED_BEST[delta][2]
            why = f"the best of all k up to {n} is k = {least}, with {knn(least, delta, n, q).upper:.6f}"
            rows.append(number(f"drift {delta:g}: the k in bold, best of all", least, bold, why=why))
    return Result(
        tuple(rows), text="Each row of the printed table is one drift, each column one k; bold is the best k."
    )


@item("claim_sensitivity", "A drift twice as large costs 4 % and 44 %", "Text of section 4.4")
def claim_sensitivity(*, q: Ratio = 0.9, assumed: float = 0.0025, true: float = 0.005, n: int = N) -> Result:
    """What k chosen for half the drift costs, against the right k and against what was expected."""
    paper = is_paper(q, assumed == 0.0025, true == 0.005, n == N)
    chosen, right = (int(tuned("knn", delta, n, q).parameter) for delta in (assumed, true))
    actual, ideal, expected = knn(chosen, true, n, q), knn(right, true, n, q), knn(chosen, assumed, n, q)
    more, surprise = (100 * (actual.upper / base.upper - 1) for base in (ideal, expected))
    why = "computed from the rounded entries of Table 4: {} / {}; unrounded it is {:.1f} %"
    rows = [
        number(f"k = {chosen} against k = {right}: percent more", more, "4" if paper else None,
               why=why.format("0.026", "0.025", more)),
        number("regret against what was expected: percent more", surprise, "44" if paper else None,
               why=why.format("0.026", "0.018", surprise)),
        number("drift against what was assumed: percent more", 100 * (true / assumed - 1), "100" if paper else None),
        claim("the regret rises by less than the drift", surprise < 100 * (true / assumed - 1), claimed=paper),
    ]  # fmt: skip
    return Result(tuple(rows), text="The conclusion stands: the loss is much smaller than the error in the drift.")


@item("claim_drift", "Fewer samples count under drift, and 1/(1 - gamma*) is like k*", "Text of section 4.3")
def claim_drift(
    *, q: Ratio = 0.9, deltas: Sequence[float] = DELTAS, n: int = N, track: Track[float] = quietly
) -> Result:
    """The two comparisons of effective sample sizes in the text."""
    paper = is_paper(q, n == N, tuple(deltas) == DELTAS)
    printed_span = {0.001: "20"} if paper else {}
    rows: list[Row] = []
    spans = []
    for delta in track(deltas):
        gamma, k = tuned("exp", delta, n, q).parameter, int(tuned("knn", delta, n, q).parameter)
        spans.append((1 / (1 - gamma), k))
        why = f"from the rounded gamma* = 0.95; the gamma found is {gamma:.4f}"
        rows.append(number(f"drift {delta:g}: 1/(1 - gamma*)", 1 / (1 - gamma), printed_span.get(delta), why=why))
        digits = PRINTED_BEST[delta][2] if paper else None
        why = f"k = {k} is better than the printed one: see Table 3"
        rows.append(number(f"drift {delta:g}: k*", k, digits, why=why))
    alike = all(0.5 <= span / k <= 2 for span, k in spans)
    rows.append(claim("1/(1 - gamma*) and k* agree within a factor of two", alike, claimed=paper))
    if paper:
        k, span = spans[0][1], 0.001
        same = size(0.03, q).k
        rows += [
            number(
                "drift 0.001: dissimilarity of the last sample used", k * span, "0.027", why=f"k* is {k}: see Table 3"
            ),
            claim(
                "equal dissimilarity below 0.03: at least 200 samples would be used",
                same >= 200,
                why=f"the exact effective sample size at zeta = 0.03 is {same}: see Table 2",
            ),
            claim("still, drift leaves fewer samples to use", k < same),
        ]
    return Result(tuple(rows), text="A smaller k* under drift: near samples make distant ones less worth having.")
