"""Figures hold the numbers they claim to show."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

import provend as pv
from provend import plots


def test_worst_case_marks_the_certified_peaks() -> None:
    d, policies = pv.drift(0.01, 20), {"near": pv.KNN(5), "all": pv.ERM()}
    figure = plots.worst_case(policies, d, q=0.9)
    lines, peaks = figure.data[::2], figure.data[1::2]
    for policy, line, peak in zip(policies.values(), lines, peaks, strict=True):
        guarantee = pv.worst_case_regret(policy, d, q=0.9)
        assert peak.y[0] == guarantee.upper
        assert peak.x[0] == guarantee.worst_case.mean
        assert max(line.y) <= guarantee.upper
        assert max(line.y) >= 0.99 * guarantee.upper


def test_learning_curve_shows_the_curve_and_its_best() -> None:
    curve = pv.learning_curve(pv.ERM(), pv.constant(0.1, 30), q=0.9)
    figure = plots.learning_curve({"ERM": curve}, lower_bound=0.05)
    np.testing.assert_array_equal(figure.data[0].y, curve.upper)
    assert (figure.data[1].x[0], figure.data[1].y[0]) == (16, curve.upper[15])
    assert plots.learning_curve({"ERM": curve}, logarithmic=True).layout.yaxis.type == "log"


def test_tuning_and_sensitivity() -> None:
    d = pv.drift(0.01, 20)
    tuned = pv.tune(pv.KNN, d, q=0.9)
    figure = plots.tuning(tuned)
    assert list(figure.data[0].x) == list(range(1, 21))
    assert figure.data[1].y[0] == tuned.guarantee.upper
    table = pv.sensitivity({"5": pv.KNN(5), "9": pv.KNN(9)}, d, q=0.9, scales=(1, 2))
    np.testing.assert_array_equal(plots.sensitivity(table).data[0].z, table.upper)


def test_service_shows_both_ends_and_the_target() -> None:
    curve = pv.service_curve(pv.Conformal(0.9), pv.constant(0.05, 20))
    figure = plots.service({"conformal": curve}, target=0.9)
    best, worst, line = figure.data
    np.testing.assert_array_equal(best.y, curve.best.upper)
    np.testing.assert_array_equal(worst.y, curve.worst.lower)
    np.testing.assert_array_equal(line.y, curve.worst.lower)
    assert figure.layout.shapes[0].y0 == 0.9
    assert len(plots.service(curve).layout.shapes) == 0


def test_stockouts_draws_the_parts_of_the_guarantee_as_areas() -> None:
    found = pv.order_with_stockouts([2, 4, 4], [3, 4, 5], [0, 0, 0], q=0.75, support=(0, 10))
    figure = plots.stockouts(found)
    ordered, left, days = figure.data
    np.testing.assert_allclose(np.sum(np.add(ordered.width, left.width) * np.array(ordered.y)), found.upper)
    np.testing.assert_allclose(np.sum(ordered.width), found.order)
    assert days.text == ("3 days", "2 days", "1 days", "0 days")
    assert figure.layout.shapes[0].x0 == found.order


def test_concentration_is_far_above_the_exact_curve() -> None:
    d = pv.constant(0.1, 20)
    exact, corrected, printed = plots.concentration(d, q=0.9).data
    np.testing.assert_array_equal(exact.y, pv.learning_curve(pv.ERM(), d, q=0.9).upper)
    assert corrected.y[9] == pv.concentration_bound(d[:10], q=0.9)
    assert printed.y[9] == pv.concentration_bound(d[:10], q=0.9, form="printed")


def test_plots_come_with_the_package_but_only_when_used() -> None:
    script = "import sys, provend as pv; assert 'plotly' not in sys.modules; pv.plots.worst_case; pv.datasets"
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)
    with pytest.raises(AttributeError, match="no attribute 'plot'"):
        _ = pv.plot


def test_optimal_lies_below_the_papers_policies() -> None:
    d = pv.drift(0.02, 12)
    optimal, nearest, erm = plots.optimal({"drift": d}, q=0.9, points=3).data
    assert optimal.y[-1] == pv.minimax(d, q=0.9).guarantee.upper
    np.testing.assert_array_equal(erm.y, pv.learning_curve(pv.ERM(), d, q=0.9).upper)
    assert nearest.y[-1] == erm.y.min()
    assert all(y <= nearest.y[n - 1] * (1 + 1e-3) for n, y in zip(optimal.x, optimal.y, strict=True))
    shuffled = plots.optimal({"any order": d[::-1]}, q=0.9, points=2).data
    assert len(shuffled) == 2  # the first n are not the nearest n


def test_value_of_data() -> None:
    close, far = plots.value_of_data([0.1] * 5, q=0.9, at=[0.0, 0.6], most=4).data
    assert close.y[0] == far.y[0] == pv.minimax([0.1] * 5, q=0.9).guarantee.upper
    assert close.y[-1] == pv.minimax([0.1] * 5 + [0.0] * 4, q=0.9).guarantee.upper
    assert far.y[-1] == pytest.approx(far.y[0], rel=1e-3)


class Promising:
    """Orders the largest demand seen, and promises something."""

    def fit(self, X: Any, y: Any) -> None:
        self.largest = float(max(y))

    def predict(self, X: Any) -> list[float]:
        return [self.largest] * len(X)

    def guarantee(self, X: Any) -> list[tuple[float, float]]:
        return [(1.0, 9.0)] * len(X)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_a_backtest(kind: str) -> None:
    demand = np.random.default_rng(0).poisson(9, 120)
    history = pl.DataFrame({"unique_id": ["a"] * 60 + ["b"] * 60, "ds": [*range(60)] * 2, "y": demand})
    frame = {"polars": history, "pandas": history.to_pandas(), "pyarrow": history.to_arrow()}[kind]
    result = pv.backtest(frame, cu=3, co=1, policies={"static": "static", "promising": Promising()})
    costs, regret = plots.backtest_costs(result), plots.backtest_regret(result)
    assert list(costs.data[0].y) == ["static", "promising"]
    assert costs.data[0].x[0] == 1
    assert len(costs.data[1].x) == 4
    np.testing.assert_allclose(costs.data[2].x, [1, np.mean(costs.data[1].x[1::2])])
    assert (list(regret.data[1].x), list(regret.data[1].y)) == (["promising"], [9.0])
    orders = plots.backtest_orders(result, "a")
    assert [trace.name for trace in orders.data] == ["demand", "static", "promising"]
    assert len(orders.data[0].x) == 18
    with pytest.raises(ValueError, match="item = 'c' has no orders"):
        plots.backtest_orders(result, "c")


def test_a_guarantee_that_was_exceeded_is_marked() -> None:
    demand = np.random.default_rng(0).poisson(9, 300)
    history = pl.DataFrame({"unique_id": "a", "ds": range(300), "y": demand})
    result = pv.backtest(history, cu=1, co=9, policies={"static": "static", "promising": Promising()})
    total = result.summary.row(1, named=True)
    cross = plots.backtest_regret(result).data[2]
    assert (list(cross.x), list(cross.y)) == (["promising"], [total["regret_at_least"]])
    assert total["exceeded"]
    assert total["regret_at_least"] > total["guarantee"] == 9


def test_one_thing_needs_no_name() -> None:
    d = pv.drift(0.01, 20)
    curve, tuned = pv.learning_curve(pv.ERM(), d, q=0.9), pv.tune("knn", d, q=0.9)
    np.testing.assert_array_equal(plots.learning_curve(curve).data[0].y, curve.upper)
    assert plots.worst_case(pv.KNN(5), d, q=0.9).data[1].y[0] == pv.worst_case_regret(pv.KNN(5), d, q=0.9).upper
    assert plots.worst_case(pv.KNN(5), d, q=0.9).data[0].name.startswith("KNN(k=5): at most")
    assert plots.optimal(d, q=0.9, points=2).data[0].y[-1] == pv.minimax(d, q=0.9).guarantee.upper
    assert len(plots.value_of_data(d, q=0.9, at=0.0, most=2).data) == 1
    assert len(plots.tuning({"all": tuned, "half": pv.tune("knn", d[:10], q=0.9)}).data) == 4


def test_the_optimum_is_drawn_below_what_it_is_compared_with() -> None:
    """From few points: ERM is best where its rank suits, and a straight line would pass above it there."""
    d, points = pv.constant(0.05, 100), 3
    optimal, _, erm = plots.optimal(d, q=0.5, points=points).data
    drawn = np.exp(np.interp(np.log(erm.x), np.log(optimal.x), np.log(optimal.y)))
    assert (drawn <= erm.y * (1 + 1.001e-3)).all()
    few = np.unique(np.geomspace(1, 100, points).round())
    straight = np.exp(np.interp(np.log(erm.x), np.log(few), np.log([optimal.y[list(optimal.x).index(n)] for n in few])))
    assert (straight > 1.01 * np.asarray(erm.y)).any()
