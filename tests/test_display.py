"""Results show what matters in one line, in a notebook, and as a dataframe of whatever is installed."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import provend as pv
from provend import _display
from provend.estimators import OrderGuarantees
from provend.paper import Result, Row

D = pv.drift(0.01, 20)
MONEY = pv.Newsvendor(cu=9, co=1, support=(0, 120))


def backtest() -> pv.Backtest:
    demand = np.random.default_rng(0).poisson(9, 60)
    history = pl.DataFrame({"unique_id": ["a"] * 60, "ds": range(60), "y": demand})
    return pv.backtest(history, cu=3, co=1, policies=["static", "rolling"])


RESULTS = {
    "guarantee": lambda: pv.worst_case_regret(pv.ERM(), D, q=MONEY),
    "bracket": lambda: pv.worst_case_regret(pv.Exponential(0.9), pv.drift(0.01, 40), q=0.9),
    "curve": lambda: pv.learning_curve(pv.ERM(), D, q=0.9),
    "samples": lambda: pv.samples_needed(pv.ERM(), D, q=0.9, target="40%"),
    "tuned": lambda: pv.tune("knn", D, q=0.9),
    "searched": lambda: pv.tune("exp", D, q=0.9),
    "mixture": lambda: pv.best_mixture(pv.constant(0.1, 200), q=0.9),
    "minimax": lambda: pv.minimax(np.repeat(D, 20), q=0.9),
    "value": lambda: pv.value_of_data(D, q=0.9, new=[0.0]),
    "size": lambda: pv.effective_sample_size(D, q=0.9),
    "sensitivity": lambda: pv.sensitivity({"5": pv.KNN(5), "9": pv.KNN(9)}, D, q=0.9, scales=(1, 2)),
    "wasserstein": lambda: pv.wasserstein_bound(pv.ERM(), D, q=0.9),
    "estimate": lambda: pv.estimate_dissimilarity([1, 2, 3, 4], [2, 3, 4, 5], confidence=0.9),
    "drift": lambda: pv.estimate_drift(list(np.random.default_rng(0).random((200, 5)))),
    "orders": lambda: OrderGuarantees(np.array([1.0, 2.0]), np.array([1.5, 2.5]), 5.0, "given"),
    "backtest": backtest,
    "paper": lambda: Result((Row("a", 1.0, "1", "same"), Row("b", None, None, "beyond")), text="long" * 100),
}


class Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", RESULTS)
def test_one_line_and_a_small_table(name: str) -> None:
    result: Any = RESULTS[name]()
    line, page = repr(result), result._repr_html_()
    assert line.startswith(type(result).__name__ + "(")
    assert len(line) <= 300
    assert "array(" not in line
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert page.count("<tr>") == len(result._facts())


def test_shown_bounds_stay_bounds() -> None:
    """Six digits of a bracket whose ends agree in six digits: rounded apart, not to the nearest."""
    g = pv.worst_case_regret(pv.ERM(), pv.constant(0.1, 16), q=0.9)
    assert g.gap < 1e-8
    assert "lower=0.0515452, upper=0.0515453" in repr(g)
    assert "upper=0.05," in repr(OrderGuarantees(np.array([0.05]), np.array([0.05]), 1.0, ""))


def test_html_is_escaped() -> None:
    result = Result((), text="<script>")
    assert "<script>" not in result._repr_html_()


FRAMES = {
    "guarantee": ["lower", "upper", "estimate", "gap", "percent_of_no_data", "side", "mean"],
    "curve": ["n", "lower", "upper", "percent_of_no_data"],
    "tuned": ["parameter", "estimate", "lower", "upper"],
    "searched": ["parameter", "estimate", "lower", "upper"],
    "mixture": ["rank", "probability"],
    "minimax": ["weight", "low_history", "high_history"],
    "sensitivity": ["scale", "policy", "lower", "upper"],
    "orders": ["lower", "upper", "percent_of_no_data"],
    "paper": ["what", "computed", "published", "verdict", "why"],
}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", FRAMES)
def test_dataframes(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first kind that is installed."""
    kinds = ["pandas", "polars", "pyarrow"]
    missing = kinds[: kinds.index(kind)]
    monkeypatch.setattr(_display, "find_spec", lambda module: None if module in missing else module)
    frame = RESULTS[name]().to_frame()
    assert isinstance(frame, {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}[kind])
    assert nw.from_native(frame, eager_only=True).columns == FRAMES[name]


def test_a_dataframe_has_the_numbers() -> None:
    curve = pv.learning_curve(pv.ERM(), D, q=MONEY)
    frame = curve.to_frame()
    np.testing.assert_array_equal(frame["upper"], curve.upper)
    np.testing.assert_array_equal(frame["percent_of_no_data"], 100 * curve.upper / MONEY.no_data_regret)
    table = pv.sensitivity({"5": pv.KNN(5), "9": pv.KNN(9)}, D, q=0.9, scales=(1, 2))
    at = table.to_frame().set_index(["scale", "policy"])["upper"]
    assert at[2.0, "5"] == table.upper[1, 0]


def test_results_of_the_paper_that_are_words() -> None:
    frame = Result((Row("a", True, "True", "same"), Row("b", 0.5, "0.5", "same"), Row("c", None, None, "beyond")))
    assert frame.to_frame()["computed"].tolist()[:2] == ["True", "0.5"]


def test_guarantees_of_several_orders() -> None:
    several = OrderGuarantees(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 3.5]), 5.0, "given")
    assert len(several) == 3
    assert (several[1].lower, several[-1].upper, several[1].percent_of_no_data) == (2.0, 3.5, 50.0)
    assert several[np.int64(1)].basis == "given"
    assert several[1:].upper.tolist() == several[[1, 2]].upper.tolist() == [2.5, 3.5]
    assert several[several.upper > 3].lower.tolist() == [3.0]
    assert [one.upper for one in several] == several.upper.tolist()
    with pytest.raises(IndexError):
        several[3]
    with pytest.raises(ValueError, match="read-only"):
        several.upper[0] = 0


def test_readme_runs_with_what_is_installed() -> None:
    """Neither pandas nor polars is a dependency."""
    readme = Path(__file__).parents[1] / "README.md"
    code = (
        "import doctest, sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('pandas', 'polars'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        f"found = doctest.testfile({str(readme)!r}, module_relative=False)\n"
        "print(found.failed, found.attempted > 10)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True"], done.stdout


def test_names_of_the_package() -> None:
    names = dir(pv)
    assert {*pv.__all__, "__version__", "plots", "datasets"} <= {*names}
    assert all(getattr(pv, name) is not None for name in names)
    assert not {"Any", "TYPE_CHECKING", "import_module", "bounds", "_errors"} & {*names}
    assert pv.__version__.count(".") == 2


def test_few_digits_are_rounded_to_the_safe_side() -> None:
    """Sentences say no less than what is promised, and assume no more than what promises rest on."""
    rng = np.random.default_rng(0)
    for number in [*(10 ** rng.uniform(-9, 9, 200)).tolist(), 0.0, 0.1 + 0.2, 1.0, 0.025, 12.5]:
        least, most = float(_display.at_least(number)), float(_display.at_most(number))
        assert least <= number <= most
        assert most - least <= number / 9
    assert (_display.at_least(0.0129), _display.at_most(0.0121)) == ("0.012", "0.013")
    assert _display.at_most(0.025) == _display.at_least(0.025) == "0.025"
