"""What must hold whatever the numbers: order, relabelling, and the same policy under two names."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import provend as pv

relaxed = settings(deadline=None, derandomize=True, max_examples=60)

dissimilarity = st.one_of(
    st.floats(0, 1), st.floats(0, 0.2), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), st.floats(1e-12, 1e-3)
)
designs = st.lists(dissimilarity, min_size=1, max_size=12).map(np.array)
ratios = st.fractions(min_value="1/50", max_value="49/50", max_denominator=60)
whole_weights = st.integers(0, 9)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    d = draw(designs)
    w = draw(st.lists(whole_weights, min_size=d.size, max_size=d.size))
    assume(any(w))
    return d, w


def agree(a: pv.Guarantee, b: pv.Guarantee) -> bool:
    """Two brackets of one number overlap and are narrow."""
    return a.lower <= b.upper and b.lower <= a.upper and max(a.gap, b.gap) <= 1e-9


@relaxed
@given(designs, ratios, st.data())
def test_more_dissimilar_is_never_better(d: np.ndarray, q: Fraction, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, d.size - 1))
    further = d.copy()
    further[i] = data.draw(st.floats(d[i], max(1.0, d[i])))
    for policy in (
        pv.ERM(),
        pv.OrderStatistic(1 + d.size // 2),
        pv.WeightedERM(list(range(1, d.size + 1)), tie_break="1/3"),
        pv.Mixture([pv.ERM(), pv.NoData()], [0.5, 0.5]),
    ):
        near, far = pv.worst_case_regret(policy, d, q=q), pv.worst_case_regret(policy, further, q=q)
        assert near.lower <= far.upper, policy


@relaxed
@given(weighted(), ratios, st.randoms(use_true_random=False))
def test_relabelling_changes_nothing(case: tuple[np.ndarray, list[int]], q: Fraction, random) -> None:
    d, w = case
    places = list(range(d.size))
    random.shuffle(places)
    permuted = [w[i] for i in places]
    total = sum(w)
    for one, other in (
        (pv.WeightedERM(w), pv.WeightedERM(permuted)),
        (pv.WeightedQuantile(w, total // 2), pv.WeightedQuantile(permuted, total // 2)),
        (pv.ERM(), pv.ERM()),
        (pv.KNN(1), pv.KNN(1)),
    ):
        a, b = pv.worst_case_regret(one, d, q=q), pv.worst_case_regret(other, d[places], q=q)
        assert agree(a, b), one


@relaxed
@given(designs, ratios)
def test_many_names_of_erm(d: np.ndarray, q: Fraction) -> None:
    n = d.size
    erm = pv.worst_case_regret(pv.ERM(), d, q=q)
    for other in (
        pv.KNN(n),
        pv.OrderStatistic(ceil(q * n)),
        pv.OrderStatistic(ceil(q * n), k=n),
        pv.OrderStatistic(ceil(q * n), subset=range(n)),
        pv.WeightedERM([1] * n),
        pv.WeightedERM([0.1] * n),
        pv.WeightedERM(["7/3"] * n),
        pv.WeightedQuantile([2] * n, 2 * q * n),
        pv.Exponential(1.0),
        pv.Kernel("uniform", 2),
        pv.Mixture([pv.ERM()], [1]),
        pv.Mixture([pv.ERM(), pv.NoData()], [1, 0]),
        pv.Mixture([pv.ERM(), pv.KNN(n)], ["1/3", "2/3"]),
        pv.Mixture([pv.ERM(), pv.ERM(), pv.KNN(n)], ["1/3", "1/3", "1/3"]),
    ):
        assert agree(erm, pv.worst_case_regret(other, d, q=q)), other
    if n <= 8:
        counting = pv.Counting(lambda b: int(sum(b) >= q * n))
        assert agree(erm, pv.worst_case_regret(counting, d, q=q))


@relaxed
@given(weighted(), ratios, st.sampled_from([2, "1/7", 0.1, 12.5, "3e-5"]))
def test_weights_are_relative(case: tuple[np.ndarray, list[int]], q: Fraction, factor: object) -> None:
    d, w = case
    scaled = [Fraction(str(factor)) * x for x in w]
    for tie_break in (0, "1/3", 1):
        one, other = pv.WeightedERM(w, tie_break=tie_break), pv.WeightedERM(scaled, tie_break=tie_break)
        assert agree(pv.worst_case_regret(one, d, q=q), pv.worst_case_regret(other, d, q=q))


@relaxed
@given(weighted(), ratios)
def test_tie_break_between_its_ends(case: tuple[np.ndarray, list[int]], q: Fraction) -> None:
    """lambda = 1 is the quantile at q sum w, lambda = 0 just above; in between, the convex combination of both."""
    d, w = case
    level = q * sum(w)
    least = next(Fraction(x) for x in range(int(level), sum(w) + 2) if x > level)
    smallest, largest = pv.WeightedQuantile(w, level), pv.WeightedQuantile(w, least)
    for share in (Fraction(1), Fraction(0), Fraction(1, 4)):
        both = pv.Mixture([smallest, largest], [share, 1 - share])
        a, b = pv.WeightedERM(w, tie_break=share), both
        assert agree(pv.worst_case_regret(a, d, q=q), pv.worst_case_regret(b, d, q=q))


@relaxed
@given(designs, ratios, st.data())
def test_a_mixture_is_at_most_the_average(d: np.ndarray, q: Fraction, data: st.DataObject) -> None:
    ranks = data.draw(st.lists(st.integers(0, d.size + 1), min_size=2, max_size=3))
    members = [pv.OrderStatistic(r) for r in ranks]
    share = Fraction(1, len(members))
    mixed = pv.worst_case_regret(pv.Mixture(members, [share] * len(members)), d, q=q)
    assert mixed.lower <= sum(pv.worst_case_regret(m, d, q=q).upper for m in members) / len(members) * (1 + 1e-15)


@relaxed
@given(designs, ratios, st.lists(st.booleans(), min_size=12, max_size=12), st.floats(1, 1e9))
def test_above_one_is_one(d: np.ndarray, q: Fraction, far: list[bool], value: float) -> None:
    mask = np.array(far[: d.size])
    at_one, above = np.where(mask, 1.0, d), np.where(mask, value, d)
    for policy in (pv.ERM(), pv.WeightedERM(list(range(1, d.size + 1))), pv.Kernel("gaussian", 0.4), pv.KNN(1)):
        a, b = pv.worst_case_regret(policy, at_one, q=q), pv.worst_case_regret(policy, above, q=q)
        assert (a.lower, a.upper) == (b.lower, b.upper)
        assert (a.worst_case.history == b.worst_case.history).all()


@relaxed
@given(designs, st.integers(1, 30), st.integers(1, 30), st.floats(-10, 10), st.floats(0.5, 1000))
def test_money_is_unit_times_regret(d: np.ndarray, cu: int, co: int, lo: float, width: float) -> None:
    problem = pv.Newsvendor(cu, co, support=(lo, lo + width))
    money, plain = (
        pv.worst_case_regret(pv.ERM(), d, q=problem),
        pv.worst_case_regret(pv.ERM(), d, q=Fraction(cu, cu + co)),
    )
    unit = (cu + co) * (Fraction(problem.support[1]) - Fraction(problem.support[0]))
    # Rounded outwards, exactly.
    assert Fraction(money.lower) <= Fraction(plain.lower) * unit
    assert Fraction(plain.upper) * unit <= Fraction(money.upper)
    assert money.upper == pytest.approx(plain.upper * float(unit), rel=1e-14)
    assert money.percent_of_no_data == pytest.approx(plain.percent_of_no_data, rel=1e-12)
    assert plain.in_money(problem).upper == money.upper


@relaxed
@given(weighted(), st.fractions(min_value="1/20", max_value="19/20", max_denominator=30))
def test_mirror(case: tuple[np.ndarray, list[int]], q: Fraction) -> None:
    """Turning demands upside down exchanges q and 1 - q, the two sides, and "at least" for "more than"."""
    d, w = case
    a = pv.worst_case_regret(pv.WeightedERM(w, tie_break=1), d, q=q)
    b = pv.worst_case_regret(pv.WeightedERM(w, tie_break=0), d, q=1 - q)
    assert agree(a, b)
