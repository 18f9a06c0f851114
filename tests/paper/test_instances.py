"""The paper's items on fixed instances: their numbers by other means, and digits only where the paper prints them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import provend as pv
from provend.paper import _instances as items
from provend.paper._item import Result

NORMAL = items.mild()["truncated normal"]


def rows(result: Result) -> dict[str, object]:
    return {row.what: row for row in result.rows}


@pytest.fixture(scope="module")
def table5() -> Result:
    return items.table5()


@pytest.fixture(scope="module")
def figure5() -> Result:
    return items.figure5()


def slow_regret(k: int, delta: float, q: float = 0.9) -> float:
    """A trapezoidal rule on a fine grid, with the Poisson-binomial law by scipy."""
    y = np.linspace(0, 1, 4001)
    F = NORMAL.cdf(y)
    past = np.minimum(F[:, None] + delta * np.arange(1, k + 1), 1)
    rank = -(-9 * k // 10)
    at_most = np.array([stats.poisson_binom.sf(rank - 1, row) for row in past])
    return float(np.trapezoid(at_most * (q - F) + np.maximum(F - q, 0), y))


@pytest.mark.parametrize(("delta", "k"), [(0.001, 59), (0.0025, 17), (0.005, 19)])
def test_table5_by_a_slow_integral(table5: Result, delta: float, k: int) -> None:
    assert rows(table5)[f"delta = {delta:g}, k = {k}"].computed == pytest.approx(slow_regret(k, delta), rel=1e-4)


def test_table5_beside_the_paper(table5: Result) -> None:
    found = rows(table5)
    for delta, best in ((0.001, 59), (0.0025, 29), (0.005, 19)):
        assert found[f"delta = {delta:g}, best k"].verdict == "same"
        assert found[f"delta = {delta:g}, best k"].computed == best
    assert found["delta = 0.001, robust k"].verdict == "differs"
    assert "0.013417 at k = 37, 0.013520 at k = 27" in found["delta = 0.001, robust k"].why
    assert found["delta = 0.0025, robust k"].verdict == found["delta = 0.005, robust k"].verdict == "same"
    printed = [row for row in table5.rows if row.published]
    assert len(printed) == 3 * (4 + 2)
    assert all(row.why for row in printed if row.verdict == "differs")


def test_table5_simulation_covers_the_exact_value(table5: Result) -> None:
    """Seventeen intervals of 95%: with these seeds at most two miss."""
    found = rows(table5)
    missed = 0
    simulated = [row for row in table5.rows if "histories" in row.what]
    for row in simulated:
        low, high = (float(end) for end in str(row.computed).split("(")[1].rstrip(")").split(" to "))
        missed += not low <= found[row.what.split(", 1,000")[0]].computed <= high
    assert len(simulated) == 13
    assert missed <= 2


def test_other_arguments_carry_no_printed_digits_and_change_numbers() -> None:
    other = items.table5(q=0.8, deltas=(0.0025,), repetitions=10)
    assert all(row.published is None for row in other.rows)
    assert rows(other)["delta = 0.0025, k = 29"].computed != pytest.approx(0.00183675, rel=1e-3)
    shorter = items.table5(n=20, deltas=(0.005,), repetitions=10)
    assert all(row.published is None for row in shorter.rows)
    assert rows(shorter)["delta = 0.005, k = 19"].computed == pytest.approx(0.0028105905, rel=1e-6)
    assert all(row.published is None for row in items.claim_robust_k(q="3/4").rows)
    for change in ({"q": 0.7}, {"zeta": 0.2}):
        assert all(row.published is None for row in items.figure5(**({"n": 20} | change)).rows)
        assert all(row.verdict == "beyond" for row in items.figure6(n=20, **change).rows)
    same = items.figure6(n=20, q="9/10"), items.figure6(n=20, q=0.6)
    assert same[0].rows[0].computed != same[1].rows[0].computed


def test_figure5_limit_and_uniform_in_closed_form(figure5: Result) -> None:
    """Uniform: the past's quantile is q - zeta, the regret of order a is (a - q)^2 / 2."""
    found = rows(figure5)
    assert found["uniform: limit as n grows"].computed == pytest.approx(0.3**2 / 2, abs=1e-12)
    quantile, best = NORMAL.ppf(0.6), NORMAL.ppf(0.9)
    y = np.linspace(quantile, best, 20001)
    limit = np.trapezoid(0.9 - NORMAL.cdf(y), y)
    assert found["truncated normal: limit as n grows"].computed == pytest.approx(limit, rel=1e-7)
    # The order is max(U - zeta, 0), U a beta variable: nearly no mass is cut off at 999 samples.
    mean, square = Fraction(900, 1000), Fraction(900 * 901, 1000 * 1001)
    shifted = float(square - 2 * mean * Fraction(12, 10) + Fraction(12, 10) ** 2) / 2
    assert found["uniform: least regret"].computed == pytest.approx(shifted, rel=1e-12)


def test_figure5_contradicts_one_claim_only(figure5: Result) -> None:
    parted = [row.what for row in figure5.rows if row.verdict == "differs"]
    assert parted == ["truncated normal: globally non-monotone", "truncated exponential: globally non-monotone"]
    for name, future in items.mild().items():
        instance = items.Shifted(future, 0.3)
        curve = items.expected_curve([instance] * 300, future, q=0.9).value
        teeth = curve[8::10]  # n = 9, 19, ...: where q (n + 1) is an integer
        assert (np.diff(teeth) < 0).all()
        assert teeth[-1] > rows(figure5)[f"{name}: limit as n grows"].computed
    assert "stays above its limit" in figure5.text


def test_figure6_starts_with_one_sample() -> None:
    """Uniform, one sample: order max(U - zeta, 0)."""
    found = rows(items.figure6())
    exact = 0.3 * 0.9**2 / 2 + ((0.9**3) - (0.2**3)) / 6
    assert found["uniform, n = 1"].computed == pytest.approx(exact, rel=1e-12)
    assert found["uniform, n = 1"].verdict == "picture"


def test_the_robust_k_of_the_text() -> None:
    found = rows(items.claim_robust_k())
    robust = found["delta = 0.001, robust k"]
    assert (robust.computed, robust.published, robust.verdict) == (37, "17", "differs")
    assert found["regret of k = 17"].computed == pytest.approx(slow_regret(17, 0.001), rel=1e-4)
    assert "k = 27" in found["regret of k = 17"].why
    assert found["regret of k = 59 over the least one"].computed == 1


def test_figures_and_words(table5: Result, figure5: Result) -> None:
    for result in (table5, figure5, items.figure6(n=30)):
        assert len(result.figure.data) >= 2
        assert result.text.count(". ") + 1 <= 5
    names = {trace.name for trace in table5.figure.data}
    assert {"as printed", "drift 0.001: best k = 59"} <= names
    drawn = next(trace for trace in table5.figure.data if trace.name == "drift 0.005: best k = 19")
    assert drawn.y[18] == rows(table5)["delta = 0.005, k = 19"].computed


def test_progress_sees_every_part() -> None:
    seen: list[object] = []

    def track(things: list) -> list:
        seen.extend(things)
        return things

    items.figure6(n=5, track=track)
    assert seen == [*items.mild()]


def test_mild_instances_stay_below_the_worst_case(figure5: Result) -> None:
    worst = pv.worst_case_regret(pv.ERM(), pv.constant(0.3, 9), q=0.9).upper
    for name in items.mild():
        assert rows(figure5)[f"{name}: least regret"].computed < worst
