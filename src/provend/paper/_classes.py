"""Figure 2, Lemma 1 and Appendix A: the classes of policies, counted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from provend._validation import as_critical_ratio
from provend.newsvendor import Ratio
from provend.paper._containments import (
    Table,
    decide,
    is_weighted_erm,
    monotone_tables,
    order_statistic_tables,
    outcomes,
    probability,
    weighted_erm_table,
)
from provend.paper._draw import blank
from provend.paper._item import Result, Row, Track, item, quietly
from provend.paper._printed import claim, number
from provend.policies import ERM, Counting, OrderStatistic, WeightedERM

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LEMMA_WEIGHTS, LEMMA_Q = (2, 1, 1, 1), Fraction(1, 2)
FILL = "rgba(0, 0, 0, 0.03)"  # overlaps are a little darker
LEMMA_ORDERS = {
    (0.1, 0.2, 0.3, 0.4): "0.2",
    (0.1, 0.4, 0.2, 0.3): "0.2",
    (0.1, 0.3, 0.4, 0.2): "0.2",
    (0.2, 0.4, 0.3, 0.1): "0.2",
    (0.3, 0.2, 0.1, 0.4): "0.3",
}


@dataclass(frozen=True)
class Classes:
    """Counting functions of n samples, and those that are of a narrower kind."""

    counting: list[Table]
    weighted: set[Table]
    ranks: set[Table]
    erm: Table


def classes(n: int, q: Fraction, track: Track[Table] = quietly) -> Classes:
    """All of them, by enumeration and one linear program per function."""
    counting = monotone_tables(n)
    weighted = {table for table in track(counting) if is_weighted_erm(table, n, q)}
    return Classes(counting, weighted, order_statistic_tables(n), weighted_erm_table([1] * n, q))


@item("figure2", "Classes of policies", "Figure 2, section 3.3, with Lemma 1 and Proposition A-1")
def figure2(*, q: Ratio = 0.5, n: int = 4, track: Track[Table] = quietly) -> Result:
    """Every counting policy of n samples, sorted into the classes of the diagram."""
    ratio = as_critical_ratio(q)
    found = classes(n, ratio, track)
    rows = [*_containment_rows(found, n), *_agreement_rows(ratio, n), *_lemma_rows(), *_mean_rows(), *_mixture_rows()]
    text = (
        f"With {n} samples and q = {ratio} there are {len(found.counting)} counting policies. All weighted ERM and all "
        "order statistic policies are among them, neither class contains the other, and some counting policies are "
        "neither. Lemma 1's example and the mean of two samples, which is not separable, are checked number by number."
    )
    return Result(tuple(rows), _diagram(found), text)


def _containment_rows(found: Classes, n: int) -> list[Row]:
    counting, both = set(found.counting), found.weighted & found.ranks
    neither = counting - found.weighted - found.ranks
    return [
        number(f"n = {n}: counting policies", len(counting), None),
        number(f"n = {n}: of these weighted ERM", len(found.weighted), None),
        number(f"n = {n}: of these order statistics", len(found.ranks), None),
        number(f"n = {n}: of these both", len(both), None),
        number(f"n = {n}: of these neither", len(neither), None),
        claim("ERM is a weighted ERM and an order statistic policy", found.erm in both),
        claim("weighted ERM policies are counting policies (Proposition 4)", found.weighted <= counting),
        claim("order statistic policies are counting policies (Proposition B-2)", found.ranks <= counting),
        claim(
            "counting policies are non-decreasing separable (Proposition 3)", all(_rises(t, n) for t in found.counting)
        ),
    ]


def _rises(table: Table, n: int) -> bool:
    """P is affine in each argument, so it is non-decreasing iff kappa is: checked at all vertices."""
    corner = [(probability(table, b), b) for b in outcomes(n)]
    value = {b: p for p, b in corner}
    return all(value[b] <= value[(*b[:i], 1, *b[i + 1 :])] for b in value for i in range(n) if b[i] == 0)


def _agreement_rows(q: Fraction, n: int, seed: int = 3) -> list[Row]:
    """The policies of this package decide as their counting functions say, on random demands with ties."""
    generator = np.random.default_rng(seed)
    agree = True
    for _ in range(20):
        y = generator.integers(0, 6, n) / 5
        weights = [int(w) for w in generator.integers(0, 4, n)] if n > 1 else [1]
        weights[0] += 1
        table, rank = weighted_erm_table(weights, q), int(generator.integers(0, n + 2))
        ranked = tuple(int(sum(b) >= rank) for b in outcomes(n))
        d = np.zeros(n)
        agree &= WeightedERM(weights).order(y, d, q=q) == decide(table, y.tolist())
        agree &= OrderStatistic(rank).order(y, d, q=q) == decide(ranked, y.tolist())
        agree &= ERM().order(y, d, q=q) == decide(weighted_erm_table([1] * n, q), y.tolist())
        agree &= Counting(dict(zip(outcomes(n), table, strict=True)).__getitem__).order(y, d, q=q) == decide(
            table, y.tolist()
        )
    return [claim("decisions on real demands agree with the counting functions", bool(agree), claimed=False)]


def _lemma_rows() -> list[Row]:
    """Lemma 1: weights (2, 1, 1, 1) at q = 1/2 are not an order statistic of any subset."""
    policy, d = WeightedERM(LEMMA_WEIGHTS), np.zeros(4)
    table = weighted_erm_table(LEMMA_WEIGHTS, LEMMA_Q)
    rows = [
        number(f"Lemma 1, order for demands {y}", policy.order(np.array(y), d, q=LEMMA_Q), digits)
        for y, digits in LEMMA_ORDERS.items()
    ]
    rivals = order_statistic_tables(4)
    demands = list(permutations((0.1, 0.2, 0.3, 0.4)))
    alike = [t for t in rivals if all(decide(t, y) == decide(table, y) for y in demands)]
    y, subset = [10, 20, 30, 40, 40, 50], [2, 3, 4, 5]
    third = OrderStatistic(3, subset=subset).order(y, np.zeros(6), q=LEMMA_Q, support=(0, 60))
    return [
        *rows,
        claim("Lemma 1: no order statistic of any subset decides alike", not alike),
        number("Appendix B: third smallest of 30, 40, 40, 50", third, "40"),
    ]


def _mean_rows() -> list[Row]:
    """Proposition A-1: P(1, 0) of the mean policy would have to be two numbers."""
    far, near = (int((0 + second) / 2 <= 0.4) for second in (1.0, 0.6))
    return [
        number("mean of two, demands 0 and 1: P(order <= 0.4), with F_1(0.4) = 1 and F_2(0.4) = 0", far, "0"),
        number("mean of two, demands 0 and 0.6: P(order <= 0.4), with the same F_1(0.4) and F_2(0.4)", near, "1"),
        claim("the mean policy is not separable", far != near),
    ]


def _mixture_rows() -> list[Row]:
    """Lemma A-1, and why the outer class is larger: a mixture of two ranks is separable but not counting."""
    first, second = (tuple(int(sum(b) >= rank) for b in outcomes(3)) for rank in (1, 2))
    h = (0.3, 0.5, 0.8)
    mixed = 0.5 * probability(first, h) + 0.5 * probability(second, h)
    vertex = 0.5 * probability(first, (1, 0, 0)) + 0.5 * probability(second, (1, 0, 0))
    between = (
        min(probability(first, h), probability(second, h))
        <= mixed
        <= max(probability(first, h), probability(second, h))
    )
    return [
        claim("a mixture of two ranks is separable", between),
        claim("and not a counting policy", vertex not in (0, 1), claimed=False),
    ]


def _diagram(found: Classes) -> Figure:
    """Four ellipses and how many policies are in each region."""
    both = found.weighted & found.ranks
    neither = len(set(found.counting) - found.weighted - found.ranks)
    figure = blank("", "")
    for (x0, y0, x1, y1), colour in (
        ((-8, -4, 8, 4), "#B2182B"),
        ((-6.2, -2.7, 6.2, 2.7), "#0072B2"),
        ((-1.1, -1.5, 5.1, 1.5), "#7B3294"),
        ((-5.1, -1.5, 1.1, 1.5), "#444444"),
    ):
        edge = {"color": colour, "width": 2.5, "dash": "dash"}
        figure.add_shape(type="circle", x0=x0, y0=y0, x1=x1, y1=y1, line=edge, fillcolor=FILL, opacity=1, layer="below")
    labels = [
        (0, 3.3, "non-decreasing separable<br>(mixtures too)", "#B2182B"),
        (0, 2.05, f"counting: {len(found.counting)}<br>({neither} in neither)", "#0072B2"),
        (3.0, 0, f"weighted ERM<br>{len(found.weighted)}", "#7B3294"),
        (-3.0, 0, f"order statistics<br>{len(found.ranks)}", "#444444"),
        (0, 0, f"both: {len(both)}<br>ERM is here", "#111111"),
    ]
    x, y, texts, colours = zip(*labels, strict=True)
    font = {"color": colours, "size": 13}
    figure.add_scatter(x=x, y=y, text=texts, mode="text", textfont=font, hoverinfo="skip", showlegend=False)
    figure.update_xaxes(visible=False, range=[-8.3, 8.3]).update_yaxes(visible=False, range=[-4.3, 4.3])
    return figure
